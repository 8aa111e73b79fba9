"""Results of the scenarios about devices at the edge."""

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Data, DataRate, MoneyRate, Real, Time

__all__ = ["DailyUploadResult", "OffloadDeadlineResult", "WakeWordFleetResult"]


class DailyUploadResult(Result):
    """A site's daily upload through its uplink."""

    daily_volume: Data = Output(
        "data captured in a day", unit="GB", formula="cases_per_day * files_per_case * file_size"
    )
    upload_time: Time = Output("time to send all of it", unit="h", formula="daily_volume / uplink")
    window_share: Real = Output(
        "upload time over working time; above 1 it does not fit", formula="upload_time / window"
    )
    file_upload_time: Time = Output("time to send one file", unit="s", formula="file_size / uplink")
    summary_volume: Data = Output("data of a day's summaries", unit="MB", formula="cases_per_day * summary_size")
    reduction: Real = Output("captured data over summary data", formula="daily_volume / summary_volume")


class OffloadDeadlineResult(Result):
    """Remote inference against a frame deadline."""

    transmit_time: Time = Output("time on the uplink", unit="ms", formula="payload / compression / uplink_bandwidth")
    remote_response: Time = Output(
        "round trip plus remote compute", unit="ms", formula="network_latency + remote_compute_time"
    )
    remote_lower_bound: Time = Output(
        "least time until the answer is back", unit="ms", formula="transmit_time + remote_response"
    )
    deadline: Time = Output("time between frames", unit="ms", formula="1 / frame_rate")
    deadline_ratio: Real = Output(
        "answer time in frame intervals; above 1 the answer is late", formula="remote_lower_bound / deadline"
    )


class WakeWordFleetResult(Result):
    """Detecting a wake word on the device or in the cloud."""

    stream_rate: DataRate = Output(
        "audio stream of one device, uncompressed", unit="kB/s", formula="audio_sample_rate * audio_sample_bits"
    )
    fleet_stream_rate: DataRate = Output(
        "audio of the whole fleet, streamed all day", unit="TB/s", formula="devices * stream_rate"
    )
    upload_reduction: Real = Output(
        "all-day audio over audio sent for requests", formula="86400 / (queries_per_day * query_audio)"
    )
    fleet_query_rate: DataRate = Output(
        "average audio of the fleet when only requests are sent",
        unit="GB/s",
        formula="fleet_stream_rate / upload_reduction",
    )
    cloud_detection_cost_per_year: MoneyRate = Output(
        "price of cloud detection for the fleet, a rate shown per year",
        unit="USD/year",
        formula="devices * cloud_detection_cost",
    )
    queries_per_fleet_day: Real = Output("requests of the fleet per day", formula="devices * queries_per_day")
    accelerator_hours_per_day: Real = Output(
        "accelerator time that a day's requests need, in hours",
        formula="queries_per_fleet_day * accelerator_time_per_query / 3600",
    )
    datacenter_hours_per_day: Real = Output(
        "accelerator time that one datacenter has in a day, in hours", formula="accelerators_per_datacenter * 24"
    )
    datacenters_average: Real = Output(
        "datacenters needed for the daily average", formula="accelerator_hours_per_day / datacenter_hours_per_day"
    )
    peak_ratio: Real = Output("busiest load over the all-day average", formula="peak_multiplier * 86400 / waking_hours")
    datacenters_peak: Real = Output(
        "datacenters needed at the busiest time", formula="datacenters_average * peak_ratio"
    )
