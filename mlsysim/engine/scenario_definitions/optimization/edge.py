"""Scenarios about devices at the edge: what to send over a slow link, and what to do in place."""

from collections.abc import Iterator
from typing import Annotated

from mlsysim.engine.bibliography import (
    BEEDE_2020,
    IEC_80000_13,
    JOUPPI_2017,
    KANG_2017,
    SATYANARAYANAN_2009,
    WARDEN_2018,
    ZHANG_2017,
)
from mlsysim.engine.result_types.optimization.edge import (
    DailyUploadResult,
    OffloadDeadlineResult,
    WakeWordFleetResult,
)
from mlsysim.engine.scenario import Input, Rule, Scenario
from mlsysim.engine.warnings import Warning, any_of, wide_values
from mlsysim.fields import (
    AtLeastOne,
    Bound,
    Data,
    DataRate,
    Frequency,
    Integer,
    MoneyRate,
    NonNegative,
    Positive,
    Power,
    Real,
    Time,
)
from mlsysim.units.vocabulary import DAY, HOUR

__all__ = ["DailyUploadScenario", "OffloadDeadlineScenario", "WakeWordFleetScenario"]


class DailyUploadScenario(Scenario[DailyUploadResult]):
    """How long does a site's uplink take to send a day's captures, and how much smaller would summaries be?

    Assumes an uplink that is steady, has no overhead and serves nothing but these files. The summary is what remains of
    a case when the model runs at the site. Stops being valid where the link drops out or is shared, which makes it
    slower.

    Source: Beede et al. (2020), for clinics that wait for their images to upload; IEC 80000-13 for bits and bytes.

    >>> clinic = DailyUploadScenario(cases_per_day=100, files_per_case=4, file_size="5 MB", uplink="2 Mbit/s",
    ...                              window="8 h", summary_size="10 kB").evaluate()
    >>> clinic.file_upload_time, f"{clinic.window_share:.0%} of the day"
    (20.0, '28% of the day')
    """

    title = "A site's daily upload through its uplink"
    sources = (BEEDE_2020, IEC_80000_13)
    notes = (
        "Mind bits and bytes: a 2 Mbit/s uplink moves 250 kB/s. Taken for 2 MB/s it seems to finish in an eighth "
        "of the time.",
        "Many lines are slower up than down. The figure wanted here is the one for uploading.",
        "The rate has to be net of protocol overhead and retransmissions, which are not added; best take a "
        "measured one.",
        "A window_share above 1 means that the upload does not finish in its window.",
    )

    cases_per_day: AtLeastOne[Integer] = Input("patients, inspections or the like on one day")
    files_per_case: AtLeastOne[Integer] = Input("files that each case leaves")
    file_size: Positive[Data] = Input("bytes of a captured file", unit="MB")
    uplink: Positive[DataRate] = Input("rate the line holds for uploads", unit="Mbit/s")
    window: Positive[Time] = Input("hours within which a day's upload should be through", unit="h")
    summary_size: Positive[Data] = Input("bytes that could be sent in place of a case's files", unit="kB")

    def evaluate(self) -> DailyUploadResult:
        daily_volume = self.cases_per_day * self.files_per_case * self.file_size
        upload_time = daily_volume / self.uplink
        window_share = upload_time / self.window
        file_upload_time = self.file_size / self.uplink
        summary_volume = self.cases_per_day * self.summary_size
        reduction = daily_volume / summary_volume
        return DailyUploadResult(
            daily_volume=daily_volume,
            upload_time=upload_time,
            window_share=window_share,
            file_upload_time=file_upload_time,
            summary_volume=summary_volume,
            reduction=reduction,
        )

    def warnings(self, result: DailyUploadResult) -> Iterator[Warning]:
        if any_of(result.window_share > 1):
            yield Warning("deadline_missed", "a day's files take longer to upload than the working time there is")
        if any_of(result.reduction <= 1):
            yield Warning("no_gain", "the summary of a case is no smaller than its files")


class OffloadDeadlineScenario(Scenario[OffloadDeadlineResult]):
    """Can a remote model answer before the next frame comes in?

    Sets the least time to send an input and have its answer against the pause between two frames. Leaves out queueing,
    encoding, retransmission and the size of the reply, so an answer that is late here is late in practice, while one
    that is in time here may still be late.

    Source: Satyanarayanan et al. (2009), for the delay of a distant cloud; Kang et al. (2017), for sending the input as
    the larger part of it.

    >>> drone = OffloadDeadlineScenario(payload="24.9 MB", uplink_bandwidth="100 Mbit/s", network_latency="100 ms",
    ...                                 remote_compute_time="10 ms", frame_rate="60 Hz").evaluate()
    >>> f"{drone.remote_lower_bound:.1f} s, in which {drone.deadline_ratio:.0f} frames go by"
    '2.1 s, in which 126 frames go by'
    """

    title = "Remote inference against a frame deadline"
    sources = (SATYANARAYANAN_2009, KANG_2017)
    notes = (
        "A link of 100 Mbit/s carries 12.5 MB/s; payloads are usually given in bytes and links in bits.",
        "Give compression as original size over compressed size: if 90 percent is saved, that is 10 and not 0.9.",
        "Latency counts there and back. Where you know one way only, double it.",
        "Ratios above 1 say that the answer misses the next frame. With frames in a pipeline the frame rate may "
        "still hold, and transmit_time is what limits it.",
    )

    payload: NonNegative[Data] = Input("bytes of an input before any compression", unit="MB")
    uplink_bandwidth: Positive[DataRate] = Input("rate the line to the server holds", unit="Mbit/s")
    network_latency: NonNegative[Time] = Input("delay of the network there and back", unit="ms")
    remote_compute_time: NonNegative[Time] = Input("how long the server computes", unit="ms")
    frame_rate: Positive[Frequency] = Input("how often a new input has to be answered", unit="Hz")
    compression: Positive[Real] = Input(
        "original size over compressed size of the payload; 1 if nothing is compressed",
        default=1.0,
        why="a payload that is sent as it is",
    )

    def evaluate(self) -> OffloadDeadlineResult:
        transmit_time = self.payload / self.compression / self.uplink_bandwidth
        remote_response = self.network_latency + self.remote_compute_time
        remote_lower_bound = transmit_time + remote_response
        deadline = 1 / self.frame_rate
        deadline_ratio = remote_lower_bound / deadline
        return OffloadDeadlineResult(
            transmit_time=transmit_time,
            remote_response=remote_response,
            remote_lower_bound=remote_lower_bound,
            deadline=deadline,
            deadline_ratio=deadline_ratio,
        )

    def warnings(self, result: OffloadDeadlineResult) -> Iterator[Warning]:
        if any_of(result.deadline_ratio > 1):
            yield Warning("deadline_missed", "the answer comes back after the next frame at the earliest")
        if any_of(self.compression < 1):
            yield Warning("slowdown", "a compression below 1 makes the payload larger; was a saved share meant?")


class WakeWordFleetScenario(Scenario[WakeWordFleetResult]):
    """What does a fleet of voice assistants send and cost if the cloud listens for the wake word, or the device does?

    Compares a fleet that streams whatever its microphones hear with one that sends a recording once it hears its wake
    word: traffic, price, and datacenters on an average day and at its busiest. Assumes uncompressed audio, a detector
    that never fires by mistake, and datacenters that are fully busy; stops being valid for a fleet spread over time
    zones, whose peak is lower.

    Source: Warden (2018), for 16-bit samples at 16 kHz; Zhang et al. (2017), for detectors that fit a microcontroller;
    Jouppi et al. (2017), section 1, for sizing datacenters by the minutes people talk to them.

    >>> fleet = WakeWordFleetScenario(
    ...     devices=1e9, audio_sample_rate="16 kHz", audio_sample_bits="16 bit", queries_per_day=20, query_audio="5 s",
    ...     accelerator_time_per_query="200 ms", accelerators_per_datacenter=10_000, waking_hours="16 h",
    ...     peak_multiplier=3, cloud_detection_cost="0.5 USD/year").evaluate()
    >>> fleet.upload_reduction, round(fleet.datacenters_peak)
    (864.0, 21)
    """

    title = "Detecting a wake word on the device or in the cloud"
    sources = (WARDEN_2018, ZHANG_2017, JOUPPI_2017)
    notes = (
        "Internally cloud_detection_cost_per_year is in USD per second; answers show it per year. How long a year"
        " is does not matter, for the price is read by the same one.",
        "Both numbers of datacenters are for requests alone; to listen to all audio in the cloud would take "
        "others on top.",
        "Plan the network for fleet_query_rate times peak_ratio; the rate itself is the mean of a whole day of 24"
        " hours.",
        "The number of datacenters is a fraction at full utilization. Divide by the utilization you aim for, and "
        "round up yourself.",
        "All devices share one waking window here. Users around the world do not, and their peak is lower than "
        "this one.",
        "The inputs that begin with local_ are recorded and change nothing.",
    )
    rules = (
        Rule(
            "queries_per_day * query_audio <= 86400",
            at="query_audio",
            because="a device hears at most 24 hours of audio a day",
        ),
        Rule(
            "local_power_low is None or local_power_high is None or local_power_low <= local_power_high",
            at="local_power_low",
        ),
    )

    devices: Positive[Real] = Input("how many voice assistants there are")
    audio_sample_rate: Positive[Frequency] = Input("how often the microphone is sampled", unit="kHz")
    audio_sample_bits: Positive[Data] = Input("size of one audio sample", unit="bit")
    queries_per_day: Positive[Real] = Input("how often a device is spoken to in a day")
    query_audio: Positive[Time] = Input("length of the recording that a request sends", unit="s")
    accelerator_time_per_query: NonNegative[Time] = Input("how long a request keeps an accelerator busy", unit="ms")
    accelerators_per_datacenter: AtLeastOne[Integer] = Input("how many accelerators a datacenter runs")
    waking_hours: Annotated[Positive[Time], Bound(le=DAY, unit="s")] = Input(
        "hours of the day that all requests fall in", unit="h"
    )
    peak_multiplier: AtLeastOne[Real] = Input("load in the busiest moment relative to the mean while people are awake")
    cloud_detection_cost: NonNegative[MoneyRate] = Input(
        "what it costs to let the cloud listen to one device", unit="USD/year"
    )
    local_power_low: NonNegative[Power] | None = Input(
        "least that a detector on the device draws; for the record", unit="mW", default=None
    )
    local_power_high: NonNegative[Power] | None = Input(
        "most that a detector on the device draws; for the record", unit="mW", default=None
    )
    local_detection_cost: NonNegative[MoneyRate] | None = Input(
        "what it costs to let one device listen itself; for the record", unit="USD/year", default=None
    )

    def evaluate(self) -> WakeWordFleetResult:
        stream_rate = self.audio_sample_rate * self.audio_sample_bits
        fleet_stream_rate = self.devices * stream_rate
        upload_reduction = DAY / (self.queries_per_day * self.query_audio)
        fleet_query_rate = fleet_stream_rate / upload_reduction
        cloud_detection_cost_per_year = self.devices * self.cloud_detection_cost
        queries_per_fleet_day = self.devices * self.queries_per_day
        accelerator_hours_per_day = queries_per_fleet_day * self.accelerator_time_per_query / HOUR
        datacenter_hours_per_day = self.accelerators_per_datacenter * (DAY / HOUR)
        datacenters_average = accelerator_hours_per_day / datacenter_hours_per_day
        peak_ratio = self.peak_multiplier * DAY / self.waking_hours
        datacenters_peak = datacenters_average * peak_ratio
        return WakeWordFleetResult(
            stream_rate=stream_rate,
            fleet_stream_rate=fleet_stream_rate,
            upload_reduction=upload_reduction,
            fleet_query_rate=fleet_query_rate,
            cloud_detection_cost_per_year=cloud_detection_cost_per_year,
            queries_per_fleet_day=queries_per_fleet_day,
            accelerator_hours_per_day=accelerator_hours_per_day,
            datacenter_hours_per_day=datacenter_hours_per_day,
            datacenters_average=datacenters_average,
            peak_ratio=peak_ratio,
            datacenters_peak=datacenters_peak,
        )

    def warnings(self, result: WakeWordFleetResult) -> Iterator[Warning]:
        if any_of(self.queries_per_day * self.query_audio > self.waking_hours):
            yield Warning("deadline_missed", "a day's requests last longer than the hours in which they arrive")
        if self.local_detection_cost is not None and any_of(self.local_detection_cost >= self.cloud_detection_cost):
            yield Warning("no_gain", "detecting on the device costs no less than detecting in the cloud")
        yield from wide_values(audio_sample_bits=self.audio_sample_bits)
