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
