"""Loads the YAML files of the catalog, each kind when it is first asked for, and refuses what breaks the rules."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterator, Mapping
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml
from pydantic import ValidationError

from mlsysim.catalog.types import KINDS, Entry, FigureReference, printed
from mlsysim.errors import CatalogError, UnknownName, input_errors
from mlsysim.fields import refuse
from mlsysim.units import Dimension

_INSTALLED = Path(__file__).parent / "data"
DIRECTORY = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[2] / "catalog"


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML as data only, with duplicate keys refused."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep)
        if len(mapping) < len(node.value):
            keys = [key.value for key, _ in node.value]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise yaml.MarkedYAMLError(problem=f"{twice} stands twice", problem_mark=node.start_mark)
        return mapping


def read_yaml(path: Path) -> Iterator[tuple[Path, str, Any]]:
    """Each key and value of a YAML file, ``<path>.yaml``, or of every one in the folder `path`, with its file."""
    files = sorted(path.rglob("*.yaml")) if path.is_dir() else [path.with_suffix(".yaml")]
    for file in files:
        try:
            content = yaml.load(file.read_bytes(), _Loader)
        except yaml.MarkedYAMLError as error:
            line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
            raise CatalogError(f"{file.name}: {line}{error.problem}") from None
        except (OSError, yaml.YAMLError) as error:
            raise CatalogError(f"{file.name}: {error}") from None
        if not isinstance(content, dict):
            raise CatalogError(f"{file.name}: must map keys to entries")
        for key, value in content.items():
            yield file, str(key), value


class Catalog:
    """The entries of one catalog directory, by kind and key."""

    def __init__(self, directory: Path = DIRECTORY) -> None:
        self.directory = directory
        self._entries: dict[str, Mapping[str, Entry]] = {}
        self._raw: dict[str, dict[str, Any]] = {}

    @cached_property
    def version(self) -> str:
        """A name for exactly this content: the same files have the same version, and any change gives another."""
        digest = blake2b(digest_size=8)
        for path in sorted(self.directory.rglob("*.yaml")):
            digest.update(path.relative_to(self.directory).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
        return digest.hexdigest()

    def entries(self, kind: str) -> Mapping[str, Entry]:
        """Every entry of a kind by its key, loaded and checked on first use.

        Raises:
            UnknownName: there is no such kind.
            CatalogError: a file of the kind breaks the catalog's rules.
        """
        if kind not in KINDS:
            raise UnknownName("kind of catalog entry", kind, KINDS)
        if kind not in self._entries:
            self._entries[kind] = MappingProxyType(self._load(kind))
        return self._entries[kind]

    def entry(self, kind: str, key: str) -> Entry:
        """One entry.

        Raises:
            UnknownName: there is no such kind, or no entry of that key in it.
        """
        entries = self.entries(kind)
        if key not in entries:
            raise UnknownName(f"entry of {kind} in the catalog named", key, entries)
        return entries[key]

    def document(self, kind: str, key: str) -> dict[str, Any]:
        """One entry as JSON: its figures in the units its source prints, and what is derived from them."""
        entry = self.entry(kind, key)
        document = {"key": key, **printed(type(entry), copy.deepcopy(self._raw[kind][key]))}
        for link in ("host_link", "peer_link"):
            if link in document:
                document[link] = {**document[link], **_per_direction(document[link])}
        return document

    def constant(self, key: Any, dimension: Dimension) -> float:
        """The value of a constant in base units; an error for a validator if it is unknown or of another dimension."""
        if not isinstance(key, str):
            raise refuse("has a ref that is no text; it is the key of a catalog constant")
        try:
            value, its_dimension = self.entry("constants", key).value  # type: ignore[attr-defined]
        except UnknownName as error:
            raise refuse(f"names no constant of the catalog: {error}") from None
        if its_dimension is not dimension:
            raise refuse(f"names {key}, which is {its_dimension}, where {dimension} is expected")
        return value  # type: ignore[no-any-return]

    def figure(self, reference: FigureReference) -> Any:
        """One figure of an entry: a number, or a quantity as value and unit as its source prints it.

        Raises:
            UnknownName: there is no such kind, or no entry of that key in it.
            CatalogError: the entry states no such figure.
        """
        value: Any = self.document(reference.kind, reference.key)
        for part in reference.figure.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, (int, float)) or (isinstance(value, dict) and value.keys() == {"value", "unit"}):
            return value
        raise CatalogError(f"{reference.key} of {reference.kind} states no figure {reference.figure}")

    def check(self) -> dict[str, int]:
        """Load everything and count the entries by kind.

        Raises:
            CatalogError: a file breaks the catalog's rules.
        """
        return {kind: len(self.entries(kind)) for kind in KINDS}

    def _load(self, kind: str) -> dict[str, Entry]:
        entries: dict[str, Entry] = {}
        raw: dict[str, Any] = {}
        for file, key, value in read_yaml(self.directory / kind):
            where = f"{file.name}: {key}"
            if key in entries:
                raise CatalogError(f"{where} stands twice")
            entries[key] = self._checked(kind, key, value, where)
            raw[key] = value
        self._raw[kind] = raw
        return entries

    def _checked(self, kind: str, key: str, value: Any, where: str) -> Entry:
        model = KINDS[kind]
        if isinstance(value, dict) and "key" in value:
            raise CatalogError(f"{where} states a key; it is the one it stands under")
        try:
            entry = model.model_validate({"key": key, **value}, context={"catalog": self})
        except ValidationError as error:
            reasons = "; ".join(found.message for found in input_errors(error))
            raise CatalogError(f"{where}: {reasons}") from None
        except TypeError:
            raise CatalogError(f"{where} must be a mapping") from None
        for path in ("name", "description", "source", "source.grade", *model.essential):
            if _at(entry, path) is None:
                raise CatalogError(f"{where} states no {path}")
        for path, source in (entry.figure_sources or {}).items():
            if _at(entry, path) is None or source.grade is None:
                raise CatalogError(
                    f"{where} gives {path} a source, which must state a grade, and is of a stated figure"
                )
        for link in ("host_link", "peer_link"):
            if isinstance(value.get(link), dict) and "direction" not in value[link]:
                raise CatalogError(f"{where} states no direction of its {link}: per_direction or bidirectional_total")
        entry._given = key
        return entry


def _at(value: Any, path: str) -> Any:
    for part in path.split("."):
        value = getattr(value, part, None)
    return value


def _per_direction(link: dict[str, Any]) -> dict[str, Any]:
    quoted = link["bandwidth"]
    both = link.get("direction") == "bidirectional_total"
    return {"bandwidth_per_direction": {**quoted, "value": quoted["value"] / 2 if both else quoted["value"]}}


def merge_patch(target: Any, patch: Any, follow_references: bool = False) -> Any:
    """JSON Merge Patch (RFC 7396) of one value onto another; neither is changed.

    A quantity is one value and not an object to merge: ``{"ref": …}`` replaces ``{"value": …, "unit": …}`` whole, and
    the other way round. So is a catalog entry with changes where a key stood; a null in it takes a figure away.
    Within an entry, figures and sources are replaced whole: a number there has the unit that is written beside it.

    Args:
        target: the value as it stands.
        patch: what changes; null removes a member.
        follow_references: read a text that an object is merged into as the key of a catalog entry to change.
    """
    if not isinstance(patch, dict):
        return patch
    if follow_references and isinstance(target, dict) and (target.keys() == {"value", "unit"} or "grade" in target):
        return patch
    if follow_references and isinstance(target, str) and "ref" not in patch:
        return {"ref": target, **patch}
    if "ref" in patch and not isinstance(target, dict):
        return patch
    if not isinstance(target, dict) or (
        "value" in target.keys() ^ patch.keys() and "ref" in target.keys() ^ patch.keys()
    ):
        target = {}
    merged = {name: value for name, value in target.items() if name not in patch or patch[name] is not None}
    for name, change in patch.items():
        if change is not None:
            merged[name] = merge_patch(merged.get(name), change, follow_references)
    return merged


@cache
def catalog() -> Catalog:
    """The catalog that comes with this package."""
    return Catalog()
