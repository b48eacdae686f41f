from __future__ import annotations

import hashlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_LE

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import MAX_FILE_BYTES, Position, SourceText, decode

ENCODINGS = [
    (b"", "utf-8"),
    (BOM_UTF8, "utf-8"),
    (BOM_UTF16_LE, "utf-16-le"),
    (BOM_UTF16_BE, "utf-16-be"),
]


def text_of(data: bytes) -> SourceText:
    decoded = decode(data)
    assert isinstance(decoded, SourceText)
    return decoded


@pytest.mark.parametrize(("bom", "codec"), ENCODINGS)
def test_the_view_has_no_bom_and_only_line_feeds(bom: bytes, codec: str) -> None:
    source = text_of(bom + "a\r\nб😀\rc\n".encode(codec))
    assert source.view == "a\nб😀\nc\n"
    assert source.utf8 == "a\nб😀\nc\n".encode()


@given(
    st.sampled_from(ENCODINGS), st.lists(st.sampled_from(["a", "б", "😀", "\r\n", "\r", "\n", " "]))
)
def test_every_code_point_is_found_in_bytes(encoding: tuple[bytes, str], pieces: list[str]) -> None:
    bom, codec = encoding
    original = "".join(pieces)
    source = text_of(bom + original.encode(codec))
    offset = 0
    for index, character in enumerate(source.view):
        standing = original[offset : offset + 2]
        width = 2 if standing == "\r\n" else 1
        expected = len(bom) + len(original[:offset].encode(codec))
        assert source.byte_offset(index) == expected
        assert source.utf8_offset(index) == len(source.view[:index].encode())
        assert source.view_offset(source.utf8_offset(index)) == index
        if character == "\n":
            assert source.line_ending_at(index) == original[offset : offset + width]
        offset += width
    assert source.byte_offset(len(source.view)) == len(source.data)


@pytest.mark.parametrize(
    ("data", "offset"),
    [
        ("// 日本語\n".encode("shift_jis"), 3),
        (BOM_UTF8 + b"ok \xff", 6),
        (BOM_UTF16_LE + "a".encode("utf-16-le") + b"\x00\xd8", 4),
        (BOM_UTF16_LE + b"a\x00b", 4),
        (BOM_UTF32_LE + "a".encode("utf-32-le"), 0),
    ],
)
def test_other_encodings_are_refused_with_the_first_bad_offset(data: bytes, offset: int) -> None:
    refused = decode(data)
    assert isinstance(refused, SnippetError)
    assert refused.code is ErrorCode.UNSUPPORTED_ENCODING
    assert refused.details["offset"] == offset


def test_a_file_over_the_limit_is_refused() -> None:
    refused = decode(b" " * (MAX_FILE_BYTES + 1))
    assert isinstance(refused, SnippetError)
    assert refused.code is ErrorCode.FILE_TOO_LARGE
    assert isinstance(decode(b" " * MAX_FILE_BYTES), SourceText)


def test_the_hash_is_what_sha256sum_prints() -> None:
    data = BOM_UTF8 + b"class A { }\r\n"
    assert text_of(data).hash == "sha256:" + hashlib.sha256(data).hexdigest()


def test_positions_count_utf16_code_units() -> None:
    source = text_of("a\n😀é x".encode())
    assert source.position(source.view.index("x")) == Position(1, 4)


@pytest.mark.parametrize(
    ("data", "offset", "ending"),
    [
        (b"a\r\nb", 3, "\r\n"),
        (b"a\rb", 2, "\r"),
        (b"a\r\nb\nc", 2, "\n"),
        (b"a\r\nb\nc", 0, "\r\n"),
        (b"a", 0, "\n"),
        (b"", 0, "\n"),
    ],
)
def test_a_last_line_takes_the_ending_above_it(data: bytes, offset: int, ending: str) -> None:
    assert text_of(data).line_ending_at(offset) == ending


def test_line_endings_are_counted() -> None:
    assert dict(text_of(b"a\r\nb\nc\rd\n").line_endings) == {"\r\n": 1, "\r": 1, "\n": 2}
    assert dict(text_of(b"a\nb\n").line_endings) == {"\n": 2}
