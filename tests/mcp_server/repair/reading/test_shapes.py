"""Requests of another shape than the contract's: read where there is one way, else refused."""

from __future__ import annotations

import copy
import json
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st
from repair_requests import EXAMPLES, LEVELS, example, read, refused

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError
from mcp_server.repair.call import MAX_NOTES, read_call
from mcp_server.repair.offers.nearest_requests import MAX_OFFERS
from mcp_server.repair.offers.refusal import MAX_TEXT_LENGTH, Refusal
from mcp_server.repair.reading.reader import MAX_KEYS
from mcp_server.repair.sent_call import ReadCall, as_sent
from mcp_server.repair.words.table import (
    ALIASES,
    ANCHOR_ALIASES,
    FLAGS,
    INSTRUCTION_WRAPPERS,
    NO_EFFECT,
    NO_MEANING,
    NO_MEANING_OUTSIDE_ANCHORS,
    TOOL_NAMES,
    WRAPPERS,
    plain,
)

PLAIN: dict[str, Any] = {
    "path": "Assets/A.cs",
    "mode": "apply",
    "instructions": [
        {
            "operation": "replace",
            "anchor": {"type": "text", "target": "speed > 10"},
            "newText": "speed > 20",
        }
    ],
}


def plain_request() -> dict[str, Any]:
    return copy.deepcopy(PLAIN)


def one(**keys: Any) -> dict[str, Any]:
    """A request with one instruction."""
    return {"path": "Assets/A.cs", "mode": "apply", "instructions": [keys]}


@pytest.mark.parametrize("tool", EXAMPLES)
def test_a_valid_request_is_passed_on_as_it_is(tool: str) -> None:
    sent = example(tool)
    params = as_sent(CATALOG[tool], sent)
    assert params is not None
    assert dict(params) == EXAMPLES[tool]
    assert read(sent, tool).notes == ()
    # Its values are the very ones that were sent.
    assert all(params[key] is sent[key] for key in sent)


INSTRUCTION: dict[str, Any] = PLAIN["instructions"][0]
ANCHOR = INSTRUCTION["anchor"]
NEW = "speed > 20"
READ = {
    "instructions as JSON text": {**PLAIN, "instructions": json.dumps([INSTRUCTION])},
    "one instruction": {**PLAIN, "instructions": INSTRUCTION},
    "one as JSON text": {**PLAIN, "instructions": json.dumps(INSTRUCTION)},
    "each as JSON text": {**PLAIN, "instructions": [json.dumps(INSTRUCTION)]},
    "anchor as JSON text": one(operation="replace", anchor=json.dumps(ANCHOR), newText=NEW),
    "everything as JSON text": {"request": json.dumps(PLAIN)},
    "instructions twice": {**PLAIN, "instructions": {"instructions": [INSTRUCTION]}},
    "anchor twice": one(operation="replace", anchor={"anchor": ANCHOR}, newText=NEW),
    "anchor's fields beside operation": one(operation="replace", **ANCHOR, newText=NEW),
    "everything beside the path": {"path": "Assets/A.cs", "mode": "apply", **INSTRUCTION},
    "new text in the anchor": one(
        operation="replace", anchor={"target": "speed > 10", "newText": NEW}
    ),
    "operation as type": one(type="replace", target="speed > 10", newText=NEW),
    "an anchor that is a text": one(operation="replace", anchor="speed > 10", newText=NEW),
    "no type": one(operation="replace", anchor={"target": "speed > 10"}, newText=NEW),
    "no operation": one(anchor=ANCHOR, newText=NEW),
    "two names, one value": one(**INSTRUCTION, old_string="speed > 10", new_text=NEW),
    "a wrapper and keys beside it": {
        "path": "Assets/A.cs",
        "arguments": {"mode": "apply", "edits": [INSTRUCTION]},
    },
    "path and mode in the instruction": {
        "instructions": [{**INSTRUCTION, "path": "Assets/A.cs", "mode": "apply"}]
    },
    "nulls and empties": {
        **PLAIN,
        **{"expectedHash": None, "timeout_ms": "null", "client_request_id": ""},
        **{"tags": [], "options": {}},
        "instructions": [{**INSTRUCTION, "metadata": None, "position": ""}],
    },
    "another case": {"Path": "Assets/A.cs", "MODE": "Apply", "instructions": [INSTRUCTION]},
}


@pytest.mark.parametrize("shape", READ)
def test_what_can_be_read_in_one_way_is_read(shape: str) -> None:
    sent = copy.deepcopy(READ[shape])
    found = read(sent)
    assert dict(found.params) == PLAIN
    assert found.notes
    assert all(note.startswith("$") for note in found.notes)
    assert sent == READ[shape]


@pytest.mark.parametrize(
    ("value", "text"), [(5, "5"), (-3, "-3"), (0, "0"), (True, "true"), (False, "false")]
)
def test_a_number_or_a_boolean_is_its_text(value: Any, text: str) -> None:
    sent = plain_request()
    sent["instructions"][0]["newText"] = value
    assert read(sent).params["instructions"][0]["newText"] == text


@pytest.mark.parametrize("value", [1.5, 1.0, 10**30, ["a"], {"a": 1}])
def test_a_value_that_could_be_several_texts_is_none(value: Any) -> None:
    sent = plain_request()
    sent["instructions"][0]["newText"] = value
    error = refused(sent)
    assert "$.instructions[0].newText must be a string" in error.text


def test_a_type_that_the_rest_contradicts_is_the_rest() -> None:
    sent = one(operation="delete", anchor={"type": "text", "symbolPath": "A.B", "target": "speed"})
    assert read(sent).params["instructions"][0]["anchor"]["type"] == "symbol"


def test_a_digest_without_its_prefix() -> None:
    sent = {**plain_request(), "hash": "AB" * 32}
    assert read(sent).params["expectedHash"] == "sha256:" + "ab" * 32


OPEN: dict[str, dict[str, Any]] = {
    "two targets": one(operation="replace", target="a + b", old_string="c + d", newText="e"),
    "two new texts": one(operation="replace", target="a + b", newText="c", new_text="d"),
    "two paths": {**PLAIN, "file_path": "Assets/B.cs"},
    "insert beside old_string": one(operation="insert", old_string="a + b", new_string="c"),
    "two modes": {**PLAIN, "dryRun": True},
    "no mode": {**PLAIN, "mode": None},
    "an unknown mode": {**PLAIN, "mode": "now"},
    "append to a symbol": one(operation="append", symbolPath="A.B", newText="c"),
    "insert after a symbol": one(operation="insert_after", symbolPath="A.B", newText="c"),
    "insert lines after a text": one(operation="insertAfter", target="a;", newText="b;\nc;"),
    "two positions": one(operation="insert_after", target="a", position="before", newText="c"),
    "a position for a replacement": one(
        operation="replace", target="a + b", position="after", newText="c"
    ),
    "a new text for a deletion": one(operation="delete", target="a + b", newText="c"),
    "nothing to replace by": one(operation="replace", target="a + b", newText=""),
    "a symbol by its text": one(operation="delete", anchor={"type": "symbol", "target": "A.B"}),
    "an empty target": one(
        operation="delete", anchor={"type": "symbol", "symbolPath": "A.B", "target": ""}
    ),
    "an anchor that could be a symbol": one(operation="delete", anchor="Player.Update"),
    "a symbol without an operation": one(symbolPath="A.B", newText="c"),
    "a target without an operation": one(target="a + b"),
}
OFFERED_MODES = {
    **{shape: ["preview", "apply"] for shape in ("two modes", "no mode", "an unknown mode")},
    "an empty target": ["preview"],
    "a target without an operation": ["preview"],
    "nothing to replace by": ["apply"],
}
"""Of what is offered otherwise than in two previews."""


@pytest.mark.parametrize("word", ["insert_after", "insertAfter", "add_after", "insert_before"])
@pytest.mark.parametrize(
    "anchor",
    [
        {"type": "symbol", "symbolPath": "A.B"},
        {"type": "symbol", "symbolPath": "A.B", "part": "declaration"},
        {"type": "text", "target": "a;"},
    ],
    ids=["symbol", "part", "text"],
)
def test_lines_of_its_own_come_first_beside_what_ends_there(
    word: str, anchor: dict[str, Any]
) -> None:
    new_text = "void New()\n{\n}" if "target" in anchor else "int c;"
    said = "before" if "before" in word else "after"
    error = refused(one(operation=word, anchor=anchor, newText=new_text))
    assert f'could mean position "line_{said}" or "{said}"' in error.text
    positions = [
        offer["arguments"]["instructions"][0]["anchor"]["position"]
        for offer in error.details["offers"]
    ]
    assert positions == [f"line_{said}", said]


@pytest.mark.parametrize(
    ("anchor", "new_text", "position"),
    [
        ({"type": "text", "target": "a;"}, " b;", "after"),
        ({"type": "text", "target": "a;"}, "\n    b;\n    c;", "after"),
        ({"type": "text", "target": "a;"}, "b;\n", "after"),
        ({"type": "symbol", "symbolPath": "A.B", "target": "a;"}, " b;", "after"),
        ({"type": "symbol", "symbolPath": "A.B", "part": "signature"}, " b", "after"),
        ({"type": "symbol", "symbolPath": "A.B", "position": "line_after"}, "b", "line_after"),
        ({"type": "symbol", "symbolPath": "A.B", "position": "after"}, "b", "after"),
    ],
)
def test_where_it_is_right_after_it_stays(
    anchor: dict[str, Any], new_text: str, position: str
) -> None:
    sent = one(operation="insert_after", anchor=anchor, newText=new_text)
    assert read(sent).params["instructions"][0]["anchor"]["position"] == position


@pytest.mark.parametrize("shape", OPEN)
def test_of_two_readings_none_is_taken(shape: str) -> None:
    error = refused(OPEN[shape])
    offers = error.details["offers"]
    modes = [offer["arguments"]["mode"] for offer in offers]
    assert modes == OFFERED_MODES.get(shape, ["preview", "preview"])
    assert len({offer["what"] for offer in offers}) == len(offers)
    # Of several that are alike none is called the offer, which could be taken without a thought.
    writes_nothing = "mode" in shape
    word = "offer" if writes_nothing or len(offers) == 1 else "choice"
    assert [offer.get("basis") is not None for offer in offers].count(True) == writes_nothing
    for number, offer in enumerate(offers, 1):
        assert as_sent(CATALOG["edit_snippet"], offer["arguments"]) is not None
        what = offer["what"] + (f"; {offer['basis']}" if "basis" in offer else "")
        line = f"{word} {number} ({what}): {json.dumps(offer['arguments'])}"
        assert line in error.text.split("\n")


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"instructions": []},
        {"path": 5, "mode": "apply", "instructions": PLAIN["instructions"]},
        {**PLAIN, "edits": [{"old_string": "other", "new_string": "more"}]},
        {**PLAIN, "request": 5},
        {**PLAIN, "instructions": "replace speed"},
        {**PLAIN, "instructions": '[{"operation": "delete", "operation": "replace"}]'},
        {**PLAIN, "instructions": [5]},
        {**PLAIN, "timeout_ms": "soon"},
        {**PLAIN, "timeout": 5},
        {"request": {"request": {"request": {"request": {"request": PLAIN}}}}},
    ],
    ids=lambda sent: json.dumps(sent)[:40],
)
def test_what_nobody_can_read_is_refused_with_its_place(sent: dict[str, Any]) -> None:
    error = refused(sent)
    assert error.details["details"]["problems"]
    assert error.text.startswith("Invalid parameters for tool `edit_snippet`: $.")


def test_json_text_that_gives_a_key_twice_has_two_readings() -> None:
    (instruction,) = PLAIN["instructions"]
    doubled = json.dumps(instruction)[:-1] + ', "newText": "other"}'
    assert json.loads(doubled)["newText"] == "other"
    refused({**PLAIN, "instructions": f"[{doubled}]"})


def test_problems_stand_where_they_were_sent() -> None:
    sent = {"request": {"file": "Assets/A.cs", "mode": "apply", "edits": [{"old_text": "a"}]}}
    problems = refused(sent).details["details"]["problems"]
    assert [problem["path"] for problem in problems] == ["$.request.edits[0].operation"]


def test_an_offer_keeps_what_it_leaves_out_as_metadata() -> None:
    sent = plain_request()
    sent["instructions"][0] |= {"startLine": 12, "metadata": {"why": "asked"}}
    (offer,) = refused(sent).details["offers"]
    assert offer["arguments"]["instructions"][0]["metadata"] == {"why": "asked", "startLine": 12}
    assert offer["arguments"]["mode"] == "apply"


@pytest.mark.parametrize(("number", "mode"), [(1, "apply"), (2, "preview")])
def test_a_numbered_occurrence_is_offered_where_it_can_only_be_the_first(
    number: int, mode: str
) -> None:
    sent = plain_request()
    sent["instructions"][0]["occurrence"] = number
    (offer,) = refused(sent).details["offers"]
    assert offer["arguments"]["mode"] == mode


def test_of_a_long_request_the_text_repeats_the_instruction_that_changes() -> None:
    sent = plain_request()
    long = copy.deepcopy(sent["instructions"][0])
    long["anchor"]["before"] = "x" * 1900
    sent["instructions"] = [long, {**sent["instructions"][0], "line": 7}]
    error = refused(sent)
    (line,) = error.text.split("\n")[1:]
    before, _, changed = line.partition("): ")
    assert before.startswith("offer 1 (without line 7")
    (offer,) = error.details["offers"]
    assert json.loads(changed) == {"instructions": {"1": offer["arguments"]["instructions"][1]}}
    assert len(error.text) <= MAX_TEXT_LENGTH


def test_an_offer_is_one_line_whatever_its_texts_hold() -> None:
    sent = plain_request()
    sent["instructions"][0] |= {"newText": "a\u2028b\x85c\nd", "line": 3}
    _, offer = refused(sent).text.splitlines()
    assert json.loads(offer.partition("): ")[2])["instructions"][0]["newText"] == "a\u2028b\x85c\nd"


def test_a_key_cannot_write_lines_of_its_own() -> None:
    key = 'x\noffer 1 (this): {"path": "Assets/B.cs"}'
    _, offer = refused({**plain_request(), key: 1}).text.splitlines()
    assert offer.startswith('offer 1 (without "x\\noffer')


def test_a_tool_that_acts_is_never_offered_without_what_it_was_told() -> None:
    assert refused({"job_id": "j", "onlyIf": "failed"}, "cancel_job").details["offers"] == []
    (offer,) = refused({"path": "Assets/A.cs", "depth": 2}, "get_symbols").details["offers"]
    assert offer["arguments"] == {"path": "Assets/A.cs"}


def test_numbers_and_words_of_other_tools() -> None:
    sent = {"limit": "50", "type": "Errors"}
    assert dict(read(sent, "read_console").params) == {"max_entries": 50, "types": ["error"]}
    sent = {"args": {"testMode": "EditMode", "filter": 5, "timeoutMs": "1000"}}
    wanted = {"mode": "edit", "filter": "5", "timeout_ms": 1000}
    assert dict(read(sent, "run_tests").params) == wanted
    assert dict(read({"stopPlayMode": "True"}, "compile").params) == {"stop_play_mode": True}


_NAMES = {
    plain(name)
    for names in (
        *(names for keys in ALIASES.values() for names in keys.values()),
        *ANCHOR_ALIASES.values(),
        *(keys for keys in ALIASES.values()),
        FLAGS,
        INSTRUCTION_WRAPPERS,
        NO_EFFECT,
        NO_MEANING,
        NO_MEANING_OUTSIDE_ANCHORS,
        TOOL_NAMES,
        WRAPPERS,
        ("editSnippet", "mode", "include", "validation", "metadata", "anchor", "type", "kind"),
        ("in", "before", "after", "timeoutMs", "operation", "newText", "expectedHash"),
        ("instructions", "path", "target", "symbolPath", "position", "clientRequestId"),
    )
    for name in names
}
_KEYS = st.text(max_size=12).filter(lambda key: plain(key) not in _NAMES)
_VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(min_size=1),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, min_size=1, max_size=3)
    ),
    max_leaves=4,
)


@given(_KEYS, _VALUES, st.sampled_from(sorted(LEVELS)))
def test_no_unknown_key_with_a_value_is_dropped(key: str, value: Any, level: str) -> None:
    sent = plain_request()
    LEVELS[level](sent)[key] = value
    error = refused(sent)
    assert len(error.text) <= MAX_TEXT_LENGTH
    for offer in error.details["offers"]:
        assert offer["arguments"]["mode"] == "preview" or plain(key) in ("force", "line")


@given(_KEYS, _VALUES, st.sampled_from(sorted(EXAMPLES)))
def test_nor_is_one_of_another_tool(key: str, value: Any, tool: str) -> None:
    sent = {**example(tool), key: value}
    refused(sent, tool)


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(sorted(_NAMES)), inner, max_size=6)
    ),
    max_leaves=25,
)


@hypothesis.example({"script": [], "file": "0"}, "get_symbols")
@given(
    st.dictionaries(st.sampled_from(sorted(_NAMES)), _ANY, max_size=8),
    st.sampled_from(sorted(EXAMPLES)),
)
def test_whatever_is_sent_has_one_answer_that_keeps_the_contract(
    sent: dict[str, Any], tool: str
) -> None:
    before = json.dumps(sent)
    found = read_call(CATALOG[tool], sent, None)
    assert json.dumps(sent) == before
    if isinstance(found, ReadCall):
        again = read_call(CATALOG[tool], dict(found.params), None)
        assert isinstance(again, ReadCall)
        assert dict(again.params) == dict(found.params)
        assert not again.notes
        return
    error = found.to_error()
    assert len(error.text) <= MAX_TEXT_LENGTH
    offers = error.details["offers"]
    assert len(offers) <= MAX_OFFERS
    for offer in offers:
        # What is no path of the project is the tool's to refuse.
        offered = read_call(CATALOG[tool], dict(offer["arguments"]), None)
        assert isinstance(offered, ReadCall)
        assert not offered.notes


class TestBounds:
    def refused(self, sent: Any) -> ToolError:
        error = refused(sent)
        assert len(error.text) <= MAX_TEXT_LENGTH
        return error

    def test_a_flood_of_keys_is_not_read(self) -> None:
        self.refused({**PLAIN, **{f"k{n}": n for n in range(10_000)}})
        self.refused({**PLAIN, **{f"k{n}": "" for n in range(MAX_KEYS)}})

    def test_a_flood_of_instructions_is_not_read(self) -> None:
        self.refused({**PLAIN, "edits": PLAIN["instructions"] * 10_000, "instructions": None})

    def test_depth_is_refused(self) -> None:
        deep: Any = "x"
        for _ in range(64):
            deep = {"request": deep}
        self.refused(deep)
        for _ in range(5000):
            deep = {"a": deep}
        self.refused({**PLAIN, "b": deep})
        sent = plain_request()
        sent["instructions"][0] |= {"metadata": deep, "line": 4}
        self.refused(sent)
        self.refused({**PLAIN, "instructions": "[" * 500_000})

    def test_long_texts_are_not_repeated(self) -> None:
        long = "x" * 1_000_000
        error = self.refused({**PLAIN, long: long, "startLine": long})
        assert len(json.dumps(error.to_json())) < 20_000
        sent = plain_request()
        sent["instructions"][0] |= {"newText": long, "line": 4}
        assert self.refused(sent).details["offers"] == []

    def test_many_notes_are_counted(self) -> None:
        edits = [
            {"op": "update", "find": "a", "replace": "b", "note": "", "why": "", "tag": None}
        ] * 10
        found = read({**PLAIN, "instructions": None, "edits": edits})
        assert len(found.notes) == MAX_NOTES + 1
        assert found.notes[-1].endswith("more")


@pytest.mark.parametrize(
    ("sent", "key"),
    [
        (
            {**one(), "instructions": None, "start_line": 3, "end_line": 4, "new_text": "x"},
            "start_line",
        ),
        (one(operation="insert", line=5, text="x"), "instructions[0].line"),
        ({"path": "Assets/A.cs", "mode": "apply", "patch": "@@ -1 +1 @@\n-a\n+b"}, "patch"),
    ],
)
def test_a_line_or_a_patch_is_said_not_to_be_taken_and_what_is(
    sent: dict[str, Any], key: str
) -> None:
    said = refused(sent).text
    assert f"$.{key} is not taken: " in said
    assert 'Send {"operation": "replace", "anchor": {"type": "text", "target": ' in said
    assert "did you mean" not in said
    assert "$ is required" not in said
    assert "[0] is required" not in said


def test_changes_that_a_tool_has_no_word_for_are_an_unknown_key() -> None:
    found = read_call(CATALOG["cancel_job"], {"$schema": None, "changes": False}, None)
    assert isinstance(found, Refusal)
    assert "$.changes is an unknown key" in found.to_error().text


def test_beside_the_keys_of_an_edit_the_keys_of_an_edit_are_known() -> None:
    sent = {"command": "insert", "path": "Assets/A.cs", "mode": "apply", "foo": 3, "new_str": "a"}
    told = refused(sent).text
    assert "$.foo is an unknown key" in told
    assert "Known keys: operation, anchor, newText" in told


def test_in_a_change_of_a_set_the_keys_of_an_edit_are_known_likewise() -> None:
    change = {"path": "Assets/A.cs", "operation": "insert", "newText": "a", "foo": 3}
    told = refused({"mode": "apply", "changes": [change]}, "edit_scripts").text
    assert "Known keys: operation, anchor, newText, indent, metadata, path" in told


def test_an_undo_of_nothing_hears_of_change_ids() -> None:
    assert "or only the changeId" in refused({}, "undo_snippet").text


def test_what_is_said_of_the_whole_request_has_no_place() -> None:
    assert "$ " not in refused({"mode": "apply"}, "edit_snippet").text
