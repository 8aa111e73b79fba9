"""Hardware, models, data sets, systems and constants, each figure with its unit and each entry with its source."""

from mlsysim.catalog.loader import Catalog, catalog
from mlsysim.catalog.types import (
    KINDS,
    AnyDataset,
    AnyFleet,
    AnyHardware,
    AnyPod,
    AnyRecovery,
    AnyWorkload,
    Dataset,
    Entry,
    FigureReference,
    Fleet,
    Hardware,
    Pod,
    Recovery,
    Source,
    Workload,
)

__all__ = [
    "KINDS",
    "AnyDataset",
    "AnyFleet",
    "AnyHardware",
    "AnyPod",
    "AnyRecovery",
    "AnyWorkload",
    "Catalog",
    "Dataset",
    "Entry",
    "FigureReference",
    "Fleet",
    "Hardware",
    "Pod",
    "Recovery",
    "Source",
    "Workload",
    "catalog",
]
