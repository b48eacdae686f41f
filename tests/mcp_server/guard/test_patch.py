"""The text that a tool is about to write: by replacements, or by ``apply_patch``."""

from __future__ import annotations

import pytest

from mcp_server.guard.events import Replacement
from mcp_server.guard.writes import FilePatch, Hunk, patched, read_patch, replaced

TEXT = "class A\n{\n    int a;\n    int b;\n\n    int c;\n    int b;\n}\n"


def update(*lines: str) -> tuple[Hunk, ...]:
    body = "\n".join(("*** Begin Patch", "*** Update File: A.cs", *lines, "*** End Patch"))
    found = read_patch(body)
    assert found is not None
    return found[0].hunks


def test_every_kind_of_file() -> None:
    found = read_patch(
        "*** Begin Patch\n*** Add File: New.cs\n+class New\n+{\n+}\n*** Delete File: Old.cs\n"
        "*** Update File: A.cs\n*** Move to: B.cs\n@@ class A\n-    int a;\n+    int z;\n"
        "*** End of File\n*** Update File: C.cs\n*** Move to: D.cs\n*** End Patch\n"
    )
    assert found == (
        FilePatch("New.cs", added="class New\n{\n}\n"),
        FilePatch("Old.cs", is_deleted=True),
        FilePatch(
            "A.cs",
            hunks=(Hunk("class A", ("    int a;",), ("    int z;",), is_last=True),),
            move_to="B.cs",
        ),
        FilePatch("C.cs", move_to="D.cs"),
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "class A { }",
        "*** Begin Patch\n*** Update File: A.cs\n@@\n-a\n+b",
        "*** Begin Patch\n*** Update File: A.cs\n*** End Patch",
        "*** Begin Patch\n*** Add File: A.cs\nclass A\n*** End Patch",
        "*** Begin Patch\n*** Delete File: A.cs\n-a\n*** End Patch",
        "*** Begin Patch\n*** Update File: A.cs\n@@\n?a\n*** End Patch",
        "*** Begin Patch\nA.cs\n*** End Patch",
    ],
)
def test_what_is_no_patch(text: str) -> None:
    assert read_patch(text) is None


@pytest.mark.parametrize(
    ("lines", "old", "new"),
    [
        (["@@", "-    int a;", "+    int z;"], "int a;", "int z;"),
        (["-    int a;", "+    int z;"], "int a;", "int z;"),
        (["@@ class A", " {", "-    int a;", "+    int z;"], "int a;", "int z;"),
        (["@@", "-    int a;   ", "+    int z;"], "int a;", "int z;"),
        (["@@", "-int a;", "+    int z;"], "int a;", "int z;"),
        (["@@", "-\u00a0\u00a0\u00a0 int a;", "+    int z;"], "int a;", "int z;"),
        (["@@", "     int c;", "-    int b;", "+    int z;"], "c;\n    int b;", "c;\n    int z;"),
        (["@@     int c;", "-    int b;", "+    int z;"], "c;\n    int b;", "c;\n    int z;"),
        (["@@", "-    int b;", "-}", "+}", "*** End of File"], "c;\n    int b;", "c;"),
        (["@@", "-}", "-", "+}"], "}", "}"),
        (["@@", "+// end"], "}\n", "}\n// end\n"),
    ],
)
def test_a_hunk_has_its_place(lines: list[str], old: str, new: str) -> None:
    assert patched(TEXT, update(*lines)) == TEXT.replace(old, new)


def test_hunks_follow_one_another() -> None:
    hunks = update("@@", "-    int b;", "+    int y;", "@@", "-    int b;", "+    int z;")
    expected = TEXT.replace("int b;", "int y;", 1).replace("int b;", "int z;")
    assert patched(TEXT, hunks) == expected


@pytest.mark.parametrize(
    "lines",
    [
        ["@@", "-    int x;", "+    int z;"],
        ["@@ class B", "-    int a;", "+    int z;"],
        ["@@", "-    int c;", "+    int z;", "@@", "-    int a;", "+    int y;"],
    ],
)
def test_a_hunk_without_a_place(lines: list[str]) -> None:
    assert patched(TEXT, update(*lines)) is None


def test_lines_of_a_file_with_crlf_stay_as_they_are() -> None:
    text = TEXT.replace("\n", "\r\n")
    after = patched(text, update("@@", "-    int a;", "+    int z;"))
    assert after == text.replace("int a;\r\n", "int z;\n")


def test_a_search_without_end_ends() -> None:
    lines = "\n".join(["x"] * 3000)
    hunk = Hunk(None, (*["x"] * 1500, "y"), ())
    assert patched(lines, [hunk]) is None


BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("before", "edits", "after"),
    [
        (b"a b a", [Replacement("b", "c")], b"a c a"),
        (b"a b a", [Replacement("a", "c")], None),
        (b"a b a", [Replacement("a", "c", True)], b"c b c"),
        (b"aaa", [Replacement("aa", "b")], None),
        (b"a b", [Replacement("x", "c")], None),
        (b"a b", [Replacement("a", "b"), Replacement("b b", "c")], b"c"),
        (b"a b", [Replacement("a", "c"), Replacement("x", "d")], None),
        (b"a\r\nb\r\n", [Replacement("a\r\nb", "c")], b"c\r\n"),
        (BOM + b"a", [Replacement("a", "b")], BOM + b"b"),
        ("\ufeffä".encode("utf-16-le"), [Replacement("ä", "ö")], "\ufeffö".encode("utf-16-le")),
        (None, [Replacement("", "new")], b"new"),
        (b"", [Replacement("", "new")], b"new"),
        (b"a", [Replacement("", "new")], None),
        (None, [Replacement("a", "new")], None),
        (b"a", [Replacement("a", "\ud800")], None),
        (b"\xff\xfe\xfd", [Replacement("a", "b")], None),
    ],
)
def test_exact_replacements(
    before: bytes | None, edits: list[Replacement], after: bytes | None
) -> None:
    assert replaced(before, edits) == after


def test_lf_matches_other_line_endings() -> None:
    after = replaced(b"a\r\nb\r\nc", [Replacement("a\nb", "x\ny")])
    assert after is not None
    assert after.replace(b"\r\n", b"\n") == b"x\ny\nc"
