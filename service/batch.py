"""``POST /batch``: many evaluations in one call, each answered on its own."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import Response

from mlsysim.errors import EvaluationError, InputError, InvalidInputs, UnknownName, counted, input_errors
from mlsysim.text import to_bytes
from service.answers import Answer
from service.aside import aside
from service.body import parse, read_body
from service.evaluating import answer, uncounted
from service.problems import engine_problem
from service.scenarios import Explain, Units

router = APIRouter(include_in_schema=False)

# How long, in seconds, a batch may keep other long work waiting.
_TURN = 0.05


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
async def evaluate_batch(request: Request, units: Units = "display", explain: Explain = False) -> Response:
    """Evaluate each item in order; an item that fails is answered by its problem and fails only itself."""
    body = await read_body(request.scope, request.receive)
    batch = await aside(lambda: _read(parse(body), request.app.state.settings.batch_limit))
    items, answers = iter(batch.evaluations), list[bytes]()
    while len(answers) < len(batch.evaluations):
        answers += await aside(_answer_some, items, units == "si", explain)
    return Response(await aside(_answers, answers), media_type=Answer.media_type)


def _answer_some(items: Iterator[BatchItem], si: bool, explain: bool) -> list[bytes]:
    """The answers to as many items as one turn has time for."""
    answers, end = [], time.monotonic() + _TURN
    for item in items:
        answers.append(_answer(answer, item, si, explain))
        if time.monotonic() > end:
            break
    return answers


def answer_batch(batch: Batch) -> dict[str, Any]:
    """The answers of a batch, at once and for no client."""
    answers = _answers([_answer(uncounted, item, False, False) for item in batch.evaluations])
    return json.loads(answers)  # type: ignore[no-any-return]


def _answers(answers: list[bytes]) -> bytes:
    return b'{"count":%d,"answers":[%b]}' % (len(answers), b",".join(answers))


def _answer(evaluate: Callable[..., bytes], item: BatchItem, si: bool, explain: bool) -> bytes:
    try:
        return evaluate(item.name, item.inputs, si, explain)
    except (InvalidInputs, UnknownName, EvaluationError) as error:
        return to_bytes(engine_problem("/batch", error))


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
        message = f"evaluations must have at most {counted(limit, 'item')}"
        raise InvalidInputs([InputError("/evaluations", message, None)], 1)
    return batch
