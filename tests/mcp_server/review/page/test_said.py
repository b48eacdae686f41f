"""What the detail of an event says; whatever has another shape is left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mcp_server.review.page.event_view import MAX_JSON, MAX_LISTED, as_json, said
from mcp_server.review.page.rendering import ago, clock, counted, milliseconds

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "result",
                    "error",
                    "details",
                    "validation",
                    "warnings",
                    "offers",
                    "nearest",
                    "message",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(json_values)
def test_any_detail_can_be_read(detail: object) -> None:
    found = said(detail)
    assert isinstance(found.message, str)


def test_a_refusal() -> None:
    near = {"line": 9, "text": "if (x)", "symbol": "A.B()", "differs": ["the text"]}
    offer = {"what": "line 9", "arguments": {"path": "A.cs"}}
    error = {
        "message": "Not found.",
        "details": {"code": "anchor_not_found", "details": {"nearest": [near]}, "offers": [offer]},
    }
    found = said({"arguments": {}, "error": error})
    assert found.message == "Not found."
    assert (found.near[0].place, found.near[0].differs) == ("line 9, A.B()", "the text")
    assert found.offers[0].what == "line 9"
    assert '"path": "A.cs"' in found.offers[0].request


def test_a_verdict() -> None:
    validation = {"validator": "lsp", "compiler": "4.8", "coverage": ["syntax"], "notChecked": []}
    found = said({"result": {"validation": validation, "warnings": [{"code": "x", "line": 3}]}})
    assert found.verdicts[0].validator == "lsp (4.8)"
    assert found.verdicts[0].duration_ms is None
    assert (found.warnings[0].code, found.warnings[0].place) == ("x", "3")


def test_it_is_bounded() -> None:
    found = said({"result": {"warnings": [{"code": "x"}] * (MAX_LISTED + 1)}})
    assert len(found.warnings) == MAX_LISTED
    assert "more characters" in as_json("x" * (MAX_JSON + 1))


def test_words() -> None:
    assert [ago(each) for each in (0, 1, 59, 60, 7200, 90_000)] == [
        "less than a second",
        "1 second",
        "59 seconds",
        "1 minute",
        "2 hours",
        "1 day",
    ]
    assert [milliseconds(each) for each in (None, 4.7, 1500.0)] == ["", "5 ms", "1.5 s"]
    assert counted(1, "entry", "entries") == "1 entry"
    assert counted(2_000, "entry", "entries") == "2,000 entries"
    assert len(clock(0)) == 8
