"""What a catalog entry of each kind holds. Every figure has a unit or is a count; every entry states its source.

An entry given in place of a catalog key, in the inputs of a scenario, needs only the figures that scenario uses; so no
figure is required here. The ones typed without None are those a scenario asks for with `Needs`, which refuses an entry
that lacks them before the scenario computes anything.
"""

from functools import cache
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PrivateAttr,
    ValidationInfo,
    model_validator,
)
from pydantic_core import CoreSchema, core_schema

from mlsysim.errors import UnitError, UnknownName, closest, did_you_mean
from mlsysim.fields import (
    AtLeastOne,
    Data,
    DataRate,
    Energy,
    FieldType,
    Frequency,
    Integer,
    NonNegative,
    OperationRate,
    Operations,
    Positive,
    Power,
    QuantityType,
    RateType,
    Real,
    Text,
    Time,
    Writer,
    counts_integers,
    refuse,
    shape_of,
)
from mlsysim.units import Dimension, in_si
from mlsysim.units import unit as unit_of
from mlsysim.units.vocabulary import split

Grade = Literal["datasheet", "literature", "report", "measured", "derived", "estimate", "convention", "assumption"]
ModelKind = Literal["transformer", "moe_transformer", "ssm", "cnn", "dense", "diffusion"]


def figure(description: str, unit: str | None = None, **more: Any) -> Any:
    """A field an entry may leave out, with the unit it is shown in where it was changed or given by a client."""
    return Field(default=None, description=description, json_schema_extra={"x-unit": unit} if unit else None, **more)


class Figures(BaseModel):
    """A group of figures."""

    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True, defer_build=True)

    def to_json(self, si: bool = False) -> Any:
        """The stated figures in their JSON form, in display units or in base units."""
        return {
            alias: write(value)
            for name, alias, write in _writers(type(self), si)
            if (value := getattr(self, name)) is not None
        }


@cache
def _writers(model: type[BaseModel], si: bool) -> list[tuple[str, str, Writer]]:
    return [
        (name, info.alias or name, shape_of(info).writer(display_unit(info), si))
        for name, info in model.model_fields.items()
    ]


def display_unit(info: Any) -> str | None:
    """The unit a field is shown in."""
    extra = info.json_schema_extra
    return extra.get("x-unit") if isinstance(extra, dict) else None


class Source(BaseModel):
    """Where figures come from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(min_length=1, description="the publication, datasheet or convention")
    url: str | None = Field(default=None, pattern=r"^https?://", description="link to it")
    grade: Grade | None = Field(default=None, description="how firm the figures are")

    def to_json(self, si: bool = False) -> dict[str, Any]:
        """The source without what it does not state."""
        return self.model_dump(exclude_none=True)


class FigureReference(NamedTuple):
    """Where one figure of the catalog stands: ``hardware.H100.memory.bandwidth``.

    Attributes:
        kind, key: the entry.
        figure: path of the figure within it.
    """

    kind: str
    key: str
    figure: str

    @property
    def link(self) -> str:
        """Path of the entry in the interface."""
        return f"/catalog/{self.kind}/{self.key}"


class Entry(Figures):
    """What every catalog entry has."""

    kind_of_entry: ClassVar[str]
    essential: ClassVar[tuple[str, ...]] = ()
    usual_sources: ClassVar[dict[str, Source]] = {}  # of figures that the source of an entry never gives

    key: Text | None = Field(default=None, description="key in the catalog, where it is an entry of it")
    name: Text | None = Field(default=None, description="name for people")
    description: str | None = Field(default=None, max_length=1000, description="what it is")
    source: Source | None = Field(default=None, description="where the figures come from")
    figure_sources: dict[Text, Source] | None = Field(
        default=None, description="where single figures come from that the source does not give, by path"
    )

    _given: str | dict[str, Any] | None = PrivateAttr(default=None)
    _written: dict[str, Any] = PrivateAttr(default_factory=dict)

    def to_json(self, si: bool = False) -> Any:
        """The entry as an input states it: its key, its key with changes, or the whole object.

        Quantities are in the unit that a client wrote them in, or in base units.
        """
        if isinstance(self._given, str):
            return self._given
        document = _rewritten(super().to_json(si), self.written(), si)
        return document if self._given is None else {**_only(self._given, document), "ref": self._given["ref"]}

    @property
    def reference(self) -> str | None:
        """The catalog key it was named by, with or without changes; None for an object of one's own."""
        return self._given["ref"] if isinstance(self._given, dict) else self._given

    @property
    def unchanged(self) -> bool:
        """Whether it is an entry of the catalog as it stands there."""
        return isinstance(self._given, str)

    def states(self, path: tuple[str, ...]) -> bool:
        """Whether whoever named the entry stated this figure themselves."""
        stated: Any = self._given
        if stated is None:
            return True
        for part in path:
            if not isinstance(stated, dict) or part not in stated:
                return False
            stated = stated[part]
        return True

    def source_of(self, path: tuple[str, ...]) -> Source | None:
        """Where a figure comes from."""
        name = ".".join(path)
        return (self.figure_sources or {}).get(name) or self.usual_sources.get(name) or self.source

    def as_written(self, *path: str) -> Any:
        """A figure in the unit it was written in, by whoever stated it or in the catalog; None if it is not stated."""
        key = self.reference
        found = self.written() if key is None or self.states(path) else _printed_entry(self.kind_of_entry, key)
        for part in path:
            found = found.get(part) if isinstance(found, dict) else None  # type: ignore[assignment]
        return found

    def written(self) -> dict[str, Any]:
        """The figures that a client stated, each quantity as value and unit in the unit it was stated in."""
        return printed(type(self), self._written)

    def figures(self, si: bool = False) -> dict[str, Any]:
        """All stated figures in their JSON form, whether or not a key stands for them."""
        return super().to_json(si)  # type: ignore[no-any-return]

    @property
    def label(self) -> str:
        """What a message calls it."""
        return self.name or f"the {type(self).__name__.lower()}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._given!r})" if self._given is not None else super().__repr__()


@cache
def _printed_entry(kind: str, key: str) -> dict[str, Any]:
    """An entry of the catalog as its source prints it, to be read and not changed."""
    from mlsysim.catalog.loader import catalog

    return catalog().document(kind, key)


def _rewritten(document: dict[str, Any], written: dict[str, Any], si: bool) -> dict[str, Any]:
    """The document with quantities as they were written; in base units, at least with OP/s for FLOP/s where it was."""
    found = dict(document)
    for name in document.keys() & written.keys():
        shown, stated = document[name], written[name]
        if not isinstance(shown, dict) or not isinstance(stated, dict):
            continue
        if shown.keys() != {"value", "unit"}:
            found[name] = _rewritten(shown, stated, si)
        elif stated.keys() == shown.keys() and not si:
            found[name] = stated
        elif counts_integers(stated):
            found[name] = {**shown, "unit": shown["unit"].replace("FLOP", "OP")}
    return found


def _only(wanted: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """The part of `document` that `wanted` names; null for what it takes away."""
    part: dict[str, Any] = {}
    for name, change in wanted.items():
        value = document.get(name)
        nested = isinstance(value, dict) and isinstance(change, dict) and "unit" not in value
        part[name] = _only(change, value) if nested and value is not None else value
    return part


class Compute(Figures):
    """Arithmetic peaks of a device. Dense and sparse rates are never mixed; formulas see the dense ones."""

    peak: Positive[OperationRate] = figure(
        "dense FP16/BF16 reference peak; the quoted operation rate of a device without such units", "TFLOP/s"
    )
    rates: dict[str, Positive[OperationRate]] = Field(
        default_factory=dict, description="dense peak by number format", json_schema_extra={"x-unit": "TFLOP/s"}
    )
    sparse_rates: dict[str, Positive[OperationRate]] = Field(
        default_factory=dict,
        description="the vendor's peak with structured sparsity, by number format",
        json_schema_extra={"x-unit": "TFLOP/s"},
    )
    sm_count: AtLeastOne[Integer] | None = figure("streaming multiprocessors")
    systolic_array_dim: AtLeastOne[Integer] | None = figure("cells along one side of the systolic array")


class Memory(Figures):
    """Memories of a device, from main memory to flash."""

    capacity: Positive[Data] = figure("main memory as installed", "GiB")
    bandwidth: Positive[DataRate] = figure("main-memory bandwidth", "GB/s")
    sram_capacity: Positive[Data] | None = figure("on-chip memory", "KiB")
    sram_bandwidth: Positive[DataRate] | None = figure("on-chip memory bandwidth", "GB/s")
    flash_capacity: Positive[Data] | None = figure("flash", "MiB")
    flash_bandwidth: Positive[DataRate] | None = figure("flash read bandwidth", "GB/s")
    l2_cache: Positive[Data] | None = figure("last-level cache", "MiB")


class Link(Figures):
    """A link of a device to its host or to its peers; it states a bandwidth, from which the other one follows."""

    name: Text | None = Field(default=None, description="name of the link")
    bandwidth: Positive[DataRate] = figure("bandwidth as it is quoted, see direction", "GB/s")
    direction: Literal["per_direction", "bidirectional_total"] = Field(
        default="per_direction", description="whether the quoted bandwidth is one direction, or both added up"
    )
    bandwidth_per_direction: Positive[DataRate] = figure(
        "bandwidth of one direction, which is what formulas see; derived from the quoted one", "GB/s"
    )

    @model_validator(mode="after")
    def _derive(self) -> Self:
        if self.bandwidth is None:
            if self.bandwidth_per_direction is None:
                raise refuse("states no bandwidth")
            return self
        one_way = self.bandwidth / (2 if self.direction == "bidirectional_total" else 1)
        if self.bandwidth_per_direction not in (None, one_way):
            raise refuse("has a bandwidth_per_direction that does not follow from bandwidth and direction")
        object.__setattr__(self, "bandwidth_per_direction", one_way)
        return self


class Partition(Figures):
    """A hardware partition of a device, such as a MIG instance."""

    name: Text
    memory: Positive[Data] = figure("memory of the partition", "GiB")
    sm_count: AtLeastOne[Integer] = figure("streaming multiprocessors of the partition")


class Hardware(Entry):
    """An accelerator, a processor or a device built around one."""

    kind_of_entry = "hardware"
    essential = ("device_class", "compute.peak", "memory.capacity", "memory.bandwidth")
    usual_sources: ClassVar[dict[str, Source]] = {
        "dispatch_overhead": Source(
            title="order of magnitude of the software's time to start one pass, which no datasheet states",
            grade="estimate",
        )
    }

    vendor: Text | None = Field(default=None, description="who makes it")
    device_class: Literal["datacenter", "workstation", "edge", "mobile", "tiny"] | None = Field(
        default=None, alias="class", description="where it runs"
    )
    release_year: Integer | None = figure("year of release")
    compute: Compute = Field(default_factory=Compute, description="arithmetic peaks")
    memory: Memory = Field(default_factory=Memory, description="memories")
    host_link: Link | None = Field(default=None, description="link to the host")
    peer_link: Link | None = Field(default=None, description="link to other devices")
    tdp: Positive[Power] | None = figure("rated power", "W")
    tdp_min: NonNegative[Power] | None = figure("lower end of the power range", "W")
    tdp_max: Positive[Power] | None = figure("upper end of the power range", "W")
    battery_capacity: Positive[Energy] | None = figure("energy of the battery", "Wh")
    dispatch_overhead: NonNegative[Time] = Field(
        default="10 us",
        validate_default=True,
        description="software time to start one pass; 10 us where the entry states none",
        json_schema_extra={"x-unit": "us"},
    )
    partitions: list[Partition] | None = Field(default=None, description="hardware partitions offered")


class Workload(Entry):
    """A model: its size, shape and work."""

    kind_of_entry = "models"
    essential = ("kind", "family", "parameters")

    kind: ModelKind | None = Field(default=None, description="architecture")
    family: Text | None = Field(default=None, description="what it is used for")
    release_year: Integer | None = figure("year of publication")
    parameters: Positive[Real] = figure("parameters, all of them")
    active_parameters: Positive[Real] | None = figure("parameters used per token, of a mixture of experts")
    inference_flops: Positive[Operations] = figure(
        "one forward pass of one sample (one token of a decoder), 2 FLOP per multiply-add", "GFLOP"
    )
    training_flops: Positive[Operations] = figure("operations of the whole training run", "FLOP")
    training_tokens: Positive[Real] | None = figure("tokens of the whole training run")
    layers: NonNegative[Integer] | None = figure("layers")
    hidden_dim: AtLeastOne[Integer] | None = figure("width of the residual stream")
    heads: AtLeastOne[Integer] | None = figure("query heads")
    kv_heads: AtLeastOne[Integer] | None = figure("key-value heads, where fewer than query heads")
    head_dim: AtLeastOne[Integer] | None = figure("width of a head, where it is not hidden_dim / heads")
    context_length: AtLeastOne[Integer] | None = figure("longest context in tokens")
    vocab_size: AtLeastOne[Integer] | None = figure("tokens of the vocabulary")
    kv_lora_rank: AtLeastOne[Integer] | None = figure("width of the compressed key-value latent")
    qk_rope_head_dim: AtLeastOne[Integer] | None = figure("width of the rotary key kept beside the latent")
    experts: AtLeastOne[Integer] | None = figure("experts per layer")
    active_experts_per_token: AtLeastOne[Integer] | None = figure("experts a token is routed to")
    state_size: AtLeastOne[Integer] | None = figure("state per channel of a state-space model")
    denoising_steps: AtLeastOne[Integer] | None = figure("steps of one generated image")


class Dataset(Entry):
    """A data set: how many examples of what size."""

    kind_of_entry = "datasets"

    training_examples: AtLeastOne[Integer] | None = figure("examples of the training split")
    full_examples: AtLeastOne[Integer] | None = figure("examples of the whole collection")
    validation_examples: NonNegative[Integer] = figure("examples of the validation split")
    test_examples: NonNegative[Integer] | None = figure("examples of the test split")
    num_classes: AtLeastOne[Integer] | None = figure("classes")
    image_width: AtLeastOne[Integer] = figure("columns of an image")
    image_height: AtLeastOne[Integer] = figure("rows of an image")
    image_channels: AtLeastOne[Integer] = figure("channels of an image")
    dense_features: NonNegative[Integer] | None = figure("numeric features of an example")
    categorical_features: NonNegative[Integer] | None = figure("categorical features of an example")
    languages: AtLeastOne[Integer] | None = figure("languages")
    keywords: AtLeastOne[Integer] | None = figure("keywords")
    sample_duration: Positive[Time] | None = figure("length of a sound sample", "s")
    sample_rate: Positive[Frequency] | None = figure("sound samples per second", "Hz")
    sample_width: Positive[Data] | None = figure("size of one sound sample value", "B")
    training_archive_size: Positive[Data] | None = figure("size of the training archive", "GiB")


class FromCatalog:
    """Accepts, where an entry is expected, its catalog key, an object of one's own, or a key with changes."""

    def __init__(self, entry: type[Entry]) -> None:
        self.entry = entry

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_wrap_validator_function(self._read, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        handler(schema)
        return {"x-component": f"Any{self.entry.__name__}"}

    def _read(self, given: Any, handler: Any, info: ValidationInfo) -> Any:
        from mlsysim.catalog.loader import catalog, merge_patch

        known = (info.context or {}).get("catalog") or catalog()
        try:
            if isinstance(given, str):
                return known.entry(self.entry.kind_of_entry, given)
            if not isinstance(given, (dict, Entry)):
                raise refuse(f"must be the key of an entry of {self.entry.kind_of_entry}, or an object")
            if not isinstance(given, dict):
                return handler(given)
            changes = {name: value for name, value in given.items() if name != "ref"}
            _refuse_unknown_nulls(self.entry, changes)
            if "ref" not in given:
                own = handler(merge_patch({}, changes, follow_references=True))
                own._written = given
                return own
            key = given["ref"]
            if not isinstance(key, str):
                raise refuse("has a ref that is no text; it is the key of a catalog entry")
            base = known.entry(self.entry.kind_of_entry, key)
        except UnknownName as error:
            raise refuse(f"names no entry of the catalog: {error}") from None
        if not changes:
            return base
        document = known.document(self.entry.kind_of_entry, key)
        document.pop("key")
        if "source" in changes:
            document.pop("source")  # one's own stands alone, or its title could end up over another's link
        _derived_anew(document)
        changed = handler(merge_patch(document, changes, follow_references=True))
        changed._given = changed._written = given
        return changed


def _refuse_unknown_nulls(model: type[BaseModel], changes: dict[str, Any]) -> None:
    """Refuse to take away what is no figure of the entry: a typo in its name must not pass in silence."""
    fields = {info.alias or name: shape_of(info) for name, info in model.model_fields.items()}
    for name, change in changes.items():
        if change is None and name not in fields:
            guess = did_you_mean(closest(name, fields))
            raise refuse(f'takes away "{name[:40]}", which is not known here{guess}')
        nested = fields[name].model if name in fields else None
        if isinstance(change, dict) and nested is not None:
            _refuse_unknown_nulls(nested, change)


def _derived_anew(document: dict[str, Any]) -> None:
    """Drop what is derived from other figures, so that a change of these carries over."""
    for link in ("host_link", "peer_link"):
        document.get(link, {}).pop("bandwidth_per_direction", None)


AnyHardware = Annotated[Hardware, FromCatalog(Hardware)]


class Node(Entry):
    """A server with its accelerators."""

    kind_of_entry = "nodes"
    essential = ("accelerator", "accelerators_per_node")

    accelerator: AnyHardware = figure("accelerator in the node")
    accelerators_per_node: AtLeastOne[Integer] = figure("accelerators in one node")
    intra_node_bandwidth: Positive[DataRate] | None = figure("bandwidth between accelerators, one direction", "GB/s")
    nics_per_node: NonNegative[Integer] | None = figure("network interfaces in one node")
    host_cpu_cores: AtLeastOne[Integer] | None = figure("host cores in one node")
    max_power: Positive[Power] | None = figure("largest power draw of one node", "kW")


class Fabric(Entry):
    """A network between nodes."""

    kind_of_entry = "fabrics"
    essential = ("bandwidth",)

    bandwidth: Positive[DataRate] = figure("bandwidth of one port, one direction", "Gbit/s")
    latency: NonNegative[Time] | None = figure("latency of one message", "us")
    oversubscription_ratio: AtLeastOne[Real] | None = figure("bandwidth into the fabric over bandwidth across it")


AnyNode = Annotated[Node, FromCatalog(Node)]
AnyFabric = Annotated[Fabric, FromCatalog(Fabric)]


class Fleet(Entry):
    """A cluster of identical nodes on one fabric."""

    kind_of_entry = "fleets"
    essential = ("node", "count", "fabric")

    node: AnyNode = figure("node the fleet is built of")
    count: AtLeastOne[Integer] = figure("nodes")
    fabric: AnyFabric | None = figure("network between the nodes")


class Pod(Entry):
    """A unit of accelerator chips sold as a whole."""

    kind_of_entry = "pods"
    essential = ("chips",)

    chips: AtLeastOne[Integer] = figure("chips in the pod")
    memory: Positive[Data] | None = figure("memory of all chips together", "TiB")


class Recovery(Entry):
    """How a platform brings a stopped job back."""

    kind_of_entry = "recovery"
    essential = ("restart_time", "warmup_time", "checkpoint_bandwidth")

    detection_time: NonNegative[Time] | None = figure("time to notice a failure", "s")
    restart_time: NonNegative[Time] = figure("time to get processes running again", "s")
    warmup_time: NonNegative[Time] = figure("time until full speed", "s")
    checkpoint_bandwidth: Positive[DataRate] = figure("bandwidth of reading a checkpoint back", "GB/s")


class ConstantValue(FieldType):
    """A quantity of any dimension, held as its value in base units and its dimension."""

    name = "quantity"

    def read(self, given: Any) -> tuple[float, Dimension]:
        parts = split(given) if isinstance(given, str) else None
        if parts is None or not parts[1]:
            raise refuse('must be a quantity such as "10 us"')
        try:
            dimension = unit_of(parts[1]).dimension
            return in_si(parts[0], parts[1], dimension), dimension
        except UnitError as error:
            raise refuse(str(error)) from None

    def json_schema(self, mode: str) -> dict[str, Any]:
        return {"x-component": "Quantity"}


class Constant(Entry):
    """A figure that any quantity input may name: ``{"ref": "kernel_launch"}``."""

    kind_of_entry = "constants"
    essential = ("value",)

    value: Annotated[Any, ConstantValue()] = Field(default=None, description="the quantity")


AnyWorkload = Annotated[Workload, FromCatalog(Workload)]
AnyDataset = Annotated[Dataset, FromCatalog(Dataset)]
AnyFleet = Annotated[Fleet, FromCatalog(Fleet)]
AnyPod = Annotated[Pod, FromCatalog(Pod)]
AnyRecovery = Annotated[Recovery, FromCatalog(Recovery)]

KINDS: dict[str, type[Entry]] = {
    entry.kind_of_entry: entry for entry in (Hardware, Workload, Dataset, Node, Fabric, Fleet, Pod, Recovery, Constant)
}


def printed(model: type[BaseModel], raw: dict[str, Any]) -> dict[str, Any]:
    """A raw entry with every quantity as value and unit, in the unit its source prints it in."""
    document = dict(raw)
    for name, info in model.model_fields.items():
        alias = info.alias or name
        if alias in raw:
            document[alias] = _printed(shape_of(info), raw[alias])
    return document


def _printed(shape: Any, raw: Any) -> Any:
    if isinstance(raw, dict) and shape.container == "map":
        return {key: _printed(shape.item, value) for key, value in raw.items()}
    if isinstance(raw, list):
        return [_printed(shape.item, value) for value in raw]
    if isinstance(raw, dict) and shape.model:
        return printed(shape.model, raw)
    if isinstance(raw, str) and isinstance(shape.type, (QuantityType, RateType, ConstantValue)):
        value, unit = split(raw) or (raw, "")
        return {"value": value, "unit": unit}
    return raw
