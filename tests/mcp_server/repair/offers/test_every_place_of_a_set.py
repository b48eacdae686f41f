"""``replace_all`` in a change set: all places are offered, as they were asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolErrorCode, tool_error
from mcp_server.repair.call import read_call
from mcp_server.repair.offers.refusal import Refusal
from mcp_server.repair.offers.second_try import probe, with_offers_of
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import SnippetError

SET = CATALOG["edit_scripts"]
TWICE = (
    "class {}\n{{\n    void M()\n    {{\n        Stop();\n        Go();\n        Stop();\n"
    "    }}\n}}\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("Assets", "Packages", "ProjectSettings"):
        (tmp_path / folder).mkdir()
    for name in "AB":
        (tmp_path / f"Assets/{name}.cs").write_text(TWICE.format(name))
    return tmp_path


def engine(root: Path) -> SnippetEngine:
    opened = SnippetEngine.open(root)
    assert not isinstance(opened, SnippetError)
    return opened


def change(name: str, *edits: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"path": f"Assets/{name}.cs", "edits": list(edits), **more}


def refused(root: Path, *changes: dict[str, Any], mode: str = "apply") -> Refusal:
    """What is offered, once the first offer was tried."""
    found = read_call(SET, {"mode": mode, "changes": list(changes)}, root)
    assert isinstance(found, Refusal), found
    params = probe(SET, found.offers[0])
    assert params is not None
    error = engine(root).edit_scripts(params)
    assert isinstance(error, SnippetError), error
    outcome = tool_error(ToolErrorCode.SNIPPET, error.message, details=error.to_json())
    return with_offers_of(SET, found, outcome)


def done(root: Path, refusal: Refusal) -> str:
    """The scripts after the one offer."""
    (offer,) = refusal.offers
    assert "\noffer 1 (" in refusal.to_error().text
    outcome = engine(root).edit_scripts(dict(offer.arguments))
    assert not isinstance(outcome, SnippetError), outcome
    return "".join((root / f"Assets/{name}.cs").read_text() for name in "AB")


PLAIN = {"old_string": "Stop", "new_string": "Halt"}
EVERYWHERE = {**PLAIN, "replace_all": True}


@pytest.mark.parametrize(
    ("changes", "what", "left"),
    [
        ([change("A", EVERYWHERE)], "replace_all true as metadata; all 2 places", 2),
        ([change("A", PLAIN, replace_all=True)], "all 2 places", 2),
        (
            [change("A", EVERYWHERE), change("B", EVERYWHERE)],
            "file 0: all 2 places; file 1: all 2 places",
            0,
        ),
    ],
    ids=["one file", "asked beside the edits", "several files"],
)
def test_all_places_are_the_offer_where_all_were_asked_for(
    root: Path, changes: list[dict[str, Any]], what: str, left: int
) -> None:
    refusal = refused(root, *changes)
    assert what in refusal.offers[0].what
    assert refusal.offers[0].basis
    text = done(root, refusal)
    assert (text.count("Halt"), text.count("Stop")) == (4 - left, left)
    assert refusal.offers[0].arguments["mode"] == "apply"


def test_it_is_in_the_mode_that_was_sent(root: Path) -> None:
    (offer,) = refused(root, change("A", EVERYWHERE), mode="preview").offers
    assert offer.arguments["mode"] == "preview"


def test_of_an_anchor_that_was_not_to_be_everywhere_nothing_is_swept(root: Path) -> None:
    refusal = refused(root, change("A", EVERYWHERE), change("B", PLAIN))
    assert "\noffer 1 (" not in refusal.to_error().text


def test_where_places_in_comments_are_left_out_it_stays_a_choice(root: Path) -> None:
    (root / "Assets/A.cs").write_text(TWICE.format("A").replace("Go();", "Go(); // Stop"))
    refusal = refused(root, change("A", EVERYWHERE))
    assert "\nchoice 1 (" in refusal.to_error().text
