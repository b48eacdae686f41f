"""All kinds of changes that break a file which uses the changed one: the rows of ``kinds.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from cross_file_breaks.kind import Kind


def _kind(name: str, row: list[Any]) -> Kind:
    texts = [each for each in row if isinstance(each, str)]
    more = row[-1] if isinstance(row[-1], dict) else {}
    return Kind(name, *texts, **more)


_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
KINDS = tuple(_kind(name, row) for table in _TABLES.values() for name, row in table.items())
