"""What is to be judged, what was found and who was given it, without a compiler or a clock."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import pytest

from lsp_client.timing import LATER, MORE_TIME
from mcp_server.news import background_judge
from mcp_server.news.answers import MAX_BYTES, entries, in_words, not_shown
from mcp_server.news.applied_edits import MAX_EDITS, AppliedEdit, AppliedEdits
from mcp_server.news.background_judge import MAX_QUESTIONS, BackgroundJudge, attribute
from mcp_server.news.callers import MAX_CALLERS
from mcp_server.news.findings import (
    MAX_FINDINGS,
    Finding,
    Key,
    NewError,
    Origin,
    found_among,
    keyed,
)
from mcp_server.news.news import KEPT_S, MAX_ATTEMPTS, News, NotJudged, Round, origin_of_edit
from mcp_server.news.reported_errors import MAX_CLIENTS, MAX_ERRORS, ReportedErrors, stated_errors
from snippet_engine.errors import ErrorCode, SnippetError

NOW = 100.0
BROKEN = NewError("Assets/B.cs", 3, "CS1061", "no such member")
OTHER = NewError("Assets/C.cs", 4, "CS0103", "no such name")


class Project:
    """News, with a compiler that is played: what each edit breaks stands until it is repaired."""

    def __init__(self) -> None:
        self.news = News()
        self.broken: list[tuple[int, NewError]] = []

    def edit(
        self, caller: str = "me", path: str = "Assets/A.cs", *breaks: NewError, judged: bool = False
    ) -> int:
        number = self.news.new_number()
        origin = Origin(number, f"edit of {path}", caller, undo={"path": path})
        self.news.applied(origin, {path: f"text before {number}"}, NOW, is_judged=judged)
        self.broken += [(number, each) for each in breaks]
        return number

    def repair(self, error: NewError) -> None:
        self.broken = [each for each in self.broken if each[1] != error]

    def errors_since(self, number: int) -> list[NewError]:
        return [error for at, error in self.broken if at >= number]

    def judge(self, asked: Round | None = None, *left: str) -> None:
        """Answer one round as :class:`BackgroundJudge` does."""
        asked = asked or self.news.next_round(NOW)
        assert asked is not None
        errors = self.errors_since(asked.edits[0].number)
        keys = {key for key, _ in keyed(errors)}
        if asked.begins_earlier and asked.suspects:
            keys &= {key for key, _ in keyed(self.errors_since(asked.suspects[0].number))}
        self.news.judged(asked, errors, self.origins(asked, list(keys)), NOW, NotJudged(*left))

    def fail(self, reason: str = "it died") -> None:
        """Answer no round until the compiler is given up."""
        for _ in range(MAX_ATTEMPTS):
            asked = self.news.next_round(NOW)
            assert asked is not None
            self.news.failed(asked, reason, NOW)

    def origins(self, asked: Round, keys: Sequence[Key]) -> Mapping[Key, Origin]:
        search = attribute(asked.suspects, keys)
        try:
            edit = next(search)
            while True:
                edit = search.send({key for key, _ in keyed(self.errors_since(edit.number))})
        except StopIteration as found:
            origins: Mapping[Key, Origin] = found.value
            return origins

    def call(self, caller: str = "me") -> list[NewError]:
        """A call of a caller: the errors that it is given."""
        self.news.enter(caller)
        found = [each for each in self.news.waiting_for(caller) if self.news.is_current(each)]
        self.news.give(caller, found)
        return [each.error for each in found]


@pytest.fixture
def project() -> Project:
    project = Project()
    project.news.enter("me")
    return project


def test_what_an_edit_breaks_is_given_once(project: Project) -> None:
    project.edit("me", "Assets/A.cs", BROKEN)
    assert project.news.pending == 1
    assert project.call() == []
    project.judge()
    assert project.news.pending == 0
    assert project.call() == [BROKEN]
    assert project.call() == []
    assert project.news.next_round(NOW) is None


def test_a_clean_verdict_leaves_nothing(project: Project) -> None:
    project.edit()
    project.judge()
    assert project.call() == []
    assert project.news.next_round(NOW) is None
    assert project.news.pending == 0


def test_what_is_repaired_before_it_was_given_is_not_given(project: Project) -> None:
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge()
    project.edit("me", "Assets/B.cs", judged=True)
    project.repair(BROKEN)
    assert project.call() == [], "it was judged before the repair"
    project.judge()
    assert project.call() == []


def test_what_still_stands_after_another_edit_is_given_then(project: Project) -> None:
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge()
    project.edit("me", "Assets/D.cs", judged=True)
    assert project.call() == []
    project.judge()
    assert project.call() == [BROKEN]


def test_what_was_given_is_not_given_again_while_later_edits_are_judged(project: Project) -> None:
    project.news.enter("away")
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge()
    assert project.call() == [BROKEN]
    project.edit("me", "Assets/D.cs", OTHER)
    project.judge()
    assert project.call() == [OTHER]
    assert project.call("away") == [BROKEN, OTHER]
    assert project.call("away") == []


def test_an_error_that_an_edit_brings_back_is_new_though_another_was_not_given_it_yet(
    project: Project,
) -> None:
    project.news.enter("away")
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge()
    assert project.call() == [BROKEN]
    project.repair(BROKEN)  # outside, so that nobody knows
    project.news.enter("new")
    project.edit("new", "Assets/A.cs", BROKEN)
    project.judge()
    assert project.call("new") == [BROKEN]
    assert project.call() == [BROKEN]
    assert project.call("away") == [BROKEN]


def test_an_error_that_comes_back_is_given_again(project: Project) -> None:
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge()
    assert project.call() == [BROKEN]
    project.edit("me", "Assets/A.cs", judged=True)
    project.repair(BROKEN)
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge()
    assert project.call() == [BROKEN]


def test_a_verdict_on_an_older_state_does_not_end_what_came_meanwhile(project: Project) -> None:
    project.edit("me", "Assets/A.cs", BROKEN)
    asked = project.news.next_round(NOW)
    second = project.edit("me", "Assets/D.cs", OTHER)
    project.judge(asked)
    assert project.news.is_due(second)
    project.judge()
    assert project.call() == [BROKEN, OTHER]


def test_what_is_given_while_the_compiler_is_asked_is_not_found_anew(project: Project) -> None:
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge()
    project.news.disk_changed()
    asked = project.news.next_round(NOW)
    assert asked is not None
    waiting = project.news.waiting_for("me")
    project.news.give("me", waiting)
    project.edit("me", "Assets/D.cs")
    project.judge(asked)
    project.judge()
    assert project.call() == []


def test_the_earliest_text_of_a_file_counts(project: Project) -> None:
    first, second = project.edit(), project.edit()
    asked = project.news.next_round(NOW)
    assert asked is not None
    assert asked.earlier == {"Assets/A.cs": f"text before {first}"}
    assert asked.since(asked.edits[1]) == {"Assets/A.cs": f"text before {second}"}


def test_each_error_is_that_of_the_edit_which_led_to_it(project: Project) -> None:
    breaks = [NewError(f"Assets/{n}.cs", 1, "CS0246", f"no type {n}") for n in range(8)]
    numbers = [project.edit("me", f"Assets/E{n}.cs", breaks[n]) for n in range(8)]
    project.judge()
    found = project.news.waiting_for("me")
    assert {each.origin.number: each.error for each in found} == dict(
        zip(numbers, breaks, strict=True)
    )


def test_of_many_edits_the_question_which_it_was_is_bounded(project: Project) -> None:
    breaks = [NewError(f"Assets/{n}.cs", 1, "CS0246", f"no type {n}") for n in range(100)]
    for n in range(100):
        project.edit("me", f"Assets/E{n}.cs", breaks[n])
    asked = project.news.next_round(NOW)
    assert asked is not None
    search = attribute(asked.suspects, [key for key, _ in keyed(breaks)])
    questions = 0
    try:
        edit = next(search)
        while True:
            questions += 1
            later: Collection[Key] = {k for k, _ in keyed(project.errors_since(edit.number))}
            edit = search.send(later)
    except StopIteration as found:
        origins = found.value
    assert questions == MAX_QUESTIONS
    assert len(origins) == 100
    assert any(each.what.startswith("one of ") and not each.undo for each in origins.values())


def test_more_edits_than_are_kept_end_as_unknown(project: Project) -> None:
    for n in range(MAX_EDITS + 3):
        project.edit("me", f"Assets/E{n}.cs")
    assert project.news.pending == MAX_EDITS
    given = project.call()
    assert [each.code for each in given] == [""]
    assert given[0].message == "not judged: 3 edits, too many edits at once. Run check_project."


def test_without_a_verdict_it_is_unknown_once_and_says_why(project: Project) -> None:
    project.edit()
    for attempt in range(MAX_ATTEMPTS):
        asked = project.news.next_round(NOW)
        assert asked is not None
        again = project.news.failed(asked, "the compiler died", NOW)
        assert again == (attempt < MAX_ATTEMPTS - 1)
    assert project.news.next_round(NOW) is None
    (given,) = project.call()
    assert (given.file, given.code) == ("Assets/A.cs", "")
    assert "the compiler died" in given.message
    assert project.call() == []


def test_what_was_found_before_the_compiler_died_is_kept(project: Project) -> None:
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge()
    project.edit("me", "Assets/D.cs")
    project.fail()
    assert all(each.is_old for each in project.news.waiting_for("me") if not each.is_unknown)
    assert [each.code for each in project.call()] == ["CS1061", ""]
    project.edit("me", "Assets/D.cs")
    project.judge()
    assert project.call() == []


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("B isn't in the last build.", "B isn't in the last build. Run check_project."),
        ("There is no build. Open it in Unity once.", "There is no build. Open it in Unity once."),
    ],
)
def test_what_could_not_be_judged_is_told_as_such(
    project: Project, reason: str, message: str
) -> None:
    project.edit()
    project.judge(None, reason)
    (given,) = project.call()
    assert given.message == f"not judged: {message}"


@pytest.mark.parametrize("advice", [MORE_TIME, LATER])
def test_no_caller_is_asked_to_give_a_verdict_in_the_background_more_time(
    project: Project, monkeypatch: pytest.MonkeyPatch, advice: str
) -> None:
    monkeypatch.setattr(background_judge, "PAUSE_S", 0.0)
    late = SnippetError(ErrorCode.VALIDATOR_UNAVAILABLE, "", details={"reason": f"Late; {advice}"})

    async def judge_since(*_: object) -> SnippetError:
        return late

    async def judge() -> None:
        judge = BackgroundJudge(project.news, judge_since)
        project.edit()
        judge.wake()
        assert await judge.wait_for(lambda: not project.news.pending, within_s=60)
        await judge.stop()

    asyncio.run(judge())
    assert [each.message for each in project.call()] == ["not judged: Late. Run check_project."]


def test_a_new_caller_is_not_given_what_was_found_before(project: Project) -> None:
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge()
    assert project.call("new") == []
    assert project.call() == [BROKEN]


def test_callers_are_forgotten_beyond_a_bound(project: Project) -> None:
    for n in range(MAX_CALLERS):
        project.news.enter(f"caller {n}")
    project.edit("caller 1", "Assets/A.cs", BROKEN)
    project.judge()
    assert project.call("caller 1") == [BROKEN]
    assert project.call("me") == [], "it was away longest"


def test_a_caller_that_does_not_come_back_costs_nothing(project: Project) -> None:
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge()
    assert project.news.next_round(NOW + KEPT_S + 1) is None
    assert project.call() == []
    project.edit("other", "Assets/D.cs")
    asked = project.news.next_round(NOW)
    assert asked is not None
    assert len(asked.edits) == 1


def test_found_errors_are_bounded(project: Project) -> None:
    many = [NewError("Assets/B.cs", n, "CS0103", f"no {n}") for n in range(MAX_FINDINGS + 5)]
    project.edit("me", "Assets/A.cs", *many)
    project.judge()
    assert len(project.call()) == MAX_FINDINGS


def test_what_is_published_by_others_is_replaced_by_the_next(project: Project) -> None:
    origin = Origin(project.news.new_number(), "Unity's compile", is_compile=True)
    project.news.publish(origin, [BROKEN], NOW)
    project.news.publish(origin, [OTHER], NOW)
    assert project.call() == [OTHER]
    assert project.call() == []
    project.news.publish(origin, [OTHER], NOW)
    assert project.call() == [], "it is the same one"


def test_what_a_compile_finds_again_is_not_given_again(project: Project) -> None:
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge()
    assert project.call() == [BROKEN]
    project.news.enter("other")
    origin = Origin(project.news.new_number(), "Unity's compile", is_compile=True)
    project.news.publish(origin, [BROKEN], NOW)
    assert project.call() == []
    assert project.call("other") == [BROKEN]
    project.news.publish(origin, [], NOW)
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge()
    assert project.call() == [BROKEN]


def test_a_full_table_loses_no_edits_verdict(project: Project) -> None:
    project.news.enter("idle")
    many = [NewError("Assets/B.cs", n, "CS0103", f"no {n}") for n in range(MAX_FINDINGS + 50)]
    project.edit("me", "Assets/A.cs", *many)
    project.edit("me", "Assets/A.cs", OTHER)
    project.judge()
    waiting = project.news.waiting_for("me")
    assert OTHER in [each.error for each in waiting]
    assert not_shown(waiting, []) == len(many) + 1
    project.call()
    late = NewError("Assets/D.cs", 1, "CS0103", "late")
    project.edit("me", "Assets/E.cs", late)
    project.judge()
    assert project.call() == [late]


def test_errors_without_room_are_told_once_those_before_them_are_repaired(
    project: Project,
) -> None:
    many = [NewError("Assets/B.cs", n, "CS0103", f"no {n}") for n in range(MAX_FINDINGS + 5)]
    project.edit("me", "Assets/A.cs", *many)
    project.judge()
    for each in many[:MAX_FINDINGS]:
        project.repair(each)
    project.edit("me", "Assets/B.cs")
    project.judge()
    assert project.call() == many[MAX_FINDINGS:]


def test_many_edits_without_a_verdict_are_one_entry(project: Project) -> None:
    for n in range(300):
        project.edit("me", f"Assets/F{n}.cs")
    project.fail("the compiler died")
    (given,) = project.news.waiting_for("me")
    assert given.origin.what == "300 edits up to the edit of Assets/F299.cs"
    assert given.error.message == (
        "not judged: the compiler died (Assets/F0.cs, Assets/F1.cs, Assets/F2.cs and 297 more "
        "files). Run check_project."
    )
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge()
    assert BROKEN in project.call()


def test_what_has_no_room_is_counted(project: Project) -> None:
    for n in range(MAX_FINDINGS + 7):
        project.edit("me", f"Assets/F{n}.cs")
        project.judge(None, "it is outside the build")
    given = project.call()
    assert len(given) == MAX_FINDINGS + 1
    assert given[-1].message.startswith("not judged: 7 edits, it is outside the build")


def test_what_was_found_is_pending_while_it_is_judged_again(project: Project) -> None:
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge()
    project.edit("me", "Assets/D.cs", judged=True)
    assert project.call() == []
    assert project.news.pending_for("me") == 1
    project.fail()
    assert project.news.pending_for("me") == 0
    assert project.call() == [BROKEN]
    assert project.call() == []


def test_errors_stand_no_longer_once_they_are_repaired(project: Project) -> None:
    project.news.enter("others")
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge()
    assert project.call() == [BROKEN]
    assert (project.news.has_errors, project.news.is_behind) == (True, False)
    project.repair(BROKEN)
    project.news.disk_changed()
    assert (project.news.has_errors, project.news.is_behind) == (False, True)
    project.judge()
    assert (project.news.has_errors, project.news.is_behind) == (False, False)


def test_an_equal_error_above_or_below_is_another_one(project: Project) -> None:
    project.news.enter("idle")
    first, second, third = (
        NewError("Assets/B.cs", line, "CS1061", "no such member") for line in (10, 15, 5)
    )
    project.edit("me", "Assets/A.cs", first)
    project.judge()
    assert project.call() == [first]
    for each in (second, third):
        number = project.edit("me", "Assets/A.cs", each)
        project.judge()
        assert [(f.error, f.origin.number) for f in project.news.waiting_for("me")] == [
            (each, number)
        ]
        assert project.call() == [each]
    assert project.call("idle") == [first, second, third]


def test_equal_errors_of_a_burst_are_each_that_of_their_edit(project: Project) -> None:
    lower, upper = (NewError("Assets/B.cs", line, "CS1061", "no such member") for line in (15, 10))
    numbers = [project.edit("me", "Assets/A.cs", each) for each in (lower, upper)]
    project.judge()
    found = {each.origin.number: each.error for each in project.news.waiting_for("me")}
    assert found == dict(zip(numbers, (lower, upper), strict=True))


def test_an_error_that_moved_is_the_same_one(project: Project) -> None:
    project.news.enter("idle")
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge()
    assert project.call() == [BROKEN]
    moved = replace(BROKEN, line=9)
    project.broken = [(number, moved) for number, _ in project.broken]
    project.edit("me", "Assets/B.cs")
    project.judge()
    assert project.call() == []
    assert project.call("idle") == [moved]


def test_an_error_found_on_another_line_meanwhile_is_found() -> None:
    key = ("Assets/B.cs", "CS1061", "no such member", 10)
    moved, other = (*key[:3], 11), ("Assets/C.cs", "CS1061", "no such member", 3)
    assert found_among([key, other], [moved]) == {key}
    assert found_among([key, moved], [moved]) == {moved}


def test_an_edit_that_errors_elsewhere_block_is_judged_once_they_are_repaired(
    project: Project,
) -> None:
    project.edit("me", "Assets/C.cs", BROKEN)
    hidden, project.broken = project.broken, []
    project.judge(None, "", "C was not checked: B has errors")
    assert project.news.pending == 0
    (told,) = project.call()
    assert told.message == "not judged: C was not checked: B has errors. Run check_project."
    project.edit("me", "Assets/D.cs")
    project.judge(None, "", "C was not checked: B has errors")
    assert [each.file for each in project.call()] == ["Assets/D.cs"]
    project.edit("me", "Assets/B.cs", judged=True)
    assert project.news.pending_for("me") == 2
    project.broken = hidden
    project.judge()
    assert project.call() == [BROKEN]
    assert project.news.next_round(NOW) is None


def test_errors_that_block_others_are_given_once(project: Project) -> None:
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge(None, "", "C was not checked: B has errors")
    assert project.call() == [BROKEN]
    for _ in range(3):
        project.edit("me", "Assets/D.cs", judged=True)
        project.judge(None, "", "C was not checked: B has errors")
        assert project.call() == []
    project.news.next_round(NOW + KEPT_S + 1)
    assert project.news.next_round(NOW + KEPT_S + 1) is None or project.news.pending == 0


def test_edits_that_there_is_no_more_room_for_leave_what_was_found(project: Project) -> None:
    project.edit("me", "Assets/A.cs", BROKEN)
    project.judge()
    for n in range(MAX_EDITS):
        project.edit("other", f"Assets/E{n}.cs")
    assert project.call() == [BROKEN]


def test_what_is_not_judged_stays_while_an_earlier_edit_is_judged_again(project: Project) -> None:
    project.news.enter("idle")
    project.edit("me", "Assets/A.cs", BROKEN)
    project.edit("me", "Assets/D.cs")
    project.judge(None, "D isn't in the build")
    project.edit("me", "Assets/E.cs", judged=True)
    project.judge()
    assert [each.code for each in project.call()] == ["CS1061", ""]


def test_what_is_the_same_for_every_edit_is_said_once_to_each_caller(project: Project) -> None:
    project.news.enter("other")
    for _ in range(3):
        project.edit("me", "Assets/A.cs")
        project.edit("me", "Assets/D.cs")
        project.judge(None, "", "", "analyzers did not run")
    (told,) = project.call()
    assert told.message == "not judged: analyzers did not run. Run check_project."
    project.edit("me", "Assets/E.cs")
    project.judge(None, "", "", "analyzers did not run")
    assert project.call() == []
    assert project.call("other") == [told]


def test_connections_that_only_a_name_joins_are_given_what_concerns_any(project: Project) -> None:
    project.news.enter("one", "client x")
    project.edit("one", "Assets/A.cs", BROKEN)
    project.judge()
    project.news.enter("two", "client x")
    assert project.call("two") == [BROKEN]
    assert project.call("one") == [BROKEN]
    project.news.enter("else", "client y")
    assert project.call("else") == []
    for n in range(MAX_CALLERS):
        project.news.enter(f"connection {n}", "client x")
    assert project.call() == [BROKEN], "they don't displace others"


# -- answers ---------------------------------------------------------------------------------------


def findings(*errors: NewError, origin: Origin | None = None) -> list[Finding]:
    of = origin or Origin(1, "edit of Assets/A.cs", "me", "agent", {"changeId": "0" * 16})
    return [Finding(n, error, of, NOW) for n, (_, error) in enumerate(keyed(errors), 1)]


def test_an_entry_says_what_where_since_when_and_how_to_undo() -> None:
    rows, given = entries("me", found := findings(BROKEN))
    assert rows == [
        {
            "file": "Assets/B.cs",
            "line": 3,
            "code": "CS1061",
            "message": "no such member",
            "since": "your edit of Assets/A.cs",
            "undo": {"changeId": "0" * 16},
        }
    ]
    assert given == found
    (row,), _ = entries("other", found)
    assert row["since"] == "edit of Assets/A.cs by agent"


def test_what_was_not_judged_is_an_entry_of_its_own_in_full() -> None:
    origin = Origin(1, "edit of Assets/A.cs", "me", None, {"changeId": "0" * 16})
    reason = "not judged: Unitask1.B was not checked: Unitask1.A has errors. Run check_project."
    unknown = Finding(9, NewError("Assets/A.cs", 0, "", reason), origin, NOW, is_unknown=True)
    many = [NewError("Assets/B.cs", n + 1, "CS1", f"{n} " + "m" * 100) for n in range(7)]
    found = [*findings(*many, origin=origin), unknown]
    rows, given = entries("me", found)
    assert given == found
    (said,) = [each for each in rows if "code" not in each]
    assert said == {"file": "Assets/A.cs", "message": reason, "since": "your edit of Assets/A.cs"}
    assert not_shown(found, rows) == len(many) - (len(rows) - 1)
    words = in_words({"news": rows, "more": 1})
    assert words[-1] == "news: 1 more error; check_project lists all"


def test_an_old_error_says_so() -> None:
    (row,), _ = entries("me", [replace(each, is_old=True) for each in findings(BROKEN)])
    assert row["since"] == "your edit of Assets/A.cs; not judged again after later edits"


def test_entries_stay_within_their_bytes() -> None:
    import json

    long = [NewError(f"Assets/{'Folder/' * 12}{n}.cs", n, "CS0246", "ä" * 900) for n in range(9)]
    rows, _ = entries("me", findings(*long))
    assert 0 < len(rows) <= 5
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    assert len(text.encode()) <= MAX_BYTES
    rows, _ = entries("me", findings(NewError("Assets/" + "x" * 3000, 1, "CS1", "m" * 3000)))
    assert len(rows) == 1
    assert len(json.dumps(rows, ensure_ascii=False).encode()) <= MAX_BYTES
    (row,) = rows
    assert [*row] == ["file", "line", "code", "message"]
    assert row["file"].startswith("…x")


def test_every_edit_has_an_entry_before_any_has_two() -> None:
    of_first = findings(*[NewError("Assets/B.cs", n, "CS1", str(n)) for n in range(6)])
    of_second = [Finding(9, OTHER, Origin(2, "edit of Assets/E.cs", "x"), 0)]
    rows, given = entries("me", [*of_first, *of_second])
    assert rows[1]["file"] == "Assets/C.cs"
    assert given == [*of_first, *of_second]


def test_errors_that_an_answer_states_are_found_in_it() -> None:
    diagnostic = {"line": 3, "column": 1, "id": "CS1061", "message": "no such member"}
    assert stated_errors({"path": "Assets/B.cs", "validation": {"diagnostics": [diagnostic]}}, None)
    project = {"errors": [{**diagnostic, "code": "CS1061", "path": "Assets/B.cs"}]}
    for answer in (
        {"error": {"details": {"diagnostics": [{**diagnostic, "path": "Assets/B.cs"}]}}},
        project,
    ):
        assert stated_errors(answer, "Assets/A.cs") == {("Assets/B.cs", "CS1061", "no such member")}
    assert stated_errors({"warnings": [{"code": "mixed", "message": "no place"}]}, None) == set()
    news = [{"file": "Assets/B.cs", **diagnostic, "code": "CS1061"}]
    assert stated_errors({"news": news}, None) == set(), "it is news, so nothing states it already"


def test_an_edit_is_blocked_since_its_first_verdict_and_a_settled_one_is_not() -> None:
    edits = AppliedEdits()
    for number in (1, 2):
        edits.add(AppliedEdit(Origin(number, "edit of Assets/A.cs", "me"), {}))
    edits.judged({2: True})
    for now_s in (5.0, 7.0):
        edits.blocked([1, 2, 3], now_s)
    assert [(each.number, each.blocked_s) for each in edits] == [(1, 5.0), (2, None)]
    edits.no_longer_blocked(5.0)
    assert [each.is_settled for each in edits] == [False, True]
    edits.no_longer_blocked(5.1)
    assert [each.is_settled for each in edits] == [True, True]


def test_the_origin_of_an_edit_says_how_to_take_it_back() -> None:
    one = {
        "path": "Assets/A.cs",
        "hashAfter": "sha256:" + "0123456789abcdef" * 4,
        "status": "applied",
    }
    assert origin_of_edit(1, "edit_snippet", one, "me", None).undo == {
        "path": "Assets/A.cs",
        "hashAfter": "0123456789abcdef",
    }
    many = {"changeId": "1", "files": [{"path": "Assets/A.cs"}, {"path": "Assets/B.cs"}]}
    origin = origin_of_edit(2, "edit_scripts", many, "me", None)
    assert (origin.what, origin.undo) == ("edit of 2 files", {"changeId": "1"})
    undone = origin_of_edit(3, "undo_snippet", one, "me", None)
    assert (undone.what, undone.undo) == ("undo of Assets/A.cs", {})


def test_who_made_a_change_may_be_found_out_later() -> None:
    project = Project()
    project.news.enter("me")
    project.news.enter("others")
    number = project.edit("", "Assets/A.cs", BROKEN)
    asked = project.news.next_round(NOW)
    mine = Origin(number, "Edit of Assets/A.cs", "me")
    project.news.attribute(mine)
    project.judge(asked)
    for caller in ("me", "others"):
        (found,) = project.news.waiting_for(caller)
        assert found.origin == mine, "also of what is being judged"
    again = replace(mine, caller="others")
    project.news.attribute(again)
    assert [each.origin for each in project.news.of({number})] == [again]
    project.news.publish(mine, [BROKEN, OTHER], NOW)
    assert [each.origin for each in project.news.waiting_for("me")] == [again, again]


def test_an_edit_that_is_taken_up_late_comes_before_newer_ones() -> None:
    edits = AppliedEdits()
    for number in (2, 1):
        edits.add(AppliedEdit(Origin(number, "edit"), {"Assets/A.cs": str(number)}))
    assert [each.number for each in edits] == [1, 2]


ERROR = NewError("Assets/A.cs", 3, "CS0103", "no such name")
OTHER_LINE = NewError("Assets/A.cs", 4, "CS0103", "no such name")


def test_what_a_hook_told_is_known_to_the_tools() -> None:
    told = ReportedErrors()
    told.hook_called("codex", "s1")
    told.by_hook("codex", [ERROR])
    assert told.was_by_hook("codex-mcp-client", OTHER_LINE)
    assert told.was_by_hook("Codex", ERROR)
    assert not told.was_by_hook("claude-code", ERROR)
    assert not told.was_by_hook(None, ERROR)


def test_what_a_tool_told_is_known_to_the_hooks() -> None:
    told = ReportedErrors()
    told.by_tool("codex-mcp-client", [ERROR])
    assert not told.was_by_tool("codex", ERROR)
    told.hook_called("codex", "s1")
    told.by_tool("codex-mcp-client", [ERROR])
    assert told.was_by_tool("codex", ERROR)


def test_of_several_sessions_nobody_knows_whose_connection_it_is() -> None:
    told = ReportedErrors()
    for session in ("s1", "s2", "s1"):
        told.hook_called("codex", session)
    told.by_hook("codex", [ERROR])
    told.by_tool("codex", [ERROR])
    assert not told.was_by_hook("codex", ERROR)
    assert not told.was_by_tool("codex", ERROR)


def test_little_is_remembered() -> None:
    told = ReportedErrors()
    for number in range(MAX_CLIENTS + 1):
        told.hook_called(f"client{number}.", "s")
        told.by_hook(f"client{number}.", [ERROR])
    assert not told.was_by_hook("client0.", ERROR)
    assert told.was_by_hook("client1.", ERROR)
    told.by_hook("client1.", [NewError("B.cs", 1, "CS1", str(n)) for n in range(MAX_ERRORS)])
    assert not told.was_by_hook("client1.", ERROR)
