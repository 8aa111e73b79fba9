"""The types a field of a scenario, a result or a catalog entry can have.

Each is a plain Python type for the type checker (``Time`` is a float: seconds) and carries, for everything else, how it
is read (``"60 ms"`` becomes 0.06), how it is shown (130 ms) and what its JSON looks like. Where a number may stand, a
NumPy array of numbers may stand as well; whole numbers in an array are held as float64, exact up to 2**53.

    stages: dict[str, NonNegative[Time]]
    efficiency: Positive[Share]
    batch_size: AtLeastOne[Integer]
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, NoReturn, TypeVar, Union, get_args, get_origin

import numpy as np
from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from mlsysim.errors import EvaluationError, UnitError
from mlsysim.text import quoted, to_text
from mlsysim.units import Dimension, Unit, dimensions, in_si, read
from mlsysim.units import unit as unit_of
from mlsysim.units.vocabulary import remembered

Writer = Callable[[Any], Any]
Dumper = Callable[[Any], str]
ModelClass = type[Any]

LARGEST_INTEGER = int(sys.float_info.max)  # beyond it an integer cannot become a double


def refuse(reason: str, kind: Literal["unacceptable", "not_stated"] = "unacceptable") -> PydanticCustomError:
    """The error a validator raises: a predicate about the value, such as ``must be greater than 0``."""
    return PydanticCustomError(kind, "{reason}", {"reason": reason})


class FieldType:
    """How a value of this type is read, shown and described.

    Attributes:
        name: what it is called in a description.
        usual_unit: what it is shown in where a field states no unit; None for base units.
    """

    name: str
    usual_unit: str | None = None

    def read(self, given: Any) -> Any:
        """The value as a scenario holds it, from what a client or a caller gave."""
        raise NotImplementedError

    def writer(self, unit: str | None, rounded: bool = False) -> Writer:
        """A function from a held value to its JSON form.

        Args:
            unit: the unit quantities are shown in; base units if None.
            rounded: show numbers to 15 significant digits, which is what a double is sure of, rather than exactly.
        """
        return _as_it_is

    def dumper(self, unit: str | None, rounded: bool = False) -> Dumper:
        """As `writer`, to a JSON form that is text already."""
        return _dumper(self.writer(unit, rounded))

    def json_schema(self, mode: str) -> dict[str, Any]:
        """The JSON Schema of what is read (mode ``validation``) or shown (``serialization``)."""
        raise NotImplementedError

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return self.json_schema(handler.mode)


def _as_it_is(value: Any) -> Any:
    return value


def _dumper(write: Writer) -> Dumper:
    return lambda value: to_text(write(value))


def _number(value: Any) -> str:
    """A number as JSON."""
    return repr(value) if type(value) is float or type(value) is int else to_text(value)


class QuantityType(FieldType):
    """A number with a unit, held in base units."""

    def __init__(self, dimension: Dimension) -> None:
        self.name = dimension.name
        self.dimension = dimension

    def read(self, given: Any) -> Any:
        # The form in most use by the shortest way; whatever is unusual about it is read, or refused, below.
        if type(given) is dict and len(given) == 2 and type(value := given.get("value")) is float:
            known = remembered().get(str(given.get("unit")))
            if known is not None and known.dimension is self.dimension:
                number = known.read(value)
                if math.isfinite(number) and (number != 0 or value == 0):
                    return number
        try:
            if isinstance(given, str):
                return read(given, self.dimension)
            if isinstance(given, dict):
                return self._read_object(given)
        except UnitError as error:
            raise refuse(str(error)) from None
        if isinstance(given, (int, float, np.ndarray)) and not isinstance(given, bool):
            raise refuse(
                f"is a bare number, where {self.dimension} needs its unit: "
                f"{', '.join(self.dimension.common)} would do, as in "
                f'"{shown(given)} {self.dimension.common[0]}"'
            )
        raise refuse(f'must be {self.dimension} such as "10 {self.dimension.common[0]}"')

    def _read_object(self, given: dict[str, Any]) -> Any:
        if len(given) == 1 and "ref" in given:
            from mlsysim.catalog import catalog

            return catalog().constant(given["ref"], self.dimension)
        if len(given) != 2 or "value" not in given or "unit" not in given:
            raise refuse('must have "value" and "unit", or "ref" with the name of a catalog constant, and nothing else')
        value, unit = given["value"], given["unit"]
        if not isinstance(unit, str):
            raise refuse(f'has a unit that is no text; write one such as "{self.dimension.common[0]}"')
        try:
            number = REAL.read(value)
        except PydanticCustomError as error:
            raise refuse(f"has a value that {error.message()}") from None
        if isinstance(number, np.ndarray):
            return unit_of(unit, self.dimension).to_si(number)  # type: ignore[arg-type]
        return in_si(number, unit, self.dimension)

    def writer(self, unit: str | None, rounded: bool = False) -> Writer:
        name = unit or self.dimension.si
        shown_in = unit_of(name, self.dimension)
        if rounded:
            return lambda value: {"value": fifteen_digits(shown_in.from_si(value)), "unit": name}
        return lambda value: {"value": exact(shown_in, value), "unit": name}

    def dumper(self, unit: str | None, rounded: bool = False) -> Dumper:
        name = unit or self.dimension.si
        shown_in = unit_of(name, self.dimension)
        rest = f',"unit":{to_text(name)}}}'
        if not rounded:
            return lambda value: f'{{"value":{_number(exact(shown_in, value))}{rest}'
        top, bottom = shown_in.denominator, shown_in.numerator  # as `from_si`, written out for all that pass here
        shown = ('{"value":%.15g' + rest.replace("%", "%%")).__mod__

        def dump(value: float) -> str:
            number = value * top / bottom
            return shown(number if math.isfinite(number) else beyond())

        return dump

    def json_schema(self, mode: str) -> dict[str, Any]:
        component = "".join(word.capitalize() for word in self.dimension.name.split("_"))
        return {"x-component": f"Any{component}" if mode == "validation" else component}


class Rate(float):
    """A rate that knows which kind it is.

    Attributes:
        dimension: an operation rate or a data rate.
        integer: whether it was written in OP/s, which is how rates of integer formats are quoted.
    """

    dimension: Dimension
    integer: bool


class Rates(np.ndarray):
    """An array of rates that knows which kind they are."""

    dimension: Dimension
    integer: bool


def unit_of_rate(rate: Rate | Rates, si: bool) -> str:
    """The unit a rate is shown in."""
    name = rate.dimension.si if si else rate.dimension.common[1]
    return name.replace("FLOP", "OP") if rate.integer else name


class RateType(FieldType):
    """An operation rate or a data rate; the scenario says which inputs must be of the same kind."""

    name = "operation_rate or data_rate"
    usual_unit = "TFLOP/s or GB/s"

    def read(self, given: Any) -> Any:
        too_far = None
        for kind in (_OPERATION_RATE, _DATA_RATE):
            try:
                number = kind.read(given)
            except PydanticCustomError as error:
                too_far = error if "for a double" in error.message() else too_far
                continue
            rate: Rate | Rates = number.view(Rates) if isinstance(number, np.ndarray) else Rate(number)
            rate.dimension = kind.dimension
            rate.integer = counts_integers(given)
            return rate
        raise too_far or refuse(
            'must be an operation rate such as "10 TFLOP/s" or a data rate such as "10 GB/s", as text with its unit, '
            "as value and unit, or as a constant of the catalog"
        )

    def writer(self, unit: str | None, rounded: bool = False) -> Writer:
        def write(rate: Rate | Rates) -> dict[str, Any]:
            name = unit_of_rate(rate, si=unit is None)
            return {"value": exact(unit_of(name), rate), "unit": name}

        return write

    def json_schema(self, mode: str) -> dict[str, Any]:
        kinds = (_OPERATION_RATE, _DATA_RATE)
        return {"anyOf": [kind.json_schema(mode) for kind in kinds]}


def counts_integers(given: Any) -> bool:
    """Whether a rate is written in operations that are not FLOP, as rates of integers are; of a constant, no."""
    unit = str(given.get("unit", "")) if isinstance(given, dict) else str(given)
    return "OP" in unit and "FLOP" not in unit


def fifteen_digits(number: float) -> float:
    """The number to 15 significant digits: 85 where adding 60 and 25 thousandths left 84.99999999999999.

    Raises:
        EvaluationError: it is too large to be shown.
    """
    return float(f"{number:.15g}") if math.isfinite(number) else beyond()


def beyond() -> NoReturn:
    """Refuse to show a value.

    Raises:
        EvaluationError: always.
    """
    raise EvaluationError("a value is beyond the range of a double in the unit it is shown in; units=si may do")


def exact(shown_in: Unit, value: Any) -> Any:
    """A number in base units (or an array of them), in that unit, ready to be read again.

    Raises:
        EvaluationError: it is too large or too small to be shown.
    """
    if isinstance(value, np.ndarray):
        return shown_in.from_si(value)  # type: ignore[arg-type]
    number = shown_in.exactly(value)
    return number if math.isfinite(number) and (number != 0 or value == 0) else beyond()


def shown(number: Any) -> str:
    """A number as a reader would write it; an array by its shape."""
    if isinstance(number, np.ndarray):
        return f"array of shape {number.shape}"
    return f"{number:g}" if isinstance(number, float) else str(number)[:40]


class RealType(FieldType):
    """A plain number without a unit."""

    def __init__(self, name: str = "number", infinite: bool = False) -> None:
        self.name = name
        self.infinite = infinite

    def read(self, given: Any) -> Any:
        kind = type(given)
        if kind is float or kind is int:
            pass
        elif isinstance(given, np.ndarray):
            return self._read_array(given)
        elif self.infinite and given == "inf":
            return math.inf
        elif isinstance(given, (np.floating, np.integer)):
            given = given.item()
        else:
            raise refuse(f"must be a number{', or inf in quotes' if self.infinite else ''}")
        if kind is int and not -LARGEST_INTEGER <= given <= LARGEST_INTEGER:
            raise refuse("is too large for a double")
        number = float(given)
        if not math.isfinite(number) and not (self.infinite and number == math.inf):
            raise refuse("must be a finite number")
        return number

    def _read_array(self, given: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if given.dtype.kind not in "iuf":
            raise refuse("must be an array of numbers")
        array = given.astype(np.float64)
        if np.isnan(array).any() or (not self.infinite and np.isinf(array).any()):
            raise refuse("must hold finite numbers only")
        return array

    def writer(self, unit: str | None, rounded: bool = False) -> Writer:
        if self.infinite:
            return lambda value: "inf" if isinstance(value, float) and value == math.inf else value
        return fifteen_digits if rounded else _as_it_is

    def dumper(self, unit: str | None, rounded: bool = False) -> Dumper:
        if self.infinite:
            return lambda value: '"inf"' if value == math.inf else _number(value)
        return (lambda value: f"{value if math.isfinite(value) else beyond():.15g}") if rounded else _number

    def json_schema(self, mode: str) -> dict[str, Any]:
        number: dict[str, Any] = {"type": "number"}
        return {"anyOf": [number, {"type": "string", "enum": ["inf"]}]} if self.infinite else number


class IntegerType(RealType):
    """A whole number, exact however large; 3.0 is one, 3.5 is not."""

    def __init__(self) -> None:
        super().__init__("integer")

    def read(self, given: Any) -> Any:
        if type(given) is int:
            if -LARGEST_INTEGER <= given <= LARGEST_INTEGER:
                return given
            raise refuse("is too large for a double")
        number = super().read(given)
        if isinstance(number, np.ndarray):
            if not np.equal(number, np.floor(number)).all():
                raise refuse("must hold whole numbers only")
            return number
        if not number.is_integer():
            raise refuse("must be a whole number")
        return int(number)

    def writer(self, unit: str | None, rounded: bool = False) -> Writer:
        return _as_it_is

    def dumper(self, unit: str | None, rounded: bool = False) -> Dumper:
        return _number

    def json_schema(self, mode: str) -> dict[str, Any]:
        return {"type": "integer"}


class FlagType(FieldType):
    """True or false."""

    name = "boolean"

    def read(self, given: Any) -> Any:
        if isinstance(given, bool) or (isinstance(given, np.ndarray) and given.dtype.kind == "b"):
            return given
        raise refuse("must be true or false")

    def json_schema(self, mode: str) -> dict[str, Any]:
        return {"type": "boolean"}


class TextType(FieldType):
    """A name or a label."""

    name = "text"
    longest = 200

    def read(self, given: Any) -> Any:
        if not isinstance(given, str):
            raise refuse("must be a text")
        if len(given) > self.longest:
            raise refuse(f"must have at most {self.longest} characters")
        return given

    def dumper(self, unit: str | None, rounded: bool = False) -> Dumper:
        return quoted

    def json_schema(self, mode: str) -> dict[str, Any]:
        return {"type": "string", "maxLength": self.longest}


class Bound(NamedTuple):
    """Limits on a number, or on a quantity in base units, whose name a message shows."""

    gt: float | None = None
    ge: float | None = None
    le: float | None = None
    unit: str = ""

    def __str__(self) -> str:
        limits = (("greater than", self.gt), ("at least", self.ge), ("at most", self.le))
        return " and ".join(f"{word} {limit:g} {self.unit}".rstrip() for word, limit in limits if limit is not None)

    def holds(self, value: Any) -> Any:
        """Whether the value keeps the limits; for an array, element by element."""
        kept: Any = True
        if self.gt is not None:
            kept = value > self.gt
        if self.ge is not None:
            kept = kept & (value >= self.ge)
        if self.le is not None:
            kept = kept & (value <= self.le)
        return kept

    def check(self, value: Any) -> Any:
        """The value itself, or an error that names the limit."""
        if isinstance(value, np.ndarray):
            kept = bool(np.all(self.holds(value)))
        else:  # as `holds`, written out, for every number passes here
            kept = (
                (self.gt is None or value > self.gt)
                and (self.ge is None or value >= self.ge)
                and (self.le is None or value <= self.le)
            )
        if kept:
            return value
        raise refuse(f"must be {self}")

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        described = handler(schema)
        for each in described.get("anyOf", [described]):
            if "x-component" in each and self in (Bound(gt=0), Bound(ge=0)):
                sign = "Positive" if self.gt is not None else "NonNegative"
                each["x-component"] = sign + each["x-component"].removeprefix("Any")
                continue
            if "enum" not in each:
                prefix = "x-" if "x-component" in each else ""
                each |= {prefix + keyword: limit for keyword, limit in self.keywords().items()}
        return described

    def keywords(self) -> dict[str, float]:
        """The limits as JSON Schema has them."""
        limits = {"exclusiveMinimum": self.gt, "minimum": self.ge, "maximum": self.le}
        return {keyword: limit for keyword, limit in limits.items() if limit is not None}


class OneOf(NamedTuple):
    """The text is one of the names that `expression` gives over the scenario's inputs, such as ``keys(stages)``."""

    expression: str


class Needs:
    """The figures of a catalog entry that a scenario cannot do without: an entry that lacks one is refused."""

    def __init__(self, *paths: str) -> None:
        self.paths = paths


T = TypeVar("T")
Positive = Annotated[T, Bound(gt=0)]
NonNegative = Annotated[T, Bound(ge=0)]
AtLeastOne = Annotated[T, Bound(ge=1)]

REAL = RealType()
INTEGER = IntegerType()
_OPERATION_RATE = QuantityType(dimensions.OPERATION_RATE)
_DATA_RATE = QuantityType(dimensions.DATA_RATE)

Real = Annotated[float, REAL]
RealOrInfinity = Annotated[float, RealType("number or inf", infinite=True)]
Integer = Annotated[int, INTEGER]
Share = Annotated[float, RealType("share"), Bound(ge=0, le=1)]
Percent = Annotated[float, RealType("percent"), Bound(ge=0, le=100)]
Flag = Annotated[bool, FlagType()]
Text = Annotated[str, TextType()]

Time = Annotated[float, QuantityType(dimensions.TIME)]
Data = Annotated[float, QuantityType(dimensions.DATA)]
DataRate = Annotated[float, QuantityType(dimensions.DATA_RATE)]
Operations = Annotated[float, QuantityType(dimensions.OPERATIONS)]
OperationRate = Annotated[float, QuantityType(dimensions.OPERATION_RATE)]
Intensity = Annotated[float, QuantityType(dimensions.INTENSITY)]
Energy = Annotated[float, QuantityType(dimensions.ENERGY)]
EnergyPerByte = Annotated[float, QuantityType(dimensions.ENERGY_PER_BYTE)]
EnergyPerOperation = Annotated[float, QuantityType(dimensions.ENERGY_PER_OPERATION)]
AnyRate = Annotated[float, RateType()]
Power = Annotated[float, QuantityType(dimensions.POWER)]
Frequency = Annotated[float, QuantityType(dimensions.FREQUENCY)]
Money = Annotated[float, QuantityType(dimensions.MONEY)]
MoneyRate = Annotated[float, QuantityType(dimensions.MONEY_RATE)]


class Shape(NamedTuple):
    """What an annotation amounts to: one value, a list or a map of them, or a model.

    Attributes:
        container: ``map``, ``list`` or None for a single value.
        item: the shape of a map's values or a list's items.
        key: the shape of a map's keys.
        type: how a single value is read and shown; None for a plain text, an enumeration or a model.
        model: the class of a nested object, which has a `to_json`.
        annotation: the annotation of a single value, without its metadata.
        metadata: bounds and other marks of the value.
        optional: whether None may stand in its place.
    """

    annotation: Any
    container: str | None = None
    item: Shape | None = None
    type: FieldType | None = None
    model: ModelClass | None = None
    metadata: tuple[Any, ...] = ()
    optional: bool = False
    key: Shape | None = None

    @property
    def leaf(self) -> Shape:
        """The innermost shape: of the values of a map, or of the maps in a map."""
        return self.item.leaf if self.item else self

    def json_schema(self, mode: str) -> dict[str, Any]:
        """The JSON Schema of what is read (mode ``validation``) or shown (``serialization``)."""
        if self.container == "map" and self.item:
            schema: dict[str, Any] = {"type": "object", "additionalProperties": self.item.json_schema(mode)}
        elif self.container == "list" and self.item:
            schema = {"type": "array", "items": self.item.json_schema(mode)}
        elif self.type:
            schema = self.type.json_schema(mode)
            if mode == "serialization" and isinstance(self.type, IntegerType):  # a real number may round past a limit
                for bound in (mark for mark in self.metadata if isinstance(mark, Bound)):
                    schema |= bound.keywords()
        elif get_origin(self.annotation) is Literal:
            schema = {"type": "string", "enum": list(get_args(self.annotation))}
        else:
            schema = {"x-component": self.annotation.__name__}
        return {"anyOf": [schema, {"type": "null"}]} if self.optional else schema

    def writer(self, unit: str | None, si: bool = False, rounded: bool = False) -> Writer:
        """A function from a held value to its JSON form, as `FieldType.writer` says; base units throughout if `si`."""
        if self.item:
            write_item = self.item.writer(unit, si, rounded)
            if self.container == "map":
                write: Writer = lambda held: {key: write_item(value) for key, value in held.items()}  # noqa: E731
            else:
                write = lambda held: [write_item(value) for value in held]  # noqa: E731
        elif self.type:
            write = self.type.writer(None if si else unit or self.type.usual_unit, rounded)
        elif self.model:
            write = lambda held: held.to_json(si)  # noqa: E731
        else:
            return _as_it_is
        if not self.optional or write is _as_it_is:
            return write
        return lambda held: None if held is None else write(held)

    def dumper(self, unit: str | None, si: bool = False, rounded: bool = False) -> Dumper:
        """As `writer`, to a JSON form that is text already."""
        if self.optional:
            dump = self._replace(optional=False).dumper(unit, si, rounded)
            return lambda held: "null" if held is None else dump(held)
        if self.type:
            return self.type.dumper(None if si else unit or self.type.usual_unit, rounded)
        if self.container == "map" and self.item:
            dump_item = self.item.dumper(unit, si, rounded)
            return lambda held: f"{{{','.join([f'{quoted(key)}:{dump_item(value)}' for key, value in held.items()])}}}"
        return _dumper(self.writer(unit, si, rounded))


def shape_of(annotation: Any, metadata: tuple[Any, ...] = ()) -> Shape:
    """The shape of an annotation such as ``dict[str, NonNegative[Time]] | None``."""
    if isinstance(annotation, FieldInfo):
        return shape_of(annotation.annotation, tuple(annotation.metadata))
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *marks = get_args(annotation)
        return shape_of(inner, (*marks, *metadata))
    if origin in (Union, UnionType):
        (inner,) = (option for option in get_args(annotation) if option is not NoneType)
        found = shape_of(inner, metadata)
        return found._replace(optional=True)
    if origin is dict:
        key, value = get_args(annotation)
        return Shape(annotation, "map", shape_of(value), metadata=metadata, key=shape_of(key))
    if origin is list:
        return Shape(annotation, "list", shape_of(get_args(annotation)[0]), metadata=metadata)
    field_type = next((mark for mark in metadata if isinstance(mark, FieldType)), None)
    model = annotation if hasattr(annotation, "to_json") else None
    return Shape(annotation, type=field_type, model=model, metadata=metadata)
