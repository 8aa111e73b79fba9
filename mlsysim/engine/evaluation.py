"""One evaluation from what a client sends to what it gets back, without any HTTP."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from pydantic import ValidationError

from mlsysim.catalog.loader import merge_patch
from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.result import Result
from mlsysim.engine.scenario import Scenario
from mlsysim.engine.scenario_catalog import configuration, configurations
from mlsysim.errors import EvaluationError, InvalidInputs, UnknownName, input_errors
from mlsysim.text import to_text


class Evaluation(NamedTuple):
    """A scenario with its result.

    Attributes:
        scenario, result: what was asked and what came of it.
        configuration: the named configuration it came from, if any.
    """

    scenario: Scenario[Any]
    configuration: str | None
    result: Result

    def dump(self, si: bool = False, explain: bool = False) -> str:
        """The answer of the interface, as JSON text.

        Args:
            si: quantities in base units rather than display units.
            explain: add the derivation.

        Raises:
            EvaluationError: an output is too large to be shown in its unit.
        """
        try:
            return self._dump(si, explain)
        except EvaluationError as error:
            from mlsysim.engine.extremes import located

            raise located(
                error, self.scenario, lambda other: Evaluation(other, None, other.evaluate())._dump(si, explain)
            ) from None

    def _dump(self, si: bool, explain: bool) -> str:
        scenario, configuration, result = self
        undefined = result.undefined(scenario.__dict__)
        warnings = [warning._asdict() for warning in scenario.warnings(result)]
        derivation = ""
        if explain:
            from mlsysim.engine.explanation import derive

            derivation = f',"derivation":{to_text(derive(scenario, result, si).model_dump())}'
        return (
            f'{{"scenario":"{type(scenario).__name__}","configuration":{to_text(configuration)},'
            f'"inputs":{scenario.dump(si)},"result":{result.dump(si)},'
            f'"undefined":{to_text(undefined) if undefined else "{}"},'
            f'"warnings":{to_text(warnings) if warnings else "[]"}{derivation}}}'
        )

    def to_json(self, si: bool = False, explain: bool = False) -> dict[str, Any]:
        """As `dump`, read again."""
        return json.loads(self.dump(si, explain))  # type: ignore[no-any-return]


def resolve(name: str) -> tuple[type[Scenario[Any]], dict[str, Any] | None]:
    """The class a name stands for and, of a named configuration, the inputs it states.

    Raises:
        UnknownName: neither a class nor a configuration has that name.
    """
    classes = scenario_classes()
    if name in classes:
        return classes[name], None
    named = configurations()
    if name in named:
        return named[name].scenario_class, named[name].inputs
    raise UnknownName("scenario class or named configuration", name, [*classes, *named])


def evaluate(name: str, body: Any) -> Evaluation:
    """Evaluate a class with `body` as its inputs, or a named configuration with `body` merged into its own.

    Raises:
        UnknownName: neither a class nor a configuration has that name.
        InvalidInputs: the inputs are not valid.
        EvaluationError: an output does not fit a double.
    """
    scenario_class, stated = resolve(name)
    inputs = body if stated is None or not isinstance(body, dict) else merge_patch(stated, body)
    if isinstance(body, dict) and (nulls := [given for given, value in body.items() if value is None]):
        # What a patch takes away has to be there to take, or a typo in its name would pass in silence.
        inputs |= {given: None for given in nulls if given not in scenario_class.model_fields}
    try:
        # As model_validate, without the look at arguments that are not given.
        scenario = scenario_class.__pydantic_validator__.validate_python(inputs)
    except ValidationError as error:
        raise InvalidInputs(input_errors(error, scenario_class.model_fields), error.error_count()) from None
    try:
        result = scenario.evaluate()
    except EvaluationError as error:
        from mlsysim.engine.extremes import located

        raise located(error, scenario, scenario_class.evaluate) from None
    if stated is None:
        return Evaluation(scenario, None, result)
    return Evaluation(scenario.because(configuration(name).reasons, body), name, result)
