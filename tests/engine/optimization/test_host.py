"""Feeding an accelerator from its host: known values, laws, warnings, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from mlsysim.engine.scenario_definitions.optimization import HostInputPipelineScenario
from mlsysim.errors import input_errors
from tests.strategies import scenarios

# Images of 224 x 224 pixels with 3 channels, as bytes on the host and as FP32 on the device.
IMAGES: dict[str, Any] = {
    "batch_size": 64,
    "workers": 4,
    "prefetch_factor": 2,
    "raw_sample": "150528 B",
    "model_sample": "602112 B",
    "consume_rate": "1000 1/s",
    "host_link": "64 GB/s",
    "device_memory": "3.35 TB/s",
    "step_times": {"large model": "5 ms"},
}


@pytest.mark.parametrize(
    ("changes", "output", "expected"),
    [
        # PyTorch's data loader: each of the workers keeps prefetch_factor batches ready.
        pytest.param({}, "batches_in_flight", 8, id="four workers, two batches each"),
        pytest.param({"workers": 0}, "batches_in_flight", 0, id="no workers"),
        pytest.param({}, "raw_feed", 1000 * 224 * 224 * 3, id="a thousand decoded images a second"),
        pytest.param({"consume_rate": "0 1/s"}, "raw_feed", 0, id="an idle device"),
        pytest.param({}, "batch_bytes", 64 * 224 * 224 * 3 * 4, id="64 images in FP32"),
        pytest.param({}, "copy_time", 38_535_168 / 64e9, id="over PCIe Gen5 x16"),
        # 16 lanes of 8 GT/s with 128b/130b encoding, one direction.
        pytest.param({"host_link": "15.75 GB/s"}, "copy_time", 38_535_168 / 15.75e9, id="over PCIe Gen3 x16"),
        pytest.param({}, "device_copy_time", 38_535_168 / 3.35e12, id="within an H100"),
        pytest.param({}, "copy_share", {"large model": 0.1204224}, id="an eighth of 5 ms"),
        pytest.param({"step_times": {}}, "copy_share", {}, id="no steps"),
        pytest.param(
            {"step_times": {"a": "0.602112 ms", "b": "301.056 us"}}, "copy_share", {"a": 1, "b": 2}, id="two steps"
        ),
    ],
)
def test_feeding_a_device(changes: dict[str, Any], output: str, expected: Any) -> None:
    result = HostInputPipelineScenario.model_validate(IMAGES | changes).evaluate()
    assert getattr(result, output) == pytest.approx(expected)


class TestHostInputPipeline:
    @given(scenarios(HostInputPipelineScenario), st.integers(2, 100))
    def test_a_larger_batch_takes_longer_in_proportion(self, feed: HostInputPipelineScenario, more: int) -> None:
        larger, smaller = feed.variant(batch_size=more * feed.batch_size).evaluate(), feed.evaluate()
        assert larger.copy_time == pytest.approx(more * smaller.copy_time)
        assert larger.raw_feed == smaller.raw_feed

    @given(scenarios(HostInputPipelineScenario))
    def test_both_directions_taken_for_one_halve_the_copy(self, feed: HostInputPipelineScenario) -> None:
        both = feed.variant(host_link={"value": 2 * feed.host_link, "unit": "B/s"})
        assert 2 * both.evaluate().copy_time == pytest.approx(feed.evaluate().copy_time)

    @given(scenarios(HostInputPipelineScenario))
    def test_shares_are_times_over_times(self, feed: HostInputPipelineScenario) -> None:
        result = feed.evaluate()
        assert result.copy_share.keys() == feed.step_times.keys()
        for step, share in result.copy_share.items():
            assert share * feed.step_times[step] == pytest.approx(result.copy_time)

    @given(scenarios(HostInputPipelineScenario))
    def test_a_link_no_faster_than_the_memory_is_the_slower_of_the_two(self, feed: HostInputPipelineScenario) -> None:
        result = feed.evaluate()
        assert (result.copy_time >= result.device_copy_time) == (feed.host_link <= feed.device_memory)


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        pytest.param({}, [], id="a copy that hides behind the step"),
        pytest.param({"step_times": {"small": "0.5 ms"}}, ["deadline_missed"], id="a step shorter than the copy"),
        pytest.param({"consume_rate": "106000 1/s"}, [], id="almost what the link carries"),
        pytest.param({"consume_rate": "107000 1/s"}, ["deadline_missed"], id="more than the link carries"),
        pytest.param({"device_memory": "60 GB/s"}, ["above_peak"], id="a link faster than the memory behind it"),
    ],
)
def test_warnings(changes: dict[str, Any], codes: list[str]) -> None:
    valid = HostInputPipelineScenario.model_validate(IMAGES | changes)
    assert [warning.code for warning in valid.warnings(valid.evaluate())] == codes


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"batch_size": 0}, "/batch_size"),
        ({"batch_size": 1.5}, "/batch_size"),
        ({"workers": -1}, "/workers"),
        ({"prefetch_factor": -1}, "/prefetch_factor"),
        ({"raw_sample": "0 B"}, "/raw_sample"),
        ({"model_sample": "0 B"}, "/model_sample"),
        ({"consume_rate": "-1 1/s"}, "/consume_rate"),
        ({"consume_rate": "1 MB/s"}, "/consume_rate"),
        ({"host_link": "0 B/s"}, "/host_link"),
        ({"host_link": "64 GB"}, "/host_link"),
        ({"device_memory": "0 B/s"}, "/device_memory"),
        ({"step_times": {"free": "0 s"}}, "/step_times/free"),
    ],
)
def test_refused_inputs(changes: dict[str, Any], pointer: str) -> None:
    with pytest.raises(ValidationError) as refused:
        HostInputPipelineScenario.model_validate(IMAGES | changes)
    assert [error.pointer for error in input_errors(refused.value)] == [pointer]
