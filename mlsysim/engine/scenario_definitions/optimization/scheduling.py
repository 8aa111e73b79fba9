"""Scenarios about sharing a cluster: who gets what, when, and what it costs."""

import heapq
from collections.abc import Iterator

from mlsysim.engine.bibliography import GHODSI_2011, OR_2020, QIAO_2021
from mlsysim.engine.result_types.optimization.scheduling import DominantShareResult, ElasticResizeResult
from mlsysim.engine.scenario import Input, Rule, Scenario
from mlsysim.engine.warnings import Warning, any_of
from mlsysim.fields import AtLeastOne, Integer, NonNegative, Positive, Real, Text, Time
from mlsysim.units.vocabulary import HOUR

__all__ = ["DominantShareScenario", "ElasticResizeScenario"]


class DominantShareScenario(Scenario[DominantShareResult]):
    """How many bundles does each tenant get when whoever has the smallest dominant share is served next?

    Progressive filling with whole bundles: demand has no end, the cluster is one pool, and a tenant whose next bundle
    does not fit is passed over while others go on. The published algorithm stops there; this one lets a small tenant
    fill the rest.

    Source: Ghodsi et al. (2011), section 4.1, algorithm 1.

    >>> shares = DominantShareScenario(
    ...     capacity={"cpu": 9, "memory_gb": 18},
    ...     bundles={"A": {"cpu": 1, "memory_gb": 4}, "B": {"cpu": 3, "memory_gb": 1}},
    ... ).evaluate()
    >>> shares.bundle_counts
    {'A': 3, 'B': 2}
    """

    title = "Dominant-resource fairness with whole bundles"
    sources = (GHODSI_2011,)
    notes = (
        "A gap that is not 0 is usually the size of a bundle, not an unfair policy.",
        "Memory in GB for the capacity and GiB for a bundle, or Gbit/s against GB/s, bends the shares in silence: "
        "names and units of resources are yours to keep equal.",
    )
    rules = (
        Rule(
            "all([len(bundle) == len(capacity) and all([r in bundle for r in keys(capacity)]) "
            "for bundle in values(bundles)])",
            at="bundles",
            because="every bundle names exactly the resources of capacity; write 0 where a tenant needs none",
        ),
        Rule(
            "min([max([bundles[t][r] / capacity[r] for r in keys(capacity)]) for t in keys(bundles)]) >= 0.00001",
            at="bundles",
            because="the largest share a bundle takes of any resource is at least 0.00001, so that filling ends soon",
        ),
        Rule(
            "len(capacity) / min([max([bundles[t][r] / capacity[r] for r in keys(capacity)]) for t in keys(bundles)]) "
            "<= 1000000",
            at="bundles",
            because="an answer lists at most about a million grants",
        ),
    )

    capacity: dict[Text, Positive[Real]] = Input("amount of each resource; names and units are free", min_length=1)
    bundles: dict[Text, dict[Text, NonNegative[Real]]] = Input("what one bundle of each tenant takes", min_length=1)

    def evaluate(self) -> DominantShareResult:
        shares = {
            tenant: {resource: bundle[resource] / amount for resource, amount in self.capacity.items()}
            for tenant, bundle in self.bundles.items()
        }
        bundle_share = {tenant: max(share.values()) for tenant, share in shares.items()}
        grants = list(self._fill(bundle_share))
        bundle_counts = dict.fromkeys(self.bundles, 0)
        for tenant in grants:
            bundle_counts[tenant] += 1
        used = {
            resource: sum(bundle_counts[tenant] * bundle[resource] for tenant, bundle in self.bundles.items())
            for resource in self.capacity
        }
        dominant_share = {tenant: min(1, bundle_counts[tenant] * share) for tenant, share in bundle_share.items()}
        dominant_resource = {
            tenant: next(r for r, share in shares[tenant].items() if share >= (1 - _SHARE_TIE) * bundle_share[tenant])
            for tenant in self.bundles
        }
        return DominantShareResult(
            grants=grants,
            bundle_counts=bundle_counts,
            used=used,
            dominant_share=dominant_share,
            dominant_resource=dominant_resource,
            dominant_share_gap=max(dominant_share.values()) - min(dominant_share.values()),
        )

    def _fill(self, bundle_share: dict[str, float]) -> Iterator[str]:
        """The tenants in the order they receive a bundle.

        What is used only grows, so a tenant whose bundle does not fit never fits again and leaves the queue.
        """
        limits = [amount * (1 + _CAPACITY_TOLERANCE) for amount in self.capacity.values()]
        bundles = {tenant: [bundle[r] for r in self.capacity] for tenant, bundle in self.bundles.items()}
        counts = dict.fromkeys(bundles, 0)
        used = [0.0] * len(limits)
        queue = [(0.0, tenant) for tenant in sorted(bundles)]
        while queue:
            tenant = queue[0][1]
            after = [held + taken for held, taken in zip(used, bundles[tenant], strict=True)]
            if any(amount > limit for amount, limit in zip(after, limits, strict=True)):
                heapq.heappop(queue)
                continue
            used = after
            counts[tenant] += 1
            heapq.heapreplace(queue, (round(counts[tenant] * bundle_share[tenant], _SHARE_DECIMALS), tenant))
            yield tenant


# Shares that differ by rounding alone are equal, and a capacity filled to the last bit is not exceeded.
_SHARE_DECIMALS = 12
_SHARE_TIE = 1e-12
_CAPACITY_TOLERANCE = 1e-9


class ElasticResizeScenario(Scenario[ElasticResizeResult]):
    """Should a job start small now, wait for its full allocation, or start small and grow midway?

    Epochs and GPU-hours over a fixed window under the three plans. Throughputs are steady at each size, the waiting
    plan holds no GPUs while it queues, and the resize pause is charged at the larger size. Epochs are not progress: a
    larger allocation often comes with a larger batch, which learns less per epoch.

    Source: Qiao et al. (2021), section 2, for goodput against allocation; Or et al. (2020), section 3, for the cost of
    resizing.

    >>> plan = ElasticResizeScenario(
    ...     window="24 h", queue_wait="4 h", rescale_overhead="10 min", small_gpus=128, step_up_gpus=256,
    ...     full_gpus=512, small_throughput=1.0, step_up_throughput=1.8, full_throughput=3.2).evaluate()
    >>> round(plan.step_up_epochs, 1), plan.wait_epochs
    (39.7, 64.0)
    """

    title = "Elastic job plans: small now, full later, or grow midway"
    sources = (QIAO_2021, OR_2020)
    notes = (
        "A throughput is in epochs per hour of wall time, not per second, and for the whole allocation, not per GPU.",
        "Epochs are not progress: a larger allocation often comes with a larger batch, which learns less per epoch.",
    )
    rules = (
        Rule("queue_wait < window", at="queue_wait"),
        Rule("queue_wait + rescale_overhead <= window", at="rescale_overhead"),
        Rule("small_gpus <= step_up_gpus", at="step_up_gpus"),
        Rule("step_up_gpus <= full_gpus", at="full_gpus"),
    )

    window: Positive[Time] = Input("time available to the job", unit="h")
    queue_wait: NonNegative[Time] = Input("time until the larger allocation frees", unit="h")
    rescale_overhead: NonNegative[Time] = Input("pause to save, resize and restart", unit="min")
    small_gpus: AtLeastOne[Integer] = Input("GPUs available at once")
    step_up_gpus: AtLeastOne[Integer] = Input("GPUs the stepping job grows to")
    full_gpus: AtLeastOne[Integer] = Input("GPUs of the full allocation")
    small_throughput: Positive[Real] = Input("epochs per hour on small_gpus")
    step_up_throughput: Positive[Real] = Input("epochs per hour on step_up_gpus")
    full_throughput: Positive[Real] = Input("epochs per hour on full_gpus")

    def evaluate(self) -> ElasticResizeResult:
        start_small_epochs = self.window / HOUR * self.small_throughput
        wait_run = self.window - self.queue_wait
        wait_epochs = wait_run / HOUR * self.full_throughput
        step_up_phase1_epochs = self.queue_wait / HOUR * self.small_throughput
        step_up_phase2 = self.window - self.queue_wait - self.rescale_overhead
        step_up_phase2_epochs = step_up_phase2 / HOUR * self.step_up_throughput
        step_up_epochs = step_up_phase1_epochs + step_up_phase2_epochs
        step_up_trails_wait = (wait_epochs - step_up_epochs) / wait_epochs
        step_up_over_small = step_up_epochs / start_small_epochs
        epochs_to_match = start_small_epochs - step_up_phase1_epochs
        rescale_break_even = wait_run - epochs_to_match / self.step_up_throughput * HOUR
        step_up_efficiency = self.step_up_throughput / (self.step_up_gpus / self.small_gpus * self.small_throughput)
        full_efficiency = self.full_throughput / (self.full_gpus / self.small_gpus * self.small_throughput)
        gpu_hours = {
            "start_small": self.small_gpus * self.window,
            "wait": self.full_gpus * wait_run,
            "step_up": self.small_gpus * self.queue_wait + self.step_up_gpus * wait_run,
        }
        epochs = {"start_small": start_small_epochs, "wait": wait_epochs, "step_up": step_up_epochs}
        return ElasticResizeResult(
            start_small_epochs=start_small_epochs,
            wait_run=wait_run,
            wait_epochs=wait_epochs,
            step_up_phase1_epochs=step_up_phase1_epochs,
            step_up_phase2=step_up_phase2,
            step_up_phase2_epochs=step_up_phase2_epochs,
            step_up_epochs=step_up_epochs,
            step_up_trails_wait=step_up_trails_wait,
            step_up_over_small=step_up_over_small,
            rescale_break_even=rescale_break_even,
            step_up_efficiency=step_up_efficiency,
            full_efficiency=full_efficiency,
            gpu_hours=gpu_hours,
            epochs_per_gpu_hour={plan: epochs[plan] / (time / HOUR) for plan, time in gpu_hours.items()},
        )

    def warnings(self, result: ElasticResizeResult) -> Iterator[Warning]:
        if any_of(result.step_up_over_small < 1):
            yield Warning("no_gain", "stepping up ends behind staying small")
