"""For operators and for readers: is it up, which version is it, which units does it know."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field

import mlsysim
from mlsysim.catalog import catalog
from mlsysim.units import DIMENSIONS
from mlsysim.units import unit as unit_of
from service import metrics
from service.answers import Answer
from service.problems import RequestProblem

router = APIRouter(tags=["service"])


class Health(BaseModel):
    """The process answers."""

    status: Literal["ok"] = "ok"


class Readiness(BaseModel):
    """The process takes new requests."""

    status: Literal["ready"] = "ready"


class Version(BaseModel):
    """What is running."""

    name: Literal["mlsysim"] = "mlsysim"
    version: str = Field(description="version of the service", examples=[mlsysim.__version__])
    catalog: str = Field(description="version of the catalog, as in the header Catalog-Version of every answer")


class UnitDescription(BaseModel):
    """A unit of the vocabulary."""

    name: str
    factor: float = Field(description="one of it in the dimension's base unit")


class DimensionDescription(BaseModel):
    """A dimension with the units that may be written for it."""

    dimension: str
    base_unit: str = Field(description="the unit of ?units=si")
    units: list[UnitDescription] = Field(description="units that stand alone, and the ratios in common use")
    numerators: list[str] = Field(description="what may stand before the / of a ratio")
    denominators: list[str] = Field(description="what may stand after the / of a ratio")


class Vocabulary(BaseModel):
    """Every unit there is."""

    dimensions: list[DimensionDescription]


@router.get(
    "/healthz",
    operation_id="getHealth",
    summary="Is the process up?",
    response_model=Health,
    response_description="The process is up.",
)
async def get_health() -> Answer:
    """Answers while the process runs."""
    return Answer(Health().model_dump())


@router.get(
    "/readyz",
    operation_id="getReadiness",
    summary="Should new requests come here?",
    response_model=Readiness,
    response_description="New requests should come here.",
)
async def get_readiness(request: Request) -> Answer:
    """Says no with status 503 once the process has been told to stop; until it stops it still answers all requests."""
    if request.app.state.draining:
        raise RequestProblem("urn:mlsysim:not-ready", 503, "the service is about to stop; another one would do")
    return Answer(Readiness().model_dump())


@router.get(
    "/metrics",
    operation_id="getMetrics",
    summary="Counts and durations, for Prometheus",
    response_class=PlainTextResponse,
    response_description="The metrics, one a line.",
)
async def get_metrics() -> Response:
    """Requests, evaluations and refused inputs of all workers since the start, in Prometheus' text format."""
    return Response(metrics.render(), media_type=metrics.CONTENT_TYPE)


@router.get(
    "/version",
    operation_id="getVersion",
    summary="What is running?",
    response_model=Version,
    response_description="The versions of service and catalog.",
)
async def get_version() -> Answer:
    """Name and version of the service."""
    return Answer(Version(version=mlsysim.__version__, catalog=catalog().version).model_dump())


@router.get(
    "/units",
    operation_id="getUnits",
    summary="The unit vocabulary",
    response_model=Vocabulary,
    response_description="The units of every dimension.",
)
async def get_units() -> Answer:
    """Every dimension with the units that may be written for it and their factors."""
    dimensions = [
        DimensionDescription(
            dimension=dimension.name,
            base_unit=dimension.si,
            units=[
                UnitDescription(name=name, factor=unit_of(name).to_si(1))
                for name in dict.fromkeys((*dimension.common, *dimension.names))
            ],
            numerators=list(dimension.numerators),
            denominators=list(dimension.denominators),
        )
        for dimension in DIMENSIONS
    ]
    return Answer(Vocabulary(dimensions=dimensions).model_dump())
