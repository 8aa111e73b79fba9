"""Laws that hold for any valid input: bounds, monotony, invariance. Each is named for what it says of the world."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mlsysim.catalog import catalog
from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_definitions.optimization import (
    AmdahlScenario,
    ClusterTrainingTimeScenario,
    DominantShareScenario,
    ElasticResizeScenario,
    HostDispatchScenario,
    KernelFusionScenario,
    MatmulTileScenario,
    QuantizationGridScenario,
    RooflinePointScenario,
    SelfContainedReplicaScenario,
    SingleNodeInferenceScenario,
    WeightReadScenario,
)
from mlsysim.units import DIMENSIONS
from mlsysim.units import unit as unit_of
from tests.agreement import same
from tests.strategies import scenarios

SLACK = 1 + 1e-9
every_class = pytest.mark.parametrize(
    "scenario", list(scenario_classes().values()), ids=lambda scenario: scenario.__name__
)


class TestEveryScenario:
    @every_class
    @given(data=st.data())
    def test_inputs_in_other_units_give_the_same_answer(
        self, scenario: type[Scenario[Any]], data: st.DataObject
    ) -> None:
        drawn = data.draw(scenarios(scenario))
        rewritten = _in_other_units(drawn.to_json(si=True), data)
        again = scenario.model_validate(rewritten)
        assert same(_rounded(again), _rounded(drawn))

    @every_class
    @given(data=st.data())
    def test_the_inputs_of_an_answer_can_be_posted_back(
        self, scenario: type[Scenario[Any]], data: st.DataObject
    ) -> None:
        drawn = data.draw(scenarios(scenario))
        assert same(_rounded(scenario.model_validate(drawn.to_json())), _rounded(drawn))
        assert scenario.model_validate(drawn.to_json(si=True)) == drawn
        assert drawn.variant() == drawn


def _rounded(scenario: Scenario[Any]) -> Any:
    """The numbers of the answer that do not jump: rounding an input in its last bit may move a count by one."""
    return {name: value for name, value in scenario.evaluate().__dict__.items() if _is_smooth(value)}


def _is_smooth(value: Any) -> bool:
    return isinstance(value, float)


def _in_other_units(value: Any, data: st.DataObject) -> Any:
    if isinstance(value, dict) and value.keys() == {"value", "unit"}:
        dimension = unit_of(value["unit"]).dimension
        name = data.draw(st.sampled_from(dimension.common))
        return {"value": unit_of(name).from_si(value["value"]), "unit": name}
    if isinstance(value, dict):
        return {key: _in_other_units(item, data) for key, item in value.items()}
    return value


class TestAmdahl:
    @given(scenarios(AmdahlScenario))
    def test_the_path_never_beats_its_bound_nor_the_stage(self, path: AmdahlScenario) -> None:
        result = path.evaluate()
        if result.overall_speedup is not None:
            assert result.overall_speedup <= (result.speedup_bound or math.inf) * SLACK
            assert result.overall_speedup <= max(1.0, path.speedup) * SLACK

    @given(scenarios(AmdahlScenario), st.floats(1, 100))
    def test_a_faster_stage_never_slows_the_path(self, path: AmdahlScenario, more: float) -> None:
        assume(path.speedup < math.inf)
        faster = path.variant(speedup=path.speedup * more).evaluate()
        assert faster.upgraded_total_time <= path.evaluate().upgraded_total_time * SLACK

    @given(scenarios(AmdahlScenario))
    def test_no_speedup_changes_nothing(self, path: AmdahlScenario) -> None:
        assert path.variant(speedup=1).evaluate().overall_speedup == pytest.approx(1)

    @given(scenarios(AmdahlScenario))
    def test_an_infinite_speedup_reaches_the_bound(self, path: AmdahlScenario) -> None:
        result = path.variant(speedup="inf").evaluate()
        assert result.overall_speedup == pytest.approx(result.speedup_bound)


class TestRoofline:
    @given(scenarios(RooflinePointScenario))
    def test_never_above_either_ceiling(self, point: RooflinePointScenario) -> None:
        result = point.evaluate()
        memory_ceiling = point.hardware.memory.bandwidth * result.point_intensity
        assert result.attainable <= result.peak
        assert result.attainable <= memory_ceiling
        assert result.attainable == pytest.approx(min(result.peak, memory_ceiling))

    @pytest.mark.parametrize("key", list(catalog().entries("hardware")))
    def test_both_ceilings_meet_at_the_ridge(self, key: str) -> None:
        point = RooflinePointScenario(hardware=key, intensity="1 FLOP/byte")
        at_ridge = point.variant(intensity={"value": point.evaluate().ridge, "unit": "FLOP/byte"}).evaluate()
        assert at_ridge.peak_fraction == pytest.approx(1)

    @given(scenarios(RooflinePointScenario))
    def test_more_bandwidth_never_hurts(self, point: RooflinePointScenario) -> None:
        faster = {"value": 2 * point.hardware.memory.bandwidth, "unit": "byte/s"}
        doubled = point.variant(hardware={"ref": point.hardware.key, "memory": {"bandwidth": faster}})
        assert doubled.evaluate().attainable >= point.evaluate().attainable


class TestSingleNodeInference:
    @given(scenarios(SingleNodeInferenceScenario))
    def test_a_pass_takes_at_least_as_long_as_each_of_its_parts(self, one: SingleNodeInferenceScenario) -> None:
        result = one.evaluate()
        assert result.latency >= max(result.latency_compute, result.latency_memory, result.latency_overhead)
        assert result.throughput * result.latency == pytest.approx(one.batch_size)

    @given(scenarios(SingleNodeInferenceScenario))
    def test_utilization_never_passes_the_derating(self, one: SingleNodeInferenceScenario) -> None:
        assert one.evaluate().mfu <= one.efficiency * SLACK

    @given(scenarios(SingleNodeInferenceScenario))
    def test_a_larger_batch_never_lowers_throughput(self, one: SingleNodeInferenceScenario) -> None:
        assert one.variant(batch_size=2 * one.batch_size).evaluate().throughput * SLACK >= one.evaluate().throughput

    @given(scenarios(SingleNodeInferenceScenario))
    def test_power_stays_between_idle_and_rated(self, one: SingleNodeInferenceScenario) -> None:
        result = one.evaluate()
        if result.energy is not None and one.hardware.tdp is not None:
            power = result.energy / result.latency
            assert one.idle_power_share * one.hardware.tdp / SLACK <= power <= one.hardware.tdp * SLACK


class TestWeightRead:
    @given(scenarios(WeightReadScenario))
    def test_a_cache_only_adds_time(self, read: WeightReadScenario) -> None:
        result = read.evaluate()
        if result.token_time is not None:
            assert result.token_time >= result.read_time
            assert result.separate_unpack_time is None or result.separate_unpack_time >= result.token_time

    @given(scenarios(WeightReadScenario))
    def test_reading_power_is_energy_per_byte_times_bandwidth(self, read: WeightReadScenario) -> None:
        result = read.evaluate()
        if read.energy_per_byte:
            assert result.read_power == pytest.approx(read.energy_per_byte * read.hardware.memory.bandwidth)


class TestKernelFusion:
    @given(scenarios(KernelFusionScenario))
    def test_both_ratios_are_the_length_of_the_chain(self, chain: KernelFusionScenario) -> None:
        result = chain.evaluate()
        assert result.traffic_ratio == pytest.approx(chain.chain_length)
        assert result.overhead_speedup == pytest.approx(chain.chain_length)


class TestHostDispatch:
    @given(scenarios(HostDispatchScenario))
    def test_shares_and_limits_say_the_same(self, step: HostDispatchScenario) -> None:
        result = step.evaluate()
        assert 0 <= result.host_share < 1
        assert result.speedup_limit == pytest.approx(1 + result.overhead_ratio)
        assert result.speedup_limit == pytest.approx(1 / (1 - result.host_share))


class TestMatmulTile:
    @given(scenarios(MatmulTileScenario))
    def test_tiles_cover_the_matrix_and_no_tile_is_empty(self, product: MatmulTileScenario) -> None:
        result = product.evaluate()
        for side, tile, tiles in (
            (product.m, product.tile_m, result.tiles_m),
            (product.n, product.tile_n, result.tiles_n),
            (product.k, product.tile_k, result.tiles_k),
        ):
            assert (tiles - 1) * tile < side <= tiles * tile

    @given(scenarios(MatmulTileScenario))
    def test_tiling_moves_no_less_than_everything_once_and_no_more_than_no_reuse(
        self, product: MatmulTileScenario
    ) -> None:
        result = product.evaluate()
        once = result.a_elements + result.b_elements + result.c_elements
        assert once <= result.tiled_moves <= 2 * result.macs + result.c_elements

    def test_counts_beyond_two_to_the_53_are_exact(self) -> None:
        side = 10**6 + 3
        product = MatmulTileScenario(
            m=side, n=side, k=side, tile_m=1, tile_n=1, tile_k=1, operand_bytes="2 B", accumulator_bytes="4 B"
        )
        assert product.evaluate().macs == side**3


class TestClusterTrainingTime:
    @given(scenarios(ClusterTrainingTimeScenario), st.integers(1, 64))
    def test_device_hours_do_not_depend_on_the_number_of_devices(
        self, run: ClusterTrainingTimeScenario, more: int
    ) -> None:
        larger = run.variant(n_devices=more * run.n_devices).evaluate()
        assert larger.device_hours == pytest.approx(run.evaluate().device_hours)

    @given(scenarios(ClusterTrainingTimeScenario))
    def test_steps_add_up_to_the_run(self, run: ClusterTrainingTimeScenario) -> None:
        result = run.evaluate()
        if result.steps is not None and result.step_time is not None:
            assert result.steps * result.step_time == pytest.approx(result.training_time)


class TestSelfContainedReplica:
    @given(scenarios(SelfContainedReplicaScenario))
    def test_the_state_fits_and_half_the_depth_would_not_hold_it(self, replica: SelfContainedReplicaScenario) -> None:
        result = replica.evaluate()
        state = replica.workload.parameters * replica.bytes_per_param
        memory = result.replica_gpus * replica.fleet.node.accelerator.memory.capacity
        assert state <= memory
        assert result.pipeline_depth == 1 or state > memory / 2


class TestDominantShare:
    @given(scenarios(DominantShareScenario))
    def test_no_resource_is_overdrawn_and_no_further_bundle_fits(self, cluster: DominantShareScenario) -> None:
        result = cluster.evaluate()
        assume(len(result.grants) < 1000)
        for resource, amount in cluster.capacity.items():
            assert result.used[resource] <= amount * (1 + 2e-9)
        for bundle in cluster.bundles.values():
            assert any(result.used[r] + bundle[r] > amount for r, amount in cluster.capacity.items())

    @given(scenarios(DominantShareScenario))
    def test_grants_are_the_counts(self, cluster: DominantShareScenario) -> None:
        result = cluster.evaluate()
        assert sum(result.bundle_counts.values()) == len(result.grants)
        assert all(0 <= share <= 1 for share in result.dominant_share.values())


class TestQuantizationGrid:
    @given(scenarios(QuantizationGridScenario))
    def test_codes_stay_on_the_grid_and_read_back_within_half_a_step(self, grid: QuantizationGridScenario) -> None:
        result = grid.evaluate()
        assert all(result.qmin <= code <= result.qmax for code in result.codes)
        low, high = (result.scale * (code - result.zero_point) for code in (result.qmin, result.qmax))
        for value, error in zip(grid.values, result.errors, strict=True):
            if low <= value <= high:
                assert error <= result.max_rounding_error * (1 + 1e-6)

    @given(scenarios(QuantizationGridScenario))
    def test_zero_has_a_code_of_its_own(self, grid: QuantizationGridScenario) -> None:
        result = grid.variant(values=[*grid.values, 0.0]).evaluate()
        assert result.readback[-1] == 0


class TestElasticResize:
    @given(scenarios(ElasticResizeScenario))
    def test_a_pause_of_the_break_even_matches_staying_small(self, plan: ElasticResizeScenario) -> None:
        pause = plan.evaluate().rescale_break_even
        assume(pause >= 0 and plan.queue_wait + pause <= plan.window)
        at_break_even = plan.variant(rescale_overhead={"value": pause, "unit": "s"}).evaluate()
        assert at_break_even.step_up_over_small == pytest.approx(1)


def test_every_dimension_has_units_to_draw_from() -> None:
    assert all(dimension.common for dimension in DIMENSIONS)
