"""``GET /catalog``: what there is, one kind of it, one entry of it."""

from __future__ import annotations

import base64
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field

from mlsysim.catalog import KINDS, catalog
from mlsysim.engine.description import ConfigurationDescription, describe_configuration
from mlsysim.engine.scenario_catalog import configuration, configurations
from mlsysim.errors import UnknownName
from service.answers import Answer

router = APIRouter(tags=["catalog"])

CONFIGURATIONS = "configurations"
_MOST = 1000


class CatalogItem(BaseModel):
    """An entry in the index."""

    key: str = Field(description="key to name it by")
    name: str = Field(description="name for people")
    kind: str = Field(description="kind of entry")
    link: str = Field(description="path of the whole entry")


class CatalogIndex(BaseModel):
    """What there is, or what matches."""

    kinds: dict[str, int] = Field(description="every kind with how many entries it has")
    count: int = Field(description="how many entries match, on all pages")
    entries: list[CatalogItem] = Field(description="the entries of this page, by kind and in the catalog's order")
    next_cursor: str | None = Field(description="cursor of the next page; null on the last")


Text = Annotated[str | None, Query(max_length=100, description="words that key, name or description contain")]
Limit = Annotated[int, Query(ge=1, le=_MOST, description="most entries of one page")]
Cursor = Annotated[str | None, Query(max_length=200, description="next_cursor of the page before")]
Kind = Annotated[str | None, Query(max_length=100, description="only entries of this kind")]


@router.get("/catalog", operation_id="getCatalog", summary="Everything in the catalog", response_model=CatalogIndex)
async def get_catalog(kind: Kind = None, q: Text = None, limit: Limit = _MOST, cursor: Cursor = None) -> Answer:
    """The index: every kind with its count, every entry with its key, name, kind and link."""
    return Answer(_index(kind, q, limit, cursor))


@router.get("/catalog/{kind}", operation_id="getCatalogKind", summary="One kind of entry", response_model=CatalogIndex)
async def get_kind(kind: str, q: Text = None, limit: Limit = _MOST, cursor: Cursor = None) -> Answer:
    """The entries of one kind."""
    return Answer(_index(kind, q, limit, cursor))


@router.get(
    "/catalog/{kind}/{key}", operation_id="getCatalogEntry", summary="One entry with its figures and their source"
)
async def get_entry(kind: str, key: str) -> Answer:
    """One entry: its figures in the units their source prints them in, and the source."""
    if kind == CONFIGURATIONS:
        return Answer(describe_configuration(configuration(key)).model_dump())
    _check_kind(kind)
    return Answer(catalog().document(kind, key))


def entry_schemas() -> list[type[BaseModel]]:
    """What `get_entry` may answer."""
    return [*KINDS.values(), ConfigurationDescription]


def _check_kind(kind: str) -> None:
    kinds = [*KINDS, CONFIGURATIONS]
    if kind not in kinds:
        raise UnknownName("kind of catalog entry", kind, kinds)


def _index(kind: str | None, q: str | None, limit: int, cursor: str | None) -> dict[str, Any]:
    if kind is not None:
        _check_kind(kind)
    found = [
        item
        for item, text in _items()
        if kind in (None, item["kind"]) and (q is None or all(word in text for word in q.casefold().split()))
    ]
    start = _start(found, cursor)
    page = found[start : start + limit]
    more = start + limit < len(found)
    return {
        "kinds": {name: len(catalog().entries(name)) for name in KINDS} | {CONFIGURATIONS: len(configurations())},
        "count": len(found),
        "entries": page,
        "next_cursor": _cursor(page[-1]) if more else None,
    }


def _items() -> list[tuple[dict[str, str], str]]:
    """Every entry of the index with the text that a search looks in."""
    entries = [
        (kind, key, entry.name or key, entry.description or "")
        for kind in KINDS
        for key, entry in catalog().entries(kind).items()
    ]
    entries += [(CONFIGURATIONS, name, named.title, named.description) for name, named in configurations().items()]
    return [
        (
            {"key": key, "name": name, "kind": kind, "link": f"/catalog/{kind}/{key}"},
            f"{key} {name} {description}".casefold(),
        )
        for kind, key, name, description in entries
    ]


def _cursor(item: dict[str, str]) -> str:
    return base64.urlsafe_b64encode(f"{item['kind']}/{item['key']}".encode()).decode()


def _start(found: list[dict[str, str]], cursor: str | None) -> int:
    if cursor is None:
        return 0
    try:
        last = base64.b64decode(cursor, altchars=b"-_", validate=True).decode()
        return next(i for i, item in enumerate(found) if f"{item['kind']}/{item['key']}" == last) + 1
    except (ValueError, StopIteration):
        reason = "is no cursor that this query gave; leave it out to start anew"
        raise RequestValidationError(
            [{"type": "unknown_cursor", "loc": ("query", "cursor"), "msg": reason, "input": cursor}]
        ) from None
