"""A row of one sign that is as long as it is to become is not made longer."""

from __future__ import annotations

import pytest
from planning import planned
from unity_project import replace

from snippet_engine.edit_plan.plan import Outcome


@pytest.mark.parametrize(
    ("target", "new_text", "outcome"),
    [
        (f"//{'-' * 20}", f"//{'-' * 30}", Outcome.DUPLICATE),
        (f"//{'-' * 20}", f"\n//{'-' * 30}", Outcome.DUPLICATE),
        # Longer or shorter than it is.
        (f"//{'-' * 20}", f"//{'-' * 40}", Outcome.EDIT),
        (f"//{'-' * 20}", f"//{'-' * 25}", Outcome.EDIT),
        # Another sign.
        (f"//{'-' * 20}", f"//{'-' * 20}{'=' * 10}", Outcome.EDIT),
    ],
)
def test_a_row_is_not_made_longer_twice(target: str, new_text: str, outcome: Outcome) -> None:
    text = f"void A();\n\n//{'-' * 30}\nvoid B();\n"
    instruction = replace(target, new_text)
    instruction["anchor"]["in"] = "comment"
    (item,) = planned(text, instruction).instructions
    assert item.outcome is outcome
