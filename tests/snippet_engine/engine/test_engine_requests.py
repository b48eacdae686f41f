"""Requests, paths, preconditions and repetition: docs/design/engine.md §1, §5 and §6."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
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
    error = project.engine.edit_snippet(params)
    assert isinstance(error, SnippetError)
    assert error.code is ErrorCode.INVALID_REQUEST
    assert project.tree() == before
    return {each["path"]: each["message"] for each in error.details["problems"]}


def test_all_problems_are_reported_at_once(project: UnityProject) -> None:
    found = problems(
        project,
        {
            "path": 7,
            "preview": "true",
            "mode": "dry",
            "validation": "none",
            "expectedHash": "abc",
            "instructions": [
                {"operation": "move", "anchor": {"type": "text", "target": ""}},
                {"operation": "replace", "anchor": {"type": "text", "target": "x"}},
                {
                    "operation": "delete",
                    "anchor": {"type": "text", "target": "x", "position": 5, "befor": "y"},
                    "newText": "z",
                },
                {"operation": "insert", "anchor": {"type": "line", "line": 3}, "newText": "z"},
            ],
        },
    )
    assert set(found) >= {
        "$.path",
        "$.preview",
        "$.mode",
        "$.validation",
        "$.expectedHash",
        "$.instructions[0].operation",
        "$.instructions[0].anchor.target",
        "$.instructions[1].newText",
        "$.instructions[2].newText",
        "$.instructions[2].anchor.position",
        "$.instructions[2].anchor.befor",
        "$.instructions[3].anchor.type",
    }
    assert '"preview", "apply"' in found["$.mode"]
    assert '"replace", "insert", "delete"' in found["$.instructions[0].operation"]
    assert '"before"' in found["$.instructions[2].anchor.befor"]


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
    "params",
    [
        {},
        [],
        None,
        "text",
        {"path": SCRIPT, "mode": "apply", "instructions": []},
        {"path": SCRIPT, "mode": "apply", "instructions": [EDIT] * 11},
        {"path": SCRIPT, "mode": "apply", "instructions": {"0": EDIT}},
        {"path": SCRIPT, "instructions": [EDIT]},
        {"path": SCRIPT, "mode": "apply", "instructions": [EDIT], "include": ["everything"]},
        {"path": SCRIPT, "mode": "apply", "instructions": [EDIT], "client_request_id": ""},
        {"path": SCRIPT, "mode": "apply", "instructions": [EDIT], "expectedHash": "sha256:12"},
    ],
)
def test_wrong_requests(project: UnityProject, params: Any) -> None:
    project.write(PLAYER)
    assert problems(project, params)


def test_ten_instructions_are_fine(project: UnityProject) -> None:
    names = "abcdefghij"
    project.write("class C\n{\n" + "".join(f"    int {name} = 1;\n" for name in names) + "}\n")
    result = project.done(*(replace(f"{name} = 1", f"{name} = 2") for name in names))
    assert [each["status"] for each in result["results"]] == ["applied"] * 10


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


def test_what_is_nested_too_deep_is_said(project: UnityProject) -> None:
    deep: Any = "bottom"
    for _ in range(5000):
        deep = {"deeper": [deep]}
    params = {"path": SCRIPT, "mode": "apply", "instructions": [{**EDIT, "metadata": deep}]}
    assert "is nested deeper than 100 levels" in problems(project, params).values()
    error = project.engine.edit_snippet(params)
    assert isinstance(error, SnippetError)
    assert error.message.endswith("deeper is nested deeper than 100 levels")


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


def test_a_hash_carries_from_one_request_to_the_next(project: UnityProject) -> None:
    project.write(PLAYER)
    first = project.done(EDIT)
    second = project.done(replace("health = 3", "health = 4"), expectedHash=first["hashAfter"])
    error = project.refused(replace("= 4", "= 5"), expectedHash=first["hashAfter"])
    assert error.details["currentHash"] == second["hashAfter"]


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


def test_an_id_stands_for_one_request_only(project: UnityProject) -> None:
    project.write(PLAYER)
    project.done(TEXT, client_request_id="r1")
    error = project.refused(EDIT, client_request_id="r1")
    assert error.code is ErrorCode.DUPLICATE_REQUEST
    project.done(EDIT, client_request_id="r2")


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
    done = project.engine.edit_scripts(sent)
    assert isinstance(done, dict)
    made = {**made, "path": "Assets\\A\\Made.cs"}
    again = project.engine.edit_scripts({**sent, "changes": [made]})
    assert again == {**done, "replayed": True}
    taken_back = {"path": SCRIPT, "hashAfter": first["hashAfter"], "client_request_id": "r3"}
    done = project.engine.undo_snippet(taken_back)
    assert isinstance(done, dict)
    again = project.engine.undo_snippet({**taken_back, "path": SCRIPT.replace("/", "\\")})
    assert again == {**done, "replayed": True}


def test_a_refused_undo_leaves_no_file(project: UnityProject) -> None:
    now = content_hash(project.write(PLAYER).read_bytes())
    before = project.tree()
    for hash_after, code in ((now, "invalid_request"), ("sha256:" + "0" * 64, "stale_file")):
        error = project.engine.undo_snippet({"path": SCRIPT, "hashAfter": hash_after})
        assert isinstance(error, SnippetError)
        assert error.code == code
        assert project.tree() == before
        assert not (project.root / "Library").exists()
    # Of another script something is kept.
    project.write(PLAYER, "Assets/Other.cs")
    project.done(EDIT, path="Assets/Other.cs")
    before = project.tree()
    assert isinstance(project.engine.undo_snippet({"path": SCRIPT, "hashAfter": now}), SnippetError)
    assert project.tree() == before


def test_a_refused_request_can_be_repeated(project: UnityProject) -> None:
    project.write("class Other { }\n")
    assert isinstance(project.edit(EDIT, client_request_id="r1"), SnippetError)
    project.write(PLAYER)
    assert "replayed" not in project.done(EDIT, client_request_id="r1")


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


def test_without_an_id_a_repeated_replacement_is_told_apart(project: UnityProject) -> None:
    project.write(PLAYER)
    project.done(EDIT)
    error = project.refused(EDIT)
    assert error.code is ErrorCode.ANCHOR_NOT_FOUND
    assert error.details["already_applied"] is True


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


def test_what_is_skipped_does_not_hold_up_the_rest(project: UnityProject) -> None:
    project.write(PLAYER)
    result = project.done(
        insert("speed = 10;", "int health = 3;", position="line_after"),
        replace("health = 3", "health = 4"),
        replace("class Player", "class Player"),
    )
    assert result["status"] == "applied"
    assert [each["status"] for each in result["results"]] == ["skipped", "applied", "no_change"]
    assert project.read().decode() == PLAYER.replace("health = 3", "health = 4")


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


def test_only_the_last_apply_can_be_undone(project: UnityProject) -> None:
    project.write(PLAYER)
    first = project.done(EDIT)
    project.done(replace("health = 3", "health = 4"))
    before = project.read()
    error = undo(project, first["hashAfter"])
    assert isinstance(error, SnippetError)
    assert error.code is ErrorCode.STALE_FILE
    assert project.read() == before


def test_a_repeated_undo_is_replayed(project: UnityProject) -> None:
    project.write(PLAYER)
    applied = project.done(EDIT)
    first = undo(project, applied["hashAfter"], client_request_id="u1")
    assert isinstance(first, dict)
    again = undo(project, applied["hashAfter"], client_request_id="u1")
    assert again == {**first, "replayed": True}
    assert project.read() == PLAYER.encode()


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
    again = undo(project, applied["hashAfter"], client_request_id="u1")
    assert isinstance(again, dict)
    assert again == {
        "status": "undone",
        "path": SCRIPT,
        "hashBefore": applied["hashAfter"],
        "hashAfter": applied["hashBefore"],
        "notChecked": [NOT_JUDGED],
        "replayed": True,
    }


@pytest.mark.parametrize(
    "params", [{}, {"path": SCRIPT}, {"path": SCRIPT, "hashAfter": "x"}, {"path": 1}]
)
def test_an_undo_is_checked_like_any_request(project: UnityProject, params: Any) -> None:
    error = project.engine.undo_snippet(params)
    assert isinstance(error, SnippetError)
    assert error.code is ErrorCode.INVALID_REQUEST


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
    "path",
    [
        "Assets/../x.cs",
        "Assets/../Assets/Scripts/Player.cs",
        "Assets/Scripts/../../x.cs",
        "../project/Assets/Scripts/Player.cs",
        "/etc/passwd",
        "/other/Assets/x.cs",
        "C:/Project/Assets/x.cs",
        "C:\\Project\\Assets\\x.cs",
        "\\\\server\\share\\Assets\\x.cs",
        "MyAssets/x.cs",
        "assets/Scripts/Player.cs",
        "ProjectSettings/x.cs",
        "Library/x.cs",
        "x.cs",
        "Assets/x.txt",
        "Assets/x.cs.meta",
        "Assets",
        "Assets/",
        "Assets/.cs/",
        "Assets//Scripts/Player.cs",
        "./Assets/Scripts/Player.cs",
        "Assets/\x00.cs",
        "Assets/a\nb.cs",
        " Assets/Scripts/Player.cs",
        "file:///Assets/x.cs",
        "~/Assets/x.cs",
    ],
)
def test_paths_that_are_not_allowed(project: UnityProject, path: str) -> None:
    project.write(PLAYER)
    refused_by_every_tool(project, path, ErrorCode.PATH_NOT_ALLOWED)


def test_an_absolute_path_into_the_project_is_not_echoed(project: UnityProject) -> None:
    project.write(PLAYER)
    path = str(project.root / SCRIPT)
    refused_by_every_tool(project, path, ErrorCode.PATH_NOT_ALLOWED)
    error = project.refused(EDIT, path=path)
    assert error.details["suggestion"] == SCRIPT


def test_backslashes_are_slashes(project: UnityProject) -> None:
    project.write(PLAYER)
    assert project.done(EDIT, path="Assets\\Scripts\\Player.cs")["path"] == SCRIPT


def test_links_that_lead_outside(project: UnityProject, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.cs").write_text(PLAYER)
    (project.root / "Assets/file.cs").symlink_to(outside / "x.cs")
    (project.root / "Assets/folder").symlink_to(outside)
    for path in ("Assets/file.cs", "Assets/folder/x.cs"):
        refused_by_every_tool(project, path, ErrorCode.PATH_NOT_ALLOWED)
    assert (outside / "x.cs").read_text() == PLAYER


def test_links_that_stay_inside(project: UnityProject) -> None:
    real = project.write(PLAYER)
    link = project.root / "Assets/link.cs"
    link.symlink_to(real)
    project.done(EDIT, path="Assets/link.cs")
    assert link.is_symlink()
    assert b"speed = 20" in real.read_bytes()


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
    "path",
    ["Packages/com.a/Runtime/A.cs", "Library/PackageCache/com.a@1.0.0/Runtime/A.cs"],
)
def test_downloaded_packages_are_read_only(project: UnityProject, path: str) -> None:
    project.write(PLAYER, "Library/PackageCache/com.a@1.0.0/Runtime/A.cs")
    for mode in ("preview", "apply"):
        error = project.refused(EDIT, path=path, mode=mode)
        assert error.code is ErrorCode.READ_ONLY
    symbols = project.engine.get_symbols({"path": "Library/PackageCache/com.a@1.0.0/Runtime/A.cs"})
    assert isinstance(symbols, dict)


def test_embedded_packages_can_be_edited(project: UnityProject) -> None:
    project.write(PLAYER, "Packages/com.b/Runtime/B.cs")
    project.done(EDIT, path="Packages/com.b/Runtime/B.cs")
    assert b"speed = 20" in project.read("Packages/com.b/Runtime/B.cs")


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
    "change", [{"include": ["workspaceEdit"]}, {"validation": "embedded"}, {"expectedHash": ""}]
)
def test_any_other_difference_makes_it_another_request(
    project: UnityProject, change: dict[str, Any]
) -> None:
    file = project.write(PLAYER)
    if "expectedHash" in change:
        change = {"expectedHash": content_hash(file.read_bytes())}
    project.done(TEXT, client_request_id="r1", timeout_ms=1_000)
    error = project.refused(TEXT, client_request_id="r1", timeout_ms=1_000, **change)
    assert error.code is ErrorCode.DUPLICATE_REQUEST


def test_an_id_of_an_edit_is_none_of_an_undo(project: UnityProject) -> None:
    project.write(PLAYER)
    applied = project.done(TEXT, client_request_id="r1")
    answer = project.engine.undo_snippet(
        {"path": SCRIPT, "hashAfter": applied["hashAfter"], "client_request_id": "r1"}
    )
    assert isinstance(answer, SnippetError)
    assert answer.code is ErrorCode.DUPLICATE_REQUEST


@pytest.mark.parametrize(
    "line", ["/// <inheritdoc/>", "// Obsolete", "/// <summary>Jumps.</summary>"]
)
@pytest.mark.parametrize("by_symbol", [True, False])
def test_a_comment_that_stands_right_above_is_not_put_there_twice(
    project: UnityProject, line: str, by_symbol: bool
) -> None:
    text = f"class C\n{{\n    {line}\n    void Jump(bool high)\n    {{\n    }}\n}}\n"
    project.write(text)
    asked = replace("void Jump(bool high)", f"{line}\n    void Jump(bool high)")
    if by_symbol:
        asked["anchor"]["type"] = "symbol"
        asked["anchor"]["symbolPath"] = "C.Jump(bool)"
    result = project.done(asked)
    assert result["results"][0]["reason"] == "duplicate_insert"
    assert project.read().decode() == text


def test_a_comment_of_signs_may_stand_twice(project: UnityProject) -> None:
    project.write("class C\n{\n    // ----\n    void Jump()\n    {\n    }\n}\n")
    project.done(replace("void Jump()", "// ----\n    void Jump()"))
    assert project.read().decode().count("// ----") == 2


@pytest.mark.parametrize("line", ["m_Count = 0;", "lastPosition = -1;", "this.a = b.c;"])
def test_an_assignment_is_not_put_right_before_itself(project: UnityProject, line: str) -> None:
    text = f"class C\n{{\n    void M()\n    {{\n        Clear();\n        {line}\n    }}\n}}\n"
    project.write(text)
    result = project.done(insert("Clear();", f"\n        {line}"))
    assert result["results"][0]["reason"] == "duplicate_insert"
    assert project.read().decode() == text


def test_a_call_that_stands_right_there_is_made_twice_where_it_is_quoted(
    project: UnityProject,
) -> None:
    project.write("class C\n{\n    void M()\n    {\n        Clear();\n        Step();\n    }\n}\n")
    again = project.done(insert("Clear();", "\n        Step();"))
    assert again["results"][0]["reason"] == "duplicate_insert"
    project.done(insert("Step();", "\n        Step();"))
    assert project.read().decode().count("Step();") == 2
