"""What an applied edit does to the bytes of a file: docs/design/engine.md §3."""

from __future__ import annotations

import hashlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from typing import Any

import pytest
from unity_project import SCRIPT, UnityProject, delete, insert, replace

from snippet_engine.errors import ErrorCode
from snippet_engine.source_text import MAX_FILE_BYTES

PLAYER = "class Player\n{\n    int speed = 10;\n\n    // 速度 😀\n    int health = 3;\n}\n"
EDITS = (
    replace("speed = 10", "speed = 20"),
    insert("int health", "int armor;\nint shield;", position="line_before"),
    delete("health = 3", before="int"),
)
AFTER = (
    "class Player\n{\n    int speed = 20;\n\n    // 速度 😀\n    int armor;\n    int shield;\n"
    "    int health;\n}\n"
)
ENCODINGS = {
    "utf-8": (b"", "utf-8"),
    "utf-8 with BOM": (BOM_UTF8, "utf-8"),
    "utf-16-le": (BOM_UTF16_LE, "utf-16-le"),
    "utf-16-be": (BOM_UTF16_BE, "utf-16-be"),
}


def applied(project: UnityProject, data: bytes, *instructions: dict[str, Any]) -> bytes:
    """The bytes after a request that must be applied; its hashes are checked."""
    project.write(data)
    result = project.done(*instructions)
    assert result["status"] == "applied"
    after = project.read()
    assert result["hashBefore"] == "sha256:" + hashlib.sha256(data).hexdigest()
    assert result["hashAfter"] == "sha256:" + hashlib.sha256(after).hexdigest()
    return after


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("final", [True, False])
def test_encoding_bom_line_endings_and_final_newline_stay(
    project: UnityProject, encoding: str, ending: str, final: bool
) -> None:
    bom, codec = ENCODINGS[encoding]

    def in_file(text: str) -> bytes:
        text = text if final else text.removesuffix("\n")
        return bom + text.replace("\n", ending).encode(codec)

    edits = (*EDITS[:2], replace("health = 3", "health"))
    assert applied(project, in_file(PLAYER), *edits) == in_file(AFTER)


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_line_endings_of_the_request_make_no_difference(project: UnityProject, ending: str) -> None:
    edit = replace(
        "int a;\n    int b;".replace("\n", ending),
        "int b;\n    int a;".replace("\n", ending),
        before="{\n    ".replace("\n", ending),
        after="\n}".replace("\n", ending),
    )
    for own in ("\n", "\r\n", "\r"):
        before = "class C\n{\n    int a;\n    int b;\n}".replace("\n", own).encode()
        expected = "class C\n{\n    int b;\n    int a;\n}".replace("\n", own).encode()
        assert applied(project, before, edit) == expected


@pytest.mark.parametrize(
    ("data", "offset"),
    [
        ("class C { } // 日本".encode("shift_jis"), 15),
        (b"class C { } // \xff\xfe", 15),
        ("class C { }".encode("utf-16-le"), 0),
        ("\r\n// é 日本\r\nclass C { }".encode("utf-16-be"), 0),
        ("class C { }".encode("utf-32-be"), 0),
        (b"\xff\xfe\x00\x00" + "class C { }".encode("utf-32-le"), 0),
        (BOM_UTF16_LE + b"\x00\xd8a\x00", 2),
        (BOM_UTF16_LE + b"a", 2),
    ],
)
def test_other_encodings_are_refused(project: UnityProject, data: bytes, offset: int) -> None:
    project.write(data)
    for mode in ("preview", "apply"):
        outcome = project.refused(replace("class", "struct"), mode=mode)
        assert outcome.code is ErrorCode.UNSUPPORTED_ENCODING
        assert outcome.details["offset"] == offset
        assert str(offset) in outcome.message or "byte order mark" in outcome.message
    for tool in (project.engine.get_symbols, project.engine.validate_script):
        error = tool({"path": SCRIPT})
        assert getattr(error, "code", None) is ErrorCode.UNSUPPORTED_ENCODING


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_what_lacks_its_mark_is_not_edited_where_its_bytes_are_utf_8(
    project: UnityProject, codec: str
) -> None:
    data = "class C { }".encode(codec)
    data.decode("utf-8")
    file = project.write(data)
    instruction = replace("C", "Other")
    assert f"seems to be {codec.upper()} without" in project.refused(instruction).message
    change = {"path": SCRIPT, "instructions": [instruction]}
    refused = project.engine.edit_scripts({"mode": "apply", "changes": [change]})
    assert getattr(refused, "code", None) is ErrorCode.UNSUPPORTED_ENCODING
    assert file.read_bytes() == data


@pytest.mark.parametrize(
    "before", ["//\0\0", "// a\0", "/*\0*/", 'class A { string s = "\0a\0b\0"; }', "\n\0", "\0"]
)
def test_a_nul_is_a_character_as_others_are(project: UnityProject, before: str) -> None:
    data = f"{before}\nclass Z {{ int x; }}".encode()
    after = applied(project, data, replace("int x;", "int y;"))
    assert after == data.replace(b"int x;", b"int y;")


def test_new_text_cannot_become_a_byte_order_mark(project: UnityProject) -> None:
    project.write("class C { }")
    error = project.refused(insert("class", "\ufeff", position="before"))
    assert error.code is ErrorCode.INVALID_REQUEST
    assert "byte order mark" in error.message


def test_files_up_to_8_mib(project: UnityProject) -> None:
    tail = b"class C { int a; }\n"
    line = b"// " + b"x" * 1020 + b"\n"
    data = (line * (MAX_FILE_BYTES // len(line)))[: MAX_FILE_BYTES - len(tail) - 1] + b"\n" + tail
    assert len(data) == MAX_FILE_BYTES
    assert applied(project, data, replace("int a", "int b")) == data.replace(b"int a", b"int b")
    project.write(data)
    error = project.refused(replace("int a", "long a"))
    assert error.code is ErrorCode.FILE_TOO_LARGE
    project.write(data + b"\n")
    assert project.refused(replace("int a", "int b")).code is ErrorCode.FILE_TOO_LARGE
    symbols = project.engine.get_symbols({"path": SCRIPT})
    assert getattr(symbols, "code", None) is ErrorCode.FILE_TOO_LARGE
