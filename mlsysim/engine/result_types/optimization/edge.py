"""Results of the scenarios about devices at the edge."""

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Data, DataRate, MoneyRate, Real, Time

__all__ = ["DailyUploadResult", "OffloadDeadlineResult", "WakeWordFleetResult"]


class DailyUploadResult(Result):
    """A site's daily upload through its uplink."""

    daily_volume: Data = Output(
        "bytes of all files of a day", unit="GB", formula="cases_per_day * files_per_case * file_size"
    )
    upload_time: Time = Output(
        "how long the line is busy with a day's files", unit="h", formula="daily_volume / uplink"
    )
    window_share: Real = Output(
        "what part of the window the upload takes; more than 1 is too long", formula="upload_time / window"
    )
    file_upload_time: Time = Output("how long a single file takes", unit="s", formula="file_size / uplink")
    summary_volume: Data = Output(
        "bytes of a day if only summaries are sent", unit="MB", formula="cases_per_day * summary_size"
    )
    reduction: Real = Output("how many times fewer bytes the summaries are", formula="daily_volume / summary_volume")


class OffloadDeadlineResult(Result):
    """Remote inference against a frame deadline."""

    transmit_time: Time = Output(
        "how long the payload is on the line", unit="ms", formula="payload / compression / uplink_bandwidth"
    )
    remote_response: Time = Output(
        "network and server time without the transfer", unit="ms", formula="network_latency + remote_compute_time"
    )
    remote_lower_bound: Time = Output(
        "earliest moment the answer can be there, counted from capture",
        unit="ms",
        formula="transmit_time + remote_response",
    )
    deadline: Time = Output("how long after one frame the next one comes", unit="ms", formula="1 / frame_rate")
    deadline_ratio: Real = Output(
        "how many frames go by before the answer; more than 1 is too late", formula="remote_lower_bound / deadline"
    )


class WakeWordFleetResult(Result):
    """Detecting a wake word on the device or in the cloud."""

    stream_rate: DataRate = Output(
        "raw audio that a microphone produces", unit="kB/s", formula="audio_sample_rate * audio_sample_bits"
    )
    fleet_stream_rate: DataRate = Output(
        "raw audio of all microphones together", unit="TB/s", formula="devices * stream_rate"
    )
    upload_reduction: Real = Output(
        "how many times less audio is sent if only requests are", formula="86400 / (queries_per_day * query_audio)"
    )
    fleet_query_rate: DataRate = Output(
        "audio that the fleet sends on average if only requests are sent",
        unit="GB/s",
        formula="fleet_stream_rate / upload_reduction",
    )
    cloud_detection_cost_per_year: MoneyRate = Output(
        "price of cloud detection for the fleet, a rate shown per year",
        unit="USD/year",
        formula="devices * cloud_detection_cost",
    )
    queries_per_fleet_day: Real = Output(
        "how often all devices together are spoken to in a day", formula="devices * queries_per_day"
    )
    accelerator_hours_per_day: Real = Output(
        "accelerator time that a day's requests need, in hours",
        formula="queries_per_fleet_day * accelerator_time_per_query / 3600",
    )
    datacenter_hours_per_day: Real = Output(
        "accelerator time that one datacenter has in a day, in hours", formula="accelerators_per_datacenter * 24"
    )
    datacenters_average: Real = Output(
        "datacenters that the mean load of a day fills", formula="accelerator_hours_per_day / datacenter_hours_per_day"
    )
    peak_ratio: Real = Output(
        "load in the busiest moment relative to the mean of 24 hours", formula="peak_multiplier * 86400 / waking_hours"
    )
    datacenters_peak: Real = Output(
        "datacenters that the busiest moment fills", formula="datacenters_average * peak_ratio"
    )
