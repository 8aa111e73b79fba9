"""What of one OpenAPI document would break a client that was made for an earlier one.

A request that was accepted has to be accepted still, so what is asked may only widen; an answer has to be one that the
client can read, so what is answered may only narrow, apart from new fields. Names are for keeps, because generated code
is named after them, and so is the place of a type among alternatives that have no name. A strict client refuses a value
of an answer that its `enum` does not list, so lists that grow are `x-extensible-enum`, which is no limit: they may get
values, but lose none. Deliberately not compared: words, examples, formulas and figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

# Each with the sign of a tighter one: a larger least, a smaller most.
_BOUNDS = {
    ("minimum", "exclusiveMinimum"): 1,
    ("maximum", "exclusiveMaximum"): -1,
    ("x-minimum", "x-exclusiveMinimum"): 1,
    ("x-maximum", "x-exclusiveMaximum"): -1,
    ("minLength",): 1,
    ("maxLength",): -1,
    ("minItems",): 1,
    ("maxItems",): -1,
    ("minProperties",): 1,
    ("maxProperties",): -1,
}
_ONLY_EQUAL = ("x-dimension", "format", "multipleOf", "not", "uniqueItems")
_PLAIN = ("string", "number", "integer", "boolean", "array", "object")
# What the document does not use, so that nothing here knows which of two is the narrower one.
_NOT_UNDERSTOOD = (
    "allOf", "if", "then", "else", "dependentRequired", "dependentSchemas", "prefixItems", "contains", "minContains",
    "maxContains", "patternProperties", "unevaluatedItems", "unevaluatedProperties", "$dynamicRef",
)  # fmt: skip
_MORE_IS_NARROWER = ("x-needs", "x-one-of", "x-rules")


def breaking_changes(old: Json, new: Json) -> list[str]:
    """A sentence for each change that would break a client made for the old document."""
    return list(dict.fromkeys(_Comparison(old, new).document()))


class _Comparison:
    def __init__(self, old: Json, new: Json) -> None:
        self.old = old
        self.new = new
        self.found: dict[tuple[str, str, bool, bool], list[str]] = {}
        self.echoed = True  # whether an answer has what was asked in it
        bodies = [operation.get("requestBody") for item in old["paths"].values() for operation in item.values()]
        self.sent = _reached(old, bodies)

    def document(self) -> Iterator[str]:
        for kind, components in self.old["components"].items():
            for name in components.keys() - self.new["components"].get(kind, {}).keys():
                yield f"component {name} is gone"
        for server in [one["url"] for one in self.old.get("servers", [])]:
            if server not in [one["url"] for one in self.new.get("servers", [])]:
                yield f"the server {server} is gone"
        for name, scheme in self.old["components"].get("securitySchemes", {}).items():
            keys = [key for key in scheme if key != "description"]
            other = self.new["components"].get("securitySchemes", {}).get(name, {})
            if [scheme[key] for key in keys] != [other.get(key) for key in keys]:
                yield f"the security scheme {name} is another one"
        for path, item in self.old["paths"].items():
            for method, operation in item.items():
                where = f"{method.upper()} {path}"
                if method not in self.new["paths"].get(path, {}):
                    yield f"{where} is gone"
                else:
                    yield from self.operation(where, operation, self.new["paths"][path][method])

    def operation(self, where: str, old: Json, new: Json) -> Iterator[str]:
        if old["operationId"] != new.get("operationId"):
            yield f"{where} is no longer called {old['operationId']}"
        if old["tags"][:1] != new.get("tags", [])[:1]:
            yield f"{where} is no longer under {old['tags'][0]}, the module of generated code"
        yield from self.security(where, old, new)
        yield from self.parameters(where, _parameters(self.old, old), _parameters(self.new, new))
        old_body, new_body = old.get("requestBody", {}), new.get("requestBody", {})
        if new_body.get("required") and not old_body.get("required"):
            yield f"{where} needs a body now"
        yield from self.contents(f"{where} body", old_body, new_body, True)
        self.echoed = "requestBody" in old
        for status, response in old["responses"].items():
            if status not in new["responses"]:
                yield f"{where} no longer declares {status}"
            else:
                pair = _resolved(self.old, response), _resolved(self.new, new["responses"][status])
                yield from self.contents(f"{where} {status}", *pair, False)
                for header in pair[0].get("headers", {}).keys() - pair[1].get("headers", {}).keys():
                    yield f"{where} {status} no longer has the header {header}"
        self.echoed = True

    def security(self, where: str, old: Json, new: Json) -> Iterator[str]:
        """Whatever was enough to be let in has to be enough still; without any requirement, everyone is."""
        before, after = (
            operation.get("security", document.get("security")) or [{}]
            for operation, document in ((old, self.old), (new, self.new))
        )
        for shown in before:
            if not any(needed.keys() <= shown.keys() for needed in after):
                yield f"{where} no longer lets in whoever has {', '.join(shown) or 'no key'}"

    def parameters(self, where: str, old: dict[str, Json], new: dict[str, Json]) -> Iterator[str]:
        for name, parameter in new.items():
            if parameter.get("required") and not old.get(name, {}).get("required"):
                yield f"{where} needs the parameter {name} now"
        for name, parameter in old.items():
            if name not in new:
                yield f"{where} no longer takes the parameter {name}"
            else:
                for key in ("style", "explode", "allowReserved"):
                    if parameter.get(key) != new[name].get(key):
                        yield f"{where} {name} has another {key}"
                yield from self.schema(f"{where} {name}", parameter["schema"], new[name]["schema"], True)

    def contents(self, where: str, old: Json, new: Json, asked: bool) -> Iterator[str]:
        for media_type, content in old.get("content", {}).items():
            if media_type not in new.get("content", {}):
                yield f"{where} is no longer {media_type}"
            else:
                yield from self.schema(where, content["schema"], new["content"][media_type]["schema"], asked)

    def schema(self, where: str, old: Json, new: Json, asked: bool) -> Iterator[str]:
        """Compare what may stand at one place; `asked` tells what a client sends from what it is answered."""
        if old != new:
            yield from _facts(where, old, new, asked)
        if asked and "default" in old and old["default"] != new.get("default"):
            yield f"{where} is no longer {old['default']!r} where it is left out"
        if not asked and old.get("x-unit") != new.get("x-unit"):
            yield f"{where} is in {new.get('x-unit')}, no longer in {old.get('x-unit')}"
        if not asked and new.get("x-may-exceed-safe-integer") and not old.get("x-may-exceed-safe-integer"):
            yield f"{where} may now exceed 2^53"
        olds, news = list(_alternatives(old)), list(_alternatives(new))
        yield from _places(where, olds, news)
        choice = sum("$ref" in one for one in olds) > 1
        for one in olds if asked else news:
            if not asked and choice and "$ref" in one and _name(one) not in self.old["components"]["schemas"]:
                continue  # the answer to something that no client of the old document asks
            pairs = [(one, other) for other in news] if asked else [(other, one) for other in olds]
            pairs = [pair for pair in pairs if pair[0].get("$ref") == pair[1].get("$ref")] or pairs
            tries = [list(self.alternative(where, *pair, asked)) for pair in pairs if self.comparable(*pair, asked)]
            if tries:
                yield from min(tries, key=len)
            else:
                yield f"{where} may {'no longer' if asked else 'now'} be {_name(one)}"

    def comparable(self, old: Json, new: Json, asked: bool) -> bool:
        narrow, wide = (_resolved(self.old, old), _resolved(self.new, new))[:: 1 if asked else -1]
        kinds = narrow.get("type"), wide.get("type")
        return kinds[0] == kinds[1] or kinds[1] is None or kinds == ("integer", "number")

    def alternative(self, where: str, old: Json, new: Json, asked: bool) -> Iterator[str]:
        pair = _resolved(self.old, old), _resolved(self.new, new)
        compare = self.schema if any("anyOf" in side or "oneOf" in side for side in pair) else self.plain
        if "$ref" not in old or "$ref" not in new:
            yield from compare(where, *pair, asked)
            return
        if old != new:
            yield from _facts(where, old, new, asked)
        asked = asked or _name(old) in self.sent  # in an answer it stands as it was asked
        key = (old["$ref"], new["$ref"], asked, self.echoed)
        if key not in self.found:
            self.found[key] = []  # for a component that holds itself
            self.found[key] = list(compare(_name(old) if old["$ref"] == new["$ref"] else where, *pair, asked))
        yield from self.found[key]

    def plain(self, where: str, old: Json, new: Json, asked: bool) -> Iterator[str]:
        if old != new:
            yield from _facts(where, old, new, asked)
            yield from _values(where, old, new, asked)
            if asked and not self.echoed:
                yield from _new_values(where, old, new)  # it may be sent as well, but here it is answered
        narrow, wide = (set(side.get("required", [])) for side in ((old, new) if asked else (new, old)))
        for name in sorted(wide - narrow):
            yield f"{where}.{name} is required now" if asked else f"{where}.{name} may be missing now"
        old_fields, new_fields = old.get("properties", {}), new.get("properties", {})
        for name, field in old_fields.items():
            if name not in new_fields:
                yield f"{where}.{name} is gone"
            else:
                yield from self.schema(f"{where}.{name}", field, new_fields[name], asked)
        if asked and new.get("additionalProperties") is False and old.get("additionalProperties") is not False:
            yield f"{where} takes no other fields now"
        for key in ("items", "additionalProperties", "propertyNames"):
            pair = old.get(key, True), new.get(key, True)
            if isinstance(pair[0], dict) or isinstance(pair[1], dict):
                inner = [side if isinstance(side, dict) else {} for side in pair]
                yield from self.schema(f"{where}[{key}]", inner[0], inner[1], asked)


def _reached(document: Json, value: Any) -> set[str]:
    """The components that a value refers to, and those that these refer to."""
    found: set[str] = set()
    open_ends = [value]
    while open_ends:
        names = set(re.findall(r"'#/components/schemas/(\w+)'", str(open_ends.pop()))) - found
        found |= names
        open_ends += [document["components"]["schemas"][name] for name in names]
    return found


def _parameters(document: Json, operation: Json) -> dict[str, Json]:
    parameters = [_resolved(document, parameter) for parameter in operation.get("parameters", [])]
    return {f"{parameter['in']} {parameter['name']}": parameter for parameter in parameters}


def _alternatives(schema: Json) -> Iterator[Json]:
    """What a place may hold, one type each."""
    choices: list[Json] = schema.get("anyOf") or schema.get("oneOf") or [schema]
    for choice in choices:
        kinds = choice.get("type")
        yield from [{**choice, "type": kind} for kind in kinds] if isinstance(kinds, list) else [choice]


def _resolved(document: Json, value: Json) -> Json:
    """What stands at the reference, if it is one."""
    if "$ref" in value:
        _, _, kind, name = value["$ref"].split("/")
        value = document["components"][kind][name]
    return value


def _name(schema: Json) -> str:
    return str(schema.get("$ref", schema.get("type", "anything"))).removeprefix("#/components/schemas/")


def _places(where: str, old: list[Json], new: list[Json]) -> Iterator[str]:
    """Generated code calls types without a name of their own after their place among the alternatives, null aside."""
    before, after = ([_name(one) for one in some if _name(one) != "null"] for some in (old, new))
    for place, name in enumerate(before if len(before) > 1 else []):
        if name in _PLAIN and name in after and after[place : place + 1] != [name]:
            yield f"{where} has {name} at another place among its alternatives"


def _facts(where: str, old: Json, new: Json, asked: bool) -> Iterator[str]:
    narrow, wide = (new, old) if asked else (old, new)
    then = "now" if asked else "no longer"
    for keys, sign in _BOUNDS.items():
        if _bound(narrow, keys, sign) > _bound(wide, keys, sign):
            yield f"{where} is {then} limited by {', '.join(f'{key} {narrow[key]}' for key in keys if key in narrow)}"
    for key in _ONLY_EQUAL:
        if key in narrow and narrow[key] != wide.get(key):
            yield f"{where} has {then} the {key} {narrow[key]}"
    yield from _mapping(where, old.get("discriminator", {}), new.get("discriminator", {}))
    for key in _NOT_UNDERSTOOD:
        if old.get(key) != new.get(key):
            yield f"{where} has another {key}, which is not understood"
    for value in [value for value in old.get("x-extensible-enum", []) if value not in new.get("x-extensible-enum", [])]:
        yield f"{where} no longer knows {value!r}"
    if "pattern" in narrow and ("pattern" not in wide or (asked and _words(wide) - _words(narrow))):
        yield f"{where} has {then} the pattern {narrow['pattern']}"
    for key in _MORE_IS_NARROWER if asked else ():
        for fact in [fact for fact in narrow.get(key, []) if fact not in wide.get(key, [])]:
            yield f"{where} has now {fact} in {key}"


def _bound(schema: Json, keys: tuple[str, ...], sign: int) -> tuple[float, bool]:
    """How tight it is; of two equal ones the exclusive one, which comes last, is the tighter."""
    return max(((sign * schema[key], key != keys[0]) for key in keys if key in schema), default=(-float("inf"), False))


def _words(schema: Json) -> set[str]:
    """The units that a pattern lists; one that lists more is no narrower."""
    return set(re.findall(r"(?<![\\\w])[^\W\d_]+", schema["pattern"]))  # but for escapes such as \s


def _values(where: str, old: Json, new: Json, asked: bool) -> Iterator[str]:
    """Compare values that are listed, and what generated code calls them."""
    before, after = _names(old), _names(new)
    if after and before:
        for value in [value for value, name in before.items() if after.get(value) != name]:
            yield f"{where} no longer knows {value!r}, or calls it something else"
    if asked and after and not before:
        yield f"{where} may no longer be anything but {', '.join(after)}"
    if not asked:
        yield from _new_values(where, old, new)


def _new_values(where: str, old: Json, new: Json) -> Iterator[str]:
    before, after = _names(old), _names(new)
    for value in [value for value in after or ["anything"] if value not in before] if before else []:
        yield f"{where} may now be {value!r}"


def _mapping(where: str, old: Json, new: Json) -> Iterator[str]:
    """Compare what tells alternatives apart."""
    if old and old["propertyName"] != new.get("propertyName"):
        yield f"{where} is no longer told apart by {old['propertyName']}"
    for value in [value for value, name in old.get("mapping", {}).items() if new.get("mapping", {}).get(value) != name]:
        yield f"{where} is another thing, or none, where it says {value}"


def _names(schema: Json) -> dict[Any, str]:
    """The values that are listed, with what generated code calls them."""
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    names = schema.get("x-enum-varnames", [])
    return dict(zip(values, [*names, *map(str, values[len(names) :])], strict=False))  # what has none is its own
