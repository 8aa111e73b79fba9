"""Pods, growing clusters, Jacobians and small networks: known values, laws, warnings, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from mlsysim.catalog import Pod, catalog
from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_definitions.optimization import (
    AcceleratorPodScenario,
    ClusterExpansionScenario,
    HostDispatchScenario,
    JacobianScenario,
    MlpTrainingStepScenario,
)
from mlsysim.errors import input_errors
from tests.agreement import same
from tests.strategies import scenarios

SLACK = 1 + 1e-9

POD: dict[str, Any] = {"pod": "TPUv4_4096", "accelerator": "TPUv4"}
SPARSE_CHIP: dict[str, Any] = {
    "name": "chip",
    "compute": {"peak": "2 TFLOP/s", "rates": {"fp16": "1 TFLOP/s"}, "sparse_rates": {"fp16": "2 TFLOP/s"}},
    "memory": {"capacity": "16 GiB", "bandwidth": "1 TB/s"},
}
# One device that fails every 100 s and takes 2 s to save; four of them fail every 25 s.
EXPANSION: dict[str, Any] = {"write_time": "2 s", "component_mtbf": "100 s", "n_devices": 1, "factor": 4}
RELIABLE = EXPANSION | {"component_mtbf": "1000 s"}
JACOBIAN: dict[str, Any] = {"input_width": 784, "output_width": 128, "bytes_per_value": "4 B"}
MNIST: dict[str, Any] = {
    "batch_size": 32,
    "input_width": 784,
    "hidden_width": 128,
    "output_width": 10,
    "bytes_per_value": "4 B",
    "label_bytes": "8 B",
    "loss_flops_per_logit": 3,
    "optimizer_values_moved": 7,
    "hardware": "H100",
    "dispatch": "10 us",
    "launch": "5 us",
}
WIDE = MNIST | {"batch_size": 8192, "input_width": 4096, "hidden_width": 4096, "output_width": 4096}


@pytest.mark.parametrize(
    ("inputs", "output", "expected"),
    [
        # Jouppi et al. (2023): 4,096 chips of 275 TFLOP/s and 32 GiB.
        pytest.param(POD, "peak_flops", 1.1264e18, id="TPU v4, an exaflop pod"),
        pytest.param(POD, "chip_memory_total", 2**47, id="TPU v4, 128 TiB"),
        # Google Cloud documentation: 8,960 chips of 459 TFLOP/s.
        pytest.param({"pod": "TPUv5p_8960", "accelerator": "TPUv5p"}, "peak_flops", 8960 * 459e12, id="TPU v5p"),
        pytest.param(POD | {"pod": {"chips": 1}}, "peak_flops", 275e12, id="a pod of one chip"),
    ],
)
def test_adding_up_a_pod(inputs: dict[str, Any], output: str, expected: float) -> None:
    assert getattr(AcceleratorPodScenario.model_validate(inputs).evaluate(), output) == pytest.approx(expected)


@pytest.mark.parametrize(("pod", "chip"), [("TPUv4_4096", "TPUv4"), ("TPUv5p_8960", "TPUv5p")])
def test_the_memory_a_pod_states_is_that_of_its_chips(pod: str, chip: str) -> None:
    entry = catalog().entry("pods", pod)
    assert isinstance(entry, Pod)
    total = AcceleratorPodScenario.model_validate({"pod": pod, "accelerator": chip}).evaluate().chip_memory_total
    assert entry.memory == total


@pytest.mark.parametrize(
    ("changes", "output", "expected"),
    [
        # Young (1974): sqrt(2 x 2 x 100) = 20 s, of which 2 s saving, and 10 of 100 s lost.
        pytest.param({}, "interval", 20, id="Young's interval"),
        pytest.param({}, "overhead", 0.2, id="a tenth saving and a tenth redone"),
        pytest.param({}, "expanded_devices", 4, id="four devices"),
        pytest.param({}, "expanded_mtbf", 25, id="failures four times as often"),
        pytest.param({}, "expanded_interval", 10, id="half the interval"),
        pytest.param({}, "expanded_overhead", 0.4, id="twice the overhead"),
        pytest.param({}, "overhead_growth", 2, id="square root of four"),
        pytest.param({}, "breakeven_speedup", 0.8 / 0.6, id="80 against 60 percent of progress"),
        pytest.param({}, "superlinear_threshold", 4 * 0.8 / 0.6, id="beyond linear"),
        pytest.param({}, "run_time_change", None, id="no measurement, no change"),
        pytest.param({"step_speedup": 4 / 3}, "run_time_change", 0, id="at the break-even"),
        # 1.333 / 3.2 - 1 and 5.333 / 3.2 - 1.
        pytest.param({"step_speedup": 3.2}, "run_time_change", -7 / 12, id="faster"),
        pytest.param({"step_speedup": 3.2}, "accelerator_hours_change", 2 / 3, id="and dearer"),
        # 2.5 rounds to the even 2, as IEEE 754 has it.
        pytest.param({"factor": 2.5}, "expanded_devices", 2, id="a tie goes to the even count"),
        pytest.param({"n_devices": 4, "factor": 0.25}, "breakeven_speedup", 0.75, id="shrinking"),
        # GPT-3 with 14 bytes per parameter at 100 GB/s.
        pytest.param(
            {
                "write_time": None,
                "checkpoint_bytes": "2.45 TB",
                "write_bandwidth": "100 GB/s",
                "component_mtbf": "50000 h",
            },
            "t_write",
            24.5,
            id="a write time from size and bandwidth",
        ),
    ],
)
def test_growing_a_cluster(changes: dict[str, Any], output: str, expected: float | None) -> None:
    inputs = {name: value for name, value in (EXPANSION | changes).items() if value is not None}
    found = getattr(ClusterExpansionScenario.model_validate(inputs).evaluate(), output)
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-12))


@pytest.mark.parametrize(
    ("changes", "output", "expected"),
    [
        pytest.param({}, "elements", 100_352, id="784 inputs, 128 outputs"),
        pytest.param({}, "size", 401_408, id="in FP32"),
        pytest.param({"bytes_per_value": "16 bit"}, "size", 200_704, id="in FP16"),
        # 40 GB, half of what an 80 GB device holds.
        pytest.param({"input_width": 100_000, "output_width": 100_000}, "size", 40e9, id="a wide layer"),
    ],
)
def test_the_size_of_a_jacobian(changes: dict[str, Any], output: str, expected: float) -> None:
    assert getattr(JacobianScenario.model_validate(JACOBIAN | changes).evaluate(), output) == expected


@pytest.mark.parametrize(
    ("changes", "output", "expected"),
    [
        # What Keras prints for the MNIST network of the TensorFlow quickstart: 100,480 + 1,290.
        pytest.param({}, "parameters", 101_770, id="784-128-10, total params"),
        # 2 x 32 x 784 x 128 + 32 x 128 + 2 x 32 x 128 x 10 + 3 x 32 x 10.
        pytest.param({}, "forward_flops", 6_509_504, id="forward"),
        pytest.param({}, "backward_flops", 6_591_104, id="backward"),
        pytest.param({}, "total_flops", 13_100_608, id="both passes"),
        # Values 129,536 + 8,192 + 5,696 + 640 of four bytes.
        pytest.param({}, "forward_bytes", 576_256, id="forward traffic"),
        # Values 5,696 + 5,696 + 129,536 + 12,288 + 640 of four bytes, and 32 labels of eight.
        pytest.param({}, "backward_bytes", 615_680, id="backward traffic"),
        pytest.param({"label_bytes": "0 B"}, "backward_bytes", 615_424, id="labels that take no room"),
        # Kingma and Ba (2015), algorithm 1: 4 values read and 3 written for each parameter.
        pytest.param({}, "optimizer_step_bytes", 101_770 * 7 * 4, id="an Adam update"),
        pytest.param({}, "peak_rate", 67e12, id="FP32 outside the tensor cores"),
        pytest.param({"precision": "tf32"}, "peak_rate", 494.5e12, id="TF32 where it is switched on"),
        pytest.param({}, "compute_time", 13_100_608 / 67e12, id="arithmetic"),
        pytest.param({}, "memory_time", 1_191_936 / 3.35e12, id="traffic"),
        # First layer twice, second three times: 2 + 1 / (1 + 78.4).
        pytest.param({}, "dense_training_ratio", 2 + 1 / 79.4, id="no gradient of the inputs"),
    ],
)
def test_a_small_network(changes: dict[str, Any], output: str, expected: float) -> None:
    found = getattr(MlpTrainingStepScenario.model_validate(MNIST | changes).evaluate(), output)
    assert found == pytest.approx(expected, rel=1e-12)


def test_a_small_network_costs_the_host_five_calls_and_nine_launches() -> None:
    host = MlpTrainingStepScenario.model_validate(MNIST).evaluate().host
    assert (host.operations, host.launches) == (5, 9)
    assert host.host_time == pytest.approx(5 * 10e-6 + 9 * 5e-6)


class TestAcceleratorPod:
    @given(scenarios(AcceleratorPodScenario), st.integers(2, 100))
    def test_both_totals_grow_with_the_chips(self, pod: AcceleratorPodScenario, more: int) -> None:
        larger, smaller = (
            pod.variant(pod={"ref": pod.pod.key, "chips": more * pod.pod.chips}).evaluate(),
            pod.evaluate(),
        )
        assert larger.peak_flops == pytest.approx(more * smaller.peak_flops)
        assert larger.chip_memory_total == pytest.approx(more * smaller.chip_memory_total)


class TestClusterExpansion:
    @given(scenarios(ClusterExpansionScenario))
    def test_a_part_of_the_time_makes_progress(self, job: ClusterExpansionScenario) -> None:
        result = job.evaluate()
        assert 0 < result.retained < 1
        assert 0 < result.expanded_retained < 1

    @given(scenarios(ClusterExpansionScenario), st.floats(0.1, 10))
    def test_no_other_interval_has_less_overhead(self, job: ClusterExpansionScenario, times: float) -> None:
        result = job.evaluate()
        for interval, mtbf, overhead in (
            (result.interval, result.mtbf, result.overhead),
            (result.expanded_interval, result.expanded_mtbf, result.expanded_overhead),
        ):
            other = times * interval
            assert overhead <= (result.t_write / other + other / (2 * mtbf)) * SLACK

    @given(scenarios(ClusterExpansionScenario))
    def test_overhead_grows_with_the_square_root_of_the_devices(self, job: ClusterExpansionScenario) -> None:
        result = job.evaluate()
        assert result.overhead_growth**2 == pytest.approx(result.expanded_devices / job.n_devices)
        assert (result.breakeven_speedup >= 1) == (result.expanded_devices >= job.n_devices)

    @given(scenarios(ClusterExpansionScenario))
    def test_at_both_thresholds_nothing_changes(self, job: ClusterExpansionScenario) -> None:
        result = job.evaluate()
        even = job.variant(step_speedup=result.breakeven_speedup).evaluate()
        linear = job.variant(step_speedup=result.superlinear_threshold).evaluate()
        assert even.run_time_change == pytest.approx(0, abs=1e-12)
        assert linear.accelerator_hours_change == pytest.approx(0, abs=1e-12)

    @given(scenarios(ClusterExpansionScenario))
    def test_a_write_time_may_be_given_either_way(self, job: ClusterExpansionScenario) -> None:
        direct = {"write_time": {"value": job.evaluate().t_write, "unit": "s"}}
        given_directly = job.variant(checkpoint_bytes=None, write_bandwidth=None, **direct)
        assert same(given_directly.evaluate(), job.evaluate())


class TestJacobian:
    @given(scenarios(JacobianScenario))
    def test_inputs_and_outputs_may_trade_places(self, layer: JacobianScenario) -> None:
        turned = layer.variant(input_width=layer.output_width, output_width=layer.input_width)
        assert same(turned.evaluate(), layer.evaluate())

    def test_entries_beyond_two_to_the_53_are_exact(self) -> None:
        side = 10**9 + 7
        layer = JacobianScenario.model_validate(JACOBIAN | {"input_width": side, "output_width": side})
        assert layer.evaluate().elements == side**2


class TestMlpTrainingStep:
    @given(scenarios(MlpTrainingStepScenario))
    def test_the_host_is_what_the_dispatch_scenario_says(self, step: MlpTrainingStepScenario) -> None:
        result = step.evaluate()
        stated = step.to_json(si=True)
        dispatch = HostDispatchScenario.model_validate(
            {
                "ops_per_block": step.forward_ops + 1,
                "launches_per_block": step.forward_ops + step.backward_ops,
                "dispatch": stated["dispatch"],
                "launch": stated["launch"],
                "device_time": {"value": result.compute_time + result.memory_time, "unit": "s"},
            }
        )
        assert result.to_json()["host"] == dispatch.evaluate().to_json()

    @given(scenarios(MlpTrainingStepScenario))
    def test_operators_add_up_to_the_passes(self, step: MlpTrainingStepScenario) -> None:
        result = step.evaluate()
        assert result.op_flops.keys() == result.op_bytes.keys()
        assert result.total_flops == sum(result.op_flops.values())
        assert result.total_bytes == pytest.approx(sum(result.op_bytes.values()))

    @given(scenarios(MlpTrainingStepScenario))
    def test_a_step_multiplies_two_to_three_times_as_much_as_its_forward_pass(
        self, step: MlpTrainingStepScenario
    ) -> None:
        assert 2 <= step.evaluate().dense_training_ratio <= 3

    @given(scenarios(MlpTrainingStepScenario), st.integers(2, 100))
    def test_work_grows_with_the_batch_and_parameters_do_not(self, step: MlpTrainingStepScenario, more: int) -> None:
        larger, smaller = step.variant(batch_size=more * step.batch_size).evaluate(), step.evaluate()
        assert larger.total_flops == more * smaller.total_flops
        assert larger.total_bytes <= more * smaller.total_bytes * SLACK
        assert larger.parameters == smaller.parameters

    @given(scenarios(MlpTrainingStepScenario), st.integers(0, 100))
    def test_the_optimizer_enters_no_time(self, step: MlpTrainingStepScenario, moved: int) -> None:
        other, result = step.variant(optimizer_values_moved=moved).evaluate(), step.evaluate()
        assert (other.memory_time, other.compute_time) == (result.memory_time, result.compute_time)
        assert same(other.host, result.host)

    @given(scenarios(MlpTrainingStepScenario), st.integers(1, 100), st.integers(0, 100))
    def test_counts_of_operators_change_the_host_only(
        self, step: MlpTrainingStepScenario, forward: int, backward: int
    ) -> None:
        assume((forward, backward) != (step.forward_ops, step.backward_ops))
        other, result = step.variant(forward_ops=forward, backward_ops=backward).evaluate(), step.evaluate()
        changed = {name for name, value in result.__dict__.items() if not same(getattr(other, name), value)}
        assert changed == {"host"}


@pytest.mark.parametrize(
    ("scenario", "inputs", "codes"),
    [
        pytest.param(AcceleratorPodScenario, POD, [], id="a dense peak"),
        pytest.param(
            AcceleratorPodScenario,
            {"pod": {"chips": 4}, "accelerator": SPARSE_CHIP},
            ["sparse_peak"],
            id="a sparse peak",
        ),
        pytest.param(ClusterExpansionScenario, EXPANSION, ["approximation_rough"], id="no measurement"),
        pytest.param(ClusterExpansionScenario, RELIABLE | {"step_speedup": 1.4}, [], id="above the break-even"),
        pytest.param(
            ClusterExpansionScenario,
            EXPANSION | {"step_speedup": 1.3},
            ["approximation_rough", "slowdown"],
            id="below it",
        ),
        pytest.param(ClusterExpansionScenario, RELIABLE | {"factor": 1.4}, ["no_gain"], id="no device more"),
        pytest.param(JacobianScenario, JACOBIAN, [], id="a Jacobian"),
        pytest.param(MlpTrainingStepScenario, MNIST, ["overhead_dominated"], id="a network too small for its GPU"),
        pytest.param(MlpTrainingStepScenario, WIDE, [], id="a network that keeps it busy"),
        pytest.param(
            MlpTrainingStepScenario,
            WIDE | {"hardware": {"ref": "H100", "memory": {"capacity": "100 MB"}}},
            ["weights_exceed_memory"],
            id="a network too large for the memory",
        ),
    ],
)
def test_warnings(scenario: type[Scenario[Any]], inputs: dict[str, Any], codes: list[str]) -> None:
    valid = scenario.model_validate(inputs)
    assert [warning.code for warning in valid.warnings(valid.evaluate())] == codes


@pytest.mark.parametrize(
    ("scenario", "inputs", "pointer"),
    [
        (AcceleratorPodScenario, POD | {"pod": {"name": "mine"}}, "/pod/chips"),
        (AcceleratorPodScenario, POD | {"pod": {"chips": 0}}, "/pod/chips"),
        (AcceleratorPodScenario, POD | {"accelerator": {"memory": {"capacity": "1 GiB"}}}, "/accelerator/compute/peak"),
        (
            AcceleratorPodScenario,
            POD | {"accelerator": {"compute": {"peak": "1 TFLOP/s"}}},
            "/accelerator/memory/capacity",
        ),
        (ClusterExpansionScenario, EXPANSION | {"write_time": "0 s"}, "/write_time"),
        (ClusterExpansionScenario, EXPANSION | {"component_mtbf": "0 s"}, "/component_mtbf"),
        (ClusterExpansionScenario, EXPANSION | {"n_devices": 0}, "/n_devices"),
        (ClusterExpansionScenario, EXPANSION | {"factor": 0}, "/factor"),
        (ClusterExpansionScenario, EXPANSION | {"step_speedup": 0}, "/step_speedup"),
        (ClusterExpansionScenario, EXPANSION | {"factor": 0.5}, "/factor"),
        (ClusterExpansionScenario, EXPANSION | {"factor": 25}, "/write_time"),
        (ClusterExpansionScenario, EXPANSION | {"write_time": "50 s", "factor": 1}, "/write_time"),
        (
            ClusterExpansionScenario,
            EXPANSION | {"checkpoint_bytes": "1 GB", "write_bandwidth": "1 GB/s"},
            "/write_time",
        ),
        (ClusterExpansionScenario, EXPANSION | {"write_bandwidth": "1 GB/s"}, "/write_bandwidth"),
        (
            ClusterExpansionScenario,
            {k: v for k, v in EXPANSION.items() if k != "write_time"},
            "/write_time",
        ),
        (
            ClusterExpansionScenario,
            {k: v for k, v in EXPANSION.items() if k != "write_time"} | {"checkpoint_bytes": "1 GB"},
            "/write_bandwidth",
        ),
        (
            ClusterExpansionScenario,
            {k: v for k, v in EXPANSION.items() if k != "write_time"}
            | {"checkpoint_bytes": "20 GB", "write_bandwidth": "1 GB/s"},
            "/checkpoint_bytes",
        ),
        (
            ClusterExpansionScenario,
            {k: v for k, v in EXPANSION.items() if k != "write_time"}
            | {"checkpoint_bytes": "0 GB", "write_bandwidth": "1 GB/s"},
            "/checkpoint_bytes",
        ),
        (
            ClusterExpansionScenario,
            {k: v for k, v in EXPANSION.items() if k != "write_time"}
            | {"checkpoint_bytes": "1 GB", "write_bandwidth": "0 GB/s"},
            "/write_bandwidth",
        ),
        (JacobianScenario, JACOBIAN | {"input_width": 0}, "/input_width"),
        (JacobianScenario, JACOBIAN | {"output_width": 0}, "/output_width"),
        (JacobianScenario, JACOBIAN | {"bytes_per_value": "0 B"}, "/bytes_per_value"),
        (JacobianScenario, JACOBIAN | {"bytes_per_value": 4}, "/bytes_per_value"),
        (MlpTrainingStepScenario, MNIST | {"batch_size": 0}, "/batch_size"),
        (MlpTrainingStepScenario, MNIST | {"input_width": 0}, "/input_width"),
        (MlpTrainingStepScenario, MNIST | {"hidden_width": 0}, "/hidden_width"),
        (MlpTrainingStepScenario, MNIST | {"output_width": 0}, "/output_width"),
        (MlpTrainingStepScenario, MNIST | {"bytes_per_value": "0 B"}, "/bytes_per_value"),
        (MlpTrainingStepScenario, MNIST | {"label_bytes": "-1 B"}, "/label_bytes"),
        (MlpTrainingStepScenario, MNIST | {"loss_flops_per_logit": -1}, "/loss_flops_per_logit"),
        (MlpTrainingStepScenario, MNIST | {"optimizer_values_moved": -1}, "/optimizer_values_moved"),
        (
            MlpTrainingStepScenario,
            MNIST | {"hardware": {"compute": {"rates": {"fp32": "1 TFLOP/s"}}}},
            "/hardware/memory/bandwidth",
        ),
        (MlpTrainingStepScenario, MNIST | {"hardware": {"memory": {"bandwidth": "1 GB/s"}}}, "/precision"),
        (MlpTrainingStepScenario, MNIST | {"precision": "fp31"}, "/precision"),
        (MlpTrainingStepScenario, MNIST | {"forward_ops": 0}, "/forward_ops"),
        (MlpTrainingStepScenario, MNIST | {"backward_ops": -1}, "/backward_ops"),
        (MlpTrainingStepScenario, MNIST | {"dispatch": "-1 us"}, "/dispatch"),
        (MlpTrainingStepScenario, MNIST | {"launch": "-1 us"}, "/launch"),
    ],
)
def test_refused_inputs(scenario: type[Scenario[Any]], inputs: dict[str, Any], pointer: str) -> None:
    with pytest.raises(ValidationError) as refused:
        scenario.model_validate(inputs)
    assert [error.pointer for error in input_errors(refused.value)] == [pointer]
