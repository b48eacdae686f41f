"""Bundles applied by a real engine: whole, or not at all, and told as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from bundle_files import request, with_target, write_bundle
from running_server import SCRIPT, SOURCE

from mcp_server.bundles import item as items
from mcp_server.bundles.apply import MAX_ITEMS, BundleOutcome, Status, carry_out, rehearse
from mcp_server.bundles.bundle import BundleFile
from mcp_server.bundles.item import Engines, opened
from snippet_engine.source_text import content_hash

OTHER = "Assets/Scripts/Other.cs"


@pytest.fixture
def engines(project: Path) -> Iterator[Engines]:
    (project / OTHER).write_bytes(SOURCE)
    with opened(project, "off") as engines:
        yield engines


def in_other(value: dict[str, Any]) -> dict[str, Any]:
    return {**value, "path": OTHER}


def rehearsed(engines: Engines, project: Path, *bundles: Any) -> list[Any]:
    files = [
        BundleFile(write_bundle(project, f"bundle{number}", bundle), f"bundle{number}")
        for number, bundle in enumerate(bundles)
    ]
    return list(rehearse(engines, files))


def applied(
    engines: Engines,
    project: Path,
    bundle: Any,
    before_each: Callable[[int], bool] = lambda _: False,
) -> BundleOutcome:
    """The bundle's outcome; ``before_each`` hears how many items are through, and may interrupt."""
    (rehearsal,) = rehearsed(engines, project, bundle)
    assert rehearsal.findings == ()
    asked = iter(range(1000))
    return carry_out(engines, rehearsal, lambda: before_each(next(asked)))


TWO_SCRIPTS = [request(), in_other(request())]


def test_requests_build_on_each_other_and_what_is_shown_is_what_is_written(
    engines: Engines, project: Path
) -> None:
    bundle = [request(), with_target("speed > 20", "speed > 30"), in_other(request())]
    (rehearsal,) = rehearsed(engines, project, bundle)
    assert (project / SCRIPT).read_bytes() == SOURCE
    outcome = carry_out(engines, rehearsal, lambda: False)
    assert outcome.status is Status.APPLIED
    assert (project / SCRIPT).read_bytes() == SOURCE.replace(b"speed > 10", b"speed > 30")
    assert (project / OTHER).read_bytes() == SOURCE.replace(b"speed > 10", b"speed > 20")
    shown = [(each.result["diff"], each.result["hashAfter"]) for each in rehearsal.steps]
    assert [(each["diff"], each["hashAfter"]) for each in outcome.results] == shown


def test_bundles_build_on_each_other_but_not_on_one_that_is_refused(
    engines: Engines, project: Path
) -> None:
    good, refused, next_one, contradicting = rehearsed(
        engines,
        project,
        [request()],
        [with_target("speed > 20", "speed > 30"), with_target("nowhere at all")],
        [with_target("speed > 20", "speed > 40")],
        [with_target("speed > 20", "speed > 50")],
    )
    assert good.findings == next_one.findings == ()
    assert [each.path for each in refused.findings] == ["$[1].instructions[0].anchor.target"]
    assert [each.code for each in contradicting.findings] == ["anchor_not_found"]
    assert refused.outcome.status is Status.REFUSED


def test_a_later_refusal_takes_the_earlier_writes_back(engines: Engines, project: Path) -> None:
    saved = SOURCE + b"// saved by somebody\n"

    def save_the_other(through: int) -> bool:
        if through == 2:
            (project / OTHER).write_bytes(saved)
        return False

    bundle = [request(), with_target("speed = 10", "speed = 11"), in_other(request())]
    outcome = applied(engines, project, bundle, save_the_other)
    assert outcome.status is Status.TAKEN_BACK
    assert outcome.failed
    assert [(each.code, each.path) for each in outcome.findings] == [("stale_file", "$[2].path")]
    assert outcome.findings[0].message == (
        f"{OTHER} was changed by someone else during the apply, and not overwritten. Run the same "
        "command again."
    )
    assert (project / SCRIPT).read_bytes() == SOURCE
    assert (project / OTHER).read_bytes() == saved
    assert outcome.left == ()


@pytest.mark.parametrize("as_set", [False, True])
@pytest.mark.parametrize("expects", [False, True])
def test_what_nobody_was_shown_is_judged_again_on_what_was_saved_meanwhile(
    engines: Engines, project: Path, as_set: bool, expects: bool
) -> None:
    """But where a hash is expected: then it is for no other text."""
    saved = SOURCE + b"// saved by somebody\n"
    item = request()
    if expects:
        item["expectedHash"] = content_hash(SOURCE)
    if as_set:
        change = {key: item[key] for key in item if key not in ("mode", "client_request_id")}
        item = {"mode": "apply", "changes": [change]}
    (rehearsal,) = rehearsed(engines, project, [item])
    assert rehearsal.findings == ()
    (project / SCRIPT).write_bytes(saved)
    outcome = carry_out(engines, rehearsal, lambda: False, was_shown=False)
    if expects:
        assert outcome.status is Status.REFUSED
        (finding,) = outcome.findings
        place = "changes[0].expectedHash" if as_set else "expectedHash"
        assert finding.path == f"$[0].{place}"
        assert (project / SCRIPT).read_bytes() == saved
        return
    assert outcome.findings == ()
    assert outcome.status is Status.APPLIED
    assert (project / SCRIPT).read_bytes() == saved.replace(b"speed > 10", b"speed > 20")


def test_what_can_t_be_taken_back_is_told(engines: Engines, project: Path) -> None:
    built_on = SOURCE.replace(b"speed > 10", b"speed > 20") + b"// built on it\n"

    def save_both(through: int) -> bool:
        if through == 1:
            (project / SCRIPT).write_bytes(built_on)
            (project / OTHER).write_bytes(built_on)
        return False

    outcome = applied(engines, project, TWO_SCRIPTS, save_both)
    assert outcome.status is Status.LEFT
    (left,) = outcome.left
    assert left.applied.paths == (SCRIPT,)
    assert left.applied.undo == {"path": SCRIPT, "hashAfter": outcome.results[0]["hashAfter"]}
    assert left.to_json()["reason"] == left.reason != ""
    assert (project / SCRIPT).read_bytes() == built_on


def test_an_interrupt_between_two_requests_takes_the_bundle_back(
    engines: Engines, project: Path
) -> None:
    outcome = applied(engines, project, TWO_SCRIPTS, lambda through: through == 1)
    assert outcome.status is Status.TAKEN_BACK
    assert (project / SCRIPT).read_bytes() == (project / OTHER).read_bytes() == SOURCE
    before_any = applied(engines, project, TWO_SCRIPTS, lambda _: True)
    assert (before_any.status, before_any.results) == (Status.NOT_BEGUN, ())


def test_a_bug_leaves_no_half_bundle(
    engines: Engines, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply = items.apply

    def fail_with_the_other(engine: Any, item: items.Item, result: Any) -> Any:
        if item["path"] == OTHER:
            raise RuntimeError("a bug")
        return apply(engine, item, result)

    monkeypatch.setattr(items, "apply", fail_with_the_other)
    with pytest.raises(RuntimeError, match="a bug"):
        applied(engines, project, TWO_SCRIPTS)
    assert (project / SCRIPT).read_bytes() == SOURCE


def test_an_id_does_not_answer_for_a_write_that_was_taken_back(
    engines: Engines, project: Path
) -> None:
    bundle = [request(client_request_id="one"), in_other(request(client_request_id="two"))]
    first = applied(engines, project, bundle, lambda through: through == 1)
    assert first.status is Status.TAKEN_BACK
    second = applied(engines, project, bundle)
    assert second.status is Status.APPLIED
    assert (project / SCRIPT).read_bytes() != SOURCE


def test_what_stands_there_already_is_unchanged_and_needs_no_undo(
    engines: Engines, project: Path
) -> None:
    line = {"type": "text", "target": "speed = 0;", "position": "line_before"}
    insert = {"operation": "insert", "anchor": line, "newText": "speed = 1;"}
    bundle = [request() | {"instructions": [insert]}]
    assert applied(engines, project, bundle).status is Status.APPLIED
    assert applied(engines, project, bundle).status is Status.UNCHANGED


def test_as_many_requests_as_can_be_taken_back(engines: Engines, project: Path) -> None:
    steps = [with_target(f"speed > {10 + n}", f"speed > {11 + n}") for n in range(MAX_ITEMS + 1)]
    outcome = applied(engines, project, steps[:-1], lambda through: through == MAX_ITEMS - 1)
    assert outcome.status is Status.TAKEN_BACK
    assert (project / SCRIPT).read_bytes() == SOURCE
    (rehearsal,) = rehearsed(engines, project, steps)
    assert [each.code for each in rehearsal.findings] == ["too_many_requests"]


def test_a_script_that_is_not_checked_out_is_refused(engines: Engines, project: Path) -> None:
    (project / OTHER).chmod(0o444)
    (rehearsal,) = rehearsed(engines, project, TWO_SCRIPTS)
    (finding,) = rehearsal.findings
    assert (finding.code, finding.path) == ("read_only", "$[1].path")
