"""The text that a tool is about to write."""

from __future__ import annotations

import pytest

from mcp_server.guard.events import Replacement
from mcp_server.guard.writes import replaced

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
