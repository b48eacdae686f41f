"""The client reads one half of a result, and sends the first offer in it."""

from __future__ import annotations

import json

import pytest

from benchmarks.landing.client import Offer, Seen, offers, second_request, second_tool

REQUEST = {"path": "Assets/A.cs", "mode": "apply", "instructions": [{"operation": "delete"}]}
TEXT = (
    "anchor_not_found [instruction 0]: There is nothing like it. offer 9 (no): {}\n"
    f"offer 1 (line 57 (in Foo(int)), trailing blank differs): {json.dumps(REQUEST)}\n"
    'offer 2 (line 9): {"path": "Assets/B.cs"}'
)


def test_of_a_success_only_the_structure_is_shown() -> None:
    assert Seen(False, "words", {"status": "applied"}).shown == '{"status": "applied"}'


def test_of_an_error_only_the_text_is_shown() -> None:
    assert Seen(True, "words", {"error": {"details": {"offers": []}}}).shown == "words"


def test_offers_are_read_in_their_order() -> None:
    found = list(offers(TEXT))
    assert found[0] == Offer("line 57 (in Foo(int)), trailing blank differs", REQUEST)
    assert [each.what for each in found][1:] == ["line 9"]


def test_the_first_offer_is_sent_as_it_is() -> None:
    assert second_request({"anything": True}, TEXT) == REQUEST


def test_an_offer_goes_to_the_tool_that_it_names() -> None:
    text = f"e: m\noffer 1 (send to edit_scripts: as a change set): {json.dumps(REQUEST)}"
    assert second_request({}, text) == REQUEST
    assert second_tool(text) == "edit_scripts"
    assert second_tool(TEXT) == second_tool("nothing") == "edit_snippet"


def test_an_instruction_is_put_into_the_request() -> None:
    text = 'e: m\noffer 1 (line 3): {"instructions": {"1": {"operation": "insert"}}}'
    asked = {**REQUEST, "instructions": [{"operation": "delete"}, {"operation": "replace"}]}
    sent = second_request(asked, text)
    assert sent is not None
    assert sent["instructions"] == [{"operation": "delete"}, {"operation": "insert"}]
    assert asked["instructions"][1] == {"operation": "replace"}


def test_one_instruction_can_become_several() -> None:
    text = (
        'e: m\noffer 1 (all 2 places): {"instructions":{"0":[{"operation":"a"},{"operation":"b"}]}}'
    )
    sent = second_request({**REQUEST, "instructions": [{"operation": "delete"}, {"c": 1}]}, text)
    assert sent is not None
    assert sent["instructions"] == [{"operation": "a"}, {"operation": "b"}, {"c": 1}]


@pytest.mark.parametrize(
    "text",
    [
        "anchor_not_found: nothing",
        'offer 1 (two requests): {"path": 1}, {"path": 2}',
        "offer 1 (cut): {",
        "offer 1 (no object): [1]",
        'see offer 1 (within a line): {"path": 1}',
        'offer 1 (words after it): {"path": 1} or not',
    ],
)
def test_what_is_no_offer_is_not_sent(text: str) -> None:
    assert second_request(REQUEST, text) is None


def test_no_instruction_is_put_where_there_is_none() -> None:
    text = 'offer 1 (line 3): {"instructions": {"4": {"operation": "insert"}}}'
    asked = {**REQUEST, "instructions": [{}, {}]}
    assert second_request(asked, text) is None
    assert second_request({"path": "Assets/A.cs"}, text) is None
