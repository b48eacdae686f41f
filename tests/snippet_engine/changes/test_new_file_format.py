"""The format of a new file: line endings and byte order mark of the scripts around it."""

from __future__ import annotations

import jsonschema
import pytest
from answered import success
from script_changes import changed, create, previewed, refused
from unity_project import UnityProject

from snippet_engine.errors import ErrorCode
from snippet_engine.schemas.tool_schemas import OUTPUT_SCHEMAS

BOM = b"\xef\xbb\xbf"
CRLF = b"class C\r\n{\r\n}\r\n"
LF = b"class C\n{\n}\n"
TEXT = "class New\n{\n}\n"
NEW = "Assets/Enemies/New.cs"
AS_CRLF = TEXT.replace("\n", "\r\n").encode()


@pytest.fixture
def empty(project: UnityProject) -> UnityProject:
    """A project without any script."""
    for path in project.root.joinpath("Assets").rglob("*.cs"):
        path.unlink()
    return project


def neighbours(
    project: UnityProject, data: bytes, count: int = 10, folder: str = "Enemies"
) -> None:
    for number in range(count):
        project.write(data, f"Assets/{folder}/{'N' * (number + 1)}{len(data)}.cs")


def formats(result: dict) -> list[str]:  # type: ignore[type-arg] - JSON
    return [each["message"] for each in result["warnings"] if each["code"] == "new_file_format"]


def test_a_new_file_takes_its_folders_format_and_says_so(empty: UnityProject) -> None:
    neighbours(empty, BOM + CRLF)
    previewed(empty, create(NEW, TEXT))
    result = changed(empty, create(NEW, TEXT))
    jsonschema.validate(result, OUTPUT_SCHEMAS["edit_scripts"])
    assert empty.read(NEW) == BOM + AS_CRLF
    assert formats(result) == [
        "It gets CRLF line endings and a byte order mark, as most scripts in Assets/Enemies have. "
        'To keep the format of the text, add "format": "asGiven".'
    ]
    again = refused(empty, create(NEW, TEXT))
    assert again.code is ErrorCode.PATH_NOT_ALLOWED
    assert "already has exactly this text" in again.message
    success(empty.engine.undo_snippet({"changeId": result["changeId"]}))


@pytest.mark.parametrize(
    ("around", "sent", "written"),
    [
        (LF, TEXT, TEXT.encode()),
        (BOM + LF, TEXT, BOM + TEXT.encode()),
        (CRLF, TEXT, AS_CRLF),
        (b"class C\r{\r}\r", TEXT, TEXT.replace("\n", "\r").encode()),
        # What the text says itself stays.
        (LF, TEXT.replace("\n", "\r\n"), AS_CRLF),
        (CRLF, "class New\r\n{\n}\n", b"class New\r\n{\n}\n"),
        (LF, "\ufeff" + TEXT, BOM + TEXT.encode()),
        (BOM + CRLF, "\ufeff" + TEXT, BOM + AS_CRLF),
        # UTF-16 and empty scripts say nothing of it.
        ("class C\r\n{\r\n}\r\n".encode("utf-16"), TEXT, TEXT.encode()),
        (b"", TEXT, TEXT.encode()),
        (CRLF, "class New { }", b"class New { }"),
    ],
)
def test_a_format(empty: UnityProject, around: bytes, sent: str, written: bytes) -> None:
    neighbours(empty, around)
    result = changed(empty, create(NEW, sent))
    assert empty.read(NEW) == written
    assert bool(formats(result)) == (written != sent.encode())


def test_a_request_can_keep_the_format_of_its_text(empty: UnityProject) -> None:
    neighbours(empty, BOM + CRLF)
    result = changed(empty, {**create(NEW, TEXT), "format": "asGiven"})
    assert (empty.read(NEW), formats(result)) == (TEXT.encode(), [])


def test_only_a_new_file_takes_a_format(empty: UnityProject) -> None:
    empty.write(CRLF, NEW)
    moved = {"path": NEW, "moveTo": "Assets/Other.cs", "format": "asGiven"}
    assert "only a new file, in create, takes a format" in refused(empty, moved).message


@pytest.mark.parametrize(
    ("most", "fewer", "new"),
    [("Enemies", "", NEW), ("", "Other", NEW), ("Other", "", "Assets/A/B/New.cs")],
)
def test_the_nearest_scripts_count(empty: UnityProject, most: str, fewer: str, new: str) -> None:
    if fewer or new == NEW:
        neighbours(empty, LF, 2, fewer)
    neighbours(empty, CRLF, 1, most)
    changed(empty, create(new, TEXT))
    assert empty.read(new) == AS_CRLF


def test_an_empty_file_takes_it_and_a_blank_one_keeps_its_mark(empty: UnityProject) -> None:
    neighbours(empty, BOM + CRLF)
    for old, written in ((b"", BOM + AS_CRLF), (b"\n", AS_CRLF), (BOM + b"\n", BOM + AS_CRLF)):
        empty.write(old, NEW)
        changed(empty, create(NEW, TEXT))
        assert empty.read(NEW) == written


def test_files_that_cannot_be_read_are_passed_over(empty: UnityProject) -> None:
    neighbours(empty, CRLF, 1)
    folder = empty.root / "Assets/Enemies"
    (folder / "Folder.cs").mkdir()
    (folder / "Link.cs").symlink_to("/dev/zero")
    changed(empty, create(NEW, TEXT))
    assert empty.read(NEW) == AS_CRLF
