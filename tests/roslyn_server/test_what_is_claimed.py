"""Both tools that edit claim what was judged, and alike: docs/design/change-sets.md §2."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import laid_out
import pytest
from judged_edits import Judged, refusals, starting

from roslyn_server.toolchains.pairing import Toolchain
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import content_hash

CORE, GAME, STRICT = "Assets/Core/Act.cs", "Assets/Game/Game.cs", "Assets/Strict/Strict.cs"
WHOLE = ["brackets", "syntax", "semantics"]
BUILDER = """\
using System;
using System.Runtime.CompilerServices;
[AsyncMethodBuilder(typeof(Builder))]
public class Act { }
public class Builder
{
    public static Builder Create() => null;
    public Act Task => null;
    public void Start<T>(ref T machine) where T : IAsyncStateMachine { }
    public void SetStateMachine(IAsyncStateMachine machine) { }
    public void SetResult() { }
    public void SetException(Exception error) { }
    public void AwaitOnCompleted<A, S>(ref A awaiter, ref S machine) { }
    public void AwaitUnsafeOnCompleted<A, S>(ref A awaiter, ref S machine) { }
}
"""
USES = """\
using System.Threading.Tasks;
public class Game
{
    public static async Act Wait() { await Task.Yield(); }
#if MOBILE
    int a = 1;
#endif
    int b = 2;
}
"""
STRICT_TEXT = "public class Strict\n{\n    private int a = 1;\n    public int A() => a;\n}\n"
ASSEMBLIES = {
    "Core": ({CORE: BUILDER}, []),
    "Game": ({GAME: USES}, ["Core"]),
    "Strict": ({STRICT: STRICT_TEXT}, []),
}


@pytest.fixture(scope="module")
def serving(
    tmp_path_factory: pytest.TempPathFactory, roslyn_4_8: Toolchain, references: Path
) -> Iterator[Judged]:
    layout = laid_out.unity_6_5(tmp_path_factory.mktemp("machine"), roslyn_4_8)
    root = laid_out.project(tmp_path_factory.mktemp("module") / "project", layout.editor)
    for name, (scripts, below) in ASSEMBLIES.items():
        laid_out.built(root, references, scripts, name, below)
    options = root / "Library/Bee/artifacts/1900b0aE.dag/Strict.rsp"
    options.write_text(f"{options.read_text('utf-8')}-warnaserror\n", "utf-8")
    (root / STRICT).with_name("csc.rsp").write_text("-warnaserror\n", "utf-8")  # which says it
    with starting() as start:
        yield start(layout, root)


@pytest.fixture
def judged(serving: Judged) -> Judged:
    for scripts, _ in ASSEMBLIES.values():
        for name, text in scripts.items():
            (serving.root / name).write_text(text, "utf-8")
    return serving


Outcome = dict[str, Any] | SnippetError


def replaced(path: str, old: str, new: str) -> dict[str, Any]:
    anchor = {"type": "text", "target": old}
    instruction = {"operation": "replace", "anchor": anchor, "newText": new}
    return {"path": path, "instructions": [instruction]}


def of_set(judged: Judged, *changes: dict[str, Any]) -> Outcome:
    return judged.engine.edit_scripts(
        {"mode": "preview", "validation": "lsp", "timeout_ms": 60_000, "changes": list(changes)}
    )


def claims(outcome: Outcome) -> tuple[list[str], list[str]]:
    assert isinstance(outcome, dict), outcome
    return outcome["validation"]["coverage"], outcome["validation"]["notChecked"]


def test_what_only_lowering_finds_in_another_assembly_is_found_by_both(judged: Judged) -> None:
    edit = CORE, "void SetResult()", "void SetAnother()"
    for outcome in (judged.edit(*edit[1:], path=CORE), of_set(judged, replaced(*edit))):
        assert refusals(outcome) == [("CS0656", GAME, 4)]


@pytest.mark.parametrize(
    ("path", "old", "new", "says"),
    [
        (STRICT, "=> a;", "=> 2;", True),
        (STRICT, "int a = 1;", "int a = 1; event System.Action E;", True),
        (GAME, "int b = 2;", "int b;", False),
    ],
)
def test_where_what_is_never_used_is_an_error_it_is_said_not_to_be_sought(
    judged: Judged, path: str, old: str, new: str, says: bool
) -> None:
    ids = "(CS0067, CS0169, CS0414, CS0649)"
    of_one, of_all = judged.edit(old, new, path=path), of_set(judged, replaced(path, old, new))
    assert claims(of_one) == (WHOLE, ["semantics (unused_members)"] if says else [])
    covers, left = claims(of_all)
    assert covers == WHOLE
    assert [ids in each and "Strict" in each for each in left] == ([True] if says else [])
    # What is found without all of it is an error as ever.
    (judged.root / STRICT).write_text(STRICT_TEXT, "utf-8")
    unused = judged.edit("=> a;", "{ int no = 1; return a; }", path=STRICT)
    assert refusals(unused) == [("CS0219", "", 4)]


NOWHERE = [
    "Assets/Core/Samples~/Act.cs",
    "Assets/.hidden/Act.cs",
    "Assets/StreamingAssets/Mods/Act.cs",
    "Assets/WebGLTemplates/Act.cs",
]


@pytest.mark.parametrize("place", NOWHERE)
def test_where_unity_compiles_nothing_a_script_is_in_no_assembly(
    judged: Judged, place: str
) -> None:
    name = place.split("/")[2 if "/Core/" in place else 1]
    left = f"Names and types in {place} were not checked: Unity compiles nothing in {name}"
    # What others use is gone for them, and what comes there is nothing that they may use.
    moved = of_set(judged, {"path": CORE, "moveTo": place})
    assert ("CS0246", GAME, 4) in refusals(moved)
    new = {"path": place, "create": "public class Added { int a = no; }\n"}
    use = replaced(GAME, "int b = 2;", "Added b;")
    assert refusals(of_set(judged, new, use)) == [("CS0246", GAME, 8)]
    # Its own names are judged by nobody, of one or of many.
    assert claims(of_set(judged, new)) == (WHOLE[:2], [left])
    assert claims(of_set(judged, new, replaced(GAME, "int b = 2;", "int b;"))) == (WHOLE, [left])
    file = judged.root / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("public class Added { int a = 1; }\n", "utf-8")
    try:
        edit = "a = 1;", "a = no;"
        assert claims(judged.edit(*edit, path=place)) == (WHOLE[:2], ["semantics (not_compiled)"])
        assert claims(of_set(judged, replaced(place, *edit))) == (WHOLE[:2], [left])
        # From there it comes into its assembly, where its names are judged.
        into = {"path": place, "moveTo": "Assets/Core/Added.cs"}
        assert claims(of_set(judged, into, use)) == (WHOLE, [])
        wrong = {**into, "instructions": replaced("", *edit)["instructions"]}
        assert refusals(of_set(judged, wrong)) == [("CS0103", "Assets/Core/Added.cs", 1)]
    finally:
        file.unlink()


def test_of_a_file_as_it_is_the_same_is_said(judged: Judged) -> None:
    def standing(path: str) -> tuple[list[str], list[str]]:
        return claims(judged.engine.validate_script({"path": path, "timeout_ms": 30_000}))

    assert standing(CORE) == (WHOLE, [])
    assert standing(STRICT) == (WHOLE, ["semantics (unused_members)"])
    for ending in ("\n", "\r\n"):
        (judged.root / GAME).write_bytes(USES.replace("\n", ending).encode())
        assert standing(GAME) == (WHOLE, ["semantics (inactive_code: line 6)"])


@pytest.mark.parametrize(
    ("added", "is_left"),
    [("// no name", False), ("", False), ("// */ No name;", True), ("int a2 = 2;", True)],
)
def test_a_comment_in_code_that_is_left_out_leaves_nothing_open(
    judged: Judged, added: str, is_left: bool
) -> None:
    edit = "    int a = 1;\n", f"    int a = 1;\n    {added}\n"
    left = [f"In Game, names in code that #if excludes were not checked: line 7 of {GAME}"]
    (judged.root / GAME).write_text(USES, "utf-8")
    assert claims(judged.edit(*edit, path=GAME))[1] == (
        ["semantics (inactive_code: line 7)"] if is_left else []
    )
    assert claims(of_set(judged, replaced(GAME, *edit)))[1] == (left if is_left else [])


def test_code_that_is_left_out_costs_the_other_files_of_a_set_nothing(judged: Judged) -> None:
    inactive = replaced(GAME, "int a = 1;", "int a = no;")
    left = [f"In Game, names in code that #if excludes were not checked: line 6 of {GAME}"]
    assert claims(of_set(judged, inactive)) == (WHOLE[:2], left)
    active = replaced(CORE, "Act Task => null", "Act Task => default")
    assert claims(of_set(judged, inactive, active)) == (WHOLE, left)
    gone = {"path": GAME, "delete": True}
    gone["expectedHash"] = content_hash((judged.root / GAME).read_bytes())
    old = [each.replace("line 6", "old line 6") for each in left]
    assert claims(of_set(judged, gone)) == (WHOLE, old)
    assert claims(of_set(judged, {"path": GAME, "moveTo": "Assets/Game/Sub/Game.cs"})) == (
        WHOLE,
        [each.replace(GAME, "Assets/Game/Sub/Game.cs") for each in left],
    )
    # What was not judged elsewhere is told of a set as of one edit.
    (judged.root / GAME).write_text(USES.replace("int a = 1;", "Builder a;"), "utf-8")
    edit = "class Builder\n", "sealed class Builder\n"
    mention = f"semantics (other_files: inactive #if code of {GAME}, which mentions Builder)"
    assert claims(judged.edit(*edit, path=CORE)) == (WHOLE, [mention])
    assert claims(of_set(judged, replaced(CORE, *edit))) == (
        WHOLE,
        [f"In Game, inactive #if code of {GAME}, which the change affects, was not checked"],
    )
    (judged.root / GAME).write_bytes(USES.replace("\n", "\r\n").encode())
    assert claims(of_set(judged, replaced(GAME, "int b = 2;", "int b = 3;"))) == (WHOLE, [])
