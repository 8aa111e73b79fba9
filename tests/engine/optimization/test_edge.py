"""Uploading, offloading and listening at the edge: known values, laws, warnings, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_definitions.optimization import (
    DailyUploadScenario,
    OffloadDeadlineScenario,
    WakeWordFleetScenario,
)
from mlsysim.errors import input_errors
from tests.strategies import scenarios

SLACK = 1 + 1e-9

CLINIC: dict[str, Any] = {
    "cases_per_day": 100,
    "files_per_case": 4,
    "file_size": "5 MB",
    "uplink": "2 Mbit/s",
    "window": "8 h",
    "summary_size": "10 kB",
}
CAMERA: dict[str, Any] = {
    "payload": "1 MB",
    "uplink_bandwidth": "100 Mbit/s",
    "network_latency": "20 ms",
    "remote_compute_time": "10 ms",
    "frame_rate": "5 Hz",
}
FLEET: dict[str, Any] = {
    "devices": 1e6,
    "audio_sample_rate": "16 kHz",
    "audio_sample_bits": "16 bit",
    "queries_per_day": 20,
    "query_audio": "5 s",
    "accelerator_time_per_query": "180 ms",
    "accelerators_per_datacenter": 10,
    "waking_hours": "16 h",
    "peak_multiplier": 3,
    "cloud_detection_cost": "0.5 USD/year",
}


@pytest.mark.parametrize(
    ("changes", "output", "expected"),
    [
        # 100 cases of 4 files of 5 MB.
        pytest.param({}, "daily_volume", 2e9, id="two gigabytes a day"),
        # IEC 80000-13: 2 Mbit/s are 250,000 bytes a second.
        pytest.param({}, "file_upload_time", 20, id="5 MB are 40 Mbit"),
        pytest.param({}, "upload_time", 8000, id="16 Gbit at 2 Mbit/s"),
        pytest.param({"uplink": "2 MB/s"}, "upload_time", 1000, id="bytes would be eight times as fast"),
        pytest.param({}, "window_share", 8000 / 28800, id="eight thousand seconds of eight hours"),
        pytest.param({"window": "1 h"}, "window_share", 8000 / 3600, id="a share above one"),
        pytest.param({}, "summary_volume", 1e6, id="100 summaries of 10 kB"),
        pytest.param({}, "reduction", 2000, id="20 MB a case against 10 kB"),
        pytest.param({"file_size": "5 MiB"}, "daily_volume", 400 * 5 * 2**20, id="binary prefixes"),
    ],
)
def test_uploading_a_day(changes: dict[str, Any], output: str, expected: float) -> None:
    result = DailyUploadScenario.model_validate(CLINIC | changes).evaluate()
    assert getattr(result, output) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("changes", "output", "expected"),
    [
        # 8 Mbit at 100 Mbit/s.
        pytest.param({}, "transmit_time", 0.08, id="one megabyte is eight megabit"),
        pytest.param({"compression": 10}, "transmit_time", 0.008, id="90 percent smaller is a ratio of 10"),
        pytest.param({}, "remote_response", 0.03, id="round trip and remote compute"),
        pytest.param({}, "remote_lower_bound", 0.11, id="transmission comes first"),
        pytest.param({}, "deadline", 0.2, id="five frames a second"),
        pytest.param({}, "deadline_ratio", 0.55, id="110 ms of 200 ms"),
        pytest.param({"payload": "0 B"}, "remote_lower_bound", 0.03, id="nothing to send"),
        # An uncompressed frame of 3,840 x 2,160 pixels with 3 bytes each.
        pytest.param({"payload": "24883200 B"}, "transmit_time", 3840 * 2160 * 3 / 12.5e6, id="a raw frame in 4K"),
    ],
)
def test_offloading(changes: dict[str, Any], output: str, expected: float) -> None:
    result = OffloadDeadlineScenario.model_validate(CAMERA | changes).evaluate()
    assert getattr(result, output) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("changes", "output", "expected"),
    [
        # Warden (2018): recordings of one second at 16 kHz with 16 bits hold 32,000 bytes.
        pytest.param({}, "stream_rate", 32_000, id="one second of Speech Commands"),
        pytest.param({}, "fleet_stream_rate", 32e9, id="a million devices"),
        # 86,400 s of audio against 20 x 5 s.
        pytest.param({}, "upload_reduction", 864, id="a hundred seconds a day"),
        # Jouppi et al. (2017), section 1, speak of three minutes a day.
        pytest.param({"queries_per_day": 1, "query_audio": "3 min"}, "upload_reduction", 480, id="three minutes a day"),
        pytest.param({"queries_per_day": 1, "query_audio": "24 h"}, "upload_reduction", 1, id="talking all day"),
        pytest.param({}, "fleet_query_rate", 32e9 / 864, id="requests only"),
        # 20 million requests of 0.18 s are 1,000 accelerator hours; a datacenter of 10 has 240.
        pytest.param({}, "accelerator_hours_per_day", 1000, id="twenty million requests"),
        pytest.param({}, "datacenter_hours_per_day", 240, id="ten accelerators all day"),
        pytest.param({}, "datacenters_average", 1000 / 240, id="four and a bit"),
        # All in two thirds of the day, three times as much at the busiest time.
        pytest.param({}, "peak_ratio", 4.5, id="24 / 16 x 3"),
        pytest.param({}, "datacenters_peak", 18.75, id="four and a half times the average"),
        pytest.param({"waking_hours": "24 h", "peak_multiplier": 1}, "peak_ratio", 1, id="an even load"),
    ],
)
def test_listening(changes: dict[str, Any], output: str, expected: float) -> None:
    result = WakeWordFleetScenario.model_validate(FLEET | changes).evaluate()
    assert getattr(result, output) == pytest.approx(expected)


class TestDailyUpload:
    @given(scenarios(DailyUploadScenario))
    def test_the_files_of_a_day_take_their_times_together(self, site: DailyUploadScenario) -> None:
        result = site.evaluate()
        files = site.cases_per_day * site.files_per_case
        assert result.upload_time == pytest.approx(files * result.file_upload_time)
        assert result.window_share == pytest.approx(result.upload_time / site.window)

    @given(scenarios(DailyUploadScenario), st.integers(2, 10))
    def test_the_number_of_cases_cancels_in_the_reduction(self, site: DailyUploadScenario, times: int) -> None:
        busier = site.variant(cases_per_day=times * site.cases_per_day).evaluate()
        assert busier.reduction == pytest.approx(site.evaluate().reduction)
        assert busier.upload_time == pytest.approx(times * site.evaluate().upload_time)

    @given(scenarios(DailyUploadScenario))
    def test_taking_bits_for_bytes_looks_eight_times_shorter(self, site: DailyUploadScenario) -> None:
        sold = 8 * site.uplink
        in_bits = site.variant(uplink={"value": sold, "unit": "bit/s"}).evaluate()
        in_bytes = site.variant(uplink={"value": sold, "unit": "B/s"}).evaluate()
        assert in_bits.upload_time == pytest.approx(8 * in_bytes.upload_time)


class TestOffloadDeadline:
    @given(scenarios(OffloadDeadlineScenario))
    def test_the_answer_takes_at_least_each_of_its_parts(self, camera: OffloadDeadlineScenario) -> None:
        result = camera.evaluate()
        parts = (result.transmit_time, camera.network_latency, camera.remote_compute_time)
        assert result.remote_lower_bound * SLACK >= max(parts)
        assert result.deadline_ratio == pytest.approx(result.remote_lower_bound * camera.frame_rate)

    @given(scenarios(OffloadDeadlineScenario), st.floats(1, 1000))
    def test_compression_never_beats_the_round_trip(self, camera: OffloadDeadlineScenario, more: float) -> None:
        smaller = camera.variant(compression=more * camera.compression).evaluate()
        assert smaller.remote_response <= smaller.remote_lower_bound <= camera.evaluate().remote_lower_bound * SLACK

    @given(scenarios(OffloadDeadlineScenario))
    def test_an_uplink_twice_as_fast_is_a_payload_half_as_large(self, camera: OffloadDeadlineScenario) -> None:
        faster = camera.variant(uplink_bandwidth={"value": 2 * camera.uplink_bandwidth, "unit": "B/s"}).evaluate()
        smaller = camera.variant(compression=2 * camera.compression).evaluate()
        assert faster.transmit_time == pytest.approx(smaller.transmit_time)


class TestWakeWordFleet:
    @given(scenarios(WakeWordFleetScenario))
    def test_requests_are_never_more_than_the_whole_stream(self, fleet: WakeWordFleetScenario) -> None:
        result = fleet.evaluate()
        assert result.upload_reduction * SLACK >= 1
        assert result.fleet_query_rate <= result.fleet_stream_rate * SLACK

    @given(scenarios(WakeWordFleetScenario))
    def test_what_is_sent_is_what_is_said(self, fleet: WakeWordFleetScenario) -> None:
        result = fleet.evaluate()
        sent_per_day = result.queries_per_fleet_day * fleet.query_audio * result.stream_rate
        assert 86400 * result.fleet_query_rate == pytest.approx(sent_per_day)

    @given(scenarios(WakeWordFleetScenario))
    def test_the_peak_is_no_lower_than_the_average(self, fleet: WakeWordFleetScenario) -> None:
        result = fleet.evaluate()
        assert result.peak_ratio * SLACK >= fleet.peak_multiplier
        assert result.datacenters_peak * SLACK >= result.datacenters_average

    @given(scenarios(WakeWordFleetScenario))
    def test_the_year_of_a_price_cancels(self, fleet: WakeWordFleetScenario) -> None:
        shown = fleet.variant(cloud_detection_cost="0.5 USD/year").evaluate().to_json()["cloud_detection_cost_per_year"]
        assert shown == {"value": pytest.approx(0.5 * fleet.devices), "unit": "USD/year"}

    @given(scenarios(WakeWordFleetScenario))
    def test_the_local_inputs_enter_no_output(self, fleet: WakeWordFleetScenario) -> None:
        changes = {"local_power_low": "2 mW", "local_power_high": "3 mW", "local_detection_cost": "1 USD/year"}
        assert fleet.variant(**changes).evaluate().to_json() == fleet.evaluate().to_json()


@pytest.mark.parametrize(
    ("scenario", "inputs", "codes"),
    [
        pytest.param(DailyUploadScenario, CLINIC, [], id="a day that fits the uplink"),
        pytest.param(DailyUploadScenario, CLINIC | {"window": "2 h"}, ["deadline_missed"], id="a day that does not"),
        pytest.param(
            DailyUploadScenario, CLINIC | {"summary_size": "20 MB"}, ["no_gain"], id="summaries as large as the files"
        ),
        pytest.param(OffloadDeadlineScenario, CAMERA, [], id="an answer in time"),
        pytest.param(
            OffloadDeadlineScenario, CAMERA | {"frame_rate": "10 Hz"}, ["deadline_missed"], id="a late answer"
        ),
        pytest.param(
            OffloadDeadlineScenario, CAMERA | {"compression": 0.9}, ["slowdown"], id="a saved share for a ratio"
        ),
        pytest.param(WakeWordFleetScenario, FLEET, [], id="a fleet worth detecting on the device"),
        pytest.param(
            WakeWordFleetScenario, FLEET | {"queries_per_day": 15_000}, ["deadline_missed"], id="more said than awake"
        ),
        pytest.param(
            WakeWordFleetScenario,
            FLEET | {"local_detection_cost": "0.5 USD/year"},
            ["no_gain"],
            id="a detector as expensive as the cloud",
        ),
        pytest.param(
            WakeWordFleetScenario,
            FLEET | {"local_detection_cost": "0.01 USD/year"},
            [],
            id="a detector that is cheaper",
        ),
    ],
)
def test_warnings(scenario: type[Scenario[Any]], inputs: dict[str, Any], codes: list[str]) -> None:
    valid = scenario.model_validate(inputs)
    assert [warning.code for warning in valid.warnings(valid.evaluate())] == codes


@pytest.mark.parametrize(
    ("scenario", "inputs", "pointer"),
    [
        (DailyUploadScenario, CLINIC | {"cases_per_day": 0}, "/cases_per_day"),
        (DailyUploadScenario, CLINIC | {"files_per_case": 0}, "/files_per_case"),
        (DailyUploadScenario, CLINIC | {"file_size": "0 MB"}, "/file_size"),
        (DailyUploadScenario, CLINIC | {"uplink": "0 Mbit/s"}, "/uplink"),
        (DailyUploadScenario, CLINIC | {"uplink": "2 Mbit"}, "/uplink"),
        (DailyUploadScenario, CLINIC | {"window": "0 h"}, "/window"),
        (DailyUploadScenario, CLINIC | {"summary_size": "0 B"}, "/summary_size"),
        (OffloadDeadlineScenario, CAMERA | {"payload": "-1 B"}, "/payload"),
        (OffloadDeadlineScenario, CAMERA | {"uplink_bandwidth": "0 B/s"}, "/uplink_bandwidth"),
        (OffloadDeadlineScenario, CAMERA | {"network_latency": "-1 ms"}, "/network_latency"),
        (OffloadDeadlineScenario, CAMERA | {"remote_compute_time": "-1 ms"}, "/remote_compute_time"),
        (OffloadDeadlineScenario, CAMERA | {"frame_rate": "0 Hz"}, "/frame_rate"),
        (OffloadDeadlineScenario, CAMERA | {"compression": 0}, "/compression"),
        (WakeWordFleetScenario, FLEET | {"devices": 0}, "/devices"),
        (WakeWordFleetScenario, FLEET | {"audio_sample_rate": "0 Hz"}, "/audio_sample_rate"),
        (WakeWordFleetScenario, FLEET | {"audio_sample_bits": "0 bit"}, "/audio_sample_bits"),
        (WakeWordFleetScenario, FLEET | {"audio_sample_bits": 16}, "/audio_sample_bits"),
        (WakeWordFleetScenario, FLEET | {"queries_per_day": 0}, "/queries_per_day"),
        (WakeWordFleetScenario, FLEET | {"query_audio": "0 s"}, "/query_audio"),
        (WakeWordFleetScenario, FLEET | {"query_audio": "2 h"}, "/query_audio"),
        (WakeWordFleetScenario, FLEET | {"accelerator_time_per_query": "-1 s"}, "/accelerator_time_per_query"),
        (WakeWordFleetScenario, FLEET | {"accelerators_per_datacenter": 0}, "/accelerators_per_datacenter"),
        (WakeWordFleetScenario, FLEET | {"waking_hours": "0 h"}, "/waking_hours"),
        (WakeWordFleetScenario, FLEET | {"waking_hours": "25 h"}, "/waking_hours"),
        (WakeWordFleetScenario, FLEET | {"peak_multiplier": 0.5}, "/peak_multiplier"),
        (WakeWordFleetScenario, FLEET | {"cloud_detection_cost": "-1 USD/year"}, "/cloud_detection_cost"),
        (WakeWordFleetScenario, FLEET | {"local_power_low": "-1 mW"}, "/local_power_low"),
        (WakeWordFleetScenario, FLEET | {"local_power_high": "-1 mW"}, "/local_power_high"),
        (WakeWordFleetScenario, FLEET | {"local_power_low": "2 mW", "local_power_high": "1 mW"}, "/local_power_low"),
        (WakeWordFleetScenario, FLEET | {"local_detection_cost": "-1 USD/year"}, "/local_detection_cost"),
    ],
)
def test_refused_inputs(scenario: type[Scenario[Any]], inputs: dict[str, Any], pointer: str) -> None:
    with pytest.raises(ValidationError) as refused:
        scenario.model_validate(inputs)
    assert [error.pointer for error in input_errors(refused.value)] == [pointer]
