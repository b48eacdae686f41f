"""Every kind spoils as it says, and leaves the intent as it was."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from landing_fixtures import OLD, edits, intents

from benchmarks.landing.intent import Intent
from benchmarks.landing.kinds import (
    CLASSES,
    DISPLAY,
    DONE,
    KINDS,
    MALFORMED,
    NOT_UNIQUE,
    OF_CLASS,
    PROFILES,
    RETYPED,
    STALE,
    WHITE_SPACE,
    Kind,
)
from benchmarks.landing.malformed import LINE, PROJECT, says_more
from benchmarks.landing.retyped import clear_enough, replaced_text_wrong
from benchmarks.landing.spacing import indented_otherwise, tabs_for_blanks
from benchmarks.landing.stale import earlier_request, own_rename, own_reorder
from benchmarks.landing.true_edits import Script, Splice, TrueEdit, applied
from benchmarks.landing.unclear import done_already, sweep, swept_by_key, with_the_symbol
from benchmarks.landing.wording import Form, Wording
from snippet_engine.schemas.checked_params import CheckedParams, checked
from snippet_engine.schemas.tool_schemas import INPUT_SCHEMAS

PATH = "Assets/game/Player.cs"


def _named(*classes: str) -> list[Any]:
    return [pytest.param(each, id=each.name) for each in KINDS if each.of_class in classes]


def _spoiled(kind: Kind) -> list[tuple[Intent, Intent]]:
    assert kind.intent is not None
    found = []
    for number, intent in enumerate(intents()):
        spoiled = kind.intent(intent, Random(number))
        if spoiled is not None:
            found.append((intent, spoiled))
    assert found, "fits nowhere"
    return found


def test_every_class_of_every_profile_has_kinds() -> None:
    for weights in PROFILES.values():
        assert set(weights) <= set(CLASSES)
    assert all(OF_CLASS[name] for name in CLASSES)
    assert MALFORMED not in PROFILES["strong"]


def test_the_profiles_weigh_as_they_say() -> None:
    agent, weak = PROFILES["agent"], PROFILES["weak"]
    assert sum(agent.values()) == 100
    assert agent[MALFORMED] == 40
    assert sum(weak.values()) == pytest.approx(100)
    assert weak[RETYPED] == 25


def test_names_are_not_used_twice() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS)


@pytest.mark.parametrize("kind", _named(RETYPED, WHITE_SPACE, DISPLAY))
def test_misquoted_text_is_no_more_what_stands_there(kind: Kind) -> None:
    for intent, spoiled in _spoiled(kind):
        assert spoiled.wording.quoted not in intent.text
        assert spoiled.right == intent.right
        assert spoiled.standing == intent.text


@pytest.mark.parametrize("kind", _named(RETYPED))
def test_what_is_retyped_keeps_the_change(kind: Kind) -> None:
    for intent, spoiled in _spoiled(kind):
        assert spoiled.wording.new == intent.wording.new
        assert spoiled.wording.form is intent.wording.form


@pytest.mark.parametrize("kind", _named(STALE))
def test_what_happened_before_leaves_the_edit_possible(kind: Kind) -> None:
    for intent, spoiled in _spoiled(kind):
        assert spoiled.standing != intent.text
        assert spoiled.wording == intent.wording
        both = applied(intent.text, [*spoiled.earlier, intent.seen.splice])
        assert spoiled.right == both != spoiled.standing


@pytest.mark.parametrize("kind", _named(STALE))
def test_what_the_agent_did_before_is_a_request_that_does_it(kind: Kind) -> None:
    for intent, spoiled in _spoiled(kind):
        if spoiled.outside:
            continue
        request = earlier_request(PATH, intent.text, spoiled.earlier)
        if request is None:
            continue
        assert isinstance(
            checked("edit_snippet", INPUT_SCHEMAS["edit_snippet"], request), CheckedParams
        )
        text = intent.text
        for each in request["instructions"]:
            assert text.count(each["anchor"]["target"]) == 1
            text = text.replace(each["anchor"]["target"], each["newText"])
        assert text == spoiled.standing


@pytest.mark.parametrize("kind", _named(NOT_UNIQUE))
def test_a_target_that_is_not_unique_stands_several_times(kind: Kind) -> None:
    for intent, spoiled in _spoiled(kind):
        assert intent.text.count(spoiled.wording.quoted) >= 2
        if not spoiled.everywhere:
            assert spoiled.right == intent.right
            assert applied(intent.text, [spoiled.wording.splice]) == intent.right


def test_a_sweep_wants_every_place() -> None:
    (sweep,) = (kind for kind in KINDS if kind.name == "sweep")
    for _, spoiled in _spoiled(sweep):
        wording = spoiled.wording
        assert spoiled.right == OLD.replace(wording.target, wording.result)
        assert spoiled.everywhere


@pytest.mark.parametrize("kind", _named(DONE))
def test_what_is_done_already_stands_there(kind: Kind) -> None:
    for _, spoiled in _spoiled(kind):
        assert spoiled.standing == spoiled.right


def _requests() -> Iterator[dict[str, Any]]:
    for intent in intents():
        yield {**intent.wording.to_arguments(PATH), LINE: 7}
    yield {
        "path": PATH,
        "mode": "apply",
        "instructions": [
            {"operation": "replace", "anchor": {"type": "text", "target": "10f"}, "newText": "5"}
        ],
        LINE: 7,
    }
    yield {
        "path": PATH,
        "mode": "apply",
        "instructions": [{"operation": "delete", "anchor": {"type": "text", "target": "10f"}}],
        LINE: 7,
    }


def test_clean_requests_satisfy_the_schema() -> None:
    for request in _requests():
        del request[LINE]
        found = checked("edit_snippet", INPUT_SCHEMAS["edit_snippet"], request)
        assert isinstance(found, CheckedParams)


@pytest.mark.parametrize("kind", _named(MALFORMED))
def test_a_malformed_request_is_refused_by_the_schema_or_has_another_path(kind: Kind) -> None:
    assert kind.shape is not None
    spoiled = 0
    for number, request in enumerate(_requests()):
        kept = copy.deepcopy(request)
        got = kind.shape(request, Random(number))
        assert request == kept, "the request that it was made from has been changed"
        if got is None:
            continue
        got.pop(LINE, None)
        spoiled += 1
        if kind.name.startswith(("path", "absolute")):
            assert got["path"] != PATH
            assert {**got, "path": PATH, LINE: 7} == request
        else:
            found = checked("edit_snippet", INPUT_SCHEMAS["edit_snippet"], got)
            assert not isinstance(found, CheckedParams)
    assert spoiled


@pytest.mark.parametrize("kind", _named(MALFORMED))
def test_a_malformed_request_still_says_what_is_wanted(kind: Kind) -> None:
    assert kind.shape is not None
    if not kind.told:
        return
    for number, request in enumerate(_requests()):
        got = kind.shape(request, Random(number))
        if got is None:
            continue
        said = json.dumps(got, ensure_ascii=False).replace("\\", "")
        (instruction,) = request["instructions"]
        for text in (instruction["anchor"]["target"], instruction.get("newText", "")):
            assert json.dumps(text, ensure_ascii=False)[1:-1].replace("\\", "") in said


def test_the_project_s_place_is_left_to_the_road() -> None:
    (kind,) = (each for each in KINDS if each.name == "absolute path")
    assert kind.shape is not None
    got = kind.shape(next(_requests()), Random(0))
    assert got is not None
    assert got["path"] == f"{PROJECT}/{PATH}"


@pytest.mark.parametrize(
    ("by_others", "told"), [("Debug.LogFormat(words, who);", False), ('Debug.Log("heal");', True)]
)
def test_what_others_made_more_like_another_place_is_not_told(
    by_others: str, *, told: bool
) -> None:
    """Two methods differ by their names: nobody who reads the file knows which one was changed."""
    intent = _of_revive()
    at = intent.text.index('Debug.Log("healed");', intent.text.index("void Revive"))
    changed = intent.after(Splice(at, at + len('Debug.Log("healed");'), by_others), outside=True)
    found = clear_enough(changed)
    assert found is not None
    assert found.told is told


def _of_revive() -> Intent:
    edit = next(each for each in edits() if "25" in each.hunk.new)
    start = OLD.index("private void Revive()")
    end = OLD.index("20);", start) + len("20);")
    at = edit.hunk.start
    wording = Wording(
        before="",
        head=OLD[start:at],
        old=OLD[at : edit.hunk.end],
        new=edit.hunk.new,
        tail=OLD[edit.hunk.end : end],
        after="",
        start=start,
    )
    return Intent.of(edit, wording)


def _intent_of(text: str, target: str, old: str, new: str) -> Intent:
    """``old``, which stands in ``target``, is to become ``new``."""
    head, _, tail = target.partition(old)
    start = text.index(target)
    wording = Wording("", head, old, new, tail, "", start)
    at = start + len(head)
    script = Script("game", "Player.cs", text, "\n", byte_order_mark=False)
    return Intent.of(TrueEdit(script, Splice(at, at + len(old), new), ()), wording)


def test_what_is_remembered_as_what_it_is_to_become_is_not_asked_for() -> None:
    intent = _intent_of("void M()\n{\n    Board.Go();\n}\n", "Board.Go();", ".", "?.")
    seen = replace(intent.seen, head="Board", old="", new="?", tail=".Go();")
    intent = replace(intent, seen=seen, wording=seen)
    assert clear_enough(intent.said(tail="?.Go();")) is None
    assert clear_enough(intent.said(tail=".Go(0);")) is not None


def test_no_line_with_blanks_is_asked_for_by_who_sends_blanks_for_all_tabs() -> None:
    text = "void M()\n{\n\tGo();\n\tEnd();\n}\n"
    for blanks, is_asked in (("    ", False), ("\t", True), ("\t  ", False)):
        intent = _intent_of(text, "\tGo();\n\tEnd();", "Go();", f"Go();\n{blanks}Stop();")
        assert (tabs_for_blanks(intent, Random(0)) is not None) is is_asked


def test_every_line_is_indented_otherwise_wherever_its_parts_meet() -> None:
    text = "void M()\n{\n    Go();\n    End();\n}\n"
    # What is replaced ends where a line does, and the next line stays.
    intent = _intent_of(text, "    Go();\n    End();\n}", "    Go();\n", "    Run();\n")
    found = {
        spoiled.wording.target
        for seed in range(40)
        if (spoiled := indented_otherwise(intent, Random(seed))) is not None
    }
    assert "    Go();\nEnd();\n}" in found
    assert "    Go();\n        End();\n    }" in found


def test_no_line_is_quoted_less_deeply_among_tabs_and_blanks() -> None:
    text = "void M()\n{\n    Go();\n    End();\n}\n"
    intent = _intent_of(text, "    Go();\n    End();\n", "    Go();\n", "\tRun();\n")
    seen = {
        spoiled.wording.target
        for seed in range(40)
        if (spoiled := indented_otherwise(intent, Random(seed))) is not None
    }
    assert seen
    assert "    Go();\nEnd();\n" not in seen


@pytest.mark.parametrize(("blanks", "is_asked"), [("\t", False), ("    ", True)])
def test_no_line_with_tabs_is_asked_for_by_who_sends_tabs_for_all_blanks(
    blanks: str, *, is_asked: bool
) -> None:
    text = "void M()\n{\n    Go();\n    End();\n}\n"
    intent = _intent_of(text, "    Go();\n    End();", "Go();", f"Go();\n{blanks}Stop();")
    assert (tabs_for_blanks(intent, Random(0)) is not None) is is_asked


@pytest.mark.parametrize(("added", "is_asked"), [("Show(all);", False), ("Go();", True)])
def test_no_line_is_moved_to_where_the_edit_would_put_it(added: str, *, is_asked: bool) -> None:
    lines = "\n        Draw(one);\n        Show(all);"
    text = f"    void M()\n    {{{lines}\n    }}\n"
    intent = _intent_of(text, f"    {{{lines}", "{", f"{{\n        {added}")
    seen = replace(
        intent.seen,
        head="    {",
        old="",
        new=f"\n        {added}",
        tail=lines.partition(" Show")[0].rstrip(),
    )
    moved = own_reorder(replace(intent, seen=seen), Random(0))
    assert (moved is not None) is is_asked


def test_no_name_is_changed_that_the_edit_brings_in_by_a_part_of_it() -> None:
    text = "CaseData m_Data;\npublic CaseData Data { get; }\n"
    intent = _intent_of(text, "public CaseData Data {", "Data {", "CaseData {")
    at = text.index(" Data {") + 1
    seen = replace(intent.seen, head="public CaseData ", old="", new="Case", tail="Data {")
    assert seen.splice == Splice(at, at, "Case")
    renamed = [own_rename(replace(intent, seen=seen), Random(seed)) for seed in range(20)]
    assert not any("CaseDataValue" in each.standing for each in renamed if each is not None)


def test_everywhere_is_not_told_where_the_word_is_a_part_of_longer_ones() -> None:
    seen = [sweep(each, Random(0)) for each in intents()]
    swept = [each for each in seen if each is not None]
    assert swept
    for each in swept:
        target = re.escape(each.wording.target)
        by_itself = len(re.findall(rf"(?<!\w){target}(?!\w)", each.text))
        if 0 < by_itself < each.text.count(each.wording.target):
            assert not each.told


@pytest.mark.parametrize("everywhere", [sweep, swept_by_key])
@pytest.mark.parametrize(
    ("also", "is_told"),
    [("Log(Global);", True), ('Log("Global");', False), ("Log(GlobalOne);", False)],
)
def test_nor_is_it_where_a_name_is_a_word_of_a_string(
    everywhere: Callable[[Intent, Random], Intent | None], also: str, *, is_told: bool
) -> None:
    text = f"void M()\n{{\n    Add(Global);\n    {also}\n}}\n"
    swept = everywhere(_intent_of(text, "Global", "Global", "Local"), Random(0))
    assert swept is not None
    assert swept.told is is_told
    assert swept.right.count("Local") == 2


@pytest.mark.parametrize(("twin", "is_told"), [("N", True), ("M", False)])
def test_a_symbol_of_two_platforms_names_neither(twin: str, *, is_told: bool) -> None:
    text = (
        "class C\n{\n#if A\n    static extern bool M();\n#else\n"
        f"    static bool {twin}() => Go();\n#endif\n}}\n"
    )
    named = with_the_symbol(_intent_of(text, "static extern", "static", "internal"), Random(0))
    assert named is not None
    assert named.told is is_told


def test_no_line_is_deleted_everywhere_but_for_its_blanks() -> None:
    text = "void M()\n{\n    if (a)\n    { }\n    else if (a)\n    { }\n}\n"
    assert sweep(_intent_of(text, "if (a)", "if (a)", ""), Random(0)) is None
    one_line = text.replace("(a)\n    {", "(a) {")
    assert sweep(_intent_of(one_line, "if (a)", "if (a)", ""), Random(0)) is not None


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, False),
        ({"replace_all": False}, False),
        ({"replace_all": True}, True),
        ({"occurrence": 1}, True),
        ({"metadata": {"line": 7}}, False),
        ({"anchor": {"type": "text", "target": "x", "startLine": 3}}, True),
    ],
)
def test_which_requests_say_more_than_the_contract_has_words_for(
    more: dict[str, Any], *, expected: bool
) -> None:
    assert says_more({"path": PATH, "instructions": [{"operation": "delete", **more}]}) is expected


def test_a_done_edit_is_told_by_its_new_text_or_by_what_is_quoted_of_its_place() -> None:
    text = "class C\n{\n    int one = 1;\n    int two = two;\n    int three = 3;\n}\n"
    script = Script("somebody/game", "C.cs", text, "\n", byte_order_mark=False)

    def told(old: str, new: str, line: str) -> bool:
        start = text.index(line)
        hunk = Splice(start, start + len(line), line.replace(old, new))
        wording = Wording("", "", line, line.replace(old, new), "", "", start)
        done = done_already(Intent.of(TrueEdit(script, hunk, ()), wording), Random(0))
        assert done is not None
        return done.told

    # Its new text is too short to tell, and another line is liker to what is quoted.
    assert not told("two = two", "q = 0", "    int two = two;")
    # The line is known again.
    assert told("1", "10", "    int one = 1;")
    # So much text stands nowhere by chance.
    assert told("two = two", "q = Go(first, second, 7)", "    int two = two;")


def test_a_word_is_not_remembered_as_what_it_is_to_become() -> None:
    intent = next(each for each in intents() if each.seen.form is Form.REPLACE)

    def spoiled(new: str) -> Intent | None:
        wording = replace(intent.seen, head="", old="canceleds", new=new, tail="")
        return replaced_text_wrong(replace(intent, wording=wording, seen=wording), Random(1))

    assert spoiled("a canceled one") is None
    assert spoiled("a stopped one") is not None
