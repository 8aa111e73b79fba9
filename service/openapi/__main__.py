"""python -m service.openapi           writes openapi/openapi.json
python -m service.openapi --check   fails where that file differs from what the code says
"""

from __future__ import annotations

import json
import sys

from service.app import create_app
from service.openapi import DOCUMENT, build


def main() -> int:
    """Write the document, or compare it with the one that is committed."""
    text = json.dumps(build(create_app()), indent=1, ensure_ascii=False) + "\n"
    if "--check" in sys.argv[1:]:
        if DOCUMENT.exists() and DOCUMENT.read_text() == text:
            return 0
        print("openapi/openapi.json differs from the code; `make openapi` writes it anew", file=sys.stderr)
        return 1
    DOCUMENT.parent.mkdir(exist_ok=True)
    DOCUMENT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
