"""Requests, paths, preconditions and repetition: docs/design/engine.md §1, §5 and §6."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from answered import refusal, success
from planning import on_symbol
from this_system import needs_fifo, needs_posix
from unity_project import SCRIPT, UnityProject, delete, insert, replace

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.schemas.checked_params import MAX_METADATA_BYTES, request_problems
from snippet_engine.schemas.tool_schemas import EDIT_SCRIPTS_INPUT
from snippet_engine.source_text import content_hash
from snippet_engine.storage.stores.script_store import ScriptStore
from snippet_engine.tools.undo_tool import NOT_JUDGED

PLAYER = "class Player\n{\n    int speed = 10;\n    int health = 3;\n}\n"
EDIT = replace("speed = 10", "speed = 20")


# -- strict requests -----------------------------------------------------------------------


def problems(project: UnityProject, params: Any) -> dict[str, str]:
    """The problems of a request that must be refused before anything is read."""
    before = project.tree()
    error = refusal(project.engine.edit_snippet(params), ErrorCode.INVALID_REQUEST)
    assert project.tree() == before
    return {each["path"]: each["message"] for each in error.details["problems"]}


@pytest.mark.parametrize(
    ("instruction", "path"),
    [
        ({**EDIT, "newText": ""}, "$.instructions[0].newText"),
        ({**EDIT, "newText": None}, "$.instructions[0].newText"),
        ({**EDIT, "metadata": "text"}, "$.instructions[0].metadata"),
        ({**EDIT, "line": 3}, "$.instructions[0].line"),
        (replace("x", "y", position="after"), "$.instructions[0].anchor.position"),
        (delete("x", position="after"), "$.instructions[0].anchor.position"),
        (insert("x", "y", position="body_start"), "$.instructions[0].anchor.position"),
        (
            on_symbol("A", "insert", "y", target="x", position="body_end"),
            "$.instructions[0].anchor.position",
        ),
        (on_symbol("A", "delete", **{"in": "comment"}), "$.instructions[0].anchor.in"),
        (replace("x", "y", **{"in": "string"}), "$.instructions[0].anchor.in"),
        (replace("x", "y", symbolPath="A"), "$.instructions[0].anchor.symbolPath"),
        ("replace", "$.instructions[0]"),
        ({**EDIT, "anchor": "x"}, "$.instructions[0].anchor"),
        ({**EDIT, "anchor": {}}, "$.instructions[0].anchor.type"),
        (replace("\ud800", "y"), "$.instructions[0].anchor.target"),
        (replace("x", "\udfff"), "$.instructions[0].newText"),
        ({**EDIT, "metadata": {"n": float("nan")}}, "$.instructions[0].metadata.n"),
    ],
)
def test_wrong_instructions(project: UnityProject, instruction: Any, path: str) -> None:
    project.write(PLAYER)
    params = {"path": SCRIPT, "mode": "apply", "instructions": [instruction]}
    assert path in problems(project, params)


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"path": 7}, "$.path"),
        ({"mode": "dry"}, "$.mode"),
        ({"validation": "none"}, "$.validation"),
        ({"expectedHash": "sha256:12"}, "$.expectedHash"),
        ({"include": ["everything"]}, "$.include[0]"),
        ({"client_request_id": ""}, "$.client_request_id"),
        ({"preview": True}, "$.preview"),
        ({"instructions": []}, "$.instructions"),
        ({"instructions": [EDIT] * 11}, "$.instructions"),
        ({"instructions": {"0": EDIT}}, "$.instructions"),
    ],
)
def test_wrong_requests(project: UnityProject, changed: dict[str, Any], path: str) -> None:
    project.write(PLAYER)
    request = {"path": SCRIPT, "mode": "apply", "instructions": [EDIT]}
    assert set(problems(project, {**request, **changed})) == {path}
    del request["mode"]
    assert "$.mode" in problems(project, request)


@pytest.mark.parametrize("params", [{}, [], None, "text"])
def test_what_is_no_request(project: UnityProject, params: Any) -> None:
    assert problems(project, params)


def test_metadata_comes_back_untouched(project: UnityProject) -> None:
    project.write(PLAYER)
    deep: Any = "bottom"
    for _ in range(40):
        deep = {"deeper": [deep]}
    metadata = {"why": "cap", "数": [1, 2.5, None, True], "": {}, "deep": deep}
    result = project.done({**EDIT, "metadata": metadata}, replace("health = 3", "health = 4"))
    assert result["results"][0]["metadata"] == metadata
    assert "metadata" not in result["results"][1]
    project.write(PLAYER)
    assert project.done({**EDIT, "metadata": {}})["results"][0]["metadata"] == {}


def _metadata(size: int) -> dict[str, Any]:
    """Of so many bytes as JSON."""
    return {"n": "é" * ((size - 8) // 2) + "e" * (size % 2)}


def test_metadata_is_bounded_in_all(project: UnityProject) -> None:
    project.write(PLAYER)
    half = MAX_METADATA_BYTES // 2
    first = {**EDIT, "metadata": _metadata(half)}
    second = replace("health = 3", "health = 4")
    done = project.done(first, {**second, "metadata": _metadata(half)})
    assert done["results"][1]["metadata"] == _metadata(half)
    project.write(PLAYER)
    instructions = [first, {**second, "metadata": _metadata(half + 1)}]
    params = {"path": SCRIPT, "mode": "apply", "instructions": instructions}
    (told,) = problems(project, params).items()
    assert told[0] == "$.instructions[1].metadata"
    assert "at most 65,536 bytes of metadata, this one has 65,537" in told[1]


def test_metadata_of_a_set_is_bounded_in_all() -> None:
    each = {**EDIT, "metadata": _metadata(MAX_METADATA_BYTES // 2)}
    changes = [{"path": f"Assets/{name}.cs", "instructions": [each]} for name in "ABC"]
    params = {"mode": "preview", "changes": changes}
    (problem,) = request_problems(EDIT_SCRIPTS_INPUT, params)
    assert problem.path == "$.changes[2].instructions[0].metadata"
    assert request_problems(EDIT_SCRIPTS_INPUT, {**params, "changes": changes[:2]}) == []


# -- preconditions -------------------------------------------------------------------------


def test_the_expected_hash_must_be_the_present_one(project: UnityProject) -> None:
    project.write(PLAYER)
    now = content_hash(PLAYER.encode())
    project.write(PLAYER + "\n")
    for mode in ("preview", "apply"):
        error = project.refused(EDIT, expectedHash=now, mode=mode)
        assert error.code is ErrorCode.STALE_FILE
        assert error.retryable
        assert error.details == {
            "expectedHash": now,
            "currentHash": content_hash((PLAYER + "\n").encode()),
        }
    project.write(PLAYER)
    assert project.done(EDIT, expectedHash=now)["hashBefore"] == now


# -- repetition ----------------------------------------------------------------------------


LINE = insert("speed = 10;", "int armor = 1;", position="line_after")
TEXT = insert("speed = 10;", " // fast")


def test_a_repeated_request_gets_the_first_result_again(project: UnityProject) -> None:
    project.write(PLAYER)
    first = project.done(TEXT, client_request_id="r1")
    once = project.read()
    again = project.done(TEXT, client_request_id="r1")
    assert again == {**first, "replayed": True}
    assert project.read() == once
    # Even if the file has changed since.
    project.write(PLAYER)
    assert project.done(TEXT, client_request_id="r1") == again
    assert project.read() == PLAYER.encode()


@pytest.mark.parametrize("tool", ["edit_snippet", "edit_scripts"])
@pytest.mark.parametrize("since", ["nothing", "saved by hand", "another edit"])
def test_what_was_undone_since_is_not_called_applied(
    project: UnityProject, tool: str, since: str
) -> None:
    project.write(PLAYER)
    change = {"path": SCRIPT, "instructions": [TEXT]}
    about = change if tool == "edit_snippet" else {"changes": [change]}
    request = {**about, "mode": "apply", "client_request_id": "r1"}
    send = getattr(project.engine, tool)
    first = send(request)
    which = (
        {"path": SCRIPT, "hashAfter": first["hashAfter"]}
        if tool == "edit_snippet"
        else {"changeId": first["changeId"]}
    )
    undo = {**which, "client_request_id": "r2"}
    undone = project.engine.undo_snippet(undo)
    if since == "saved by hand":
        project.write(PLAYER.replace("health", "armor"))
    elif since == "another edit":
        project.done(EDIT)
    there = project.read()
    for _ in range(2):
        assert send(request) == {**first, "status": "undone", "applied": False, "replayed": True}
        project.reopen()
        send = getattr(project.engine, tool)
    assert project.engine.undo_snippet(undo) == {**undone, "replayed": True}
    assert project.read() == there


def test_a_request_that_is_written_in_another_way_is_the_same(project: UnityProject) -> None:
    project.write(PLAYER)
    two_lines = replace("int speed = 10;\n    int health = 3;", "int speed = 20;")
    first = project.done(two_lines, client_request_id="r1")
    written = replace("int speed = 10;\r\n    int health = 3;", "int speed = 20;")
    again = project.done(
        written, client_request_id="r1", path=SCRIPT.replace("/", "\\"), validation="auto"
    )
    assert again == {**first, "replayed": True}
    other = project.refused({**two_lines, "metadata": {"path": "a\\b"}}, client_request_id="r1")
    assert other.code is ErrorCode.DUPLICATE_REQUEST
    made = {"path": "Assets/A/Made.cs", "create": "class Made { }\n"}
    sent = {"mode": "apply", "changes": [made], "client_request_id": "r2"}
    done = success(project.engine.edit_scripts(sent))
    made = {**made, "path": "Assets\\A\\Made.cs"}
    again = project.engine.edit_scripts({**sent, "changes": [made]})
    assert again == {**done, "replayed": True}
    taken_back = {"path": SCRIPT, "hashAfter": first["hashAfter"], "client_request_id": "r3"}
    done = success(project.engine.undo_snippet(taken_back))
    again = project.engine.undo_snippet({**taken_back, "path": SCRIPT.replace("/", "\\")})
    assert again == {**done, "replayed": True}


@pytest.mark.parametrize("tool", ["edit_snippet", "edit_scripts", "undo_snippet"])
def test_a_refusal_leaves_no_folder_and_its_id_free(project: UnityProject, tool: str) -> None:
    project.write(PLAYER)
    before = sorted(project.root.rglob("*"))
    wrong = {"path": SCRIPT, "instructions": [replace("nothing like it", "x")]}
    params: dict[str, dict[str, Any]] = {
        "edit_snippet": {**wrong, "mode": "apply"},
        "edit_scripts": {"mode": "apply", "changes": [wrong]},
        "undo_snippet": {"changeId": "0" * 16},
    }
    refusal(getattr(project.engine, tool)({**params[tool], "client_request_id": "once"}))
    assert sorted(project.root.rglob("*")) == before
    assert "replayed" not in project.done(EDIT, client_request_id="once")
    assert (project.root / "Library/SnippetEngine/requests").is_dir()
    assert project.done(EDIT, client_request_id="once")["replayed"] is True


def test_previews_are_not_remembered(project: UnityProject) -> None:
    project.write(PLAYER)
    project.done(EDIT, client_request_id="r1", mode="preview")
    assert project.done(EDIT, client_request_id="r1")["status"] == "applied"
    assert "replayed" not in project.done(
        replace("health = 3", "health = 4"), client_request_id="r2", mode="preview"
    )


def test_without_an_id_a_repeated_line_is_skipped(project: UnityProject) -> None:
    project.write(PLAYER)
    project.done(LINE)
    again = project.done(LINE)
    assert again["status"] == "unchanged"
    assert again["results"][0]["reason"] == "duplicate_insert"
    (warning,) = again["warnings"]
    assert (warning["code"], warning["index"]) == ("duplicate_insert", 0)


@pytest.mark.parametrize(
    ("instruction", "line"),
    [
        (insert("int speed = 10;", "int health = 3;", position="line_after"), 4),
        (insert("int health = 3;", "int speed = 10;", position="line_before"), 3),
        (on_symbol("Player.Heal", "insert", "health++;", position="body_end"), 8),
        (on_symbol("Player.Heal", "insert", "Log();", position="body_start"), 7),
        (replace("void Heal()", "public void Heal()"), 5),
    ],
)
def test_a_skipped_insertion_names_the_line_that_has_its_text(
    project: UnityProject, instruction: dict[str, Any], line: int
) -> None:
    heal = "    public void Heal()\n    {\n        Log();\n        health++;\n    }\n"
    fields = "    int speed = 10;\n    int health = 3;\n"
    project.write(f"class Player\n{{\n{fields}{heal}}}\n")
    (warning,) = project.done(instruction)["warnings"]
    assert (warning["code"], warning["line"]) == ("duplicate_insert", line)


def test_of_equal_insertions_in_one_request_nothing_is_warned(project: UnityProject) -> None:
    """They are made: which of them isn't hangs on their order alone."""
    project.write(PLAYER)
    result = project.done(LINE, LINE)
    assert [each["status"] for each in result["results"]] == ["applied", "skipped"]
    assert result["warnings"] == []


@pytest.mark.parametrize(
    ("instructions", "statuses", "reasons"),
    [
        ([replace("speed = 10", "speed = 10")], ["no_change"], ["no_change"]),
        (
            [insert("speed = 10;", "int health = 3;", position="line_after")],
            ["skipped"],
            ["duplicate_insert"],
        ),
        (
            [
                replace("speed = 10", "speed = 10"),
                insert("int health", "int speed = 10;", position="line_before"),
            ],
            ["no_change", "skipped"],
            ["no_change", "duplicate_insert"],
        ),
    ],
)
def test_nothing_to_do_is_never_written(
    project: UnityProject, instructions: list[Any], statuses: list[str], reasons: list[str]
) -> None:
    file = project.write(PLAYER)
    os.utime(file, ns=(1, 1))
    before = file.stat()
    result = project.done(*instructions)
    assert result["status"] == "unchanged"
    assert result["applied"] is False
    assert result["hashAfter"] == result["hashBefore"] == content_hash(PLAYER.encode())
    assert result["diff"] == ""
    assert [each["status"] for each in result["results"]] == statuses
    assert [each["reason"] for each in result["results"]] == reasons
    assert all(each["charactersChanged"] == 0 for each in result["results"])
    assert all(each["beforeSnippet"] == each["afterSnippet"] for each in result["results"])
    after = file.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)


# -- undo ----------------------------------------------------------------------------------


def undo(project: UnityProject, hash_after: str, **more: Any) -> dict[str, Any] | SnippetError:
    return project.engine.undo_snippet({"path": SCRIPT, "hashAfter": hash_after, **more})


def test_applies_are_undone_one_by_one(project: UnityProject) -> None:
    project.write(PLAYER)
    texts = [project.read()]
    hashes = []
    for number in range(5):
        edit = replace(f"speed = {10 + number}", f"speed = {11 + number}")
        hashes.append(project.done(edit)["hashAfter"])
        texts.append(project.read())
    for number in reversed(range(5)):
        undone = undo(project, hashes[number])
        assert undone == {
            "status": "undone",
            "path": SCRIPT,
            "hashBefore": hashes[number],
            "hashAfter": content_hash(texts[number]),
            "notChecked": [NOT_JUDGED],
        }
        assert project.read() == texts[number]


def test_an_undo_that_died_before_it_could_say_so_is_replayed(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(PLAYER)
    applied = project.done(EDIT)
    write = ScriptStore.undo

    def undo_and_die(*args: Any, **options: Any) -> None:
        write(*args, **options)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ScriptStore, "undo", undo_and_die)
        with pytest.raises(KeyboardInterrupt):
            undo(project, applied["hashAfter"], client_request_id="u1")
    assert project.read() == PLAYER.encode()
    again = success(undo(project, applied["hashAfter"], client_request_id="u1"))
    assert again == {
        "status": "undone",
        "path": SCRIPT,
        "hashBefore": applied["hashAfter"],
        "hashAfter": applied["hashBefore"],
        "notChecked": [NOT_JUDGED],
        "replayed": True,
    }


# -- paths ---------------------------------------------------------------------------------


def every_tool(project: UnityProject, path: str) -> list[SnippetError | dict[str, Any]]:
    engine = project.engine
    return [
        *(
            engine.edit_snippet({"path": path, "mode": mode, "instructions": [EDIT]})
            for mode in ("preview", "apply")
        ),
        engine.undo_snippet({"path": path, "hashAfter": content_hash(b"")}),
        engine.get_symbols({"path": path}),
        engine.validate_script({"path": path}),
    ]


def refused_by_every_tool(project: UnityProject, path: str, code: ErrorCode) -> None:
    before = project.tree()
    for answer in every_tool(project, path):
        assert isinstance(answer, SnippetError), (path, answer)
        assert answer.code is code, answer
        assert str(project.root) not in repr(answer)
    assert project.tree() == before


@pytest.mark.parametrize(
    "path", ["Assets/../Assets/Scripts/Player.cs", "/etc/passwd", "Library/x.cs", "Assets/x.txt"]
)
def test_paths_that_are_not_allowed(project: UnityProject, path: str) -> None:
    """As :func:`.parse_request_path` refuses them, by every tool."""
    project.write(PLAYER)
    refused_by_every_tool(project, path, ErrorCode.PATH_NOT_ALLOWED)


def test_an_absolute_path_into_the_project_is_not_echoed(project: UnityProject) -> None:
    project.write(PLAYER)
    path = str(project.root / SCRIPT)
    refused_by_every_tool(project, path, ErrorCode.PATH_NOT_ALLOWED)
    error = project.refused(EDIT, path=path)
    assert error.details["suggestion"] == SCRIPT


def test_links_that_lead_outside(project: UnityProject, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.cs").write_text(PLAYER)
    (project.root / "Assets/file.cs").symlink_to(outside / "x.cs")
    (project.root / "Assets/folder").symlink_to(outside)
    for path in ("Assets/file.cs", "Assets/folder/x.cs"):
        refused_by_every_tool(project, path, ErrorCode.PATH_NOT_ALLOWED)
    assert (outside / "x.cs").read_text() == PLAYER


@needs_fifo
def test_a_fifo_a_folder_and_nothing(project: UnityProject) -> None:
    os.mkfifo(project.root / "Assets/fifo.cs")
    (project.root / "Assets/folder.cs").mkdir()
    for path in ("Assets/fifo.cs", "Assets/folder.cs"):
        refused_by_every_tool(project, path, ErrorCode.PATH_NOT_ALLOWED)
    project.write(PLAYER)
    refused_by_every_tool(project, "Assets/Scripts/Plyer.cs", ErrorCode.FILE_NOT_FOUND)
    error = project.refused(EDIT, path="Assets/Scripts/Plyer.cs")
    assert error.details["nearest"] == [SCRIPT]


def test_a_file_without_its_write_bit_is_read_only(project: UnityProject) -> None:
    file = project.write(PLAYER)
    file.chmod(0o444)
    for mode in ("preview", "apply"):
        error = project.refused(EDIT, mode=mode)
        assert error.code is ErrorCode.READ_ONLY
        assert "checked out" in error.message
    assert isinstance(project.engine.get_symbols({"path": SCRIPT}), dict)
    assert isinstance(project.engine.validate_script({"path": SCRIPT}), dict)


@needs_posix
def test_a_file_that_its_owner_may_not_even_read_is_not_called_read_only(
    project: UnityProject,
) -> None:
    """Nobody forgot to check it out; for root, who may read it, either."""
    file = project.write(PLAYER)
    file.chmod(0o000)
    for mode in ("preview", "apply"):
        error = project.refused(EDIT, mode=mode)
        assert error.code is ErrorCode.PATH_NOT_ALLOWED
        assert "can't be read" in error.message
    file.chmod(0o644)


@pytest.mark.parametrize(
    "path", ["Packages/com.a/Runtime/A.cs", "Library/PackageCache/com.a@1.0.0/Runtime/A.cs"]
)
def test_downloaded_packages_are_read_only(project: UnityProject, path: str) -> None:
    project.write(PLAYER, "Library/PackageCache/com.a@1.0.0/Runtime/A.cs")
    for mode in ("preview", "apply"):
        error = project.refused(EDIT, path=path, mode=mode)
        assert error.code is ErrorCode.READ_ONLY
    success(project.engine.get_symbols({"path": "Library/PackageCache/com.a@1.0.0/Runtime/A.cs"}))


def test_only_the_script_and_the_engines_own_folder_change(project: UnityProject) -> None:
    project.write(PLAYER)
    project.write(PLAYER, "Assets/Other.cs")
    before = project.tree()
    project.done(EDIT, client_request_id="r1")
    after = project.tree()
    changed = {path for path in after if after[path] != before.get(path)}
    assert before.keys() <= after.keys()
    assert SCRIPT in changed
    ours = ("Library/SnippetEngine/", ".unity-snippet/")
    assert all(path.startswith(ours) for path in changed - {SCRIPT})


def test_a_repeated_request_may_have_another_timeout(project: UnityProject) -> None:
    """Who waits longer the second time still means the same request; so does another order."""
    project.write(PLAYER)
    first = project.done(TEXT, client_request_id="r1", timeout_ms=20_000)
    for timeout in ({"timeout_ms": 30_000}, {}):
        assert project.done(TEXT, client_request_id="r1", **timeout) == {**first, "replayed": True}
    turned = {key: TEXT[key] for key in reversed(TEXT)}
    assert project.done(turned, client_request_id="r1")["replayed"] is True
    hash_after = first["hashAfter"]
    undone = undo(project, hash_after, client_request_id="u1", timeout_ms=9_000)
    again = undo(project, hash_after, client_request_id="u1", timeout_ms=10_000)
    assert again == {**undone, "replayed": True}


@pytest.mark.parametrize(
    "change",
    [
        {"include": ["workspaceEdit"]},
        {"validation": "embedded"},
        {"expectedHash": content_hash(PLAYER.encode())},
        {"instructions": [EDIT]},
    ],
)
def test_any_other_difference_makes_it_another_request(
    project: UnityProject, change: dict[str, Any]
) -> None:
    project.write(PLAYER)
    project.done(TEXT, client_request_id="r1", timeout_ms=1_000)
    error = project.refused(TEXT, client_request_id="r1", timeout_ms=1_000, **change)
    assert error.code is ErrorCode.DUPLICATE_REQUEST


def test_an_id_of_an_edit_is_none_of_an_undo(project: UnityProject) -> None:
    project.write(PLAYER)
    applied = project.done(TEXT, client_request_id="r1")
    refusal(
        project.engine.undo_snippet(
            {"path": SCRIPT, "hashAfter": applied["hashAfter"], "client_request_id": "r1"}
        ),
        ErrorCode.DUPLICATE_REQUEST,
    )


MEMBER = "class C\n{{\n    {}\n    void Jump(bool high)\n    {{\n    }}\n}}\n"
BODY = "class C\n{{\n    void M()\n    {{\n        Clear();\n        {}\n    }}\n}}\n"
JUMP = "void Jump(bool high)"


@pytest.mark.parametrize(
    ("text", "instruction"),
    [
        (MEMBER.format(line), edit)
        for line in ("/// <inheritdoc/>", "// Obsolete", "/// <summary>Jumps.</summary>")
        for edit in (
            replace(JUMP, f"{line}\n    {JUMP}"),
            on_symbol("C.Jump(bool)", "replace", f"{line}\n    {JUMP}", target=JUMP),
        )
    ]
    + [
        (BODY.format(line), insert("Clear();", f"\n        {line}"))
        for line in ("m_Count = 0;", "lastPosition = -1;", "this.a = b.c;", "Step();")
    ],
)
def test_a_line_that_stands_right_there_is_not_put_there_twice(
    project: UnityProject, text: str, instruction: dict[str, Any]
) -> None:
    project.write(text)
    assert project.done(instruction)["results"][0]["reason"] == "duplicate_insert"
    assert project.read().decode() == text


def test_signs_and_a_quoted_call_are(project: UnityProject) -> None:
    project.write(MEMBER.format("// ----"))
    project.done(replace(JUMP, f"// ----\n    {JUMP}"))
    assert project.read().decode().count("// ----") == 2
    project.write(BODY.format("Step();"))
    project.done(insert("Step();", "\n        Step();"))
    assert project.read().decode().count("Step();") == 2
