"""The first line that differs, as a diff would show it."""

from __future__ import annotations

import pytest

from snippet_engine.storage.records.write_record import first_changed_line


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        (b"a\nb\nc\n", b"a\nx\nc\n", "-b\n+x"),
        (b"a\nb\nc\n", b"a\nb\nx\nc\n", "+x"),
        (b"a\nb\nc\n", b"a\nc\n", "-b"),
        (b"a\nb\n", b"a\nb\nc\n", "+c"),
        (b"a\nb\n", b"a\n", "-b"),
        (b"a\nb", b"a\nbc", "-b\n+bc"),
        (b"ab\n", b"xab\n", "-ab\n+xab"),
        (b"a\nb\n", b"x\na\nb\n", "+x"),
        (b"a\n", b"a\n", ""),
        (b"", b"", ""),
        (b"a\nno newline at its end", b"a\nno newline at its end", ""),
        (b"a\nb", b"a\nb\n", "-b\n+b"),
        (None, b"class A { }\n", "+class A { }"),
        (None, b"", ""),
        (b"class A { }\n", None, "-class A { }"),
        (b"a\r\nb\r\n", b"a\r\nc\r\n", "-b\n+c"),
        (b"a\rb\r", b"a\rc\r", "-b\n+c"),
        (b"a\nb\rc\r\n", b"a\nb\rd\r\n", "-c\n+d"),
        (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfc\nb\n", "-a\n+c"),
        ("\ufeffa\nü\n".encode("utf-16-le"), "\ufeffa\nc\n".encode("utf-16-le"), "-ü\n+c"),
        ("\ufeffa\r\nb".encode("utf-16-be"), "\ufeffa\r\nb\r\nü".encode("utf-16-be"), "-b\n+b"),
        (b"  a\tb\n", b"", "-  a b"),
        (b"\xff\n", b"", "-\N{REPLACEMENT CHARACTER}"),
        (b"x" * 500, b"", "-" + "x" * 99),
        (b"a\na\na\n", b"a\na\n", "-a"),
        (b"a\na\n", b"a\na\na\n", "+a"),
        (b"a\nb\nc\nd\n", b"a\nx\nd\n", "-b\n+x"),
        (b"a\nb\nc\nd\n", b"a\nd\n", "-b"),
    ],
)
def test_the_first_line(before: bytes | None, after: bytes | None, line: str) -> None:
    assert first_changed_line(before, after) == line
