"""Results of the scenarios about scheduling."""

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Integer, Real, Text, Time

__all__ = ["DominantShareResult", "ElasticResizeResult"]


class DominantShareResult(Result):
    """Dominant-resource fairness with whole bundles."""

    grants: list[Text] = Output(
        "tenants in the order they receive a bundle",
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
    bundle_counts: dict[str, Integer] = Output(
        "bundles each tenant holds at the end", formula="{t: len([g for g in grants if g == t]) for t in keys(bundles)}"
    )
    used: dict[str, Real] = Output(
        "amount of each resource in use at the end",
        formula="{r: sum([bundle_counts[t] * bundles[t][r] for t in keys(bundles)]) for r in keys(capacity)}",
    )
    dominant_share: dict[str, Real] = Output(
        "what each tenant holds of the resource it holds most of, as a share",
        formula=(
            "{t: min(1, bundle_counts[t] * max([bundles[t][r] / capacity[r] for r in keys(capacity)])) "
            "for t in keys(bundles)}"
        ),
    )
    dominant_resource: dict[str, Text] = Output(
        ("resource a tenant's bundle takes the largest share of; the first in capacity's order on a tie"),
        formula=(
            "{t: [r for r in keys(capacity) if bundles[t][r] / capacity[r] >= (1 - 1e-12) * "
            "max([bundles[t][q] / capacity[q] for q in keys(capacity)])][0] for t in keys(bundles)}"
        ),
    )
    dominant_share_gap: Real = Output(
        "highest minus lowest dominant share at the end",
        formula="max(values(dominant_share)) - min(values(dominant_share))",
    )


class ElasticResizeResult(Result):
    """Elastic job plans: small now, full later, or grow midway."""

    start_small_epochs: Real = Output("epochs of the small plan", formula="window / 3600 * small_throughput")
    wait_run: Time = Output("time left after the queue", unit="h", formula="window - queue_wait")
    wait_epochs: Real = Output("epochs of the waiting plan", formula="wait_run / 3600 * full_throughput")
    step_up_phase1_epochs: Real = Output(
        "epochs of the stepping plan before it grows", formula="queue_wait / 3600 * small_throughput"
    )
    step_up_phase2: Time = Output(
        "time the stepping plan runs at the larger size", unit="h", formula="window - queue_wait - rescale_overhead"
    )
    step_up_phase2_epochs: Real = Output(
        "epochs of the stepping plan after it grows", formula="step_up_phase2 / 3600 * step_up_throughput"
    )
    step_up_epochs: Real = Output(
        "epochs of the stepping plan", formula="step_up_phase1_epochs + step_up_phase2_epochs"
    )
    step_up_trails_wait: Real = Output(
        "how far stepping up falls short of waiting, as a part of waiting; negative when it leads",
        formula="(wait_epochs - step_up_epochs) / wait_epochs",
    )
    step_up_over_small: Real = Output(
        "epochs of stepping up over epochs of staying small", formula="step_up_epochs / start_small_epochs"
    )
    rescale_break_even: Time = Output(
        (
            "longest resize pause at which stepping up still matches staying small; negative when the "
            "larger size is slower"
        ),
        unit="h",
        formula="wait_run - (start_small_epochs - step_up_phase1_epochs) / step_up_throughput * 3600",
    )
    step_up_efficiency: Real = Output(
        "throughput at the step-up size over perfect scaling from the small size",
        formula="step_up_throughput / (step_up_gpus / small_gpus * small_throughput)",
    )
    full_efficiency: Real = Output(
        "throughput at the full size over perfect scaling from the small size",
        formula="full_throughput / (full_gpus / small_gpus * small_throughput)",
    )
    gpu_hours: dict[str, Time] = Output(
        "GPU time of each plan; the resize pause is charged at the larger size",
        unit="h",
        formula=(
            "{'start_small': small_gpus * window, 'wait': full_gpus * wait_run, 'step_up': small_gpus * "
            "queue_wait + step_up_gpus * wait_run}"
        ),
    )
    epochs_per_gpu_hour: dict[str, Real] = Output(
        "epochs per GPU-hour of each plan",
        formula=(
            "{'start_small': start_small_epochs / (gpu_hours['start_small'] / 3600), 'wait': wait_epochs "
            "/ (gpu_hours['wait'] / 3600), 'step_up': step_up_epochs / (gpu_hours['step_up'] / 3600)}"
        ),
    )
