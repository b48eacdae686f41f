"""What a gate sees of each kind of write, and that only what was shown is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from answered import refusal, success
from script_changes import create, delete_file, edit, move
from unity_project import SCRIPT, UnityProject

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.stores.write_gate import OnlyAsShown, Rehearsal, asking

OLD = "class Player\n{\n    int speed = 1;\n}\n"
NEW = OLD.replace("= 1", "= 2")
REPLACE = {
    "operation": "replace",
    "anchor": {"type": "text", "target": "speed = 1"},
    "newText": "speed = 2",
}
OTHER, GONE, CAME = "Assets/Other.cs", "Assets/Gone.cs", "Assets/Came.cs"

Call = Callable[[], dict[str, Any] | SnippetError]


def shown_of(call: Call) -> OnlyAsShown:
    """What a call would write."""
    rehearsal = Rehearsal()
    with asking(rehearsal):
        refusal(call(), ErrorCode.APPROVAL_REFUSED)
    assert rehearsal.coming is not None
    return OnlyAsShown(rehearsal.coming)


def scripts(project: UnityProject) -> dict[str, bytes]:
    return {path: data for path, data in project.tree().items() if path.startswith("Assets/")}


def rows(shown: OnlyAsShown) -> list[tuple[str, str, bytes | None, bytes | None]]:
    return [
        (each.script.relative, each.place.relative, each.before, each.after) for each in shown.shown
    ]


@pytest.fixture
def script(project: UnityProject) -> UnityProject:
    project.write(OLD)
    return project


def test_an_edit_is_shown_and_then_written_as_shown(script: UnityProject) -> None:
    shown = shown_of(lambda: script.edit(REPLACE, client_request_id="once"))
    assert rows(shown) == [(SCRIPT, SCRIPT, OLD.encode(), NEW.encode())]
    assert script.read() == OLD.encode()
    with asking(shown):
        assert script.done(REPLACE, client_request_id="once")["status"] == "applied"
    assert script.read() == NEW.encode()


def test_a_set_is_shown_with_what_comes_goes_and_moves(script: UnityProject) -> None:
    script.write("class Other { }\n", OTHER)
    script.write("class Gone { }\n", GONE)
    before = scripts(script)
    changes = [
        edit(SCRIPT, REPLACE),
        create(CAME, "class Came { }\n"),
        move(OTHER, "Assets/Moved.cs"),
        delete_file(script, GONE),
    ]

    def apply() -> dict[str, Any] | SnippetError:
        return script.engine.edit_scripts({"mode": "apply", "changes": changes})

    shown = shown_of(apply)
    assert rows(shown) == [
        (SCRIPT, SCRIPT, OLD.encode(), NEW.encode()),
        (CAME, CAME, None, b"class Came { }\n"),
        (OTHER, "Assets/Moved.cs", b"class Other { }\n", b"class Other { }\n"),
        (GONE, GONE, b"class Gone { }\n", None),
    ]
    assert scripts(script) == before
    with asking(shown):
        success(apply())
    assert script.read() == NEW.encode()
    assert not (script.root / GONE).exists()


@pytest.mark.parametrize("as_set", [False, True])
def test_an_undo_is_shown_and_then_done(script: UnityProject, as_set: bool) -> None:
    if as_set:
        set_of_one = {"mode": "apply", "changes": [edit(SCRIPT, REPLACE)]}
        applied = success(script.engine.edit_scripts(set_of_one))
        which = {"changeId": applied["changeId"]}
    else:
        which = {"path": SCRIPT, "hashAfter": script.done(REPLACE)["hashAfter"]}
    shown = shown_of(lambda: script.engine.undo_snippet(which))
    assert rows(shown) == [(SCRIPT, SCRIPT, NEW.encode(), OLD.encode())]
    assert script.read() == NEW.encode()
    with asking(shown):
        success(script.engine.undo_snippet(which))
    assert script.read() == OLD.encode()


def test_what_someone_else_wrote_since_voids_it(script: UnityProject) -> None:
    shown = shown_of(lambda: script.edit(REPLACE))
    saved = OLD + "// saved meanwhile\n"
    script.write(saved)
    stale = shown.stale_now()
    assert stale is not None
    assert stale.code is ErrorCode.STALE_FILE
    with asking(shown):
        refused = script.refused(REPLACE)
    assert refused.code is ErrorCode.STALE_FILE
    assert refused.details == stale.details
    assert script.read() == saved.encode()


def test_a_new_script_whose_place_was_taken_voids_it(script: UnityProject) -> None:
    set_of_one = {"mode": "apply", "changes": [create(CAME, "class Came { }\n")]}
    shown = shown_of(lambda: script.engine.edit_scripts(set_of_one))
    script.write("class Another { }\n", CAME)
    stale = shown.stale_now()
    assert stale is not None
    assert stale.code is ErrorCode.STALE_FILE


def test_another_text_on_the_same_bytes_is_not_what_was_shown(script: UnityProject) -> None:
    shown = shown_of(lambda: script.edit(REPLACE))
    with asking(shown):
        refused = script.refused({**REPLACE, "newText": "speed = 3"})
    assert refused.code is ErrorCode.STALE_FILE
    assert "no longer the one that was shown" in refused.message


def test_what_writes_nothing_is_not_asked_about(script: UnityProject) -> None:
    rehearsal = Rehearsal()
    with asking(rehearsal):
        preview = script.edit(REPLACE, mode="preview")
        refused = script.edit({**REPLACE, "anchor": {"type": "text", "target": "no such text"}})
    assert not isinstance(preview, SnippetError)
    assert isinstance(refused, SnippetError)
    assert refused.code is ErrorCode.ANCHOR_NOT_FOUND
    assert rehearsal.coming is None
