"""Applications that `requests.py` compares the service with: as large a body and answer as AmdahlScenario's."""

from __future__ import annotations

import orjson
from fastapi import FastAPI
from pydantic import BaseModel
from starlette.types import Receive, Scope, Send


class Quantity(BaseModel):
    value: float
    unit: str


class Inputs(BaseModel):
    stages: dict[str, Quantity]
    stage: str
    speedup: float


class Result(BaseModel):
    total_time: Quantity
    stage_time: Quantity
    untouched_time: Quantity
    stage_fraction: float
    upgraded_stage_time: Quantity
    upgraded_total_time: Quantity
    overall_speedup: float
    end_to_end_reduction: float
    stage_reduction: float
    speedup_bound: float


class Answer(BaseModel):
    scenario: str
    configuration: str | None
    inputs: Inputs
    result: Result
    undefined: dict[str, str]
    warnings: list[str]


TIME = Quantity(value=130.0, unit="ms")
RESULT = Result(
    total_time=TIME,
    stage_time=TIME,
    untouched_time=TIME,
    stage_fraction=0.346153846153846,
    upgraded_stage_time=TIME,
    upgraded_total_time=TIME,
    overall_speedup=1.45251396648045,
    end_to_end_reduction=0.311538461538462,
    stage_reduction=0.9,
    speedup_bound=1.52941176470588,
)

empty_route = FastAPI()


@empty_route.post("/")
async def answer(body: Inputs) -> Answer:
    """The inputs, validated, and a result that is always the same."""
    return Answer(scenario="AmdahlScenario", configuration=None, inputs=body, result=RESULT, undefined={}, warnings=[])


async def bare_json(scope: Scope, receive: Receive, send: Send) -> None:
    """The body, parsed and written again."""
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    body = orjson.dumps(orjson.loads(body))
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
