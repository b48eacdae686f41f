"""``get_symbols`` without a path: declarations in all scripts."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from unity_project import UnityProject

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.schemas.result_schema import GET_SYMBOLS_OUTPUT


@pytest.fixture
def project(project: UnityProject) -> UnityProject:
    project.write("namespace Game { class Player { int speed; void Fire() { } } }\n")
    project.write("class Enemy { void fire() { } void FireAt(int x) { } }\n", "Assets/Enemy.cs")
    project.write("class Fire { }\n".encode("utf-16"), "Packages/own/Fire.cs")
    project.write("// Fire\n", "Assets/Only.cs")
    project.write("class Hidden { void Fire() { } }\n", "Assets/.hidden/Hidden.cs")
    return project


def found(project: UnityProject, **params: Any) -> dict[str, Any]:
    result = project.engine.get_symbols(params)
    assert not isinstance(result, SnippetError), result
    Draft202012Validator(GET_SYMBOLS_OUTPUT).validate(result)
    return result


def rows(project: UnityProject, **params: Any) -> list[tuple[str, str]]:
    return [(each["path"], each["symbolPath"]) for each in found(project, **params)["symbols"]]


def test_exact_names_come_first_and_case_is_ignored(project: UnityProject) -> None:
    assert rows(project, filter="FIRE") == [
        ("Assets/Enemy.cs", "Enemy.fire()"),
        ("Assets/Scripts/Player.cs", "Game.Player.Fire()"),
        ("Packages/own/Fire.cs", "Fire"),
        ("Assets/Enemy.cs", "Enemy.FireAt(int)"),
    ]


@pytest.mark.parametrize(
    ("params", "symbols"),
    [
        ({"filter": "Player.Fire"}, ["Game.Player.Fire()"]),
        ({"filter": "fire", "kind": "class"}, ["Fire"]),
        ({"filter": "speed"}, ["Game.Player.speed"]),
        ({"filter": "nothing"}, []),
    ],
)
def test_parts_of_a_path_and_kinds(
    project: UnityProject, params: dict[str, str], symbols: list[str]
) -> None:
    assert [each for _, each in rows(project, **params)] == symbols


def test_fifty_are_listed_and_all_counted(project: UnityProject) -> None:
    members = " ".join(f"int many{number};" for number in range(60))
    project.write(f"class C {{ {members} }}\n", "Assets/C.cs")
    result = found(project, filter="many")
    assert (len(result["symbols"]), result["total"], result["truncated"]) == (50, 60, True)


def test_what_was_not_read_is_named(project: UnityProject) -> None:
    project.write(b"class B { void Fire() { } } // \xff\n", "Assets/B.cs")
    result = found(project, filter="fire")
    assert "Assets/B.cs" in result["incomplete"]
    assert len(result["symbols"]) == 4


@pytest.mark.parametrize(
    "params", [{}, {"kind": "class"}, {"path": "Assets/Enemy.cs", "kind": "class"}, {"filter": ""}]
)
def test_what_is_no_search(project: UnityProject, params: dict[str, str]) -> None:
    refused = project.engine.get_symbols(params)
    assert isinstance(refused, SnippetError)
    assert refused.code is ErrorCode.INVALID_REQUEST


def test_unreadable_folders_are_named(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    scandir = os.scandir

    def refused(path: str) -> Any:
        if str(path).endswith("own"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)
    result = found(project, filter="fire")
    assert {each["path"] for each in result["symbols"]} == {
        "Assets/Enemy.cs",
        "Assets/Scripts/Player.cs",
    }
    assert result["incomplete"] == "Not fully searched: Packages/own."


def test_too_many_folders_are_named(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("snippet_engine.tools.reading_tools._MAX_ENTRIES", 1)
    incomplete = found(project, filter="fire")["incomplete"]
    assert incomplete == "Not fully searched: Assets, Packages."


@pytest.mark.skipif(sys.platform == "win32", reason="Windows allows no such name")
def test_a_script_that_no_request_can_name_is_named(project: UnityProject) -> None:
    project.write("class B { void Fire() { } }\n", "Assets/a\\b.cs")
    assert found(project, filter="fire")["incomplete"] == r"Not fully searched: Assets/a\b.cs."
