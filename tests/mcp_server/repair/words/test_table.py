"""Each row of the repair table, on its own: what it reads is the request that was meant."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from repair_requests import EXAMPLES, LEVELS, example, read, refused

from mcp_server.repair.words.table import (
    ALIASES,
    ANCHOR_ALIASES,
    FLAGS,
    INSTRUCTION_WRAPPERS,
    MEANINGS,
    NO_EFFECT,
    NO_MEANING,
    NO_MEANING_OUTSIDE_ANCHORS,
    TOOL_NAMES,
    VALUES,
    WRAPPERS,
)


def holder(request: dict[str, Any], key: str) -> dict[str, Any]:
    """The object of ``request`` that has ``key``."""
    places: list[dict[str, Any]] = [request]
    for instruction in request.get("instructions", ()):
        places += [instruction, instruction["anchor"]]
    return next(place for place in places if key in place)


_OF_AN_INSTRUCTION = (
    "operation",
    "anchor",
    "newText",
    "target",
    "symbolPath",
    "before",
    "after",
    "position",
)


def alias_rows() -> Iterator[Any]:
    for tool in EXAMPLES:
        for key in (*EXAMPLES[tool], *_OF_AN_INSTRUCTION):
            for alias in {**ALIASES[""], **ALIASES.get(tool, {})}.get(key, ()):
                if key in EXAMPLES[tool] or tool == "edit_snippet":
                    yield pytest.param(tool, key, alias, id=f"{tool}-{alias}")


@pytest.mark.parametrize(("tool", "key", "alias"), list(alias_rows()))
def test_an_alias_is_read_as_the_key(tool: str, key: str, alias: str) -> None:
    sent = example(tool)
    if key in ("before", "after"):
        sent["instructions"][0]["anchor"][key] = "    beside\n"
    if key == "target":
        sent["instructions"][0].update(operation="replace")
        del sent["instructions"][0]["anchor"]["position"]
    meant = copy.deepcopy(sent)
    place = holder(sent, key)
    place[alias] = place.pop(key)
    if key == "target":  # in an anchor some of its names are others'
        sent["instructions"][0][alias] = place.pop(alias)
    found = read(sent, tool)
    assert dict(found.params) == meant
    assert any(alias in note and key in note for note in found.notes)


def test_no_alias_is_without_its_test() -> None:
    tested = {tuple(each.values) for each in alias_rows()}
    rows = {
        (of_tool, key, alias)
        for of_tool, keys in ALIASES.items()
        for key, aliases in keys.items()
        for alias in aliases
    }
    assert rows <= tested | {("", key, alias) for _, key, alias in tested}


@pytest.mark.parametrize("alias", ANCHOR_ALIASES["target"])
def test_in_an_anchor_more_names_mean_its_target(alias: str) -> None:
    sent = example()
    anchor = sent["instructions"][0]["anchor"]
    anchor[alias] = anchor.pop("target")
    assert dict(read(sent).params) == example()


def value_rows() -> Iterator[Any]:
    for tool, keys in VALUES.items():
        for key, words in keys.items():
            yield from (pytest.param(tool, key, word, id=f"{key}-{word}") for word in words)


@pytest.mark.parametrize(("tool", "key", "word"), list(value_rows()))
def test_another_word_is_read_as_the_value(tool: str, key: str, word: str) -> None:
    meant = VALUES[tool][key][word]
    sent = example(tool)
    if key == "operation" and meant.means != "insert":
        del sent["instructions"][0]["anchor"]["position"]
        if meant.means == "delete":
            del sent["instructions"][0]["newText"]
    if key == "operation" and meant.position:
        sent["instructions"][0]["anchor"]["position"] = meant.position
        if meant.position.startswith("body"):
            del sent["instructions"][0]["anchor"]["target"], sent["instructions"][0]["anchor"]["in"]
    if key == "type" and meant.means == "text":
        del sent["instructions"][0]["anchor"]["symbolPath"]
    if key == "part":
        sent["instructions"][0]["anchor"]["part"] = "declaration"
    wanted = copy.deepcopy(sent)
    holder(wanted, key)[key] = [meant.means] if key == "types" else meant.means
    place = holder(sent, key)
    place[key] = [word] if key == "types" else word
    if key == "operation" and meant.position:
        del sent["instructions"][0]["anchor"]["position"]
    found = read(sent, tool)
    assert dict(found.params) == wanted
    assert found.notes


@pytest.mark.parametrize("said", [True, False, "true"])
@pytest.mark.parametrize("flag", FLAGS)
def test_a_flag_is_read_as_the_mode(flag: str, said: bool | str) -> None:
    sent = example()
    del sent["mode"]
    sent[flag] = said
    wanted = FLAGS[flag][0 if said else 1]
    assert dict(read(sent).params) == {**example(), "mode": wanted}
    # Beside another mode it is a contradiction.
    other = FLAGS[flag][1 if said else 0]
    assert refused({**sent, "mode": other}).details["offers"]


@pytest.mark.parametrize("wrapper", [*WRAPPERS, "edit_snippet"])
def test_a_wrapper_is_taken_off(wrapper: str) -> None:
    assert dict(read({wrapper: example()}).params) == example()
    assert dict(read({wrapper: {wrapper: example()}}).params) == example()


@pytest.mark.parametrize("name", TOOL_NAMES)
def test_a_wrapper_may_name_the_tool(name: str) -> None:
    assert dict(read({name: "edit_snippet", "arguments": example()}).params) == example()
    refused({name: "undo_snippet", "arguments": example()})


@pytest.mark.parametrize("wrapper", INSTRUCTION_WRAPPERS)
def test_a_wrapper_of_an_instruction_is_taken_off(wrapper: str) -> None:
    sent = example()
    sent["instructions"] = [{wrapper: sent["instructions"][0]}]
    assert dict(read(sent).params) == example()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("key", NO_MEANING)
def test_a_key_without_meaning_is_left_out(key: str, level: str) -> None:
    sent = example()
    LEVELS[level](sent)[key] = "raise the cap"
    found = read(sent)
    assert dict(found.params) == example()
    assert any(key in note for note in found.notes)
    # What isn't a text could be more than a remark.
    LEVELS[level](sent)[key] = {"only": "here"}
    refused(sent)


@pytest.mark.parametrize("key", NO_MEANING_OUTSIDE_ANCHORS)
def test_in_an_anchor_a_remark_could_mean_something(key: str) -> None:
    for level in ("request", "instruction"):
        sent = example()
        LEVELS[level](sent)[key] = "raise the cap"
        assert dict(read(sent).params) == example()
        LEVELS[level](sent)[key] = "true"
        refused(sent)
    sent = example()
    LEVELS["anchor"](sent)[key] = "raise the cap"
    refused(sent)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("key", NO_EFFECT)
def test_a_key_that_asks_for_what_is_done_anyway_is_left_out(key: str, level: str) -> None:
    sent = example()
    LEVELS[level](sent)[key] = NO_EFFECT[key]
    assert dict(read(sent).params) == example()
    LEVELS[level](sent)[key] = not NO_EFFECT[key] if isinstance(NO_EFFECT[key], bool) else 2
    refused(sent)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("key", "instead"),
    [(name, row.instead) for row in MEANINGS if "edit_snippet" in row.tools for name in row.names],
)
def test_a_key_with_a_meaning_is_never_dropped(key: str, instead: str, level: str) -> None:
    sent = example()
    LEVELS[level](sent)[key] = 2 if key not in NO_EFFECT else not NO_EFFECT[key]
    error = refused(sent)
    assert key in error.message
    (offer,) = error.details["offers"]
    assert offer["what"].startswith((f"without {key} ", f"{key} "))
    assert instead in error.text
    # Sent in its place it is a request that stands as it is, and says what it leaves out.
    sendable = read(offer["arguments"])
    assert not sendable.notes
    assert offer["arguments"]["instructions"][0]["metadata"]
