"""Results of the scenarios about scheduling."""

from typing import Annotated

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Bound, Integer, Money, Real, Text, Time

__all__ = [
    "DiurnalLendingResult",
    "DominantShareResult",
    "ElasticResizeResult",
    "NodePackingResult",
    "PreemptionTaxResult",
    "QuotaLendingResult",
]


class DominantShareResult(Result):
    """Dominant-resource fairness with whole bundles."""

    grants: list[Text] = Output(
        "who gets a bundle, turn by turn",
        algorithm=(
            (
                "Each tenant starts with no bundles. Its dominant share is its bundle count times the largest"
                " ratio of bundle amount to capacity over the resources."
            ),
            (
                "Order the tenants by dominant share, lowest first. Compare shares rounded to 12 decimals; "
                "equal shares go by tenant name, ascending by code point."
            ),
            (
                "Take the first tenant in that order whose next bundle fits: for every resource, the amounts "
                "all tenants hold plus the bundle stay within capacity * (1 + 1e-9). The amount a tenant "
                "holds is its count times its bundle."
            ),
            (
                "Add that tenant to grants, add one to its count, and go back to step 2. A tenant that does "
                "not fit is passed over, not removed."
            ),
            "Stop when no tenant's next bundle fits.",
        ),
    )
    bundle_counts: dict[str, Annotated[Integer, Bound(ge=0, le=10_000_000)]] = Output(
        "how many bundles each tenant has got", formula="{t: len([g for g in grants if g == t]) for t in keys(bundles)}"
    )
    used: dict[str, Real] = Output(
        "how much of each resource is taken in the end",
        formula="{r: sum([bundle_counts[t] * bundles[t][r] for t in keys(bundles)]) for r in keys(capacity)}",
    )
    dominant_share: dict[str, Real] = Output(
        "for each tenant, the share it has of the resource it has the largest share of",
        formula=(
            "{t: min(1, bundle_counts[t] * max([bundles[t][r] / capacity[r] for r in keys(capacity)])) "
            "for t in keys(bundles)}"
        ),
    )
    dominant_resource: dict[str, Text] = Output(
        ("resource of which the bundle takes the greatest share; of equal ones, the first that capacity names"),
        formula=(
            "{t: [r for r in keys(capacity) if bundles[t][r] / capacity[r] >= (1 - 1e-12) * "
            "max([bundles[t][q] / capacity[q] for q in keys(capacity)])][0] for t in keys(bundles)}"
        ),
    )
    dominant_share_gap: Real = Output(
        "how far the largest dominant share is above the smallest",
        formula="max(values(dominant_share)) - min(values(dominant_share))",
    )


class ElasticResizeResult(Result):
    """Elastic job plans: small now, full later, or grow midway."""

    start_small_epochs: Real = Output(
        "what starting small and staying so gets done", formula="window / 3600 * small_throughput"
    )
    wait_run: Time = Output("how long the job runs if it waits", unit="h", formula="window - queue_wait")
    wait_epochs: Real = Output("what waiting for all GPUs gets done", formula="wait_run / 3600 * full_throughput")
    step_up_phase1_epochs: Real = Output(
        "what stepping up gets done while it is still small", formula="queue_wait / 3600 * small_throughput"
    )
    step_up_phase2: Time = Output(
        "how long stepping up runs once it has grown", unit="h", formula="window - queue_wait - rescale_overhead"
    )
    step_up_phase2_epochs: Real = Output(
        "what stepping up gets done once it has grown", formula="step_up_phase2 / 3600 * step_up_throughput"
    )
    step_up_epochs: Real = Output(
        "what stepping up gets done in all", formula="step_up_phase1_epochs + step_up_phase2_epochs"
    )
    step_up_trails_wait: Real = Output(
        "epochs by which stepping up is behind waiting, over the epochs of waiting; below 0 if it is ahead",
        formula="(wait_epochs - step_up_epochs) / wait_epochs",
    )
    step_up_over_small: Real = Output(
        "how many times more stepping up gets done than staying small", formula="step_up_epochs / start_small_epochs"
    )
    rescale_break_even: Time = Output(
        (
            "how long the resize pause may be before staying small is better; below 0 where the larger size "
            "is the slower one"
        ),
        unit="h",
        formula="wait_run - (start_small_epochs - step_up_phase1_epochs) / step_up_throughput * 3600",
    )
    step_up_efficiency: Real = Output(
        "speed after the step up relative to what as many small allocations would do",
        formula="step_up_throughput / (step_up_gpus / small_gpus * small_throughput)",
    )
    full_efficiency: Real = Output(
        "speed of the full allocation relative to what as many small ones would do",
        formula="full_throughput / (full_gpus / small_gpus * small_throughput)",
    )
    gpu_hours: dict[str, Time] = Output(
        "what each plan holds in GPU time, the pause counted at the size after it",
        unit="h",
        formula=(
            "{'start_small': small_gpus * window, 'wait': full_gpus * wait_run, 'step_up': small_gpus * "
            "queue_wait + step_up_gpus * wait_run}"
        ),
    )
    epochs_per_gpu_hour: dict[str, Real] = Output(
        "what each plan gets done for a GPU-hour",
        formula=(
            "{'start_small': start_small_epochs / (gpu_hours['start_small'] / 3600), 'wait': wait_epochs "
            "/ (gpu_hours['wait'] / 3600), 'step_up': step_up_epochs / (gpu_hours['step_up'] / 3600)}"
        ),
    )


class DiurnalLendingResult(Result):
    """Lending a serving reservation to training off-peak."""

    peak_demand: Integer = Output(
        "GPUs that serving needs in its busiest moment", formula="serving_reservation - surge_buffer"
    )
    serving_reclaimable: Integer = Output(
        "GPUs set aside and idle, averaged over the day", formula="serving_reservation - serving_average"
    )
    lent: Integer = Output(
        "GPUs that pass to training, averaged over the day", formula="serving_reclaimable - surge_buffer"
    )
    headroom: Integer = Output(
        "GPUs set aside for neither, as for maintenance", formula="fleet_gpus - serving_reservation - training_base"
    )
    static_active: Integer = Output(
        "busy GPUs, averaged over the day, if none is lent", formula="serving_average + training_base"
    )
    dynamic_active: Integer = Output(
        "busy GPUs, averaged over the day, if idle ones are lent", formula="static_active + lent"
    )
    static_utilization: Real = Output("busy share of the fleet if none is lent", formula="static_active / fleet_gpus")
    dynamic_utilization: Real = Output(
        "busy share of the fleet if idle ones are lent", formula="dynamic_active / fleet_gpus"
    )
    annual_value: Money = Output(
        "worth of what is lent over 8,760 hours", unit="USD", formula="lent * device_hour_rate * 31536000"
    )


class NodePackingResult(Result):
    """Packing whole-node jobs onto GPU nodes."""

    total_gpus: Integer = Output("GPUs of all servers together", formula="nodes * gpus_per_node")
    stranded_per_node: Integer = Output(
        "GPUs of a server that are too few for one job more", formula="gpus_per_node % job_gpus"
    )
    usable_share: Real = Output(
        "share of a server that jobs of this size fill", formula="1 - stranded_per_node / gpus_per_node"
    )
    free_share: Real | None = Output(
        "share of all GPUs that is idle at this moment",
        formula="free_slots / total_gpus",
        defined_if="free_slots is not None",
        undefined="free_slots is not given",
    )


class PreemptionTaxResult(Result):
    """What forced preemptions cost a training job."""

    restart: Time = Output("time until processes run again", unit="s", formula="recovery.restart_time")
    reload: Time = Output(
        "time until the checkpoint is read", unit="s", formula="checkpoint_bytes / recovery.checkpoint_bandwidth"
    )
    warmup: Time = Output("time until the job runs as fast as before", unit="s", formula="recovery.warmup_time")
    relaunch: Time = Output("restart, reload and warmup together", unit="s", formula="restart + reload + warmup")
    per_event: Time = Output("what one stop sets the job back", unit="min", formula="lost_work + relaunch")
    cost_per_event: Money = Output(
        "what the devices cost for the time that one stop loses",
        unit="USD",
        formula="n_devices * per_event * device_hour_rate",
    )
    events_per_day: Real = Output("how many stops a day brings", formula="preemption_rate * 86400")
    lost_per_day: Time = Output("what a day's stops set the job back", unit="h", formula="events_per_day * per_event")
    gpu_hours_per_day: Time = Output(
        "device time that a day's stops waste", unit="h", formula="n_devices * lost_per_day"
    )


class QuotaLendingResult(Result):
    """Lending a team's idle GPU quota."""

    used: Integer = Output(
        "GPUs of the quota in use at present, rounded to whole ones", formula="round(guarantee * used_share)"
    )
    lendable: Integer = Output(
        "GPUs of the quota that are idle and can go to others until they are wanted back", formula="guarantee - used"
    )
