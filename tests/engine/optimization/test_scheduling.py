"""Lending, packing and preempting: known values, laws, warnings, and what is refused."""

from __future__ import annotations

import heapq
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_catalog import Scenarios
from mlsysim.engine.scenario_definitions.optimization import (
    DiurnalLendingScenario,
    DominantShareScenario,
    NodePackingScenario,
    PreemptionTaxScenario,
    QuotaLendingScenario,
)
from mlsysim.errors import input_errors
from tests.strategies import scenarios

SLACK = 1 + 1e-9

LENDING: dict[str, Any] = {
    "fleet_gpus": 100,
    "serving_reservation": 50,
    "serving_average": 20,
    "surge_buffer": 10,
    "training_base": 40,
    "device_hour_rate": "2 USD/h",
}
PACKING: dict[str, Any] = {"nodes": 64, "gpus_per_node": 8, "job_gpus": 6}
PREEMPTION: dict[str, Any] = {
    "n_devices": 10,
    "checkpoint_bytes": "1 TB",
    "lost_work": "15 min",
    "preemption_rate": "6 1/day",
    "recovery": {"restart_time": "3 min", "warmup_time": "110 s", "checkpoint_bandwidth": "100 GB/s"},
    "device_hour_rate": "3 USD/h",
}
QUOTA: dict[str, Any] = {"guarantee": 500, "used_share": 0.6}


@pytest.mark.parametrize(
    ("changes", "output", "expected"),
    [
        # Of 50 reserved GPUs 20 work and 10 stand by, which leaves 20.
        pytest.param({}, "serving_reclaimable", 30, id="reserved and idle"),
        pytest.param({}, "lent", 20, id="idle beyond the buffer"),
        pytest.param({}, "peak_demand", 40, id="the peak behind the reservation"),
        pytest.param({}, "headroom", 10, id="in neither pool"),
        pytest.param({}, "static_utilization", 0.6, id="20 and 40 of 100 at work"),
        pytest.param({}, "dynamic_utilization", 0.8, id="20 more at work"),
        # 20 GPUs x 2 USD/h x 8,760 h.
        pytest.param({}, "annual_value", 350_400, id="a year of 8,760 hours"),
        pytest.param({"surge_buffer": 30}, "lent", 0, id="a buffer of all that is idle"),
        pytest.param({"serving_average": 40}, "annual_value", 0, id="demand at its peak all day"),
    ],
)
def test_lending_off_peak(changes: dict[str, Any], output: str, expected: float) -> None:
    result = DiurnalLendingScenario.model_validate(LENDING | changes).evaluate()
    assert getattr(result, output) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("job_gpus", "stranded", "usable"),
    [
        # A node of eight: what is left by whole jobs of each size.
        pytest.param(1, 0, 1, id="one GPU"),
        pytest.param(3, 2, 0.75, id="two jobs of three"),
        pytest.param(4, 0, 1, id="two jobs of four"),
        pytest.param(5, 3, 0.625, id="one job of five"),
        pytest.param(8, 0, 1, id="the whole node"),
        pytest.param(9, 8, 0, id="more than a node"),
    ],
)
def test_packing(job_gpus: int, stranded: int, usable: float) -> None:
    result = NodePackingScenario.model_validate(PACKING | {"job_gpus": job_gpus}).evaluate()
    assert (result.stranded_per_node, result.usable_share) == (stranded, usable)
    assert result.total_gpus == 512


@pytest.mark.parametrize(("free", "share"), [(None, None), (0, 0), (128, 0.25), (512, 1)])
def test_free_share(free: int | None, share: float | None) -> None:
    assert NodePackingScenario.model_validate(PACKING | {"free_slots": free}).evaluate().free_share == share


@pytest.mark.parametrize(
    ("changes", "output", "expected"),
    [
        # 1 TB at 100 GB/s.
        pytest.param({}, "reload", 10, id="a terabyte at 100 GB/s"),
        # 180 s to restart, 10 s to reload, 110 s to warm up: five minutes.
        pytest.param({}, "relaunch", 300, id="five minutes until full speed"),
        pytest.param({}, "per_event", 20 * 60, id="twenty minutes a stop"),
        # 10 devices x 1/3 h x 3 USD/h.
        pytest.param({}, "cost_per_event", 10, id="ten devices for twenty minutes"),
        pytest.param({}, "lost_per_day", 2 * 3600, id="six stops take two hours"),
        pytest.param({}, "gpu_hours_per_day", 20 * 3600, id="two hours of ten devices"),
        pytest.param({"preemption_rate": "1 1/h"}, "events_per_day", 24, id="once an hour"),
        pytest.param({"preemption_rate": "0 1/h"}, "lost_per_day", 0, id="never stopped"),
        pytest.param({"checkpoint_bytes": "0 B"}, "relaunch", 290, id="nothing to reload"),
        # Young (1974): a stop falls anywhere between two checkpoints and loses half an interval on average.
        pytest.param({"lost_work": {"value": 60 / 2, "unit": "min"}}, "per_event", 35 * 60, id="a checkpoint an hour"),
        # The recovery profile of the catalog: 180 s, 120 s, 100 GB/s.
        pytest.param({"recovery": "fleet_default"}, "relaunch", 310, id="the profile of the catalog"),
    ],
)
def test_preemption(changes: dict[str, Any], output: str, expected: float) -> None:
    result = PreemptionTaxScenario.model_validate(PREEMPTION | changes).evaluate()
    assert getattr(result, output) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("guarantee", "used_share", "used"),
    [
        pytest.param(500, 0.6, 300, id="whole GPUs"),
        pytest.param(10, 0.26, 3, id="2.6 GPUs are 3"),
        # IEEE 754 roundTiesToEven: halves go to the even neighbor.
        pytest.param(5, 0.5, 2, id="2.5 GPUs are 2"),
        pytest.param(7, 0.5, 4, id="3.5 GPUs are 4"),
        pytest.param(500, 0, 0, id="nothing in use"),
        pytest.param(500, 1, 500, id="all in use"),
        pytest.param(0, 0.5, 0, id="no guarantee"),
    ],
)
def test_lending_a_quota(guarantee: int, used_share: float, used: int) -> None:
    result = QuotaLendingScenario(guarantee=guarantee, used_share=used_share).evaluate()
    assert (result.used, result.lendable) == (used, guarantee - used)


class TestDiurnalLending:
    @given(scenarios(DiurnalLendingScenario))
    def test_the_buffer_cancels_out(self, fleet: DiurnalLendingScenario) -> None:
        result = fleet.evaluate()
        assert result.lent == result.peak_demand - fleet.serving_average
        assert result.lent >= 0

    @given(scenarios(DiurnalLendingScenario))
    def test_lending_never_lowers_utilization_nor_passes_the_fleet(self, fleet: DiurnalLendingScenario) -> None:
        result = fleet.evaluate()
        assert 0 <= result.static_utilization <= result.dynamic_utilization <= 1
        gained = (result.dynamic_utilization - result.static_utilization) * fleet.fleet_gpus
        assert gained == pytest.approx(result.lent, abs=1e-6)

    @given(scenarios(DiurnalLendingScenario))
    def test_every_gpu_is_at_work_in_the_buffer_or_in_neither_pool(self, fleet: DiurnalLendingScenario) -> None:
        result = fleet.evaluate()
        assert result.dynamic_active + fleet.surge_buffer + result.headroom == fleet.fleet_gpus

    @given(scenarios(DiurnalLendingScenario), st.floats(0, 10))
    def test_the_value_grows_with_the_price(self, fleet: DiurnalLendingScenario, factor: float) -> None:
        price = {"value": factor * fleet.device_hour_rate, "unit": "USD/s"}
        value = fleet.variant(device_hour_rate=price).evaluate().annual_value
        assert value == pytest.approx(factor * fleet.evaluate().annual_value)


class TestNodePacking:
    @given(scenarios(NodePackingScenario))
    def test_a_node_holds_whole_jobs_and_a_rest_smaller_than_one(self, cluster: NodePackingScenario) -> None:
        result = cluster.evaluate()
        assert 0 <= result.stranded_per_node < cluster.job_gpus
        assert (cluster.gpus_per_node - result.stranded_per_node) % cluster.job_gpus == 0
        assert 0 <= result.usable_share <= 1

    @given(scenarios(NodePackingScenario), st.integers(1, 100))
    def test_what_is_usable_does_not_depend_on_the_number_of_nodes(
        self, cluster: NodePackingScenario, more: int
    ) -> None:
        larger = cluster.variant(nodes=more * cluster.nodes).evaluate()
        assert larger.usable_share == cluster.evaluate().usable_share

    @given(scenarios(NodePackingScenario))
    def test_jobs_that_fit_use_more_than_half_of_a_node(self, cluster: NodePackingScenario) -> None:
        usable = cluster.evaluate().usable_share
        assert usable == 0 if cluster.job_gpus > cluster.gpus_per_node else usable > 0.5

    @given(scenarios(NodePackingScenario))
    def test_the_free_share_is_a_share(self, cluster: NodePackingScenario) -> None:
        share = cluster.evaluate().free_share
        assert (share is None) == (cluster.free_slots is None)
        assert share is None or 0 <= share <= 1

    def test_a_mix_of_sizes_can_strand_what_one_size_would_not(self) -> None:
        """Jobs of four alone fill a node of eight; one of them beside one of three leaves a GPU."""
        assert NodePackingScenario.model_validate(PACKING | {"job_gpus": 4}).evaluate().stranded_per_node == 0
        assert NodePackingScenario.model_validate(PACKING | {"job_gpus": 4 + 3}).evaluate().stranded_per_node == 1


class TestPreemptionTax:
    @given(scenarios(PreemptionTaxScenario))
    def test_a_stop_costs_at_least_each_of_its_parts(self, job: PreemptionTaxScenario) -> None:
        result = job.evaluate()
        assert result.relaunch >= max(result.restart, result.reload, result.warmup)
        assert result.per_event >= max(job.lost_work, result.relaunch)

    @given(scenarios(PreemptionTaxScenario))
    def test_money_and_device_hours_tell_the_same_loss(self, job: PreemptionTaxScenario) -> None:
        result = job.evaluate()
        money_per_day = result.events_per_day * result.cost_per_event
        assert money_per_day == pytest.approx(result.gpu_hours_per_day * job.device_hour_rate)

    @given(scenarios(PreemptionTaxScenario), st.integers(2, 10))
    def test_devices_multiply_the_cost_and_not_the_time(self, job: PreemptionTaxScenario, times: int) -> None:
        result, larger = job.evaluate(), job.variant(n_devices=times * job.n_devices).evaluate()
        assert larger.lost_per_day == result.lost_per_day
        assert larger.cost_per_event == pytest.approx(times * result.cost_per_event)

    @given(scenarios(PreemptionTaxScenario))
    def test_more_frequent_checkpoints_never_hurt(self, job: PreemptionTaxScenario) -> None:
        """Writing them is not charged here, so that less work lost is all they bring."""
        half = job.variant(lost_work={"value": job.lost_work / 2, "unit": "s"}).evaluate()
        assert half.lost_per_day <= job.evaluate().lost_per_day * SLACK

    def test_the_time_to_notice_a_failure_is_not_charged(self) -> None:
        stop = Scenarios.ForcedPreemption175BFineTune64
        slow = stop.variant(recovery={"ref": "fleet_default", "detection_time": "1 h"})
        assert slow.evaluate().per_event == stop.variant().evaluate().per_event


class TestQuotaLending:
    @given(scenarios(QuotaLendingScenario))
    def test_used_and_lendable_make_up_the_guarantee(self, quota: QuotaLendingScenario) -> None:
        result = quota.evaluate()
        assert result.used + result.lendable == quota.guarantee
        assert 0 <= result.used <= quota.guarantee

    @given(scenarios(QuotaLendingScenario))
    def test_rounding_is_off_by_half_a_gpu_at_most(self, quota: QuotaLendingScenario) -> None:
        assert abs(quota.evaluate().used - quota.guarantee * quota.used_share) <= 0.5

    @given(scenarios(QuotaLendingScenario), st.floats(0, 1))
    def test_using_more_never_leaves_more_to_lend(self, quota: QuotaLendingScenario, share: float) -> None:
        assume(share >= quota.used_share)
        assert quota.variant(used_share=share).evaluate().lendable <= quota.evaluate().lendable

    @given(scenarios(QuotaLendingScenario), st.integers(0, 1000))
    def test_the_borrower_changes_nothing(self, quota: QuotaLendingScenario, borrower: int) -> None:
        assert quota.variant(borrower_guarantee=borrower).evaluate().to_json() == quota.evaluate().to_json()


@pytest.mark.parametrize(
    ("scenario", "inputs", "codes"),
    [
        pytest.param(DiurnalLendingScenario, LENDING, [], id="something to lend off-peak"),
        pytest.param(
            DiurnalLendingScenario, LENDING | {"surge_buffer": 30}, ["no_gain"], id="a buffer that takes all off-peak"
        ),
        pytest.param(NodePackingScenario, PACKING, [], id="a job that fits a node"),
        pytest.param(NodePackingScenario, PACKING | {"job_gpus": 9}, ["does_not_fit"], id="a job larger than a node"),
        pytest.param(NodePackingScenario, PACKING | {"free_slots": 6}, [], id="as many GPUs free as a job needs"),
        pytest.param(
            NodePackingScenario, PACKING | {"free_slots": 5}, ["does_not_fit"], id="fewer GPUs free than a job needs"
        ),
        pytest.param(PreemptionTaxScenario, PREEMPTION, [], id="stops a job can live with"),
        pytest.param(
            PreemptionTaxScenario,
            PREEMPTION | {"preemption_rate": "72 1/day"},
            ["no_progress"],
            id="seventy-two stops of twenty minutes",
        ),
        pytest.param(QuotaLendingScenario, QUOTA, [], id="something of a quota to lend"),
        pytest.param(QuotaLendingScenario, QUOTA | {"used_share": 1}, ["no_gain"], id="a quota in use"),
    ],
)
def test_warnings(scenario: type[Scenario[Any]], inputs: dict[str, Any], codes: list[str]) -> None:
    valid = scenario.model_validate(inputs)
    assert [warning.code for warning in valid.warnings(valid.evaluate())] == codes


@pytest.mark.parametrize(
    ("scenario", "inputs", "pointer"),
    [
        (DiurnalLendingScenario, LENDING | {"fleet_gpus": 0, "training_base": 0}, "/fleet_gpus"),
        (DiurnalLendingScenario, LENDING | {"fleet_gpus": 89}, "/fleet_gpus"),
        (DiurnalLendingScenario, LENDING | {"serving_reservation": -1}, "/serving_reservation"),
        (DiurnalLendingScenario, LENDING | {"serving_average": -1}, "/serving_average"),
        (DiurnalLendingScenario, LENDING | {"serving_average": 41}, "/serving_average"),
        (DiurnalLendingScenario, LENDING | {"surge_buffer": -1}, "/surge_buffer"),
        (DiurnalLendingScenario, LENDING | {"training_base": -1}, "/training_base"),
        (DiurnalLendingScenario, LENDING | {"device_hour_rate": "-1 USD/h"}, "/device_hour_rate"),
        (NodePackingScenario, PACKING | {"nodes": 0}, "/nodes"),
        (NodePackingScenario, PACKING | {"gpus_per_node": 0}, "/gpus_per_node"),
        (NodePackingScenario, PACKING | {"job_gpus": 0}, "/job_gpus"),
        (NodePackingScenario, PACKING | {"free_slots": -1}, "/free_slots"),
        (NodePackingScenario, PACKING | {"free_slots": 513}, "/free_slots"),
        (PreemptionTaxScenario, PREEMPTION | {"n_devices": 0}, "/n_devices"),
        (PreemptionTaxScenario, PREEMPTION | {"checkpoint_bytes": "-1 B"}, "/checkpoint_bytes"),
        (PreemptionTaxScenario, PREEMPTION | {"lost_work": "-1 s"}, "/lost_work"),
        (PreemptionTaxScenario, PREEMPTION | {"preemption_rate": "-1 1/h"}, "/preemption_rate"),
        (PreemptionTaxScenario, PREEMPTION | {"device_hour_rate": "-1 USD/h"}, "/device_hour_rate"),
        (PreemptionTaxScenario, PREEMPTION | {"recovery": "fleet_defaults"}, "/recovery"),
        (
            PreemptionTaxScenario,
            PREEMPTION | {"recovery": {"restart_time": "1 s", "warmup_time": "1 s"}},
            "/recovery/checkpoint_bandwidth",
        ),
        (
            PreemptionTaxScenario,
            PREEMPTION | {"recovery": PREEMPTION["recovery"] | {"checkpoint_bandwidth": "0 B/s"}},
            "/recovery/checkpoint_bandwidth",
        ),
        (
            PreemptionTaxScenario,
            PREEMPTION | {"recovery": PREEMPTION["recovery"] | {"restart_time": "-1 s"}},
            "/recovery/restart_time",
        ),
        (
            PreemptionTaxScenario,
            PREEMPTION | {"recovery": PREEMPTION["recovery"] | {"warmup_time": "-1 s"}},
            "/recovery/warmup_time",
        ),
        (QuotaLendingScenario, QUOTA | {"guarantee": -1}, "/guarantee"),
        (QuotaLendingScenario, QUOTA | {"used_share": 60}, "/used_share"),
        (QuotaLendingScenario, QUOTA | {"used_share": -0.1}, "/used_share"),
        (QuotaLendingScenario, QUOTA | {"borrower_guarantee": -1}, "/borrower_guarantee"),
    ],
)
def test_refused_inputs(scenario: type[Scenario[Any]], inputs: dict[str, Any], pointer: str) -> None:
    with pytest.raises(ValidationError) as refused:
        scenario.model_validate(inputs)
    assert [error.pointer for error in input_errors(refused.value)] == [pointer]


def filled_one_by_one(capacity: dict[str, float], bundles: dict[str, dict[str, float]]) -> list[str]:
    """Progressive filling as the paper tells it: the smallest dominant share is served next, one bundle at a time."""
    share = {tenant: max(bundle[r] / capacity[r] for r in capacity) for tenant, bundle in bundles.items()}
    counts = dict.fromkeys(bundles, 0)
    used = dict.fromkeys(capacity, 0.0)
    queue = [(0.0, tenant) for tenant in sorted(bundles)]
    grants = []
    while queue:
        tenant = queue[0][1]
        after = {r: used[r] + bundles[tenant][r] for r in capacity}
        if any(after[r] > capacity[r] * (1 + 1e-9) for r in capacity):
            heapq.heappop(queue)
            continue
        used = after
        counts[tenant] += 1
        heapq.heapreplace(queue, (round(counts[tenant] * share[tenant], 12), tenant))
        grants.append(tenant)
    return grants


@pytest.mark.parametrize("seed", range(40))
def test_filling_many_bundles_together_is_filling_them_one_by_one(seed: int) -> None:
    random = Random(seed)
    resources = [f"resource {index}" for index in range(random.randint(1, 4))]
    capacity = {resource: random.choice([10.0, 64.0, 1000.0]) for resource in resources}
    bundles = {
        f"tenant {index}": {r: random.choice([1.0, 2.0, random.random() * capacity[r] / 20]) for r in resources}
        for index in range(random.randint(1, 25))
    }
    scenario = DominantShareScenario(capacity=capacity, bundles=bundles)
    assert scenario.evaluate().grants == filled_one_by_one(capacity, bundles)
