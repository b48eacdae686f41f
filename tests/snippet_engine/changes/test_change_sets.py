"""``edit_scripts`` from request to answer: docs/design/change-sets.md §1, §2 and §4."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import jsonschema
import pytest
from answered import refusal, success
from planning import on_symbol
from script_changes import (
    change,
    changed,
    create,
    delete_file,
    edit,
    move,
    previewed,
    refused,
    scripts,
)
from this_system import needs_posix
from unity_project import UnityProject, insert, replace

from snippet_engine.answer.error_text import MAX_ERROR_LENGTH
from snippet_engine.answer.text_form import MAX_TEXT_LENGTH, text_form
from snippet_engine.answer.unified_diff import MAX_DIFF_LENGTH
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.limits import IN_SEVERAL_SETS
from snippet_engine.schemas.result_schema import ERROR_SCHEMA
from snippet_engine.schemas.tool_schemas import OUTPUT_SCHEMAS
from snippet_engine.source_text import content_hash
from snippet_engine.storage.stores.change_store import ChangeStore

A = "Assets/Scripts/A.cs"
B = "Assets/Scripts/B.cs"
NEW = "Assets/Scripts/New/C.cs"


@pytest.fixture
def two(project: UnityProject) -> UnityProject:
    project.write("class A\n{\n    int x = 1;\n    void M() { }\n}\n", A)
    project.write("class B\r\n{\r\n    int y = 2;\r\n}\r\n", B)
    return project


def offered(error: SnippetError) -> Mapping[str, Any]:
    return error.offers[0].arguments


# -- what is done ----------------------------------------------------------------------------


def test_every_kind_of_change_previewed_and_applied(two: UnityProject) -> None:
    two.write("guid: a", f"{A}.meta")
    two.write("guid: b", f"{B}.meta")
    changes = [
        move(A, "Assets/Core/A.cs", replace("x = 1", "x = 9")),
        delete_file(two, B),
        create(NEW, "class C { }\n"),
    ]
    edited = two.read(A).replace(b"x = 1", b"x = 9")
    said = previewed(two, *changes)
    assert (said["status"], said["applied"]) == ("previewed", False)
    moved, deleted, created = said["files"]
    assert (moved["path"], moved["movedTo"], moved["status"]) == (A, "Assets/Core/A.cs", "moved")
    assert moved["hashBefore"] == content_hash(two.read(A))
    assert [each["status"] for each in moved["results"]] == ["previewed"]
    assert "+    int x = 9;" in moved["diff"]
    assert (deleted["status"], "hashAfter" in deleted) == ("deleted", False)
    assert "-class B" in deleted["diff"]
    assert (created["status"], "hashBefore" in created) == ("created", False)
    assert created["diff"] == "@@ -0,0 +1,1 @@\n+class C { }"
    done = changed(two, *changes)
    assert (done["status"], done["applied"]) == ("applied", True)
    for result in (said, done):
        jsonschema.validate(result, OUTPUT_SCHEMAS["edit_scripts"])
        hashes = [each.get("hashAfter") for each in result["files"]]
        assert hashes == [content_hash(edited), None, content_hash(b"class C { }\n")]
    assert scripts(two.tree()) == {
        "Assets/Core/A.cs": edited,
        "Assets/Core/A.cs.meta": b"guid: a",
        NEW: b"class C { }\n",
    }
    assert f"changeId {done['changeId']}" in text_form("edit_scripts", done)


def test_an_edit_may_be_a_hundred_times_as_large_as_a_snippets(two: UnityProject) -> None:
    lines = "\n".join(f"int field{number:03};" for number in range(400))
    assert 80 < len(lines) <= 8000
    body = on_symbol("A", "insert", lines, position="body_end")
    (file,) = previewed(two, edit(A, body))["files"]
    assert file["results"][0]["charactersChanged"] == len(lines)
    error = refused(two, edit(A, on_symbol("A", "insert", "/" * 8001, position="body_end")))
    assert error.code is ErrorCode.DIFF_TOO_LARGE
    assert error.details["limit"] == 8000


def test_line_endings_are_as_given_of_a_new_file_and_the_files_own_of_another(
    two: UnityProject,
) -> None:
    edited, created = previewed(
        two,
        edit(B, insert("int y = 2;", "\nint z;", position="line_after")),
        create(NEW, "\ufeffclass C\r\n{\n}"),
    )["files"]
    crlf = b"class B\r\n{\r\n    int y = 2;\r\n\r\n    int z;\r\n}\r\n"
    assert edited["hashAfter"] == content_hash(crlf)
    assert created["hashAfter"] == content_hash(b"\xef\xbb\xbfclass C\r\n{\n}")


def test_what_only_moves_or_goes_need_not_be_readable(two: UnityProject) -> None:
    two.write(b"// \x83\x65\x83\x58\x83\x67\nclass J { }\n", "Assets/J.cs")
    (moved,) = previewed(two, move("Assets/J.cs", "Assets/K/J.cs"))["files"]
    assert moved["hashBefore"] == moved["hashAfter"]
    (gone,) = previewed(two, delete_file(two, "Assets/J.cs"))["files"]
    assert (gone["status"], gone["diff"]) == ("deleted", "")


def test_diffs_share_the_room_and_say_what_was_cut(two: UnityProject) -> None:
    long = "".join(f"int field{number:04};\n" for number in range(300))
    result = previewed(
        two,
        edit(A, replace("x = 1", "x = 5")),
        *(create(f"Assets/N{n}.cs", f"class N{n} {{\n{long}}}\n") for n in range(3)),
    )
    diffs = [each["diff"] for each in result["files"]]
    assert sum(map(len, diffs)) <= MAX_DIFF_LENGTH
    assert "+    int x = 5;" in diffs[0]
    assert all("more lines cut" in diff for diff in diffs[1:])
    assert len(text_form("edit_scripts", result)) <= MAX_TEXT_LENGTH


def test_long_texts_are_not_sent_back(two: UnityProject) -> None:
    body = on_symbol("A.M", "replace", "A();\n" * 500, part="body")
    (file,) = previewed(two, edit(A, body))["files"]
    assert len(file["results"][0]["afterSnippet"]) <= 200


# -- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ([], ["$.changes must not be empty"]),
        ([{"path": A}], ["$.changes[0].instructions is required"]),
        (
            [{"path": A, "create": "x", "delete": True, "moveTo": B}],
            [
                "$.changes[0].delete is not allowed: create makes the file",
                "$.changes[0].moveTo is not allowed: create takes the new path as path",
            ],
        ),
        (
            [{"path": A, "delete": True}],
            [
                "$.changes[0].expectedHash is required: send the hash of the version that you have "
                "seen, from get_symbols or a preview's hashBefore"
            ],
        ),
        ([{"path": A, "delete": False}], ["$.changes[0].delete must be true (got false)"]),
        (
            [create(A, "x"), move(B, A)],
            [
                "$.changes[1].moveTo is already at $.changes[0].path; each path once (got "
                '"Assets/Scripts/A.cs")'
            ],
        ),
        (
            [move(A, A)],
            ["$.changes[0].moveTo is already its path; leave moveTo out, or send another path"],
        ),
        (
            [edit(A, *[replace("x", "y")] * 26), edit(B, *[replace("x", "y")] * 25)],
            [
                "$.changes have 51 instructions; send at most 50 in all. "
                f"For more, {IN_SEVERAL_SETS}"
            ],
        ),
        (
            [create(f"Assets/{n}.cs", "") for n in range(21)],
            [f"$.changes must have at most 20 items (has 21): {IN_SEVERAL_SETS}"],
        ),
    ],
)
def test_the_shape_is_checked_before_anything_is_read(
    two: UnityProject, changes: list[dict[str, Any]], problems: list[str]
) -> None:
    error = refused(two, *changes)
    assert error.code is ErrorCode.INVALID_REQUEST
    found = [f"{each['path']} {each['message']}" for each in error.details["problems"]]
    assert sorted(found) == sorted(problems)


def test_a_new_path_must_be_free(two: UnityProject) -> None:
    for each in (create(A, "class A { }"), move(B, A)):
        error = refused(two, each)
        assert (error.code, error.file) == (ErrorCode.PATH_NOT_ALLOWED, 0)
        assert f"{A} exists already" in error.message


@pytest.mark.parametrize(
    ("old", "bom", "codec"),
    [
        (b"", b"", "utf-8"),
        (b" \r\n\t\n", b"", "utf-8"),
        (b"\xef\xbb\xbf\n", b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", b"\xff\xfe", "utf-16-le"),
        (b"\xff\xfe \0\r\0\n\0", b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff\0\t\0\n", b"\xfe\xff", "utf-16-be"),
    ],
)
def test_a_file_without_text_is_filled(
    two: UnityProject, old: bytes, bom: bytes, codec: str
) -> None:
    two.write(old, A)
    text = "class Filled\r\n{\r\n}\r\n"
    (shown,) = previewed(two, create(A, text))["files"]
    assert "+class Filled" in shown["diff"]
    result = changed(two, create(A, text), create(NEW, "class C { }"))
    jsonschema.validate(result, OUTPUT_SCHEMAS["edit_scripts"])
    filled, _ = result["files"]
    assert (filled["status"], filled["hashBefore"]) == ("edited", content_hash(old))
    assert two.read(A) == bom + text.encode(codec)
    assert [each["code"] for each in result["warnings"]] == ["encoding_kept"] * bool(bom)
    assert not any("elete" in each["message"] for each in result["warnings"])
    success(two.engine.undo_snippet({"changeId": result["changeId"]}))
    assert two.read(A) == old


def test_an_undo_of_one_file_says_what_its_change_did(two: UnityProject) -> None:
    def told(path: str, result: dict[str, Any]) -> str:
        file = next(each for each in result["files"] if each["path"] == path)
        error = refusal(two.engine.undo_snippet({"path": path, "hashAfter": file["hashAfter"]}))
        assert error.details["changeId"] == result["changeId"]
        return error.message

    alone = changed(two, create(NEW, "class C { }\n"))
    assert f"{NEW} was created, by change " in told(NEW, alone)
    assert "Undo the whole change, which deletes the file." in told(NEW, alone)
    edited = changed(two, edit(NEW, replace("class C", "class D")))
    assert f"{NEW} was changed, by change " in told(NEW, edited)
    assert "Undo the whole change." in told(NEW, edited)
    both = changed(
        two, edit(NEW, replace("class D", "class E")), create(NEW[:-3] + "2.cs", "class F { }\n")
    )
    assert f"{NEW} was changed, together with other files, by change " in told(NEW, both)


def test_a_hash_that_never_was_is_not_taken_for_the_newest_change(two: UnityProject) -> None:
    change_id = changed(two, create(NEW, "class C { }\n"))["changeId"]
    error = refusal(
        two.engine.undo_snippet({"path": NEW, "hashAfter": "sha256:" + 64 * "0"}),
        ErrorCode.STALE_FILE,
    )
    assert error.message == (
        f"No change of {NEW} to that hashAfter is recorded: it was undone, pruned, or made "
        f"elsewhere. The newest one is change {change_id}."
    )
    assert error.offers == ()
    assert "changeId" not in error.details


def test_what_fills_a_file_must_be_csharp(two: UnityProject) -> None:
    two.write("\n", A)
    error = refused(two, create(A, "class Filled { int x = ; }\n"))
    assert (error.code, error.file) == (ErrorCode.SYNTAX_ERROR, 0)


@pytest.mark.parametrize(
    "name", ["Assets/Scripts/Nul.cs", "Assets/Scripts/Old./A.cs", "Assets/com1/A.cs"]
)
def test_nothing_is_made_that_windows_can_t_name(two: UnityProject, name: str) -> None:
    for each in (create(name, "class C { }"), move(B, name)):
        error = refused(two, each)
        assert error.code is ErrorCode.PATH_NOT_ALLOWED
        assert f"{name} has a name" in error.message
        assert "Windows" in error.message


@needs_posix
def test_in_a_folder_that_is_there_whatever_it_is_called(two: UnityProject) -> None:
    two.write("class D { }", "Assets/aux/D.cs")
    both = (edit("Assets/aux/D.cs", replace("D", "E")), create("Assets/aux/F.cs", "class F { }"))
    result = changed(two, *both)
    told = [(each["code"], each["path"]) for each in result["warnings"]]
    assert told == [("windows_name", "Assets/aux/D.cs"), ("windows_name", "Assets/aux/F.cs")]
    gone = changed(two, move("Assets/aux/D.cs", "Assets/D.cs"), delete_file(two, "Assets/aux/F.cs"))
    assert "windows_name" not in {each["code"] for each in gone["warnings"]}


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_a_file_sent_whole_is_offered_as_edits_of_the_one_that_is_there(
    two: UnityProject, ending: str, bom: str
) -> None:
    old = "class A\n{\n" + "".join(f"    int f{n} = {n};\n" for n in range(30)) + "}\n"
    new = old.replace("f3 = 3", "f3 = 4").replace(
        "    int f20 = 20;\n", "    int more;\n    int x;\n"
    )
    two.write((bom + old.replace("\n", ending)).encode(), A)
    refused(two, create(A, new), create(NEW, "class C { }"))
    sent = {"mode": "apply", "changes": [create(A, new), create(NEW, "class C { }")]}
    error = refusal(two.engine.edit_scripts(sent))
    assert (error.code, error.file) == (ErrorCode.PATH_NOT_ALLOWED, 0)
    assert f"{A} exists already. To change it, send instructions for it" in error.message
    jsonschema.validate(error.to_json(), ERROR_SCHEMA)
    (offer,) = error.offers
    assert offer.arguments["mode"] == "preview"
    first, second = offer.arguments["changes"]
    assert first["expectedHash"] == content_hash((bom + old.replace("\n", ending)).encode())
    assert second == create(NEW, "class C { }")
    success(two.engine.edit_scripts({**offer.arguments, "mode": "apply"}))
    assert two.read(A) == (bom + new.replace("\n", ending)).encode()


def test_a_text_that_has_no_room_for_its_offer_speaks_of_none(two: UnityProject) -> None:
    two.write("class A\n{\n" + "".join(f"    int f{n};\n" for n in range(100)) + "}\n", A)
    new = "".join(f'    string name{n} = "a text that is long {n}";\n' for n in range(100))
    error = refused(two, create(A, f"class A\n{{\n{new}}}\n"))
    told = text_form("edit_scripts", error)
    assert "send instructions for it" in told
    assert "offer 1" not in told
    assert "as offered" not in told


def test_a_file_sent_whole_without_edits_to_offer_is_told_what_to_send(two: UnityProject) -> None:
    def said(old: str | bytes, new: str, *others: dict[str, Any]) -> str:
        two.write(old, A)
        error = refused(two, create(A, new), *others)
        assert error.offers == ()
        return error.message

    assert "It already has exactly this text" in said("class A { }\r\n", "class A { }\n")
    long = "class A { }\n" * 1_000
    assert "too long" in said(long, "class A { int x; }")
    assert "too long" in said("class A { int x; }", long)
    part = "send instructions for it, for the parts"
    assert part in said("class A { }", "")
    assert "send instructions for it" in said(b"// \x83\n", "class A { }")
    fields = "".join(f"    int f{n};\n    // {n}\n" for n in range(3))
    full = edit(B, *[replace("x", "y")] * 50)
    assert part in said(fields, fields.replace("int", "bool"), full)


def test_deletion_and_creation_of_one_path_is_told_what_to_send(two: UnityProject) -> None:
    error = refused(two, delete_file(two, A), create(A, "class A { int z; }"))
    assert error.code is ErrorCode.INVALID_REQUEST
    assert "send one change with instructions for it" in error.message


def test_two_changes_of_one_file_are_offered_as_one(two: UnityProject) -> None:
    error = refused(
        two,
        edit(A, replace("x = 1", "x = 2")),
        edit(B, replace("y = 2", "y = 3")),
        move(A, NEW, insert("M", "ore")),
    )
    assert error.code is ErrorCode.INVALID_REQUEST
    assert offered(error)["changes"] == [
        move(A, NEW, replace("x = 1", "x = 2"), insert("M", "ore")),
        edit(B, replace("y = 2", "y = 3")),
    ]
    assert not isinstance(two.engine.edit_scripts(offered(error)), SnippetError)


def test_what_is_said_twice_of_a_file_is_offered_once(two: UnityProject) -> None:
    one = edit(A, replace("x = 1", "x = 2"))
    error = refused(two, one, edit(A, replace("x = 1", "x = 2"), insert("M", "ore")), one)
    assert offered(error)["changes"] == [edit(A, replace("x = 1", "x = 2"), insert("M", "ore"))]
    assert not isinstance(two.engine.edit_scripts(offered(error)), SnippetError)


@pytest.mark.parametrize(
    "second",
    [
        create(A, "class A { }"),
        {"path": A, "delete": True, "expectedHash": content_hash(b"")},
        edit(A, replace("x = 1", "x = 3"), expectedHash=content_hash(b"")),
        move(A, NEW),
    ],
)
def test_changes_of_one_file_that_contradict_each_other_are_not_joined(
    two: UnityProject, second: dict[str, Any]
) -> None:
    first = move(A, B, replace("x = 1", "x = 2"), expectedHash=content_hash(b"class A { }"))
    assert refused(two, first, second).offers == ()


@pytest.mark.parametrize("folder", ["Assets/Core/", "Assets/Core", "Assets\\Core\\"])
def test_a_move_into_a_folder_is_told_the_path_to_send(two: UnityProject, folder: str) -> None:
    error = refused(two, move(A, folder))
    assert (error.code, error.details["suggestion"]) == (
        ErrorCode.PATH_NOT_ALLOWED,
        "Assets/Core/A.cs",
    )
    assert "Send Assets/Core/A.cs as moveTo" in error.message
    assert "suggestion" not in refused(two, move(A, "Library/")).details


@pytest.mark.parametrize(
    "path", ["Assets/../../x.cs", "/tmp/x.cs", "Library/x.cs", "Assets/x.txt", f"{A}/x.cs"]
)
def test_a_new_path_lies_inside_the_project(two: UnityProject, path: str) -> None:
    for each in (create(path, "class X { }"), move(B, path)):
        assert refused(two, each).code is ErrorCode.PATH_NOT_ALLOWED


def test_two_paths_of_one_file_are_refused(two: UnityProject) -> None:
    (two.root / "Assets/Link.cs").symlink_to(two.root / A)
    error = refused(
        two, edit(A, replace("x = 1", "x = 2")), edit("Assets/Link.cs", replace("x = 1", "x = 3"))
    )
    assert (error.code, error.file) == (ErrorCode.PATH_NOT_ALLOWED, 1)


def test_a_link_is_neither_moved_nor_deleted(two: UnityProject) -> None:
    (two.root / "Assets/Link.cs").symlink_to(two.root / A)
    for each in (move("Assets/Link.cs", NEW), delete_file(two, "Assets/Link.cs")):
        error = refused(two, each)
        assert error.code is ErrorCode.PATH_NOT_ALLOWED
        assert "is a link" in error.message


def test_a_hash_that_is_no_more_refuses_each_kind(two: UnityProject) -> None:
    old = content_hash(b"class A { }")
    for each in (
        edit(A, replace("x = 1", "x = 2"), expectedHash=old),
        move(A, NEW, expectedHash=old),
        {"path": A, "delete": True, "expectedHash": old},
    ):
        error = refused(two, edit(B, replace("y = 2", "y = 3")), each)
        assert (error.code, error.file) == (ErrorCode.STALE_FILE, 1)


def test_all_that_is_wrong_is_told_at_once_and_offered_as_one_request(two: UnityProject) -> None:
    error = refused(
        two,
        edit(A, replace("x=1", "x=5"), replace("void  M()", "void  N()")),
        create(NEW, "class C { }"),
        move(B, "Assets/B2.cs", replace("int  y", "long  y")),
    )
    jsonschema.validate(error.to_json(), ERROR_SCHEMA)
    assert (error.code, error.file, error.instruction) == (ErrorCode.ANCHOR_NOT_FOUND, 0, 0)
    others = [(each["file"], each["instruction"]) for each in error.details["otherErrors"]]
    assert others == [(0, 1), (2, 0)]
    text = text_form("edit_scripts", error)
    assert f"[file 0 {A}, instruction 0]" in text
    assert f"also file 2 {B}, instruction 0: anchor_not_found" in text
    assert len(text) <= MAX_ERROR_LENGTH
    outcome = success(two.engine.edit_scripts(offered(error)))
    assert [each["status"] for each in outcome["files"]] == ["edited", "created", "moved"]


def test_a_file_that_cannot_be_mended_is_said_to_be_refused_still(two: UnityProject) -> None:
    error = refused(
        two, edit(A, replace("x=1", "x=5")), edit(B, replace("nowhere at all", "somewhere"))
    )
    assert error.offers[0].lacks == "file 1"
    text = text_form("edit_scripts", error)
    assert "\ndraft 1 (" in text
    assert "; before you send it, also fix file 1): {" in text
    assert "\noffer 1 (" not in text


def twice(name: str) -> str:
    return (
        f"class {name}\n{{\n    void M()\n    {{\n        Stop();\n        Go();\n    }}\n\n"
        f"    void N()\n    {{\n        Stop();\n        Go();\n    }}\n}}\n"
    )


def test_a_rename_in_several_files_is_offered_everywhere_or_not_at_all(two: UnityProject) -> None:
    two.write(twice("A"), A)
    two.write(twice("B"), B)
    error = refused(two, edit(A, replace("Stop", "Halt")), edit(B, replace("Stop", "Halt")))
    assert error.code is ErrorCode.AMBIGUOUS_ANCHOR
    (offer,) = error.offers
    assert offer.what == "file 0: all 2 places; file 1: all 2 places"
    assert "offer 1 (file 0: all 2 places" in text_form("edit_scripts", error)
    sent = {**offer.arguments, "mode": "apply"}
    assert not isinstance(two.engine.edit_scripts(sent), SnippetError)
    assert two.read(A).decode() == twice("A").replace("Stop", "Halt")
    assert two.read(B).decode() == twice("B").replace("Stop", "Halt")


def test_where_places_of_two_files_are_open_those_of_both_are_told(two: UnityProject) -> None:
    two.write(twice("A"), A)
    two.write(twice("B"), B)
    anchored = replace("Stop", "Halt", after="();\n        Go();")
    error = refused(two, edit(A, anchored), edit(B, anchored))
    assert error.offers == ()
    text = text_form("edit_scripts", error)
    for place in [
        *error.details["candidates"],
        *error.details["otherErrors"][0]["details"]["candidates"],
    ]:
        assert json.dumps(place["anchor"]) in text
    assert "file 0, instruction 0: line 5" in text
    assert "file 1, instruction 0: line 5" in text


def test_places_that_have_no_room_are_to_be_asked_for_file_by_file(two: UnityProject) -> None:
    for path in (A, B):
        two.write("class C\n{\n" + "    int a; // stop\n" * 40 + "}\n", path)
    error = refused(two, edit(A, replace("int a", "int b")), edit(B, replace("int a", "int b")))
    text = text_form("edit_scripts", error)
    assert len(text) <= MAX_ERROR_LENGTH
    assert "choice" not in text
    assert text.endswith("send one file at a time to see its places.")


def test_a_broken_new_file_is_refused_with_its_line(two: UnityProject) -> None:
    error = refused(two, edit(A, replace("x = 1", "x = 2")), create(NEW, "class C\n{\n"))
    assert (error.code, error.file) == (ErrorCode.SYNTAX_ERROR, 1)
    assert error.message.startswith(f"{NEW} would not compile: line 3: CS1513")


def test_a_broken_edit_is_refused_with_its_file_and_instruction(two: UnityProject) -> None:
    error = refused(
        two,
        edit(A, replace("x = 1", "x = 2")),
        edit(B, replace("int y", "long y"), replace("= 2;", "= 3")),
    )
    assert (error.code, error.file, error.instruction) == (ErrorCode.SYNTAX_ERROR, 1, 1)
    assert error.message.startswith(f"{B} would not compile: line 3")
    assert error.offers == ()


# -- what is written -------------------------------------------------------------------------


def test_a_set_that_changes_nothing_writes_nothing(two: UnityProject) -> None:
    before = scripts(two.tree())
    done = changed(two, edit(A, replace("x = 1", "x = 1")))
    assert (done["status"], done["applied"], "changeId" in done) == ("unchanged", False, False)
    assert scripts(two.tree()) == before


def test_a_request_that_is_sent_again_is_done_once(two: UnityProject) -> None:
    changes = [edit(A, replace("x = 1", "x = 11")), create(NEW, "class C { }")]
    first = changed(two, *changes, client_request_id="one")
    written = scripts(two.tree())
    again = changed(two, *changes, client_request_id="one")
    assert again == {**first, "replayed": True}
    assert scripts(two.tree()) == written
    refusal(
        change(two, create("Assets/D.cs", "class D { }"), client_request_id="one"),
        ErrorCode.DUPLICATE_REQUEST,
    )


def test_who_comes_second_is_judged_on_what_the_first_one_wrote(
    two: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = ChangeStore.apply
    overtaken = False

    def overtake(store: ChangeStore, *args: Any, **kwargs: Any) -> str | SnippetError:
        nonlocal overtaken
        if not overtaken:
            overtaken = True
            two.done(replace("void M()", "void N()"), path=A)
        return write(store, *args, **kwargs)

    monkeypatch.setattr(ChangeStore, "apply", overtake)
    changed(two, edit(A, replace("x = 1", "x = 2")), create(NEW, "class C { }"))
    assert two.read(A) == b"class A\n{\n    int x = 2;\n    void N() { }\n}\n"


def test_what_was_expected_is_not_judged_on_another_text(
    two: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = ChangeStore.apply

    def overtake(store: ChangeStore, *args: Any, **kwargs: Any) -> str | SnippetError:
        two.write(two.read(A) + b"// more\n", A)
        return write(store, *args, **kwargs)

    monkeypatch.setattr(ChangeStore, "apply", overtake)
    expected = content_hash(two.read(A))
    error = refusal(change(two, edit(A, replace("x = 1", "x = 2"), expectedHash=expected)))
    assert (error.code, error.file) == (ErrorCode.STALE_FILE, 0)
    assert two.read(A).endswith(b"// more\n")


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        (r"using System;\nclass C\n{\n\tint x;\n}\n", "using System;\nclass C\n{\n\tint x;\n}\n"),
        (r"class C\r\n{\r\n}", "class C\r\n{\r\n}"),
        # Escaped as a whole, its own escapes once more.
        (r"class C\n{\n    string s = \"a\\n\";\n}\n", 'class C\n{\n    string s = "a\\n";\n}\n'),
        # Line breaks only: those of texts and signs are C#'s own.
        (
            r"""class C\n{\n    string s = "a\n", t = @"\n"; char c = '\n'; // d'\n}\n""",
            """class C\n{\n    string s = "a\\n", t = @"\\n"; char c = '\\n'; // d'\n}\n""",
        ),
    ],
)
def test_a_new_file_with_escapes_for_line_breaks(two: UnityProject, sent: str, meant: str) -> None:
    error = refused(two, create(NEW, sent), edit(A, replace("x = 1", "x = 9")))
    assert error.code is ErrorCode.SYNTAX_ERROR
    (offer,) = error.offers
    assert offer.basis
    sent_back = {**offer.arguments, "mode": "apply"}
    assert not isinstance(two.engine.edit_scripts(sent_back), SnippetError)
    assert two.read(NEW).decode() == meant
    assert b"x = 9" in two.read(A)


@pytest.mark.parametrize(
    "sent",
    [
        r"class C\n{\n    void M( { }\n}",
        r"class C\n{\n    string s = \ud800\n}",
        'class C { string s = "\\n" }',
        "class C\n{\n\\n",
    ],
    ids=["no C# either", "no text", "in a string", "several lines"],
)
def test_a_new_file_that_is_no_script_with_line_breaks_has_no_offer(
    two: UnityProject, sent: str
) -> None:
    assert refused(two, create(NEW, sent)).offers == ()
