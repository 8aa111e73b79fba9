"""``/scenarios``: what can be asked, and the answers."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from mlsysim.engine.description import (
    ConfigurationDescription,
    ScenarioDescription,
    ScenarioSummary,
    describe,
    describe_configuration,
    summarize,
)
from mlsysim.engine.evaluation import resolve
from mlsysim.engine.registry import scenario_classes
from mlsysim.engine.scenario_catalog import configuration
from mlsysim.errors import UnknownName
from service.answers import Answer
from service.evaluating import respond
from service.spelling import Truth

router = APIRouter(tags=["scenarios"])

Units = Annotated[
    Literal["display", "si"],
    Query(description="units of the answer: those of the scenario's contract, or SI base units"),
]
Explain = Annotated[
    Truth, Query(description="add the derivation: each output's formula with this call's numbers, each input's origin")
]


class ScenarioIndex(BaseModel):
    """Scenario classes."""

    count: int = Field(description="how many there are")
    scenarios: list[ScenarioSummary]


@router.get(
    "/scenarios",
    operation_id="getScenarios",
    summary="Every scenario class",
    response_model=ScenarioIndex,
    response_description="The classes, each with its question.",
)
async def get_scenarios(
    theme: Annotated[
        str | None, Query(max_length=100, description="only classes of this theme", examples=["speedup"])
    ] = None,
) -> Answer:
    """Every class with the question it answers and its named configurations."""
    classes = scenario_classes().values()
    themes = sorted({scenario.theme for scenario in classes})
    if theme is not None and theme not in themes:
        raise UnknownName("theme", theme, themes)
    summaries = [summarize(scenario).model_dump() for scenario in classes if theme in (None, scenario.theme)]
    return Answer({"count": len(summaries), "scenarios": summaries})


@router.get(
    "/scenarios/{name}",
    operation_id="getScenario",
    summary="The contract of a class, or a named configuration",
    response_model=ScenarioDescription | ConfigurationDescription,
    response_description="The contract of the class, or the inputs of the configuration and where each comes from.",
)
async def get_scenario(
    name: Annotated[str, Path(description="a scenario class or a named configuration")],
) -> Answer:
    """What a reader wants to know before using it."""
    scenario, stated = resolve(name)
    described = describe(scenario) if stated is None else describe_configuration(configuration(name))
    return Answer(described.model_dump())


@router.post("/scenarios/{name}/evaluate", include_in_schema=False)
async def evaluate_scenario(
    name: str, request: Request, units: Units = "display", explain: Explain = False
) -> Response:
    """Evaluate a class, or a named configuration with changes."""
    body = await respond(name, request.scope, request.receive, units == "si", explain)
    return Response(body, media_type="application/json")
