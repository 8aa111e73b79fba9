"""``POST /batch``: many evaluations in one call, each answered on its own."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mlsysim.engine.evaluation import evaluate
from mlsysim.errors import EvaluationError, InputError, InvalidInputs, UnknownName, input_errors
from service.answers import Answer
from service.body import read_json
from service.problems import engine_problem
from service.scenarios import Explain, Units

router = APIRouter(include_in_schema=False)

# How long, in seconds, a batch may keep other requests waiting.
_TURN = 0.005


class BatchItem(BaseModel):
    """One evaluation of a batch."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=200, description="a scenario class or a named configuration")
    inputs: dict[str, Any] = Field(description="what the body of the single call would be")


class Batch(BaseModel):
    """Evaluations to make."""

    model_config = ConfigDict(extra="forbid")

    evaluations: list[BatchItem] = Field(min_length=1, max_length=1000, description="classes and configurations mixed")


@router.post("/batch")
async def evaluate_batch(request: Request, units: Units = "display", explain: Explain = False) -> Answer:
    """Evaluate each item in order; an item that fails is answered by its problem and fails only itself."""
    batch = _read(await read_json(request), request.app.state.settings.batch_limit)
    answers, turn = [], time.monotonic()
    for item in batch.evaluations:
        answers.append(_answer(item, units == "si", explain))
        if time.monotonic() - turn > _TURN:
            await asyncio.sleep(0)
            turn = time.monotonic()
    return Answer(_answers(answers))


def answer_batch(batch: Batch) -> dict[str, Any]:
    """The answers of a batch, at once."""
    return _answers([_answer(item, False, False) for item in batch.evaluations])


def _answers(answers: list[dict[str, Any]]) -> dict[str, Any]:
    return {"count": len(answers), "answers": answers}


def _answer(item: BatchItem, si: bool, explain: bool) -> dict[str, Any]:
    try:
        return evaluate(item.name, item.inputs).to_json(si, explain)
    except (InvalidInputs, UnknownName, EvaluationError) as error:
        return engine_problem("/batch", error)


def _read(body: Any, limit: int) -> Batch:
    """The batch of a body.

    Raises:
        InvalidInputs: the body is none, or has more evaluations than the limit.
    """
    try:
        batch = Batch.model_validate(body, strict=True)
    except ValidationError as error:
        raise InvalidInputs(input_errors(error, Batch.model_fields), error.error_count()) from None
    if len(batch.evaluations) > limit:
        message = f"evaluations must have at most {limit} item(s)"
        raise InvalidInputs([InputError("/evaluations", message, None)], 1)
    return batch
