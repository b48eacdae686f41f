"""The symbols of the project's own build decide what the script tools read as code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from running_server import make_project

from mcp_server.calls.project import open_engine
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import SnippetError

_TEXT = """#if MY_BUILD
namespace Game
{
    public class Built
    {
        int speed = 1; /*
#endif
        int old = 2; // */
#if MY_BUILD && UNITY_6000_0_OR_NEWER
        void Newer() { speed = 3; }
#endif
#if MY_BUILD
    }
}
#endif
"""
_SCRIPT = "Assets/Game/Built.cs"
_PLAIN = "Assets/Game/Plain.cs"


def _bee(root: Path) -> None:
    artifacts = root / "Library/Bee/artifacts/1900b0aE.dag"
    artifacts.mkdir(parents=True)
    lines = ["-define:MY_BUILD", "-define:UNITY_6000_0_OR_NEWER", _SCRIPT, _PLAIN, ""]
    (artifacts / "Game.rsp").write_text("\n".join(lines), encoding="utf-8")


def _csproj(root: Path) -> None:
    included = "".join(f'<Compile Include="{each}"/>' for each in (_SCRIPT, _PLAIN))
    items = f"<ItemGroup>{included}</ItemGroup>"
    constants = "<DefineConstants>MY_BUILD;UNITY_6000_0_OR_NEWER</DefineConstants>"
    text = f"<Project><PropertyGroup>{constants}</PropertyGroup>{items}</Project>"
    (root / "Game.csproj").write_text(text, encoding="utf-8")


@pytest.fixture(params=[_bee, _csproj, None])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> SnippetEngine:
    root = make_project(tmp_path / "project")
    (root / "Assets/Game").mkdir(parents=True)
    (root / "Assets/Game/Game.asmdef").write_text(json.dumps({"name": "Game"}), encoding="utf-8")
    (root / _SCRIPT).write_text(_TEXT, encoding="utf-8")
    (root / _PLAIN).write_text("class Plain { }\n", encoding="utf-8")
    if request.param is not None:
        request.param(root)
    made = open_engine(root)
    assert isinstance(made, SnippetEngine)
    return made


def _is_built(request: pytest.FixtureRequest) -> bool:
    return request.node.callspec.params["engine"] is not None


def test_symbols_are_those_of_the_build(
    engine: SnippetEngine, request: pytest.FixtureRequest
) -> None:
    listed = engine.get_symbols({"path": _SCRIPT})
    assert isinstance(listed, dict)
    conditions = {each["symbolPath"]: each.get("condition") for each in listed["symbols"]}
    expected = None if _is_built(request) else "MY_BUILD"
    assert conditions["Game.Built.speed"] == expected
    assert (conditions["Game.Built.Newer()"] is None) == _is_built(request)


def test_what_is_code_in_the_build_is_no_comment(
    engine: SnippetEngine, request: pytest.FixtureRequest
) -> None:
    """Without a build the line is code; with it, what the comment above has begun goes on."""
    anchor = {"type": "text", "target": "int old = 2;"}
    edit = {"operation": "replace", "anchor": anchor, "newText": "int old = 3;"}
    params: dict[str, Any] = {"path": _SCRIPT, "mode": "preview", "instructions": [edit]}
    told = engine.edit_snippet(params)
    assert isinstance(told, SnippetError) == _is_built(request)


@pytest.mark.parametrize("path", [_PLAIN, "Assets/Game/New.cs"])
def test_an_error_directive_of_the_build_counts(
    engine: SnippetEngine, request: pytest.FixtureRequest, path: str
) -> None:
    """A new script belongs to the assembly of its folder."""
    for symbol, is_refused in (("MY_BUILD", _is_built(request)), ("NOT_MINE", False)):
        text = f"#if {symbol}\n#error no\n#endif"
        anchor = {"type": "text", "target": "class Plain", "position": "line_before"}
        edit = {"operation": "insert", "anchor": anchor, "newText": text}
        change: dict[str, Any] = {"path": path, "instructions": [edit]}
        if path != _PLAIN:
            change = {"path": path, "create": f"{text}\nclass New {{ }}\n"}
        told = engine.edit_scripts({"mode": "preview", "changes": [change]})
        assert isinstance(told, SnippetError) == is_refused, (symbol, told)


_MEMBERS = "".join(f"        void M{number}()\n        {{\n        }}\n" for number in range(400))
_LONG = f"#if MY_BUILD && !OFF\npublic class Long\n{{\n{_MEMBERS}}}\n#endif\n"


def test_a_long_file_under_a_symbol_of_the_build_alone_is_listed_and_anchored_in(
    engine: SnippetEngine, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    (tmp_path / "project" / _SCRIPT).write_text(_LONG, encoding="utf-8")
    listed = engine.get_symbols({"path": _SCRIPT})
    assert isinstance(listed, dict)
    assert [each["symbolPath"] for each in listed["symbols"]] == [
        *("Long", *(f"Long.M{number}()" for number in range(400)))
    ]
    expected = None if _is_built(request) else "MY_BUILD && !OFF"
    assert {each.get("condition") for each in listed["symbols"]} == {expected}
    assert "incomplete" not in listed
    _edits(engine, _SCRIPT, "Long.M7()", "void M7()", "void Seven()")


def _edits(engine: SnippetEngine, path: str, symbol: str, old: str, new: str) -> None:
    """Replace ``old`` below a symbol anchor and by a text anchor."""
    for anchor in (
        {"type": "symbol", "symbolPath": symbol, "target": old},
        {"type": "text", "target": old},
    ):
        edit = {"operation": "replace", "anchor": anchor, "newText": new}
        made = engine.edit_snippet({"path": path, "mode": "preview", "instructions": [edit]})
        assert isinstance(made, dict), made
        assert f"+{new}" in made["diff"].replace(" ", "") or new in made["diff"]


_VERSIONED = "#if HAS_INPUT\nclass Input { }\n#else\nclass Old { }\n#endif\n"


def _conditions(root: Path, engine: SnippetEngine | None = None) -> dict[str, str | None]:
    engine = engine or _opened(root)
    listed = engine.get_symbols({"path": _SCRIPT})
    assert isinstance(listed, dict)
    return {each["symbolPath"]: each.get("condition") for each in listed["symbols"]}


def _opened(root: Path) -> SnippetEngine:
    made = open_engine(root)
    assert isinstance(made, SnippetEngine)
    return made


def _project(tmp_path: Path, text: str = _VERSIONED, encoding: str = "utf-8") -> Path:
    root = make_project(tmp_path / "project")
    (root / "Assets/Game").mkdir(parents=True)
    versions = [{"name": "com.unity.inputsystem", "expression": "1.0", "define": "HAS_INPUT"}]
    definition = {"name": "Game", "versionDefines": versions}
    (root / "Assets/Game/Game.asmdef").write_text(json.dumps(definition), encoding="utf-8")
    (root / _SCRIPT).write_bytes(text.encode(encoding))
    return root


def _response_file(root: Path, name: str, *lines: str) -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join((*lines, "")), encoding="utf-8")


_RSP = "Library/Bee/artifacts/1900b0aE.dag/Game.rsp"


def test_a_version_define_counts_if_the_build_has_it(tmp_path: Path) -> None:
    """Whether the package's version was in range, Unity decided when it built."""
    root = _project(tmp_path)
    _response_file(root, _RSP, "-define:UNITY_EDITOR", _SCRIPT)
    engine = _opened(root)
    assert _conditions(root, engine) == {"Input": "HAS_INPUT", "Old": None}
    _response_file(root, _RSP, "-define:UNITY_EDITOR", "-define:HAS_INPUT", _SCRIPT)
    assert _conditions(root, engine) == {"Input": None, "Old": "!HAS_INPUT"}


@pytest.mark.parametrize("name", [f"{_RSP}2", "Assets/csc.rsp"])
def test_all_response_files_of_the_build_count_as_they_are_now(tmp_path: Path, name: str) -> None:
    root = _project(tmp_path)
    included = "" if name.startswith("Library") else f"@{name}"
    _response_file(root, _RSP, "-define:UNITY_EDITOR", included, _SCRIPT)
    _response_file(root, name, "-define:OTHER")
    engine = _opened(root)
    assert _conditions(root, engine) == {"Input": "HAS_INPUT", "Old": None}
    _response_file(root, name, "-define:OTHER;HAS_INPUT")
    assert _conditions(root, engine) == {"Input": None, "Old": "!HAS_INPUT"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("blank", ["", " ", "\xa0", "\u3000"])
def test_each_form_of_a_condition_gets_the_builds_symbols(
    tmp_path: Path, encoding: str, blank: str
) -> None:
    root = _project(tmp_path, _VERSIONED.replace("#if", f"#{blank}if"), encoding)
    _response_file(root, _RSP, "-define:HAS_INPUT", _SCRIPT)
    assert _conditions(root) == {"Input": None, "Old": "!HAS_INPUT"}


@pytest.mark.parametrize("broken", ["<Project>", "", "\0", "<Project></Project>"])
def test_a_broken_build_is_as_none(tmp_path: Path, broken: str) -> None:
    root = _project(tmp_path, "#if UNITY_EDITOR\nclass Input { }\n#endif\n")
    (root / "Game.csproj").write_text(broken, encoding="utf-8")
    assert _conditions(root) == {"Input": None}
