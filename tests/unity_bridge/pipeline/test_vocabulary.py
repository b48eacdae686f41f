"""What the Editor's commands are called, as its own list says."""

from __future__ import annotations

from typing import Any

import pytest

from unity_bridge.pipeline.vocabulary import Operation, Vocabulary


@pytest.mark.parametrize(
    ("listed", "name"),
    [
        ({"name": "editor_play", "group": "built-in"}, "editor_play"),
        ({"name": "editor.playmode start"}, "editor.playmode start"),
        ({"name": "start", "group": "editor.playmode"}, "editor.playmode start"),
        ({"name": "editor.playmode start", "group": "editor.playmode"}, "editor.playmode start"),
        ("editor_play", "editor_play"),
    ],
)
def test_a_command_is_found_by_its_name_or_its_group_and_name(listed: Any, name: str) -> None:
    assert Vocabulary.read({"commands": [listed]}).name_of(Operation.PLAY) == name


@pytest.mark.parametrize(
    "listed", [None, 5, {"name": 5}, {"group": "editor.playmode"}, {"editor_play": 1}, {}]
)
def test_what_is_no_command_is_none(listed: Any) -> None:
    for document in (listed, [listed], {"commands": listed}, {"commands": [listed]}):
        assert not Vocabulary.read(document).has(Operation.PLAY)


def test_the_newest_name_is_taken() -> None:
    both = [{"name": "recompile"}, {"name": "script recompile"}]
    assert Vocabulary.read(both).name_of(Operation.RECOMPILE) == "script recompile"


def test_parameters_are_spelled_as_the_command_lists_them() -> None:
    listed = [
        {"name": "console", "parameters": [{"name": "since_session"}]},
        {"name": "editor console", "parameters": {"properties": {"since-session": {}}}},
    ]
    vocabulary = Vocabulary.read(listed)
    assert vocabulary.spelled("console", {"since_session": 1}) == {"since_session": 1}
    assert vocabulary.spelled("editor console", {"since_session": 1}) == {"since-session": 1}
