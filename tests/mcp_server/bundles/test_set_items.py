"""Change sets as items of bundles: checked, rehearsed in order, applied, and taken back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bundle_files import checked, part, request, with_target, write_bundle
from running_server import SCRIPT, SOURCE

from mcp_server.bundles.apply import BundleOutcome, Status, carry_out, rehearse
from mcp_server.bundles.bundle import BundleFile
from mcp_server.bundles.item import Engines, opened

NEW = "Assets/New/Made.cs"
MOVED = "Assets/Core/Player.cs"
EDITED = SOURCE.replace(b"speed > 10", b"speed > 20")


@pytest.fixture
def engines(project: Path) -> Iterator[Engines]:
    with opened(project, "off") as engines:
        yield engines


def change(**more: Any) -> dict[str, Any]:
    """The small request as a change of a set."""
    small = request()
    return {"path": small["path"], "instructions": small["instructions"], **more}


def a_set(*changes: dict[str, Any]) -> dict[str, Any]:
    return {"mode": "apply", "changes": list(changes)}


def created(text: str = "class Made { }\n", path: str = NEW) -> dict[str, Any]:
    return {"path": path, "create": text, "format": "asGiven"}


def replaced(path: str, target: str, new_text: str) -> dict[str, Any]:
    anchor = {"type": "text", "target": target}
    instruction = {"operation": "replace", "anchor": anchor, "newText": new_text}
    return {"path": path, "instructions": [instruction]}


def hash_of(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def scripts(project: Path) -> dict[str, bytes]:
    files = (each for each in (project / "Assets").rglob("*") if each.is_file())
    return {each.relative_to(project).as_posix(): each.read_bytes() for each in files}


def applied(engines: Engines, project: Path, bundle: Any, interrupt_at: int = -1) -> BundleOutcome:
    file = BundleFile(write_bundle(project, "a", bundle), "a")
    (rehearsal,) = rehearse(engines, [file])
    assert rehearsal.findings == ()
    asked = iter(range(100))
    return carry_out(engines, rehearsal, lambda: next(asked) == interrupt_at)


IN_ORDER = [
    a_set(change(), created()),
    request() | with_target("speed > 20", "speed > 30"),
    a_set(replaced(NEW, "Made { }", "Made { int x; }"), {"path": SCRIPT, "moveTo": MOVED}),
    a_set(replaced(MOVED, "speed > 30", "speed > 40"), created("class P { }", SCRIPT)),
    a_set({"path": NEW, "delete": True, "expectedHash": hash_of(b"class Made { int x; }\n")}),
]
"""Each builds on what the ones before it made, moved and deleted."""


def test_a_set_is_checked_as_a_small_edit_is(project: Path) -> None:
    report = checked(project, write_bundle(project, "a", [a_set(change(), created()), request()]))
    assert (report.requests, report.findings) == (2, ())
    assert scripts(project) == {SCRIPT: SOURCE}


def test_in_order_each_builds_on_the_ones_before(project: Path) -> None:
    path = write_bundle(project, "a", IN_ORDER)
    found = checked(project, path, in_order=True).findings
    assert [each.code for each in found] == ["meta_missing"]
    alone = {each.code for each in checked(project, path).findings}
    assert {"anchor_not_found", "file_not_found"} <= alone
    assert scripts(project) == {SCRIPT: SOURCE}


def test_applied_in_order_they_give_what_was_rehearsed(engines: Engines, project: Path) -> None:
    outcome = applied(engines, project, IN_ORDER)
    assert outcome.status is Status.APPLIED
    assert scripts(project) == {
        MOVED: SOURCE.replace(b"speed > 10", b"speed > 40"),
        SCRIPT: b"class P { }",
    }


@pytest.mark.parametrize("interrupt_at", range(1, 5))
def test_an_interrupted_bundle_is_taken_back(
    engines: Engines, project: Path, interrupt_at: int
) -> None:
    outcome = applied(engines, project, IN_ORDER, interrupt_at)
    assert outcome.status is Status.TAKEN_BACK
    assert scripts(project) == {SCRIPT: SOURCE}


@pytest.mark.parametrize(
    ("item", "code", "text"),
    [
        (a_set(change(), created(path=SCRIPT)), "invalid_request", None),
        (a_set(created(path=SCRIPT)), "path_not_allowed", f'"{SCRIPT}"'),
        (a_set(created("class Made {")), "syntax_error", '"class Made {"'),
        (a_set(created(), replaced(SCRIPT, "speed >  10", "x")), "anchor_not_found", None),
        (
            a_set(created(), change(expectedHash="sha256:" + "0" * 64)),
            "stale_file",
            f'"sha256:{"0" * 64}"',
        ),
        (a_set(change(unheard=1)), "invalid_request", '"unheard"'),
    ],
)
def test_a_finding_is_at_its_place(project: Path, item: Any, code: str, text: str | None) -> None:
    path = write_bundle(project, "a", item)
    (finding,) = checked(project, path).findings
    assert finding.code == code
    if text is not None:
        assert part(path.read_text(encoding="utf-8"), finding.region) == text


def test_warnings_of_a_set_are_at_their_change(project: Path) -> None:
    text = "class Other : MonoBehaviour { }"
    path = write_bundle(project, "a", a_set(change(), created(text)))
    (finding,) = checked(project, path).findings
    assert (finding.code, finding.path) == ("script_name", "$.changes[1]")


def test_a_set_is_taken_back_after_a_later_refusal(engines: Engines, project: Path) -> None:
    file = BundleFile(write_bundle(project, "a", [a_set(change(), created()), request()][:1]), "a")
    other = BundleFile(
        write_bundle(project, "b", [a_set(created("class Q { }", "Assets/Q.cs")), request()]), "b"
    )
    first, second = rehearse(engines, [file, other])
    assert [each.code for each in second.findings] == ["anchor_not_found"]
    assert carry_out(engines, first, lambda: False).status is Status.APPLIED
    assert scripts(project) == {SCRIPT: EDITED, NEW: b"class Made { }\n"}
