"""``GET /catalog``: what there is, one kind of it, one entry of it."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, get_args

from fastapi import APIRouter, Depends, Path, Query
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field

from mlsysim.catalog import KINDS, Entry, catalog
from mlsysim.engine.description import ConfigurationDescription, describe_configuration
from mlsysim.engine.scenario_catalog import NamedConfiguration, configuration, configurations
from mlsysim.errors import UnitError, UnknownName
from mlsysim.units import LONGEST_TEXT, Dimension, dimensions, patterns, read
from service.answers import Answer
from service.spelling import AS_WHOLE, Number, Whole

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
    entries: list[CatalogItem] = Field(description="the entries of this page")
    next_cursor: str | None = Field(description="cursor of the next page; null on the last")


class Figure:
    """A figure that entries can be searched and sorted by: where it stands, and its dimension (None for a count)."""

    def __init__(self, *paths: str, dimension: Dimension | None = None) -> None:
        self.paths = paths
        self.dimension = dimension

    def of(self, entry: Entry | NamedConfiguration) -> float | None:
        """The figure of an entry in base units, or None where it states none."""
        for path in self.paths:
            value: Any = entry
            for part in path.split("."):
                value = getattr(value, part, None)
            if value is not None:
                return value  # type: ignore[no-any-return]
        return None


FIGURES = {
    "peak": Figure("compute.peak", dimension=dimensions.OPERATION_RATE),
    "bandwidth": Figure("memory.bandwidth", "bandwidth", dimension=dimensions.DATA_RATE),
    "capacity": Figure("memory.capacity", dimension=dimensions.DATA),
    "tdp": Figure("tdp", dimension=dimensions.POWER),
    "year": Figure("release_year"),
    "parameters": Figure("parameters"),
}
Sort = Literal[
    "key", "name", "peak", "bandwidth", "capacity", "tdp", "year", "parameters",
    "-key", "-name", "-peak", "-bandwidth", "-capacity", "-tdp", "-year", "-parameters",
]  # fmt: skip

Kind = Annotated[str, Path(description="kind of entry, such as hardware; `kinds` of the index has them all")]
Words = Annotated[str | None, Query(max_length=100)]
Count = Annotated[Number | None, Query(allow_inf_nan=False)]


def _name(sort: str) -> str:
    """What a generated client calls a way of sorting: ``PEAK_DESCENDING``."""
    return f"{sort.lstrip('-')}{'_descending' * sort.startswith('-')}".upper()


def _bound(figure: str, description: str, example: str) -> Any:
    """A limit of a figure with a dimension; its pattern is only shown, for the reader says better what is wrong."""
    dimension = FIGURES[figure].dimension
    return Query(
        max_length=LONGEST_TEXT,
        description=f"{description}, with its unit",
        examples=[example],
        json_schema_extra={"pattern": patterns()[dimension.name], "x-dimension": dimension.name} if dimension else None,
    )


@dataclass
class CatalogQuery:
    """What narrows and orders the entries. An entry that does not state what is asked for does not match."""

    q: Annotated[Words, Query(description="words that key, name or description contain", examples=["nvidia"])] = None
    device_class: Annotated[
        Words, Query(alias="class", description="class of hardware, such as datacenter", examples=["datacenter"])
    ] = None
    vendor: Annotated[Words, Query(description="maker of hardware, such as NVIDIA", examples=["NVIDIA"])] = None
    family: Annotated[Words, Query(description="family of models, such as language", examples=["language"])] = None
    architecture: Annotated[
        Words, Query(description="kind of models, such as moe_transformer", examples=["moe_transformer"])
    ] = None
    year: Annotated[Whole | None, Query(description="year of release", examples=[2023])] = None
    min_year: Annotated[Whole | None, Query(description="first year of release", examples=[2020])] = None
    max_year: Annotated[Whole | None, Query(description="last year of release", examples=[2024])] = None
    min_peak: Annotated[str | None, _bound("peak", "least peak rate", "100 TFLOP/s")] = None
    max_peak: Annotated[str | None, _bound("peak", "largest peak rate", "1 PFLOP/s")] = None
    min_bandwidth: Annotated[str | None, _bound("bandwidth", "least bandwidth of memory, or of a fabric", "1 TB/s")] = (
        None
    )
    max_bandwidth: Annotated[
        str | None, _bound("bandwidth", "largest bandwidth of memory, or of a fabric", "5 TB/s")
    ] = None
    min_capacity: Annotated[str | None, _bound("capacity", "least memory", "80 GB")] = None
    max_capacity: Annotated[str | None, _bound("capacity", "largest memory", "192 GB")] = None
    min_tdp: Annotated[str | None, _bound("tdp", "least rated power", "100 W")] = None
    max_tdp: Annotated[str | None, _bound("tdp", "largest rated power", "700 W")] = None
    min_parameters: Annotated[Count, Query(description="fewest parameters of a model", examples=[1e9])] = None
    max_parameters: Annotated[Count, Query(description="most parameters of a model", examples=[1e11])] = None
    sort: Annotated[
        Sort | None,
        Query(
            description="what to sort by, with a minus for the largest first; entries without it last",
            json_schema_extra={"x-enum-varnames": [_name(sort) for sort in get_args(Sort)]},
        ),
    ] = None
    limit: Annotated[int, Field(ge=1, le=_MOST), AS_WHOLE, Query(description="most entries of one page")] = _MOST
    cursor: Annotated[str | None, Query(max_length=200, description="next_cursor of the page before")] = None


Asked = Annotated[CatalogQuery, Depends()]


@router.get(
    "/catalog",
    operation_id="getCatalog",
    summary="Everything in the catalog",
    response_model=CatalogIndex,
    response_description="A page of the index.",
)
async def get_catalog(
    asked: Asked, kind: Annotated[Words, Query(description="only entries of this kind", examples=["hardware"])] = None
) -> Answer:
    """The index: every kind with its count, every entry with its key, name, kind and link."""
    return Answer(_index(kind, asked))


@router.get(
    "/catalog/{kind}",
    operation_id="getCatalogKind",
    summary="One kind of entry",
    response_model=CatalogIndex,
    response_description="A page of the entries of that kind.",
)
async def get_kind(
    asked: Asked,
    kind: Kind,
    architecture: Annotated[
        Words,
        Query(
            alias="kind",
            deprecated=True,
            description="older name of architecture; only one of them may be given",
            examples=["moe_transformer"],
        ),
    ] = None,
) -> Answer:
    """The entries of one kind."""
    if architecture is not None:
        if asked.architecture is not None:
            raise _invalid("kind", "is the older name of architecture, which is given too; one would do", architecture)
        asked.architecture = architecture  # what an entry calls its kind
    return Answer(_index(kind, asked))


@router.get(
    "/catalog/{kind}/{key}",
    operation_id="getCatalogEntry",
    summary="One entry with its figures and their source",
    response_description="The entry.",
)
async def get_entry(kind: Kind, key: Annotated[str, Path(description="key of the entry")]) -> Answer:
    """One entry: its figures in the units their source prints them in, and the source."""
    if kind == CONFIGURATIONS:
        return Answer(describe_configuration(configuration(key)).model_dump())
    _check_kind(kind)
    return Answer(catalog().document(kind, key))


def entry_schemas() -> dict[str, type[BaseModel]]:
    """What `get_entry` may answer, by kind."""
    return {**KINDS, CONFIGURATIONS: ConfigurationDescription}


def _check_kind(kind: str) -> None:
    kinds = [*KINDS, CONFIGURATIONS]
    if kind not in kinds:
        raise UnknownName("kind of catalog entry", kind, kinds)


def _index(kind: str | None, asked: CatalogQuery) -> dict[str, Any]:
    if kind is not None:
        _check_kind(kind)
    conditions = list(_conditions(asked))
    found = [
        (item, entry)
        for item, entry in _entries()
        if kind in (None, item["kind"]) and all(holds(item, entry) for holds in conditions)
    ]
    items = [item for item, _ in _sorted(found, asked.sort)]
    start = _start(items, asked)
    page = items[start : start + asked.limit]
    return {
        "kinds": {name: len(catalog().entries(name)) for name in KINDS} | {CONFIGURATIONS: len(configurations())},
        "count": len(items),
        "entries": page,
        "next_cursor": _cursor(page[-1], asked.sort) if start + asked.limit < len(items) else None,
    }


Item = dict[str, str]
Found = tuple[Item, Entry | NamedConfiguration]


def _entries() -> Iterator[Found]:
    for kind in KINDS:
        for key, entry in catalog().entries(kind).items():
            yield _item(kind, key, entry.name or key), entry
    for name, named in configurations().items():
        yield _item(CONFIGURATIONS, name, named.title), named


def _item(kind: str, key: str, name: str) -> Item:
    return {"key": key, "name": name, "kind": kind, "link": f"/catalog/{kind}/{key}"}


def _conditions(asked: CatalogQuery) -> Iterator[Callable[[Item, Entry | NamedConfiguration], bool]]:
    """What an entry has to meet."""
    if asked.q is not None:
        words = asked.q.casefold().split()
        yield lambda item, entry: _contains(f"{item['key']} {item['name']} {entry.description or ''}", words)
    texts = {
        "device_class": asked.device_class,
        "vendor": asked.vendor,
        "family": asked.family,
        "kind": asked.architecture,
    }
    for name, text in texts.items():
        if text is not None:
            yield partial(_states, name, text.casefold())
    if asked.year is not None:
        yield lambda item, entry: FIGURES["year"].of(entry) == asked.year
    for name, figure in FIGURES.items():
        least, most = (_limit(asked, side, name, figure.dimension) for side in ("min", "max"))
        if least is not None or most is not None:
            yield lambda item, entry, f=figure, lo=least, hi=most: _within(f.of(entry), lo, hi)  # type: ignore[misc]


def _states(name: str, text: str, item: Item, entry: Entry | NamedConfiguration) -> bool:
    return str(getattr(entry, name, None) or "").casefold() == text


def _contains(text: str, words: list[str]) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words)


def _within(value: float | None, least: float | None, most: float | None) -> bool:
    return value is not None and (least is None or value >= least) and (most is None or value <= most)


def _limit(asked: CatalogQuery, side: str, name: str, dimension: Dimension | None) -> float | None:
    given = getattr(asked, f"{side}_{name}")
    if given is None or dimension is None:
        return given  # type: ignore[no-any-return]
    try:
        return read(given, dimension)
    except UnitError as error:
        raise _invalid(f"{side}_{name}", str(error), given) from None


def _sorted(found: list[Found], sort: Sort | None) -> list[Found]:
    """The entries in the order asked for, otherwise by kind and in the catalog's order."""
    if sort is None:
        return found
    name, largest_first = sort.removeprefix("-"), sort.startswith("-")
    if name in ("key", "name"):
        return sorted(found, key=lambda pair: pair[0][name].casefold(), reverse=largest_first)
    stated = [(value, pair) for pair in found if (value := FIGURES[name].of(pair[1])) is not None]
    ordered = sorted(stated, key=lambda pair: pair[0], reverse=largest_first)
    return [pair for _, pair in ordered] + [pair for pair in found if FIGURES[name].of(pair[1]) is None]


def _cursor(last: Item, sort: Sort | None) -> str:
    """Where the next page begins, and in what order; a cursor of another order would skip and repeat entries."""
    return base64.urlsafe_b64encode(f"{sort or ''} {last['kind']}/{last['key']}".encode()).decode()


def _start(found: list[Item], asked: CatalogQuery) -> int:
    if asked.cursor is None:
        return 0
    for index, item in enumerate(found, 1):
        if _cursor(item, asked.sort) == asked.cursor:
            return index
    raise _invalid("cursor", "is no cursor that this query gave; leave it out to start anew", asked.cursor)


def _invalid(name: str, reason: str, given: str) -> RequestValidationError:
    return RequestValidationError([{"type": "unacceptable", "loc": ("query", name), "msg": reason, "input": given}])
