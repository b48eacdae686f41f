"""Documents and nodes: what PyYAML reads is what we read, and each value has its bytes."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from unity_assets.yaml.documents import Document, Documents
from unity_assets.yaml.edits import Edit, applied, scalar_edit
from unity_assets.yaml.nodes import EMPTY, FLOW, MAPPING, SCALAR, Node
from unity_assets.yaml.scalars import MalformedError

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
texts = st.one_of(
    st.integers(-5, 10**9).map(str),
    names,
    st.lists(names, min_size=1, max_size=30).map(" ".join),
    st.text(st.characters(codec="ascii", categories=["L", "N", "P", "Zs"]), max_size=40),
)
values = st.recursive(
    texts,
    lambda inner: st.one_of(
        st.dictionaries(names, inner, min_size=1, max_size=4),
        st.lists(inner, min_size=1, max_size=4),
    ),
    max_leaves=20,
)
bodies = st.dictionaries(names, values, min_size=1, max_size=5)


def written(body: dict[str, Any], newline: str) -> bytes:
    text = yaml.dump({"MonoBehaviour": body}, width=80, sort_keys=False, default_style=None)
    return (f"%YAML 1.1\n--- !u!114 &11\n{text}".replace("\n", newline)).encode()


def plain(node: Node) -> Any:
    if node.kind == SCALAR:
        return node.text
    if node.kind == EMPTY:
        return ""
    if node.kind == MAPPING or (node.kind == FLOW and node.raw.startswith(b"{")):
        return {each.key: plain(each.value) for each in node.entries}
    return [plain(each.value) for each in node.entries]


def scalars(node: Node) -> list[Node]:
    if node.kind == SCALAR:
        return [node]
    return [leaf for each in node.entries for leaf in scalars(each.value)]


def read(data: bytes) -> Document:
    (document,) = Documents(data).all
    return document


@given(bodies, st.sampled_from(["\n", "\r\n"]))
def test_what_is_read_is_what_pyyaml_reads(body: dict[str, Any], newline: str) -> None:
    data = written(body, newline)
    expected = yaml.load(data.partition(b"&11")[2], yaml.BaseLoader)
    assert plain(read(data).root) == expected


@given(bodies, st.sampled_from(["\n", "\r\n"]), st.data())
def test_a_change_by_value_keeps_every_other_byte(
    body: dict[str, Any], newline: str, data: st.DataObject
) -> None:
    before = written(body, newline)
    leaf = data.draw(st.sampled_from(scalars(read(before).root)))
    after = applied(before, [scalar_edit(leaf, "Renamed")])
    assert after.startswith(before[: leaf.start])
    assert after.endswith(before[leaf.end :])
    middle = after[leaf.start : len(after) - (len(before) - leaf.end)]
    assert middle in (b"Renamed", b"'Renamed'", b'"Renamed"')
    assert yaml.load(after.partition(b"&11")[2], yaml.BaseLoader)


def test_ids_and_stripped_documents() -> None:
    data = (
        b"%YAML 1.1\r\n--- !u!114 &-5 stripped\r\nMonoBehaviour:\r\n  a: 1\r\n--- !u!1 &7\r\nG:\r\n"
    )
    first, second = Documents(data).all
    assert (first.class_id, first.file_id, first.stripped) == (114, -5, True)
    assert (second.class_id, second.file_id, second.stripped) == (1, 7, False)
    assert first.body.text_at("a") == "1"


def test_a_byte_order_mark_is_no_part_of_a_key() -> None:
    assert read(b"\xef\xbb\xbffileFormatVersion: 2\nguid: 12\n").root.text_at("guid") == "12"


def test_a_text_that_ends_with_breaks_has_its_quote_at_the_margin() -> None:
    document = read(b"--- !u!114 &1\nMonoBehaviour:\n  m_text: 'one\n\n    two\n\n'\n  b: 2\n")
    assert document.body.text_at("b") == "2"


def test_a_text_with_what_looks_like_keys() -> None:
    document = read(b"--- !u!114 &1\nMonoBehaviour:\n  a: 'one\n    b: 3\n    - c'\n  b: 2\n")
    assert plain(document.body) == {"a": "one b: 3 - c", "b": "2"}


def test_a_chain_leads_to_a_byte() -> None:
    data = b"--- !u!114 &1\nM:\n  a:\n  - b: {x: 1, y: 22}\n    c: 3\n  - b: {x: 4, y: 5}\n"
    chain = read(data).chain(data.index(b"22"))
    assert [each.key for each in chain] == ["M", "a", 0, "b", "y"]


@pytest.mark.parametrize(
    "text",
    [
        b"M:\n  a: 1\n<<<<<<< HEAD\n  b: 2\n",
        b"M:\n  a: 'no end\n  b: 2\n",
        b"M:\n  a: {x: 1\n  b: 2\n",
        b"M:\n  a: {x: 1} y\n",
        b"M:\n  a: {{{{}\n",
        b"just text\n",
        b"M:\n" + b"".join(b" " * n + b"- - a:\n" for n in range(2, 2000, 4)),
        b"M: " + b"{a: " * 100_000,
        b"M:\n  " + b"- " * 100_000 + b"a\n",
    ],
    ids=lambda text: repr(text[:20]),
)
def test_what_is_no_yaml_of_unitys_is_an_error_and_not_a_guess(text: bytes) -> None:
    def all_of(node: Node) -> None:
        for each in node.entries:
            all_of(each.value)

    with pytest.raises(MalformedError):
        all_of(read(text).root)


def test_edits_that_overlap_are_refused() -> None:
    with pytest.raises(ValueError, match="two changes"):
        applied(b"abcdef", [Edit(0, 3, b"x"), Edit(2, 4, b"y")])
    assert applied(b"abcdef", [Edit(0, 3, b"x"), Edit(0, 3, b"x")]) == b"xdef"
