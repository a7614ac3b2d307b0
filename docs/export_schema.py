"""Write the JSON Schema of every public record to `docs/records.schema.json`."""

from __future__ import annotations

import json
from pathlib import Path

from scopebench.records import json_schema

SCHEMA_FILE = Path(__file__).with_name("records.schema.json")


def render() -> str:
    """Return the schema file's text."""
    return json.dumps(json_schema(), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(render(), encoding="utf-8")
