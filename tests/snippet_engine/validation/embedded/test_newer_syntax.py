"""Syntax that is newer than the project's C# is refused, unless the file uses it already."""

import json
from pathlib import Path
from typing import Any

import pytest
from validating import new_errors, verdict_on

from snippet_engine.csharp.lexical.language_version import LanguageVersion
from snippet_engine.validation.embedded.checks.newer_syntax import FEATURES

FIXTURES = Path(__file__).parents[3] / "fixtures" / "agreement" / "newer_syntax.json"
EXAMPLES: list[dict[str, Any]] = json.loads(FIXTURES.read_text(encoding="utf-8"))
"""``check``, ``before``, ``after``, and what Roslyn (C# 9) said of it: ``roslyn``, ``errors``."""

_SINCE = {check.name: check.until for check in FEATURES}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["check"])
def test_the_verdict_is_roslyns(example: dict[str, Any]) -> None:
    found = new_errors(example["before"], example["after"])
    if "CS8773" in example["errors"]:
        assert [each.id for each in found][:1] == ["CS8773"], example["after"]
    elif example["roslyn"] == "valid":
        assert not found, (example["after"], found)


@pytest.mark.parametrize(
    "example",
    [example for example in EXAMPLES if "CS8773" in example["errors"]],
    ids=lambda example: example["check"],
)
def test_a_newer_project_takes_it(example: dict[str, Any]) -> None:
    since = _SINCE[example["check"]]
    before, after = example["before"], example["after"]
    assert not new_errors(before, after, LanguageVersion.newest())
    older = new_errors(before, after, LanguageVersion(since - 1))
    assert [each.id for each in older][:1] == ["CS8773"]


@pytest.mark.parametrize("name", sorted(_SINCE))
def test_every_feature_has_an_example(name: str) -> None:
    assert any(example["check"] == name for example in EXAMPLES)


def test_a_file_that_uses_it_already_is_not_refused_for_it() -> None:
    before = "namespace N;\n\nclass C\n{\n    int[] a = [1];\n\n    int[] b = { 2 };\n}\n"
    verdict = verdict_on(before, before.replace("{ 2 }", "[2]"))
    assert not verdict.diagnostics
    assert any("collection expressions" in note for note in verdict.not_checked)


def test_the_message_names_the_feature_and_both_versions() -> None:
    (found,) = new_errors("class C\n{\n}\n", "class C\n{\n    record struct R(int X);\n}\n")
    assert found.message == "record structs: needs C# 10.0, but this project compiles C# 9.0"
