"""Instructions that are meant one after the other, though all mean the text of before."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, delete, insert, replace

from snippet_engine.errors import ErrorCode

TEXT = "class C\n{\n    int max;\n\n    void M(int a)\n    {\n        max = a;\n    }\n}\n"
FIRST = replace("max = a;", "max = Limit(a); Go();")


@pytest.mark.parametrize(
    ("second", "becomes"),
    [
        (replace("Limit(a)", "Limit(a, 7)"), "max = Limit(a, 7); Go();"),
        (delete(" Go();"), "max = Limit(a);"),
        (insert("Limit(a)", " + 1"), "max = Limit(a) + 1; Go();"),
        (insert("Limit(a)", "2 * ", position="before"), "max = 2 * Limit(a); Go();"),
    ],
)
def test_an_edit_of_what_another_writes_is_offered_as_one_with_it(
    project: UnityProject, second: dict[str, Any], becomes: str
) -> None:
    project.write(TEXT)
    error = project.refused(FIRST, second)
    assert (error.code, error.instruction) == (ErrorCode.ANCHOR_NOT_FOUND, 1)
    (offer,) = error.offers
    assert offer.what.startswith("joined with instruction 0, which writes")
    outcome = project.engine.edit_snippet(offer.arguments)
    assert isinstance(outcome, dict), outcome
    assert project.read().decode() == TEXT.replace("max = a;", becomes)


@pytest.mark.parametrize(
    "instructions",
    [
        (replace("Limit(a)", "Limit(a, 7)"), FIRST),  # it comes before
        (replace("max = a;", "Go(b); Go(b);"), replace("Go(b)", "Wait(b)")),  # which one
        (FIRST, insert("Limit(a)", "Stop();", position="line_after")),
    ],
)
def test_what_cannot_be_told_is_not(
    project: UnityProject, instructions: tuple[dict[str, Any], ...]
) -> None:
    project.write(TEXT)
    error = project.refused(*instructions)
    assert all("writes has the target" not in each.what for each in error.offers)
