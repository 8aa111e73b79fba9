"""``python -m mlsysim.units`` writes the table of remembered units anew from ``definitions.txt``."""

import json

from mlsysim.units.vocabulary import REMEMBERED, remember

if __name__ == "__main__":
    rows = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in remember().items()]
    REMEMBERED.write_text("{\n" + ",\n".join(rows) + "\n}\n")
