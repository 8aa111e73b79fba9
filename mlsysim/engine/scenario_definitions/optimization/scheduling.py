"""Scenarios about sharing a cluster: who gets what, when, and what it costs."""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated

import numpy as np

from mlsysim.catalog import AnyRecovery
from mlsysim.engine.arithmetic import nearest
from mlsysim.engine.bibliography import (
    GHODSI_2011,
    JEON_2019,
    KOKOLIS_2024,
    LI_2023,
    OR_2020,
    QIAO_2021,
    VERMA_2015,
    WENG_2023,
    YOUNG_1974,
    ZHAO_2020,
)
from mlsysim.engine.result_types.optimization.scheduling import (
    DiurnalLendingResult,
    DominantShareResult,
    ElasticResizeResult,
    NodePackingResult,
    PreemptionTaxResult,
    QuotaLendingResult,
)
from mlsysim.engine.scenario import Input, Rule, Scenario
from mlsysim.engine.warnings import Warning, any_of
from mlsysim.fields import (
    AtLeastOne,
    Data,
    Frequency,
    Integer,
    MoneyRate,
    Needs,
    NonNegative,
    Positive,
    Real,
    Share,
    Text,
    Time,
)
from mlsysim.units.vocabulary import BILLING_YEAR, DAY, HOUR

__all__ = [
    "DiurnalLendingScenario",
    "DominantShareScenario",
    "ElasticResizeScenario",
    "NodePackingScenario",
    "PreemptionTaxScenario",
    "QuotaLendingScenario",
]


class DominantShareScenario(Scenario[DominantShareResult]):
    """Tenants take turns, the one with the smallest dominant share first: how many bundles does each end up with?

    Progressive filling with whole bundles: demand has no end, the cluster is one pool, and a tenant whose next bundle
    does not fit is passed over while others go on. The published algorithm stops there; this one lets a small tenant
    fill the rest.

    Source: Ghodsi et al. (2011), section 4.2, algorithm 1; the example is that of section 4.1.

    >>> shares = DominantShareScenario(
    ...     capacity={"cpu": 9, "memory_gb": 18},
    ...     bundles={"A": {"cpu": 1, "memory_gb": 4}, "B": {"cpu": 3, "memory_gb": 1}},
    ... ).evaluate()
    >>> shares.bundle_counts
    {'A': 3, 'B': 2}
    """

    title = "Dominant-resource fairness with whole bundles"
    long_running = True
    sources = (GHODSI_2011,)
    notes = (
        "Bundles are whole, so shares seldom come out equal: a gap does not mean that the policy is unfair.",
        "Amounts are plain numbers. A capacity in GB and a bundle in GiB give wrong shares, and nothing can "
        "notice it; keep each resource to one unit.",
    )
    rules = (
        Rule(
            "all([len(bundle) == len(capacity) and all([r in bundle for r in keys(capacity)]) "
            "for bundle in values(bundles)])",
            at="bundles",
            because="capacity and each bundle list the same resources, with 0 for one that a tenant does not use",
        ),
        Rule(
            "min([max([bundles[t][r] / capacity[r] for r in keys(capacity)]) for t in keys(bundles)]) >= 0.00001",
            at="bundles",
            because="bundles that take less than 0.00001 of everything would fill the cluster too slowly",
        ),
        Rule(
            "min("
            "len(capacity) / min([max([bundles[t][r] / capacity[r] for r in keys(capacity)]) for t in keys(bundles)]), "
            "sum([1 / max([bundles[t][r] / capacity[r] for r in keys(capacity)]) for t in keys(bundles)])"
            ") <= 1000000",
            at="bundles",
            because="an answer lists at most about a million grants",
        ),
    )

    capacity: dict[Text, Positive[Real]] = Input(
        "how much of each resource the cluster has, in units of your choice", min_length=1
    )
    bundles: dict[Text, dict[Text, NonNegative[Real]]] = Input(
        "how much of each resource a tenant takes at a time, by tenant", min_length=1
    )

    def evaluate(self) -> DominantShareResult:
        shares = {
            tenant: {resource: bundle[resource] / amount for resource, amount in self.capacity.items()}
            for tenant, bundle in self.bundles.items()
        }
        bundle_share = {tenant: max(share.values()) for tenant, share in shares.items()}
        grants = self._fill(bundle_share)
        granted = Counter(grants)
        bundle_counts = {tenant: granted[tenant] for tenant in self.bundles}
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

    def warnings(self, result: DominantShareResult) -> Iterator[Warning]:
        for tenant, count in result.bundle_counts.items():
            if count == 0:
                yield Warning("does_not_fit", f"{tenant} gets nothing, for there is no room for its first bundle")

    def _fill(self, bundle_share: dict[str, float]) -> list[str]:
        """The tenants in the order they receive a bundle.

        The next bundles of all tenants are put in order together, as many as fit are granted, and the tenant whose
        bundle does not is out: what is used only grows, so it never fits again.
        """
        tenants = sorted(self.bundles)
        needs = np.array([[self.bundles[tenant][resource] for resource in self.capacity] for tenant in tenants])
        shares = np.array([bundle_share[tenant] for tenant in tenants])
        limits = np.array(list(self.capacity.values())) * (1 + _CAPACITY_TOLERANCE)
        used = np.zeros(len(limits))
        counts = np.zeros(len(tenants), dtype=np.int64)
        granted: list[np.ndarray] = []
        ahead = 1
        while True:
            active = np.flatnonzero((used + needs <= limits).all(axis=1))
            if not len(active):
                return [tenants[index] for index in np.concatenate(granted or [counts[:0]]).tolist()]
            levels = np.round((counts[active, None] + np.arange(ahead)) * shares[active, None], _SHARE_DECIMALS)
            complete = levels <= levels[:, -1].min()  # up to here no tenant's next bundle is missing
            owners = np.broadcast_to(active[:, None], levels.shape)[complete]
            order = owners[np.lexsort((owners, levels[complete]))]
            after = used + np.cumsum(needs[order], axis=0)
            too_much = (after > limits).any(axis=1)
            fitting = int(too_much.argmax()) if too_much.any() else len(order)
            order = order[:fitting]
            granted.append(order)
            counts += np.bincount(order, minlength=len(tenants))
            used = after[fitting - 1] if fitting else used
            ahead = 1 if too_much.any() else min(2 * ahead, max(1, _MOST_AHEAD // (len(active) * len(limits))))


# Shares that differ by rounding alone are equal, and a capacity filled to the last bit is not exceeded.
_SHARE_DECIMALS = 12
_SHARE_TIE = 1e-12
_CAPACITY_TOLERANCE = 1e-9

# Amounts looked at together while filling, which bounds the memory it takes.
_MOST_AHEAD = 1_000_000


class ElasticResizeScenario(Scenario[ElasticResizeResult]):
    """Should a job start small now, wait for its full allocation, or start small and grow midway?

    Compares what the three plans get done before a deadline, and what they hold in GPU-hours. Throughputs are steady at
    each size, the waiting plan holds no GPUs while it queues, and the resize pause is charged at the larger size. An
    epoch on more GPUs is often one with a larger batch and teaches the model less, so that equal epochs are not equal
    progress.

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
        "State throughputs in epochs per hour on the clock, of all GPUs of the allocation together.",
        "More epochs may teach less: batches tend to grow with the allocation.",
    )
    rules = (
        Rule("queue_wait < window", at="queue_wait"),
        Rule("queue_wait + rescale_overhead <= window", at="rescale_overhead"),
        Rule("small_gpus <= step_up_gpus", at="step_up_gpus"),
        Rule("step_up_gpus <= full_gpus", at="full_gpus"),
    )

    window: Positive[Time] = Input("hours in which the job may run", unit="h")
    queue_wait: NonNegative[Time] = Input("how long the larger allocation is still taken", unit="h")
    rescale_overhead: NonNegative[Time] = Input("standstill while the job is saved, moved and restarted", unit="min")
    small_gpus: AtLeastOne[Integer] = Input("GPUs that are free now")
    step_up_gpus: AtLeastOne[Integer] = Input("GPUs after the step up")
    full_gpus: AtLeastOne[Integer] = Input("GPUs that waiting gets")
    small_throughput: Positive[Real] = Input("speed on small_gpus, in epochs per hour")
    step_up_throughput: Positive[Real] = Input("speed on step_up_gpus, in epochs per hour")
    full_throughput: Positive[Real] = Input("speed on full_gpus, in epochs per hour")

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
            yield Warning("slowdown", "stepping up ends behind staying small")
        if any_of(result.step_up_over_small == 1):
            yield Warning("no_gain", "stepping up ends where staying small does")
        if any_of((result.step_up_efficiency > 1) | (result.full_efficiency > 1)):
            yield Warning("gain_unexplained", "epochs per hour grow by more than the GPUs do")


class DiurnalLendingScenario(Scenario[DiurnalLendingResult]):
    """What is it worth to lend a serving reservation to training while demand is low?

    Of two fleets, one lets its serving GPUs idle off-peak and the other lends them. The reservation is for a peak and a
    buffer, and what is lent is that peak less the average. Only averages count: assumes that lent GPUs are fully useful
    and can be called back at once, and that training is busy all the time. Stops being valid where preemption costs
    borrowed jobs a notable part of their work.

    Source: Li et al. (2023), capacity loaning from inference to training; Verma et al. (2015), section 5.5, for what
    reclaiming reserved but idle capacity brings.

    >>> lending = DiurnalLendingScenario(fleet_gpus=100, serving_reservation=50, serving_average=20, surge_buffer=10,
    ...                                  training_base=40, device_hour_rate="2 USD/h").evaluate()
    >>> lending.lent, lending.static_utilization, lending.dynamic_utilization
    (20, 0.6, 0.8)
    """

    title = "Lending a serving reservation to training off-peak"
    sources = (VERMA_2015, LI_2023)
    notes = (
        "The buffer has no influence on lent, which is always peak_demand minus serving_average.",
        "The value assumes a training base that never idles and lent GPUs that waste nothing. Subtract what "
        "preemption loses, for which there is PreemptionTaxScenario.",
        "Take peak and average from the same days: an average over weekdays leaves out the weekend, when much is idle.",
        "annual_value counts a year of 8,760 hours.",
    )
    rules = (
        Rule(
            "serving_average + surge_buffer <= serving_reservation",
            at="serving_average",
            because="the reservation covers a peak, which is no lower than the average, and the buffer",
        ),
        Rule(
            "serving_reservation + training_base <= fleet_gpus",
            at="fleet_gpus",
            because="both pools are part of the fleet",
        ),
    )

    fleet_gpus: AtLeastOne[Integer] = Input("how many GPUs there are")
    serving_reservation: NonNegative[Integer] = Input("GPUs set aside for serving, its buffer included")
    serving_average: NonNegative[Integer] = Input("GPUs that serving keeps busy, averaged over the day")
    surge_buffer: NonNegative[Integer] = Input("GPUs that have to stay free for a sudden rise in demand")
    training_base: NonNegative[Integer] = Input("GPUs that belong to training")
    device_hour_rate: NonNegative[MoneyRate] = Input("what a GPU-hour is worth", unit="USD/h")

    def evaluate(self) -> DiurnalLendingResult:
        peak_demand = self.serving_reservation - self.surge_buffer
        serving_reclaimable = self.serving_reservation - self.serving_average
        lent = serving_reclaimable - self.surge_buffer
        headroom = self.fleet_gpus - self.serving_reservation - self.training_base
        static_active = self.serving_average + self.training_base
        dynamic_active = static_active + lent
        static_utilization = static_active / self.fleet_gpus
        dynamic_utilization = dynamic_active / self.fleet_gpus
        annual_value = lent * self.device_hour_rate * BILLING_YEAR
        return DiurnalLendingResult(
            peak_demand=peak_demand,
            serving_reclaimable=serving_reclaimable,
            lent=lent,
            headroom=headroom,
            static_active=static_active,
            dynamic_active=dynamic_active,
            static_utilization=static_utilization,
            dynamic_utilization=dynamic_utilization,
            annual_value=annual_value,
        )

    def warnings(self, result: DiurnalLendingResult) -> Iterator[Warning]:
        if any_of(result.lent == 0):
            yield Warning(
                "no_gain", "average demand and buffer take the whole reservation, so there is nothing to lend"
            )


class NodePackingScenario(Scenario[NodePackingResult]):
    """How many GPUs of a node does a job size leave unusable when a job may not span nodes?

    Every job has the same size, and each node is packed with as many as it holds. Beside it stands the share of the
    cluster that is nominally free in a snapshot. Stops being valid for a mixed queue: smaller jobs fill the gap, and
    sizes that go badly together leave a larger one.

    Source: Jeon et al. (2019), for jobs that wait for GPUs in one place; Weng et al. (2023), for free GPUs that no job
    can use.

    >>> packing = NodePackingScenario(nodes=64, gpus_per_node=8, job_gpus=6).evaluate()
    >>> packing.stranded_per_node, packing.usable_share
    (2, 0.75)
    """

    title = "Packing whole-node jobs onto GPU nodes"
    sources = (JEON_2019, WENG_2023)
    notes = (
        "If the job needs more GPUs than a node has, usable_share is 0; that is an answer like any other.",
        "Many free GPUs can still be useless to a job, when each node has only a few of them; free_share does not "
        "show it.",
        "usable_share is for one job size. Smaller jobs can fill the gap it strands; a mix can also strand more, "
        "as a job of 3 beside one of 4 does in a node of 8, though jobs of 4 alone strand nothing.",
    )
    rules = (
        Rule(
            "free_slots is None or free_slots <= nodes * gpus_per_node",
            at="free_slots",
            because="no more GPUs are idle than there are",
        ),
    )

    nodes: AtLeastOne[Integer] = Input("how many servers the cluster has")
    gpus_per_node: AtLeastOne[Integer] = Input("how many GPUs a server has")
    job_gpus: AtLeastOne[Integer] = Input("how many GPUs of one server a job takes")
    free_slots: NonNegative[Integer] | None = Input("idle GPUs in the whole cluster at this moment", default=None)

    def evaluate(self) -> NodePackingResult:
        total_gpus = self.nodes * self.gpus_per_node
        stranded_per_node = self.gpus_per_node % self.job_gpus
        usable_share = 1 - stranded_per_node / self.gpus_per_node
        free_share = None if self.free_slots is None else self.free_slots / total_gpus
        return NodePackingResult(
            total_gpus=total_gpus,
            stranded_per_node=stranded_per_node,
            usable_share=usable_share,
            free_share=free_share,
        )

    def warnings(self, result: NodePackingResult) -> Iterator[Warning]:
        if any_of(self.job_gpus > self.gpus_per_node):
            yield Warning("does_not_fit", "the job needs more GPUs than a node has, and may not span nodes")
        if self.free_slots is not None and any_of(self.free_slots < self.job_gpus):
            yield Warning("does_not_fit", "fewer GPUs are free in the whole cluster than one job needs")


class PreemptionTaxScenario(Scenario[PreemptionTaxResult]):
    """What do forced preemptions cost a training job in time, device-hours and money, per stop and per day?

    A stop costs what was done since the last checkpoint, and then the time to restart, to read the checkpoint and to
    warm up. Nobody has to notice it first, as with a failure, for the scheduler itself stopped the job. Assumes that
    the job gets its devices back at once; where it waits in a queue, that time comes on top.

    Source: Young (1974), for work lost since the latest checkpoint and time to recover; Kokolis et al. (2024), for
    restarts in training on shared clusters.

    >>> tax = PreemptionTaxScenario(n_devices=64, checkpoint_bytes="2.45 TB", lost_work="15 min",
    ...                             preemption_rate="12 1/day", recovery="fleet_default", device_hour_rate="2 USD/h")
    >>> f"{tax.evaluate().lost_per_day / 3600:.1f} h a day"
    '4.1 h a day'
    """

    title = "What forced preemptions cost a training job"
    sources = (YOUNG_1974, KOKOLIS_2024)
    notes = (
        "For lost_work take about half of the time between two checkpoints: stops come anywhere in it, halfway on"
        " average.",
        "State checkpoint_bandwidth for the job as a whole; a GB in it has 10^9 bytes.",
        "Stops are counted over wall time, without a cap: a job that loses 24 h a day or more never advances.",
    )

    n_devices: AtLeastOne[Integer] = Input("how many accelerators stop with the job")
    checkpoint_bytes: NonNegative[Data] = Input("bytes that are read back after a stop", unit="GB")
    lost_work: NonNegative[Time] = Input("progress since the last checkpoint that a stop costs", unit="min")
    preemption_rate: NonNegative[Frequency] = Input("how often the scheduler stops the job", unit="1/day")
    recovery: Annotated[AnyRecovery, Needs("restart_time", "warmup_time", "checkpoint_bandwidth")] = Input(
        "platform that brings the job back: its restart_time, warmup_time and checkpoint_bandwidth"
    )
    device_hour_rate: NonNegative[MoneyRate] = Input("what an accelerator-hour costs", unit="USD/h")

    def evaluate(self) -> PreemptionTaxResult:
        restart = self.recovery.restart_time
        reload = self.checkpoint_bytes / self.recovery.checkpoint_bandwidth
        warmup = self.recovery.warmup_time
        relaunch = restart + reload + warmup
        per_event = self.lost_work + relaunch
        cost_per_event = self.n_devices * per_event * self.device_hour_rate
        events_per_day = self.preemption_rate * DAY
        lost_per_day = events_per_day * per_event
        gpu_hours_per_day = self.n_devices * lost_per_day
        return PreemptionTaxResult(
            restart=restart,
            reload=reload,
            warmup=warmup,
            relaunch=relaunch,
            per_event=per_event,
            cost_per_event=cost_per_event,
            events_per_day=events_per_day,
            lost_per_day=lost_per_day,
            gpu_hours_per_day=gpu_hours_per_day,
        )

    def warnings(self, result: PreemptionTaxResult) -> Iterator[Warning]:
        if any_of(result.lost_per_day >= DAY):
            yield Warning("no_progress", "stops take 24 hours a day or more, so the job never gets anywhere")


class QuotaLendingScenario(Scenario[QuotaLendingResult]):
    """How many GPUs of its quota does a team leave idle, for others to use until it wants them back?

    A snapshot: what the owner uses is rounded to whole GPUs, and all the rest is lent. Assumes that lent GPUs can be
    called back at once. There is no forecast of demand, so a quota that was idle only for a moment is lent as well.

    Source: Verma et al. (2015), section 2.5, for quota and priority; Zhao et al. (2020), for guaranteed cells whose
    idle GPUs run low-priority jobs.

    >>> QuotaLendingScenario(guarantee=500, used_share=0.6).evaluate().lendable
    200
    """

    title = "Lending a team's idle GPU quota"
    sources = (VERMA_2015, ZHAO_2020)
    notes = (
        "Write 0.6 for 60 percent.",
        "GPUs are whole, and a half goes to the even number: used may be low by half a GPU, and lendable high by "
        "as much.",
        "What is lent adds to borrower_guarantee, which itself changes nothing in the answer.",
    )

    guarantee: NonNegative[Integer] = Input("GPUs that belong to the owner's quota")
    used_share: Share = Input("share of the quota in use at present")
    borrower_guarantee: NonNegative[Integer] | None = Input(
        "quota of the team that borrows; for the record", default=None
    )

    def evaluate(self) -> QuotaLendingResult:
        used = nearest(self.guarantee * self.used_share)
        lendable = self.guarantee - used
        return QuotaLendingResult(used=used, lendable=lendable)

    def warnings(self, result: QuotaLendingResult) -> Iterator[Warning]:
        if any_of(result.lendable == 0):
            yield Warning("no_gain", "no GPU of the guarantee is idle, so there is nothing to lend")
