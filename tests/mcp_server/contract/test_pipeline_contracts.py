"""``contracts/pipeline/`` and the tests' double, which is held to it, say the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pipeline_editor.dialects import EVERY_DIALECT, Dialect, of_dialect

FOLDER = Path(__file__).parents[3] / "contracts" / "pipeline"
SCHEMAS = {
    **{name: schema for name, (_, schema) in EVERY_DIALECT.items()},
    **{
        f"{dialect}/{name}": schema
        for dialect in Dialect
        for name, (_, schema) in of_dialect(dialect).items()
    },
}


def test_each_message_has_its_file() -> None:
    files = {file.relative_to(FOLDER).with_suffix("").as_posix() for file in FOLDER.rglob("*.json")}
    assert files == SCHEMAS.keys()


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_file_is_the_double_s_schema(name: str) -> None:
    document: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(document)
    own = {key: each for key, each in document.items() if key not in ("$schema", "$id", "title")}
    assert own == json.loads(json.dumps(SCHEMAS[name]))
