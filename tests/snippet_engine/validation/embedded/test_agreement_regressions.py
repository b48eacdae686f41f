"""Disagreements with Roslyn that were found and mended, each with Roslyn's verdict."""

import json
from pathlib import Path
from typing import Any

import pytest
from validating import new_errors

FIXTURES = Path(__file__).parents[3] / "fixtures" / "agreement" / "regressions.json"
EXAMPLES: list[dict[str, Any]] = json.loads(FIXTURES.read_text(encoding="utf-8"))
"""``check``, ``before``, ``after``, and what Roslyn (C# 9) said of it: ``roslyn``, ``errors``."""


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["check"])
def test_the_verdict_is_roslyns(example: dict[str, Any]) -> None:
    found = new_errors(example["before"], example["after"])
    if example["roslyn"] == "broken":
        assert found, example["after"]
    elif example["roslyn"] == "valid":
        assert not found, (example["after"], found)
