"""An error that says which path to send has the call with that path as an offer."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import SCRIPT, UnityProject, replace

from snippet_engine.errors import ErrorCode, SnippetError

TEXT = "class Player { int a = 1; }\n"
EDIT = replace("a = 1", "a = 2")
PATHS = [
    "Assets/Scripts/../Scripts/Player.cs",
    "./Assets/Scripts/Player.cs",
    "Assets//Scripts/Player.cs",
    "Assets/Scripts/Player.cs/",
    "assets/scripts/player.cs",
    "{root}/Assets/Scripts/Player.cs",
    "Player.cs",
]


@pytest.fixture(params=PATHS)
def path(request: pytest.FixtureRequest, project: UnityProject) -> str:
    project.write(TEXT)
    return str(request.param).format(root=project.root)


def offered(outcome: dict[str, Any] | SnippetError) -> dict[str, Any]:
    assert isinstance(outcome, SnippetError), outcome
    assert outcome.code is ErrorCode.PATH_NOT_ALLOWED
    assert " Send " in outcome.message
    (offer,) = outcome.offers
    return dict(offer.arguments)


def test_an_edit(project: UnityProject, path: str) -> None:
    sent = offered(project.edit(EDIT, path=path, validation="embedded"))
    assert (sent["path"], sent["validation"]) == (SCRIPT, "embedded")
    assert not isinstance(project.engine.edit_snippet(sent), SnippetError)
    assert project.read().decode() == TEXT.replace("a = 1", "a = 2")


def test_an_edit_is_put_right_as_it_has_to_be_there(project: UnityProject, path: str) -> None:
    project.engine.edit_snippet(offered(project.edit(replace("a  =  1", "a  =  2"), path=path)))
    assert project.read().decode() == TEXT.replace("a = 1", "a = 2")


def test_what_only_reads(project: UnityProject, path: str) -> None:
    engine = project.engine
    assert offered(engine.get_symbols({"path": path, "filter": "a"})) == {
        "path": SCRIPT,
        "filter": "a",
    }
    assert offered(engine.validate_script({"path": path})) == {"path": SCRIPT}
    assert offered(engine.get_history({"path": path, "limit": 3})) == {"path": SCRIPT, "limit": 3}


def test_an_undo(project: UnityProject, path: str) -> None:
    done = project.done(EDIT)
    sent = offered(project.engine.undo_snippet({"path": path, "hashAfter": done["hashAfter"]}))
    assert not isinstance(project.engine.undo_snippet(sent), SnippetError)
    assert project.read().decode() == TEXT


def test_a_change_of_a_set(project: UnityProject, path: str) -> None:
    project.write(TEXT, "Assets/Other.cs")
    changes = [
        {"path": "Assets/Other.cs", "instructions": [EDIT]},
        {"path": path, "moveTo": "Assets/New.cs", "instructions": [EDIT]},
    ]
    sent = offered(project.engine.edit_scripts({"mode": "apply", "changes": changes}))
    assert sent["changes"] == [changes[0], {**changes[1], "path": SCRIPT}]
    assert not isinstance(project.engine.edit_scripts(sent), SnippetError)


@pytest.mark.parametrize("path", ["Assets/./New.cs", "assets/New.cs", "Assets/New.cs/"])
def test_where_a_file_is_to_be_put(project: UnityProject, path: str) -> None:
    project.write(TEXT)
    for key, change in (
        ("path", {"path": path, "create": "class New { }"}),
        ("moveTo", {"path": SCRIPT, "moveTo": path}),
    ):
        sent = offered(project.engine.edit_scripts({"mode": "preview", "changes": [change]}))
        assert sent["changes"] == [{**change, key: "Assets/New.cs"}]
        assert not isinstance(project.engine.edit_scripts(sent), SnippetError)


def test_no_set_names_a_path_twice(project: UnityProject) -> None:
    project.write(TEXT)
    changes = [
        {"path": SCRIPT, "instructions": [EDIT]},
        {"path": "./" + SCRIPT, "instructions": [EDIT]},
    ]
    outcome = project.engine.edit_scripts({"mode": "preview", "changes": changes})
    assert isinstance(outcome, SnippetError)
    assert outcome.offers == ()
