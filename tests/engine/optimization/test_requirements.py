"""Bringing a model to release: known values, laws, warnings, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_definitions.optimization import (
    InputSpaceScenario,
    IterationBudgetScenario,
    LateConstraintScenario,
    ScreeningRequirementsScenario,
)
from mlsysim.errors import EvaluationError, input_errors
from tests.strategies import scenarios

SLACK = 1 + 1e-9

RACE: dict[str, Any] = {
    "window": "10 day",
    "slow_cycle": "4 day",
    "slow_start": 80,
    "slow_gain": 2,
    "fast_cycle": "2 h",
    "fast_start": 70,
    "fast_gain": 0.5,
    "fast_effective_runs": 40,
    "ceiling": 95,
}
LATE: dict[str, Any] = {
    "model_memory": "3 GB",
    "memory_budget": "750 MB",
    "device_memory_low": "2 GB",
    "device_memory_high": "8 GB",
    "request_day": 10,
    "validation_sensitivity": {"30": 0.8, "60": 0.9},
    "handoff_day": 70,
    "discovery_day": 71,
    "check_day": 71,
    "discard_day": 74,
    "repair_tasks": {"shrink": "36 h", "validate": "12 h"},
}
SCREENING: dict[str, Any] = {
    "sensitivity_floor": 0.9,
    "specificity_floor": 0.8,
    "memory_budget": "500 MB",
    "device": "JetsonOrinNano",
    # Gulshan et al. (2016), abstract, the operating point of high specificity.
    "slice_sensitivity": {"EyePACS-1": 0.903, "Messidor-2": 0.870},
    "field_operating_point": [0.981, 0.903],
}


def images(width: int, height: int, channels: int, validation: int = 100) -> dict[str, Any]:
    return {
        "name": "images",
        "image_width": width,
        "image_height": height,
        "image_channels": channels,
        "validation_examples": validation,
    }


def codes_of_warnings(scenario: Scenario[Any]) -> list[str]:
    return [warning.code for warning in scenario.warnings(scenario.evaluate())]


def pointers(scenario: type[Scenario[Any]], inputs: dict[str, Any]) -> list[str]:
    """Where the inputs are refused."""
    with pytest.raises(ValidationError) as refusal:
        scenario.model_validate(inputs)
    return [error.pointer for error in input_errors(refusal.value)]


class TestInputSpace:
    @pytest.mark.parametrize(
        ("dataset", "levels", "elements", "digits"),
        [
            pytest.param(images(1, 1, 1), 2, 1, 1, id="one pixel, black or white: 2"),
            pytest.param(images(2, 2, 1), 2, 4, 2, id="four such pixels: 16"),
            pytest.param(images(5, 2, 1), 10, 10, 11, id="ten decimal digits: 10 to the 10th"),
            pytest.param(images(28, 28, 1), 256, 784, len(str(256**784)), id="MNIST's size at 8 bits, counted out"),
            pytest.param(images(32, 32, 3), 2, 3072, len(str(2**3072)), id="CIFAR-10's size at 1 bit, counted out"),
            # 150,528 log10(256) = 150,528 x 2.408239965 = 362,507.5.
            pytest.param("ImageNet", 256, 150_528, 362_508, id="ImageNet's usual crop"),
        ],
    )
    def test_known_values(self, dataset: Any, levels: int, elements: int, digits: int) -> None:
        result = InputSpaceScenario.model_validate({"dataset": dataset, "levels": levels}).evaluate()
        assert (result.elements, result.digits) == (elements, digits)

    def test_imagenet_checks_its_validation_split(self) -> None:
        # Russakovsky et al. (2015), table 2: 50,000 validation images.
        result = InputSpaceScenario.model_validate({"dataset": "ImageNet", "levels": 256}).evaluate()
        assert result.test_examples == 50_000

    @given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 4), st.integers(2, 1024))
    def test_the_digits_are_those_of_the_whole_number(
        self, width: int, height: int, channels: int, levels: int
    ) -> None:
        space = InputSpaceScenario.model_validate({"dataset": images(width, height, channels), "levels": levels})
        result = space.evaluate()
        assert result.digits == len(str(levels**result.elements))
        assert result.log10_inputs == pytest.approx(math.log10(levels**result.elements))

    @given(scenarios(InputSpaceScenario))
    def test_twice_the_levels_is_one_more_bit_in_every_element(self, space: InputSpaceScenario) -> None:
        doubled = space.variant(levels=2 * space.levels).evaluate()
        result = space.evaluate()
        assert doubled.log10_inputs - result.log10_inputs == pytest.approx(result.elements * math.log10(2))

    @pytest.mark.parametrize(
        ("validation", "expected"),
        [pytest.param(1, [], id="one example"), pytest.param(0, ["nothing_tested"], id="no example")],
    )
    def test_warnings(self, validation: int, expected: list[str]) -> None:
        inputs = {"dataset": images(28, 28, 1, validation), "levels": 256}
        assert codes_of_warnings(InputSpaceScenario.model_validate(inputs)) == expected

    @pytest.mark.parametrize(
        ("inputs", "pointer"),
        [
            pytest.param({"dataset": "ImageNet", "levels": 1}, "/levels", id="one level"),
            pytest.param({"dataset": "ImageNet", "levels": 2.5}, "/levels", id="half a level"),
            pytest.param({"dataset": "MNIST", "levels": 256}, "/dataset", id="no validation split listed"),
            pytest.param({"dataset": images(0, 1, 1), "levels": 2}, "/dataset/image_width", id="no columns"),
            pytest.param(
                {"dataset": {"image_width": 1, "image_height": 1, "validation_examples": 1}, "levels": 2},
                "/dataset/image_channels",
                id="channels not stated",
            ),
            pytest.param(
                {"dataset": images(1, 1, 1, -1), "levels": 2}, "/dataset/validation_examples", id="fewer than none"
            ),
        ],
    )
    def test_refused(self, inputs: dict[str, Any], pointer: str) -> None:
        assert pointers(InputSpaceScenario, inputs) == [pointer]


class TestIterationBudget:
    @pytest.mark.parametrize(
        ("changes", "output", "expected"),
        [
            pytest.param({}, "slow_runs", 2.5, id="10 days of 4-day runs"),
            pytest.param({}, "slow_final", 85, id="two runs and a half, two points each"),
            pytest.param({}, "fast_possible_runs", 120, id="240 hours of 2-hour runs"),
            pytest.param({}, "fast_uncapped", 90, id="40 half points on top of 70"),
            pytest.param({}, "fast_final", 90, id="below the ceiling"),
            pytest.param({}, "ideas_ratio", 16, id="40 runs for 2.5"),
            pytest.param({}, "final_gap", 5, id="90 against 85"),
            pytest.param({"ceiling": 84}, "slow_final", 84, id="stopped by the ceiling"),
            pytest.param({"fast_gain": 1}, "fast_uncapped", 110, id="past 100 without a ceiling"),
            pytest.param({"fast_gain": 1}, "fast_final", 95, id="and no further than the ceiling"),
            pytest.param({"fast_effective_runs": 0}, "fast_final", 70, id="no run to learn from"),
            pytest.param({"fast_effective_runs": 10}, "final_gap", 10, id="a gap has no sign: 75 against 85"),
            pytest.param({"slow_gain": 150}, "slow_final", 95, id="a gain of more than 100 points is no error"),
            pytest.param({"fast_effective_runs": 120}, "fast_uncapped", 130, id="as many runs as fit"),
        ],
    )
    def test_known_values(self, changes: dict[str, Any], output: str, expected: float) -> None:
        result = IterationBudgetScenario.model_validate(RACE | changes).evaluate()
        assert getattr(result, output) == pytest.approx(expected)

    @given(scenarios(IterationBudgetScenario))
    def test_both_end_between_their_start_and_the_ceiling(self, race: IterationBudgetScenario) -> None:
        result = race.evaluate()
        assert race.slow_start <= result.slow_final <= race.ceiling
        assert race.fast_start <= result.fast_final <= race.ceiling
        assert 0 <= result.final_gap <= race.ceiling

    @given(scenarios(IterationBudgetScenario), st.floats(1, 10))
    def test_more_time_never_hurts_and_helps_the_fast_team_only_by_more_runs_that_count(
        self, race: IterationBudgetScenario, more: float
    ) -> None:
        longer = race.variant(window={"value": more * race.window, "unit": "s"}).evaluate()
        assert longer.slow_final >= race.evaluate().slow_final
        assert longer.fast_final == race.evaluate().fast_final

    @given(scenarios(IterationBudgetScenario))
    def test_without_gains_everyone_stays_where_they_started(self, race: IterationBudgetScenario) -> None:
        result = race.variant(slow_gain=0, fast_gain=0).evaluate()
        assert (result.slow_final, result.fast_final) == (race.slow_start, race.fast_start)

    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            pytest.param({}, [], id="the fast team leads"),
            pytest.param({"fast_effective_runs": 30}, ["no_gain"], id="both end at 85"),
            pytest.param({"slow_cycle": "11 day"}, ["deadline_missed"], id="not one slow run is done"),
            pytest.param({"fast_effective_runs": np.array([40, 10])}, ["no_gain"], id="one of two races lost"),
        ],
    )
    def test_warnings(self, changes: dict[str, Any], expected: list[str]) -> None:
        assert codes_of_warnings(IterationBudgetScenario.model_validate(RACE | changes)) == expected

    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            pytest.param({"slow_start": 96}, ["/slow_start"], id="the slow team starts above the ceiling"),
            pytest.param({"fast_start": 96}, ["/fast_start"], id="the fast team starts above the ceiling"),
            pytest.param({"ceiling": 75}, ["/slow_start"], id="a ceiling below a start"),
            pytest.param({"fast_effective_runs": 121}, ["/fast_effective_runs"], id="more runs than fit"),
            pytest.param({"fast_effective_runs": -1}, ["/fast_effective_runs"], id="fewer runs than none"),
            pytest.param({"slow_start": -1}, ["/slow_start"], id="a negative start"),
            pytest.param({"fast_start": -1}, ["/fast_start"], id="another negative start"),
            pytest.param({"slow_gain": -0.1}, ["/slow_gain"], id="a slow run that unlearns"),
            pytest.param({"fast_gain": -0.1}, ["/fast_gain"], id="a fast run that unlearns"),
            pytest.param({"ceiling": 100.1}, ["/ceiling"], id="a ceiling above 100 percent"),
            pytest.param({"ceiling": 0}, ["/ceiling"], id="a ceiling of nothing"),
            pytest.param({"window": "0 day"}, ["/window"], id="no time"),
            pytest.param({"slow_cycle": "0 day"}, ["/slow_cycle"], id="slow runs of no time"),
            pytest.param({"fast_cycle": 1}, ["/fast_cycle"], id="time without a unit"),
        ],
    )
    def test_refused(self, changes: dict[str, Any], expected: list[str]) -> None:
        assert pointers(IterationBudgetScenario, RACE | changes) == expected


class TestLateConstraint:
    @pytest.mark.parametrize(
        ("changes", "output", "expected"),
        [
            pytest.param({}, "overrun_ratio", 4, id="3 GB in 750 MB"),
            pytest.param({}, "work_discarded", 64 * 86_400, id="day 10 to day 74"),
            pytest.param({}, "repair_elapsed", 2 * 86_400, id="36 and 12 hours, one after the other"),
            pytest.param({"repair_tasks": {}}, "repair_elapsed", 0, id="nothing to repair"),
            pytest.param({"model_memory": "750 MiB"}, "overrun_ratio", 1.048576, id="binary against decimal megabytes"),
            pytest.param(
                dict.fromkeys(("request_day", "handoff_day", "discovery_day", "check_day", "discard_day"), 7),
                "work_discarded",
                0,
                id="all on one day",
            ),
        ],
    )
    def test_known_values(self, changes: dict[str, Any], output: str, expected: float) -> None:
        result = LateConstraintScenario.model_validate(LATE | changes).evaluate()
        assert getattr(result, output) == pytest.approx(expected)

    @given(scenarios(LateConstraintScenario))
    def test_a_repair_takes_at_least_as_long_as_each_of_its_tasks(self, late: LateConstraintScenario) -> None:
        assert late.evaluate().repair_elapsed * SLACK >= max(late.repair_tasks.values())

    @given(scenarios(LateConstraintScenario))
    def test_a_request_a_day_later_wastes_a_day_less(self, late: LateConstraintScenario) -> None:
        if late.request_day < late.handoff_day:
            later = late.variant(request_day=late.request_day + 1).evaluate()
            assert late.evaluate().work_discarded - later.work_discarded == pytest.approx(86_400)

    @given(scenarios(LateConstraintScenario))
    def test_what_is_recorded_changes_no_output(self, late: LateConstraintScenario) -> None:
        changed = late.variant(
            device_memory_high={"value": 2 * late.device_memory_high, "unit": "byte"},
            validation_sensitivity={"1": 0.5},
            handoff_day=late.request_day,
            discovery_day=late.request_day,
            check_day=late.request_day,
        )
        assert changed.evaluate().__dict__ == late.evaluate().__dict__

    def test_more_days_than_a_double_has_seconds_for_are_an_error(self) -> None:
        story = LateConstraintScenario.model_validate(LATE | {"discard_day": 10**307})
        with pytest.raises(EvaluationError):
            story.evaluate()

    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            pytest.param({"model_memory": "750 MB"}, [], id="a model that fits after all"),
            pytest.param({}, ["does_not_fit"], id="a model over its budget"),
            pytest.param(
                {"model_memory": "1 GB", "memory_budget": "3 GB"}, ["does_not_fit"], id="a budget over the device"
            ),
        ],
    )
    def test_warnings(self, changes: dict[str, Any], expected: list[str]) -> None:
        assert codes_of_warnings(LateConstraintScenario.model_validate(LATE | changes)) == expected

    @pytest.mark.parametrize(
        ("changes", "pointer"),
        [
            pytest.param({"device_memory_high": "1 GB"}, "/device_memory_high", id="the largest below the smallest"),
            pytest.param({"handoff_day": 9}, "/handoff_day", id="handed over before it was asked for"),
            pytest.param({"discovery_day": 69}, "/discovery_day", id="found before the handoff"),
            pytest.param({"check_day": 70}, "/check_day", id="confirmed before it was found"),
            pytest.param({"discard_day": 70}, "/discard_day", id="dropped before it was confirmed"),
            pytest.param({"request_day": -1}, "/request_day", id="a day before the first"),
            pytest.param({"model_memory": "0 B"}, "/model_memory", id="a model of no size"),
            pytest.param({"memory_budget": "0 B"}, "/memory_budget", id="no budget"),
            pytest.param({"device_memory_low": "0 B"}, "/device_memory_low", id="no memory"),
            pytest.param(
                {"repair_tasks": {"train": "-1 day"}}, "/repair_tasks/train", id="a task that gives time back"
            ),
            pytest.param(
                {"validation_sensitivity": {"90": 92}}, "/validation_sensitivity/90", id="percent of sensitivity"
            ),
            *(
                pytest.param({"validation_sensitivity": {day: 0.9}}, f"/validation_sensitivity/{day}", id=f"day {day}")
                for day in ("ninety", "9.5", "-9", "09", "1e2", "", " 9", "9\n", "٩", "1234567890")
            ),
        ],
    )
    def test_refused(self, changes: dict[str, Any], pointer: str) -> None:
        assert pointers(LateConstraintScenario, LATE | changes) == [pointer]

    def test_day_zero_is_a_day(self) -> None:
        story = LateConstraintScenario.model_validate(LATE | {"validation_sensitivity": {"0": 0.1, "100": 0.9}})
        assert story.validation_sensitivity == {"0": 0.1, "100": 0.9}


class TestScreeningRequirements:
    @pytest.mark.parametrize(
        ("floor", "measured", "failing"),
        [
            # Gulshan et al. (2016), abstract: two data sets at two operating points.
            pytest.param(
                0.9, {"EyePACS-1": 0.903, "Messidor-2": 0.870}, ["Messidor-2"], id="the point of high specificity"
            ),
            pytest.param(0.9, {"EyePACS-1": 0.975, "Messidor-2": 0.961}, [], id="the point of high sensitivity"),
            # Abramoff et al. (2018), abstract: 87.2 percent, where 85 was asked for.
            pytest.param(0.85, {"primary care": 0.872}, [], id="the pivotal trial"),
            pytest.param(0.9, {"exact": 0.9}, [], id="a sensitivity equal to the floor"),
            pytest.param(0.9, {"b": 0.1, "ok": 1.0, "a": 0.2}, ["b", "a"], id="in the order given"),
            pytest.param(0, {"a": 0}, [], id="no floor"),
            pytest.param(0.9, {}, [], id="nothing measured"),
        ],
    )
    def test_slices(self, floor: float, measured: dict[str, float], failing: list[str]) -> None:
        inputs = SCREENING | {"sensitivity_floor": floor, "slice_sensitivity": measured}
        result = ScreeningRequirementsScenario.model_validate(inputs).evaluate()
        assert result.failing_slices == failing
        assert result.passes == {name: name not in failing for name in measured}

    @pytest.mark.parametrize(
        ("device", "low", "high"),
        [
            # NVIDIA lists 7 to 15 W for the module.
            pytest.param("JetsonOrinNano", 7, 15, id="Jetson Orin Nano"),
            pytest.param({"name": "camera", "tdp_max": "3 W"}, None, 3, id="an upper end only"),
            pytest.param({}, None, None, id="no power range"),
        ],
    )
    def test_power_range(self, device: Any, low: float | None, high: float | None) -> None:
        result = ScreeningRequirementsScenario.model_validate(SCREENING | {"device": device}).evaluate()
        assert (result.power_low, result.power_high) == (low, high)
        assert set(result.undefined()) == {
            name for name, power in (("power_low", low), ("power_high", high)) if power is None
        }

    @given(scenarios(ScreeningRequirementsScenario), st.floats(0, 1))
    def test_a_higher_floor_never_lets_more_pass(self, screening: ScreeningRequirementsScenario, share: float) -> None:
        higher = screening.variant(
            sensitivity_floor=screening.sensitivity_floor + share * (1 - screening.sensitivity_floor)
        )
        assert set(screening.evaluate().failing_slices) <= set(higher.evaluate().failing_slices)

    @given(scenarios(ScreeningRequirementsScenario))
    def test_every_slice_passes_or_fails(self, screening: ScreeningRequirementsScenario) -> None:
        result = screening.evaluate()
        assert list(result.passes) == list(screening.slice_sensitivity)
        assert [name for name, passed in result.passes.items() if not passed] == result.failing_slices

    @given(scenarios(ScreeningRequirementsScenario))
    def test_what_is_recorded_changes_no_output(self, screening: ScreeningRequirementsScenario) -> None:
        changed = screening.variant(specificity_floor=1, memory_budget="1 B", field_operating_point=[0, 0])
        assert changed.evaluate().__dict__ == screening.evaluate().__dict__

    @pytest.mark.parametrize(
        ("measured", "expected"),
        [pytest.param({"a": 0.1}, [], id="a slice"), pytest.param({}, ["nothing_tested"], id="no slice")],
    )
    def test_warnings(self, measured: dict[str, float], expected: list[str]) -> None:
        inputs = SCREENING | {"slice_sensitivity": measured}
        assert codes_of_warnings(ScreeningRequirementsScenario.model_validate(inputs)) == expected

    def test_slices_and_the_operating_point_may_be_left_out(self) -> None:
        requirements = {
            name: given
            for name, given in SCREENING.items()
            if name not in ("slice_sensitivity", "field_operating_point")
        }
        screening = ScreeningRequirementsScenario.model_validate(requirements)
        assert (screening.slice_sensitivity, screening.field_operating_point) == ({}, None)

    @pytest.mark.parametrize(
        ("changes", "pointer"),
        [
            pytest.param({"sensitivity_floor": 90}, "/sensitivity_floor", id="percent of sensitivity"),
            pytest.param({"specificity_floor": -0.1}, "/specificity_floor", id="negative specificity"),
            pytest.param({"memory_budget": "0 B"}, "/memory_budget", id="no memory"),
            pytest.param({"device": "JetsonOrin"}, "/device", id="no such device"),
            pytest.param({"slice_sensitivity": {"all": 94}}, "/slice_sensitivity/all", id="percent in a slice"),
            pytest.param({"field_operating_point": [0.88]}, "/field_operating_point", id="specificity alone"),
            pytest.param({"field_operating_point": [0.8, 0.9, 1]}, "/field_operating_point", id="three values"),
            pytest.param({"field_operating_point": [0.8, 90]}, "/field_operating_point/1", id="percent in the field"),
        ],
    )
    def test_refused(self, changes: dict[str, Any], pointer: str) -> None:
        assert pointers(ScreeningRequirementsScenario, SCREENING | changes) == [pointer]
