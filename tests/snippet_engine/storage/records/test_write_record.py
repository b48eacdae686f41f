"""A record comes back as it was kept, or not at all: anyone may have written what is there."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from snippet_engine.source_text import content_hash
from snippet_engine.storage.records.write_record import WriteRecord, first_changed_line, new_ticket

IMAGE = b"class A\n{\n}\n"
WRITE = WriteRecord(
    "Assets/\u00e9.cs", "0123456789abcdef", content_hash(IMAGE), content_hash(b"new"), IMAGE
)
UNDO = replace(WRITE, image=None, consumes="an entry")


@pytest.mark.parametrize(
    "record", [WRITE, UNDO, replace(WRITE, image=b"", before=content_hash(b""))]
)
def test_a_record_comes_back(record: WriteRecord) -> None:
    assert WriteRecord.decode(record.encode()) == record


def test_it_is_a_line_and_the_image() -> None:
    header, image = WRITE.encode().split(b"\n", 1)
    assert image == IMAGE
    assert json.loads(header) == {
        "path": "Assets/\u00e9.cs",
        "ticket": "0123456789abcdef",
        "before": content_hash(IMAGE),
        "after": content_hash(b"new"),
        "imageBytes": len(IMAGE),
        "consumes": None,
        "client": None,
        "firstLine": None,
        "folder": None,
        "time": WRITE.time_s,
    }


def with_header(image: bytes = IMAGE, **changed: Any) -> bytes:
    header = json.loads(WRITE.encode().split(b"\n", 1)[0])
    header.update(changed)
    header = {key: value for key, value in header.items() if value != "gone"}
    return json.dumps(header).encode() + b"\n" + image


def test_the_header_that_is_changed_below_is_good() -> None:
    assert WriteRecord.decode(with_header()) == WRITE
    assert WriteRecord.decode(with_header(consumes="an entry", imageBytes=None, image=b"")) == UNDO


@pytest.mark.parametrize("value", ["gone", None, 7, -1.0, 1e300, float("nan"), "noon", [1.0]])
def test_without_a_time_that_it_was_made(value: object) -> None:
    """As one of an earlier version, which told none; a damaged one is no reason to lose a text."""
    assert WriteRecord.decode(with_header(time=value)) == replace(WRITE, time_s=None)


@pytest.mark.parametrize(
    "key", ["path", "ticket", "before", "after", "consumes", "client", "firstLine"]
)
@pytest.mark.parametrize("value", [1, True, ["a"], {}])
def test_a_field_of_another_kind(key: str, value: object) -> None:
    assert WriteRecord.decode(with_header(**{key: value})) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("path", None),
        ("path", "gone"),
        ("ticket", "gone"),
        ("ticket", "0123456789ABCDEF"),
        ("ticket", "0123456789abcdef0"),
        ("ticket", "../../escape/away"),
        ("before", "gone"),
        ("before", "sha256:" + "0" * 63),
        ("before", "sha256:" + "0" * 64),
        ("after", "gone"),
        ("after", "md5:" + "0" * 64),
        ("imageBytes", str(len(IMAGE))),
        ("imageBytes", float(len(IMAGE))),
        ("imageBytes", len(IMAGE) - 1),
        ("imageBytes", None),
        ("imageBytes", [len(IMAGE)]),
    ],
)
def test_a_field_with_a_wrong_value(key: str, value: object) -> None:
    assert WriteRecord.decode(with_header(**{key: value})) is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"{}\n",
        b"[]\n",
        b"null\n" + IMAGE,
        b"\xff\n",
        b"[" * 100_000 + b"\n",
        WRITE.encode()[:-1],
        WRITE.encode() + b"\n",
        WRITE.encode().replace(b"class A", b"class B"),
        UNDO.encode() + b"x",
        UNDO.encode().removesuffix(b"\n"),
    ],
)
def test_what_is_no_record(data: bytes) -> None:
    assert WriteRecord.decode(data) is None


def test_tickets_differ() -> None:
    tickets = {new_ticket() for _ in range(100)}
    assert len(tickets) == 100
    assert {len(each) for each in tickets} == {16}


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
        (b"a\nb\nc\nd\n", b"a\nx\nb\nc\ny\nd\n", "+x"),
        (b"a\nb\nc\nd\n", b"a\nc\nx\n", "-b"),
        (b"a\nb\nc\nd\n", b"a\nx\nc\ny\nd\n", "-b\n+x"),
    ],
)
def test_the_first_line_that_differs(before: bytes | None, after: bytes | None, line: str) -> None:
    assert first_changed_line(before, after) == line
