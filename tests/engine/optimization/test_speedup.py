"""What a local speedup is worth to the whole: known values, laws, warnings, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_definitions.optimization import (
    AcceleratedFractionScenario,
    AmdahlScenario,
    IronLawScenario,
    PeakRatioRangeScenario,
    PipelineSpeedupScenario,
    SpeedupCompositionScenario,
)
from mlsysim.errors import EvaluationError, input_errors
from tests.strategies import scenarios

SLACK = 1 + 1e-9

MOVE: dict[str, Any] = {"fraction": 0.8, "accelerated_rate": "10 TFLOP/s", "baseline_rate": "1 TFLOP/s"}
TASK: dict[str, Any] = {
    "overhead": "5 ms",
    "data_volume": "2 GB",
    "bandwidth": "100 GB/s",
    "operations": "1 GFLOP",
    "effective_rate": "100 GFLOP/s",
}
STATED: dict[str, Any] = {"overhead": "1 s", "memory_time_stated": "2 s", "compute_time_stated": "8 s"}
PEAKS: dict[str, Any] = {"rate": "989 TFLOP/s", "baseline_low": "1 TFLOP/s", "baseline_high": "2 TFLOP/s"}
CAMERA: dict[str, Any] = {"stages": {"isp": "100 ms", "ml": "60 ms", "post": "40 ms"}, "accelerated": "ml"}
IDLE: dict[str, Any] = {"stages": {"idle": "0 s", "wait": "0 s", "run": "1 s"}, "accelerated": "idle"}
PAPERS: dict[str, Any] = {"factors": {"pruning": 2, "quantization": 4}, "measured": 5}


def without(inputs: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in inputs.items() if name not in names}


@pytest.mark.parametrize(
    ("fraction", "gain", "speedup", "ceiling"),
    [
        # Bryant and O'Hallaron, Computer Systems: A Programmer's Perspective, section 1.9.1: 60 percent of a system is
        # sped up by 3; the limit is 2.5.
        pytest.param(0.6, 3, 1.67, 2.5, id="Bryant and O'Hallaron"),
        # Hennessy and Patterson, section 1.9: a web server computes 40 percent of the time and waits for the rest.
        pytest.param(0.4, 10, 1.56, 1.67, id="Hennessy and Patterson, web server"),
        # The same section: the square root alone against all floating-point operations.
        pytest.param(0.2, 10, 1.22, 1.25, id="Hennessy and Patterson, square root"),
        pytest.param(0.5, 1.6, 1.23, 2, id="Hennessy and Patterson, floating point"),
        # By hand: 0.05 + 0.95 / 100.
        pytest.param(0.95, 100, 1 / 0.0595, 20, id="a twentieth stays"),
        pytest.param(0, 10, 1, 1, id="nothing moves"),
        pytest.param(1, 10, 10, None, id="everything moves"),
        pytest.param(0.5, 0.5, 2 / 3, 2, id="a slower path"),
    ],
)
def test_moving_a_share_of_the_time(fraction: float, gain: float, speedup: float, ceiling: float | None) -> None:
    move = AcceleratedFractionScenario.model_validate(
        {"fraction": fraction, "accelerated_rate": f"{gain} GB/s", "baseline_rate": "1 GB/s"}
    )
    result = move.evaluate()
    assert result.gain == pytest.approx(gain)
    assert result.speedup == pytest.approx(speedup, abs=0.005)
    assert result.ceiling == (ceiling if ceiling is None else pytest.approx(ceiling, abs=0.005))


@pytest.mark.parametrize(
    ("inputs", "output", "expected"),
    [
        # 2 GB at 100 GB/s, 1 GFLOP at 100 GFLOP/s.
        pytest.param(TASK, "memory_time", 0.02, id="data over bandwidth"),
        pytest.param(TASK, "compute_time", 0.01, id="operations over rate"),
        pytest.param(TASK, "sequential_time", 0.035, id="20 + 10 + 5 ms"),
        pytest.param(TASK, "overlapped_time", 0.025, id="the longer of 20 and 10, and 5 ms"),
        pytest.param(TASK | {"memory_speedup": 2}, "upgraded_bandwidth", 200e9, id="twice the bandwidth"),
        pytest.param(TASK | {"memory_speedup": 2}, "upgraded_sequential_time", 0.025, id="10 + 10 + 5 ms"),
        pytest.param(TASK | {"memory_speedup": 2}, "upgraded_overlapped_time", 0.015, id="terms that balance"),
        pytest.param(TASK | {"memory_speedup": 2}, "naive_upgraded_time", 0.0175, id="half of everything"),
        pytest.param(TASK | {"memory_speedup": 8}, "upgraded_overlapped_time", 0.015, id="compute takes over"),
        pytest.param(STATED, "upgraded_bandwidth", None, id="no bandwidth to speed up"),
        # 8 of 11 s become 4 s.
        pytest.param(STATED | {"compute_speedup": 2}, "sequential_reduction", 4 / 11, id="36 percent, not 50"),
        pytest.param(STATED | {"compute_speedup": 0.5}, "sequential_reduction", -8 / 11, id="a slower processor"),
        pytest.param(
            STATED | {"memory_speedup": 2, "compute_speedup": 4}, "naive_upgraded_time", 11 / 8, id="hoped for"
        ),
        pytest.param(
            STATED | {"memory_speedup": 2, "compute_speedup": 4}, "upgraded_sequential_time", 4, id="1 + 2 + 1 s"
        ),
    ],
)
def test_the_terms_of_a_task(inputs: dict[str, Any], output: str, expected: float | None) -> None:
    result = IronLawScenario.model_validate(inputs).evaluate()
    assert getattr(result, output) == (expected if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("rate", "low", "high", "expected"),
    [
        # The devices of Lee et al. (2010) in single precision. Core i7-960: 4 cores x 3.2 GHz x 4 lanes x 2 operations
        # = 102.4 GFLOP/s, without its vector units a quarter of that. GTX 280: 240 lanes x 1.296 GHz x 3 operations.
        pytest.param("933.12 GFLOP/s", "25.6 GFLOP/s", "102.4 GFLOP/s", (9.1, 36.5), id="GTX 280 over Core i7"),
        pytest.param("989 TFLOP/s", "1 TFLOP/s", "2 TFLOP/s", (494.5, 989), id="dense peak of an H100"),
        pytest.param("1 TFLOP/s", "1 TFLOP/s", "1 TFLOP/s", (1, 1), id="the same device"),
        pytest.param("1 TFLOP/s", "500 GFLOP/s", "4 TFLOP/s", (0.25, 2), id="a range around the peak"),
    ],
)
def test_a_peak_over_a_range(rate: str, low: str, high: str, expected: tuple[float, float]) -> None:
    result = PeakRatioRangeScenario.model_validate(
        {"rate": rate, "baseline_low": low, "baseline_high": high}
    ).evaluate()
    assert (result.ratio_low, result.ratio_high) == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize(
    ("inputs", "output", "expected"),
    [
        pytest.param(CAMERA | {"speedup": 10}, "accelerated_total", 0.146, id="100 + 6 + 40 ms"),
        pytest.param(CAMERA | {"speedup": 10}, "overall_speedup", 200 / 146, id="200 of 146 ms"),
        pytest.param(CAMERA, "overall_speedup", 1, id="as it stands"),
        pytest.param(CAMERA, "fraction", 0.3, id="60 of 200 ms"),
        pytest.param(CAMERA, "limit", 200 / 140, id="a model that takes no time"),
        pytest.param(CAMERA, "group_time", None, id="no group"),
        pytest.param(CAMERA | {"group": ["isp", "post"]}, "group_time", 0.14, id="100 + 40 ms"),
        pytest.param(CAMERA | {"group": ["isp", "post"]}, "group_share", 0.7, id="140 of 200 ms"),
        pytest.param(CAMERA | {"group": ["ml"], "speedup": 10}, "group_share", 0.3, id="before the change"),
        pytest.param(CAMERA, "overlapped_share", None, id="no feeders"),
        pytest.param(CAMERA | {"feeders": ["isp"]}, "overlapped_share", 0.6, id="the feeder sets the pace"),
        pytest.param(CAMERA | {"feeders": ["post"]}, "overlapped_share", 1, id="the stage sets the pace"),
        pytest.param(CAMERA | {"feeders": ["post", "isp"]}, "overlapped_share", 3 / 7, id="feeders in turn"),
        pytest.param(IDLE, "limit", 1, id="a stage that takes no time"),
        pytest.param(IDLE | {"feeders": ["run"]}, "overlapped_share", 0, id="never busy"),
        pytest.param(IDLE | {"feeders": ["wait"]}, "overlapped_share", None, id="nobody takes any time"),
        pytest.param(IDLE | {"accelerated": "run"}, "limit", None, id="others take no time"),
        pytest.param(
            IDLE | {"accelerated": "run", "feeders": ["wait"]}, "overlapped_share", 1, id="feeders of no time"
        ),
        # Hennessy and Patterson, section 1.9.
        pytest.param(
            {"stages": {"compute": "40 ms", "wait": "60 ms"}, "accelerated": "compute", "speedup": 10},
            "overall_speedup",
            1.5625,
            id="Hennessy and Patterson, web server",
        ),
    ],
)
def test_a_faster_stage_of_a_serial_path(inputs: dict[str, Any], output: str, expected: float | None) -> None:
    result = PipelineSpeedupScenario.model_validate(inputs).evaluate()
    assert getattr(result, output) == (expected if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("factors", "measured", "paper", "share"),
    [
        pytest.param({"pruning": 2, "quantization": 4}, 1.5, 8, 0.1875, id="2 x 4 against 1.5"),
        pytest.param({"one": 3}, 3, 3, 1, id="one technique as reported"),
        pytest.param({"a": 2, "b": 2, "c": 2}, 10, 8, 1.25, id="techniques that help each other"),
        pytest.param({"a": 2, "b": 0.5}, 1, 1, 1, id="a factor that costs what the other brings"),
    ],
)
def test_factors_on_paper(factors: dict[str, float], measured: float, paper: float, share: float) -> None:
    result = SpeedupCompositionScenario.model_validate({"factors": factors, "measured": measured}).evaluate()
    assert (result.paper, result.realized_share) == pytest.approx((paper, share))


class TestAcceleratedFraction:
    @given(scenarios(AcceleratedFractionScenario))
    def test_the_job_gains_less_than_the_part_and_never_passes_the_ceiling(
        self, move: AcceleratedFractionScenario
    ) -> None:
        result = move.evaluate()
        assert min(1, result.gain) / SLACK <= result.speedup <= max(1, result.gain) * SLACK
        assert result.ceiling is None or result.speedup <= result.ceiling * SLACK

    @given(scenarios(AcceleratedFractionScenario), st.floats(1, 1000))
    def test_a_faster_path_never_hurts_and_leaves_the_ceiling(
        self, move: AcceleratedFractionScenario, more: float
    ) -> None:
        faster = move.variant(accelerated_rate={"value": more * move.accelerated_rate}).evaluate()
        assert faster.speedup * SLACK >= move.evaluate().speedup
        assert faster.ceiling == move.evaluate().ceiling

    @given(scenarios(AcceleratedFractionScenario))
    def test_only_the_ratio_of_the_rates_matters(self, move: AcceleratedFractionScenario) -> None:
        as_data = move.variant(
            accelerated_rate={"value": float(move.accelerated_rate), "unit": "byte/s"},
            baseline_rate={"value": float(move.baseline_rate), "unit": "byte/s"},
        )
        assert as_data.evaluate().to_json() == move.evaluate().to_json()

    @given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3), st.floats(0.01, 1000))
    def test_a_path_of_two_stages_is_amdahls(self, moved: float, rest: float, gain: float) -> None:
        path = AmdahlScenario.model_validate(
            {"stages": {"moved": f"{moved} s", "rest": f"{rest} s"}, "stage": "moved", "speedup": gain}
        ).evaluate()
        move = AcceleratedFractionScenario.model_validate(
            {
                "fraction": path.stage_fraction,
                "accelerated_rate": {"value": gain, "unit": "TFLOP/s"},
                "baseline_rate": "1 TFLOP/s",
            }
        ).evaluate()
        assert move.speedup == pytest.approx(path.overall_speedup)
        assert move.ceiling == pytest.approx(path.speedup_bound)

    def test_rates_are_shown_in_the_units_of_their_kind(self) -> None:
        operations = AcceleratedFractionScenario.model_validate(MOVE)
        assert operations.to_json()["accelerated_rate"] == {"value": 10, "unit": "TFLOP/s"}
        data = operations.variant(accelerated_rate="3.35 TB/s", baseline_rate="400 Gbit/s")
        assert data.to_json()["accelerated_rate"] == {"value": 3350, "unit": "GB/s"}
        assert data.to_json()["baseline_rate"] == {"value": 50, "unit": "GB/s"}
        assert data.to_json(si=True)["baseline_rate"] == {"value": 50e9, "unit": "byte/s"}


class TestIronLaw:
    @given(scenarios(IronLawScenario))
    def test_overlap_saves_at_most_half(self, task: IronLawScenario) -> None:
        result = task.evaluate()
        assert result.overlapped_time <= result.sequential_time <= 2 * result.overlapped_time * SLACK
        assert result.upgraded_overlapped_time <= result.upgraded_sequential_time
        assert result.upgraded_sequential_time <= 2 * result.upgraded_overlapped_time * SLACK

    @given(scenarios(IronLawScenario), st.floats(1, 100), st.floats(1, 100))
    def test_faster_terms_never_hurt_and_never_bring_what_is_hoped_for(
        self, task: IronLawScenario, memory: float, compute: float
    ) -> None:
        result = task.variant(memory_speedup=memory, compute_speedup=compute).evaluate()
        assert result.naive_upgraded_time <= result.upgraded_sequential_time * SLACK
        assert result.upgraded_sequential_time <= result.sequential_time * SLACK
        assert result.upgraded_overlapped_time <= result.overlapped_time * SLACK
        assert result.sequential_reduction >= -1e-9

    @given(scenarios(IronLawScenario))
    def test_no_speedup_changes_nothing(self, task: IronLawScenario) -> None:
        result = task.variant(memory_speedup=1, compute_speedup=1).evaluate()
        assert result.upgraded_sequential_time == result.sequential_time == result.naive_upgraded_time
        assert result.upgraded_overlapped_time == result.overlapped_time
        assert result.sequential_reduction == 0

    @given(scenarios(IronLawScenario))
    def test_stating_the_times_gives_the_same(self, task: IronLawScenario) -> None:
        result = task.evaluate()
        stated = IronLawScenario.model_validate(
            {
                "overhead": {"value": task.overhead, "unit": "s"},
                "memory_time_stated": {"value": result.memory_time, "unit": "s"},
                "compute_time_stated": {"value": result.compute_time, "unit": "s"},
                "memory_speedup": task.memory_speedup,
                "compute_speedup": task.compute_speedup,
            }
        ).evaluate()
        assert stated.sequential_reduction == result.sequential_reduction
        assert stated.upgraded_overlapped_time == result.upgraded_overlapped_time

    @given(scenarios(IronLawScenario))
    def test_without_overlap_one_faster_term_is_amdahls(self, task: IronLawScenario) -> None:
        result = task.variant(compute_speedup=1).evaluate()
        times = {"memory": result.memory_time, "compute": result.compute_time, "overhead": task.overhead}
        path = AmdahlScenario.model_validate(
            {
                "stages": {name: {"value": time, "unit": "s"} for name, time in times.items()},
                "stage": "memory",
                "speedup": task.memory_speedup,
            }
        ).evaluate()
        assert result.upgraded_sequential_time == pytest.approx(path.upgraded_total_time)
        assert result.sequential_reduction == pytest.approx(path.end_to_end_reduction, abs=1e-12)


class TestPeakRatioRange:
    @given(scenarios(PeakRatioRangeScenario))
    def test_the_ratios_are_as_far_apart_as_the_estimates(self, peaks: PeakRatioRangeScenario) -> None:
        result = peaks.evaluate()
        assert result.ratio_low <= result.ratio_high
        assert result.ratio_high / result.ratio_low == pytest.approx(peaks.baseline_high / peaks.baseline_low)

    @given(scenarios(PeakRatioRangeScenario))
    def test_a_peak_with_sparsity_doubles_both_ratios(self, peaks: PeakRatioRangeScenario) -> None:
        sparse = peaks.variant(rate={"value": 2 * peaks.rate, "unit": "FLOP/s"}).evaluate()
        assert sparse.ratio_low == pytest.approx(2 * peaks.evaluate().ratio_low)
        assert sparse.ratio_high == pytest.approx(2 * peaks.evaluate().ratio_high)


class TestPipelineSpeedup:
    @given(scenarios(AmdahlScenario))
    def test_it_agrees_with_amdahl_on_any_path_both_accept(self, path: AmdahlScenario) -> None:
        assume(path.speedup < np.inf)
        stated = path.to_json(si=True)
        pipeline = PipelineSpeedupScenario.model_validate(
            {"stages": stated["stages"], "accelerated": path.stage, "speedup": path.speedup}
        ).evaluate()
        expected = path.evaluate()
        assert pipeline.total == expected.total_time
        assert pipeline.fraction == expected.stage_fraction
        assert pipeline.accelerated_stage == expected.upgraded_stage_time
        assert pipeline.accelerated_total == expected.upgraded_total_time
        assert pipeline.overall_speedup == expected.overall_speedup
        assert pipeline.limit == expected.speedup_bound

    @given(scenarios(PipelineSpeedupScenario))
    def test_the_path_never_beats_its_limit_nor_the_stage(self, path: PipelineSpeedupScenario) -> None:
        result = path.evaluate()
        assert result.limit is None or result.overall_speedup <= result.limit * SLACK
        assert min(1, path.speedup) / SLACK <= result.overall_speedup <= max(1, path.speedup) * SLACK

    @given(scenarios(PipelineSpeedupScenario))
    def test_shares_stay_between_none_and_all(self, path: PipelineSpeedupScenario) -> None:
        result = path.evaluate()
        for share in (result.fraction, result.group_share, result.overlapped_share):
            assert share is None or 0 <= share <= SLACK

    @given(scenarios(PipelineSpeedupScenario))
    def test_all_stages_are_the_whole_path(self, path: PipelineSpeedupScenario) -> None:
        whole = path.variant(group=list(path.stages)).evaluate()
        assert whole.group_time == pytest.approx(whole.total)
        assert whole.group_share == pytest.approx(1)

    @given(scenarios(PipelineSpeedupScenario), st.floats(0.1, 10))
    def test_group_and_feeders_are_taken_before_the_change(self, path: PipelineSpeedupScenario, speedup: float) -> None:
        before, after = path.evaluate(), path.variant(speedup=speedup).evaluate()
        assert (after.group_time, after.group_share) == (before.group_time, before.group_share)
        assert after.overlapped_share == before.overlapped_share

    def test_an_array_of_times_marks_what_is_undefined(self) -> None:
        path = CAMERA | {"stages": {"isp": {"value": np.array([0.0, 100.0]), "unit": "ms"}, "ml": "60 ms"}}
        result = PipelineSpeedupScenario.model_validate(path | {"feeders": ["isp"]}).evaluate()
        np.testing.assert_allclose(np.array(result.limit), [np.nan, 1.6])
        np.testing.assert_allclose(np.array(result.overlapped_share), [1, 0.6])


class TestSpeedupComposition:
    @given(scenarios(SpeedupCompositionScenario))
    def test_measuring_what_is_promised_is_all_of_it(self, papers: SpeedupCompositionScenario) -> None:
        promised = papers.variant(measured=papers.evaluate().paper)
        assert promised.evaluate().realized_share == pytest.approx(1)

    @given(scenarios(SpeedupCompositionScenario), st.floats(0.1, 10))
    def test_a_further_factor_multiplies_the_promise(self, papers: SpeedupCompositionScenario, factor: float) -> None:
        more = papers.variant(factors={"one more": factor}).evaluate()
        assert more.paper == pytest.approx(factor * papers.evaluate().paper)
        assert more.realized_share == pytest.approx(papers.evaluate().realized_share / factor)

    def test_a_promise_beyond_a_double_is_an_error(self) -> None:
        papers = SpeedupCompositionScenario.model_validate({"factors": {"a": 1e200, "b": 1e200}, "measured": 2})
        with pytest.raises(EvaluationError, match="paper is beyond the range of a double"):
            papers.evaluate()


@pytest.mark.parametrize(
    ("scenario", "inputs", "codes"),
    [
        pytest.param(AcceleratedFractionScenario, MOVE, [], id="a move to a faster path"),
        pytest.param(AcceleratedFractionScenario, MOVE | {"fraction": 0}, ["no_gain"], id="nothing moves"),
        pytest.param(
            AcceleratedFractionScenario, MOVE | {"accelerated_rate": "0.5 TFLOP/s"}, ["slowdown"], id="a slower path"
        ),
        pytest.param(
            AcceleratedFractionScenario,
            MOVE | {"accelerated_rate": "3958 TOP/s", "baseline_rate": "8 TOP/s"},
            ["sparse_peak"],
            id="INT8 peak of an H100 with sparsity",
        ),
        pytest.param(
            AcceleratedFractionScenario,
            MOVE | {"accelerated_rate": "3.958 POP/s", "baseline_rate": "1.248 POP/s"},
            ["sparse_peak", "sparse_peak"],
            id="sparse figures on both sides, in other units",
        ),
        pytest.param(
            AcceleratedFractionScenario,
            MOVE | {"accelerated_rate": "1979 TOP/s"},
            [],
            id="a dense INT8 peak that is also the sparse FP16 one",
        ),
        pytest.param(
            AcceleratedFractionScenario,
            MOVE | {"accelerated_rate": "3958 TB/s", "baseline_rate": "1 TB/s"},
            [],
            id="a data rate has no sparsity",
        ),
        pytest.param(IronLawScenario, TASK, [], id="a task as it stands"),
        pytest.param(IronLawScenario, TASK | {"memory_speedup": 2}, [], id="the longer term gets faster"),
        pytest.param(IronLawScenario, TASK | {"compute_speedup": 2}, ["no_gain"], id="the shorter term gets faster"),
        pytest.param(IronLawScenario, TASK | {"memory_speedup": 0.5}, ["slowdown"], id="a slower memory"),
        pytest.param(
            IronLawScenario, TASK | {"memory_speedup": 5, "compute_speedup": 5}, ["overhead_dominated"], id="overhead"
        ),
        pytest.param(PeakRatioRangeScenario, PEAKS, [], id="a peak above the range"),
        pytest.param(PeakRatioRangeScenario, PEAKS | {"rate": "1.5 TFLOP/s"}, ["slowdown"], id="a peak in the range"),
        pytest.param(
            PeakRatioRangeScenario, PEAKS | {"rate": "2614.9 TFLOP/s"}, ["sparse_peak"], id="MI300X with sparsity"
        ),
        pytest.param(PipelineSpeedupScenario, CAMERA, [], id="a path as it stands"),
        pytest.param(PipelineSpeedupScenario, CAMERA | {"speedup": 0.5}, ["slowdown"], id="a slower stage"),
        pytest.param(PipelineSpeedupScenario, IDLE | {"speedup": 2}, ["no_gain"], id="a stage of no time"),
        pytest.param(SpeedupCompositionScenario, PAPERS, [], id="more than either technique alone"),
        pytest.param(
            SpeedupCompositionScenario, PAPERS | {"measured": 1.5}, ["gain_falls_short"], id="less than the best alone"
        ),
        pytest.param(SpeedupCompositionScenario, PAPERS | {"measured": 0.9}, ["slowdown"], id="slower than before"),
        pytest.param(SpeedupCompositionScenario, {"factors": {"one": 2}, "measured": 1.5}, [], id="a single technique"),
    ],
)
def test_warnings(scenario: type[Scenario[Any]], inputs: dict[str, Any], codes: list[str]) -> None:
    valid = scenario.model_validate(inputs)
    assert [warning.code for warning in valid.warnings(valid.evaluate())] == codes


def test_a_sparse_peak_is_found_in_an_array_of_rates() -> None:
    rates = {"value": np.array([989.0, 3958.0]), "unit": "TFLOP/s"}
    peaks = PeakRatioRangeScenario.model_validate(PEAKS | {"rate": rates})
    (warning,) = peaks.warnings(peaks.evaluate())
    assert warning.message.startswith("rate equals the int8 figure of NVIDIA H100 with sparsity")


@pytest.mark.parametrize(
    ("scenario", "inputs", "pointer"),
    [
        (AcceleratedFractionScenario, MOVE | {"fraction": 80}, "/fraction"),
        (AcceleratedFractionScenario, MOVE | {"fraction": -0.1}, "/fraction"),
        (AcceleratedFractionScenario, MOVE | {"accelerated_rate": "0 FLOP/s"}, "/accelerated_rate"),
        (AcceleratedFractionScenario, MOVE | {"accelerated_rate": 10}, "/accelerated_rate"),
        (AcceleratedFractionScenario, MOVE | {"baseline_rate": "0 FLOP/s"}, "/baseline_rate"),
        (AcceleratedFractionScenario, MOVE | {"baseline_rate": "50 GB/s"}, "/baseline_rate"),
        (IronLawScenario, TASK | {"overhead": "-1 ms"}, "/overhead"),
        (IronLawScenario, STATED | {"memory_time_stated": "-1 s"}, "/memory_time_stated"),
        (IronLawScenario, TASK | {"memory_time_stated": "1 s"}, "/memory_time_stated"),
        (IronLawScenario, without(STATED, "memory_time_stated"), "/memory_time_stated"),
        (IronLawScenario, TASK | {"data_volume": "-1 GB"}, "/data_volume"),
        (IronLawScenario, TASK | {"bandwidth": "0 GB/s"}, "/bandwidth"),
        (IronLawScenario, without(TASK, "bandwidth"), "/bandwidth"),
        (IronLawScenario, STATED | {"bandwidth": "1 GB/s"}, "/bandwidth"),
        (IronLawScenario, STATED | {"compute_time_stated": "-1 s"}, "/compute_time_stated"),
        (IronLawScenario, TASK | {"compute_time_stated": "1 s"}, "/compute_time_stated"),
        (IronLawScenario, without(STATED, "compute_time_stated"), "/compute_time_stated"),
        (IronLawScenario, TASK | {"operations": "-1 FLOP"}, "/operations"),
        (IronLawScenario, TASK | {"effective_rate": "0 FLOP/s"}, "/effective_rate"),
        (IronLawScenario, without(TASK, "effective_rate"), "/effective_rate"),
        (IronLawScenario, STATED | {"effective_rate": "1 FLOP/s"}, "/effective_rate"),
        (IronLawScenario, TASK | {"memory_speedup": 0}, "/memory_speedup"),
        (IronLawScenario, TASK | {"compute_speedup": -1}, "/compute_speedup"),
        (
            IronLawScenario,
            {"overhead": "0 s", "memory_time_stated": "0 s", "compute_time_stated": "0 s"},
            "/overhead",
        ),
        (IronLawScenario, TASK | {"overhead": "0 s", "data_volume": "0 B", "operations": "0 FLOP"}, "/overhead"),
        (PeakRatioRangeScenario, PEAKS | {"rate": "0 FLOP/s"}, "/rate"),
        (PeakRatioRangeScenario, PEAKS | {"rate": "3 TB/s"}, "/rate"),
        (PeakRatioRangeScenario, PEAKS | {"baseline_low": "0 FLOP/s"}, "/baseline_low"),
        (PeakRatioRangeScenario, PEAKS | {"baseline_high": "0.5 TFLOP/s"}, "/baseline_high"),
        (PeakRatioRangeScenario, PEAKS | {"baseline_high": "0 FLOP/s"}, "/baseline_high"),
        (PipelineSpeedupScenario, CAMERA | {"stages": {}}, "/stages"),
        (PipelineSpeedupScenario, {"stages": {"ml": "0 s"}, "accelerated": "ml"}, "/stages"),
        (PipelineSpeedupScenario, CAMERA | {"stages": {"ml": "-1 s"}}, "/stages/ml"),
        (PipelineSpeedupScenario, CAMERA | {"accelerated": "dsp"}, "/accelerated"),
        (PipelineSpeedupScenario, CAMERA | {"speedup": 0}, "/speedup"),
        (PipelineSpeedupScenario, CAMERA | {"speedup": "inf"}, "/speedup"),
        (PipelineSpeedupScenario, CAMERA | {"group": []}, "/group"),
        (PipelineSpeedupScenario, CAMERA | {"group": ["isp", "dsp", "gpu"]}, "/group/1"),
        (PipelineSpeedupScenario, CAMERA | {"group": ["isp", "isp"]}, "/group"),
        (PipelineSpeedupScenario, CAMERA | {"feeders": []}, "/feeders"),
        (PipelineSpeedupScenario, CAMERA | {"feeders": ["dsp"]}, "/feeders/0"),
        (PipelineSpeedupScenario, CAMERA | {"feeders": ["isp", "isp"]}, "/feeders"),
        (PipelineSpeedupScenario, CAMERA | {"feeders": ["isp", "ml"]}, "/feeders"),
        (SpeedupCompositionScenario, PAPERS | {"factors": {}}, "/factors"),
        (SpeedupCompositionScenario, PAPERS | {"factors": {"pruning": 0}}, "/factors/pruning"),
        (SpeedupCompositionScenario, PAPERS | {"measured": 0}, "/measured"),
    ],
)
def test_refused_inputs(scenario: type[Scenario[Any]], inputs: dict[str, Any], pointer: str) -> None:
    with pytest.raises(ValidationError) as refused:
        scenario.model_validate(inputs)
    assert [error.pointer for error in input_errors(refused.value)] == [pointer]


def test_an_unknown_stage_in_a_list_gets_the_closest_name() -> None:
    with pytest.raises(ValidationError) as refused:
        PipelineSpeedupScenario.model_validate(CAMERA | {"group": ["isp", "pots"]})
    (error,) = input_errors(refused.value)
    assert error.message.endswith("must be one of keys(stages): isp, ml or post; did you mean post?")
