"""What is found in one bundle, and where."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from bundle_files import checked, part, request, with_target, write_bundle
from running_server import SCRIPT, SOURCE

from mcp_server.bundles.findings import RULES, Finding, Level
from snippet_engine.errors import ErrorCode
from snippet_engine.schemas.result_schema import WARNING_CODES
from snippet_engine.schemas.tool_schemas import UNITY_WARNING_CODES
from snippet_engine.source_text import content_hash


def only(project: Path, content: Any) -> Finding:
    report = checked(project, write_bundle(project, "a", content))
    (finding,) = report.findings
    return finding


def shown_text(project: Path, finding: Finding) -> str:
    """What the finding's region holds."""
    return part((project / finding.file).read_text(encoding="utf-8"), finding.region)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def replacing(target: str, new_text: str) -> dict[str, Any]:
    anchor = {"type": "text", "target": target}
    return {"operation": "replace", "anchor": anchor, "newText": new_text}


def test_a_clean_request_and_a_clean_array(project: Path) -> None:
    good_hash = "sha256:" + hashlib.sha256(SOURCE).hexdigest()
    one = checked(project, write_bundle(project, "a", request(expectedHash=good_hash)))
    assert (one.requests, one.findings) == (1, ())
    # Each is checked against the file as it is, so equal ones do not get in each other's way.
    many = checked(project, write_bundle(project, "b", [request()] * 3))
    assert (many.requests, many.findings) == (3, ())


def test_nothing_is_written_whatever_the_mode(project: Path) -> None:
    write_bundle(project, "a", [request(client_request_id="x"), with_target("nowhere")])
    before = snapshot(project)
    checked(project, project / "a.snippet.json")
    assert snapshot(project) == before
    assert not (project / "Library").exists()


def test_every_breach_of_the_contract_is_told_with_its_place(project: Path) -> None:
    bad = {**request(), "mode": "aply", "extra": {"a": 1}}
    bad["instructions"] = [{**bad["instructions"][0], "operation": "delete"}]
    del bad["path"]
    report = checked(project, write_bundle(project, "a", [request(), bad]))
    told = {finding.path: finding for finding in report.findings}
    assert set(told) == {"$[1].path", "$[1].mode", "$[1].extra", "$[1].instructions[0].newText"}
    assert {finding.code for finding in report.findings} == {ErrorCode.INVALID_REQUEST}
    assert shown_text(project, told["$[1].mode"]) == '"aply"'
    assert shown_text(project, told["$[1].extra"]) == '"extra"'
    assert shown_text(project, told["$[1].instructions[0].newText"]) == '"newText"'
    assert json.loads(shown_text(project, told["$[1].path"])) == bad
    assert list(report.findings) == sorted(report.findings, key=lambda f: f.region)


@pytest.mark.parametrize(
    ("changes", "code", "path", "shown"),
    [
        ({"expectedHash": "sha256:" + "0" * 64}, "stale_file", "$.expectedHash", "sha256:0"),
        ({"path": "Assets/No.cs"}, "file_not_found", "$.path", "Assets/No.cs"),
        ({"path": "../x.cs"}, "path_not_allowed", "$.path", "../x.cs"),
        ({"path": "/etc/passwd"}, "path_not_allowed", "$.path", "/etc/passwd"),
        ({"validation": "lsp"}, "validator_unavailable", "$.validation", "lsp"),
    ],
)
def test_faults_of_the_request(
    project: Path, changes: dict[str, Any], code: str, path: str, shown: str
) -> None:
    finding = only(project, request(**changes))
    assert (finding.code, finding.path, finding.level) == (code, path, Level.ERROR)
    assert json.loads(shown_text(project, finding)).startswith(shown)


@pytest.mark.parametrize(
    ("instruction", "code", "part_at_fault"),
    [
        ({"anchor": {"type": "text", "target": "nowhere"}}, "anchor_not_found", "anchor.target"),
        ({"anchor": {"type": "text", "target": "speed"}}, "ambiguous_anchor", "anchor.target"),
        (
            {"anchor": {"type": "symbol", "symbolPath": "Playr.Update"}},
            "symbol_not_found",
            "anchor.symbolPath",
        ),
        ({"newText": "x" * 200}, "diff_too_large", "newText"),
        ({"newText": "speed > (20"}, "syntax_error", "newText"),
    ],
)
def test_faults_of_an_instruction(
    project: Path, instruction: dict[str, Any], code: str, part_at_fault: str
) -> None:
    bad = request()
    bad["instructions"][0].update(instruction)
    finding = only(project, [request(), bad])
    assert finding.code == code
    assert finding.path == f"$[1].instructions[0].{part_at_fault}"
    value = bad["instructions"][0]
    for key in part_at_fault.split("."):
        value = value[key]
    assert json.loads(shown_text(project, finding)) == value


def test_every_instruction_at_fault_is_told_also_when_the_hash_is_stale(project: Path) -> None:
    bad = request(expectedHash="sha256:" + "0" * 64)
    anchors = ["speed > 10", "nowhere", "speed"]
    bad["instructions"] = [replacing(each, f"x{i}") for i, each in enumerate(anchors)]
    report = checked(project, write_bundle(project, "a", bad))
    assert [(f.code, f.path) for f in report.findings] == [
        ("anchor_not_found", "$.instructions[1].anchor.target"),
        ("ambiguous_anchor", "$.instructions[2].anchor.target"),
        ("stale_file", "$.expectedHash"),
    ]
    ambiguous = report.findings[1]
    assert ambiguous.details["candidates"][0]["anchor"]["target"] == "speed"
    assert all("otherErrors" not in finding.details for finding in report.findings)


def test_every_instruction_of_every_file_of_a_set_is_told_at_its_own_place(project: Path) -> None:
    (project / "Assets/Other.cs").write_text("class Other { int a; int b; }\n")

    def edit(path: str, *targets: str) -> dict[str, Any]:
        return {"path": path, "instructions": [replacing(each, "x") for each in targets]}

    for changes in (
        [edit(SCRIPT, "nowhere", "neither")],
        [edit(SCRIPT, "nowhere"), edit("Assets/Other.cs", "none", "int a", "int")],
        [edit("Assets/Other.cs", "int", "none"), edit(SCRIPT, "nowhere", "neither")],
    ):
        report = checked(
            project, write_bundle(project, "a", {"mode": "preview", "changes": changes})
        )
        expected = [
            f"$.changes[{file}].instructions[{index}].anchor.target"
            for file, change in enumerate(changes)
            for index, each in enumerate(change["instructions"])
            if each["anchor"]["target"] != "int a"
        ]
        assert [finding.path for finding in report.findings] == expected
        assert len({finding.region for finding in report.findings}) == len(expected)


@pytest.mark.parametrize("as_set", [False, True])
def test_every_instruction_that_breaks_the_syntax_is_told(project: Path, as_set: bool) -> None:
    bad = request()
    bad["instructions"] = [
        replacing("speed > 10", "speed > (20"),
        replacing("int speed = 10", "int speed = (10"),
    ]
    if as_set:
        (project / "Assets/Other.cs").write_bytes(SOURCE)
        paths = (SCRIPT, "Assets/Other.cs")
        changes = [{"path": each, "instructions": bad["instructions"]} for each in paths]
        bad = {"mode": "preview", "changes": changes}
    report = checked(project, write_bundle(project, "a", [request(), bad]))
    places = [f"$[1].changes[{n}]" for n in range(2)] if as_set else ["$[1]"]
    assert [(f.code, f.path) for f in report.findings] == [
        ("syntax_error", f"{place}.instructions[{n}].newText") for place in places for n in range(2)
    ]
    assert all("would not compile: line " in f.message for f in report.findings)


def test_overlapping_edits_point_at_the_second(project: Path) -> None:
    bad = request()
    bad["instructions"].append({**bad["instructions"][0], "newText": "speed > 30"})
    finding = only(project, bad)
    assert (finding.code, finding.path) == ("overlapping_edits", "$.instructions[1]")


def test_a_warning_is_told_and_fails_nothing(project: Path) -> None:
    emptying = request()
    emptying["instructions"] = [
        {"operation": "delete", "anchor": {"type": "text", "target": "speed = 0;"}}
    ]
    report = checked(project, write_bundle(project, "a", emptying))
    (finding,) = report.findings
    assert (finding.code, finding.level, report.errors) == ("empty_block", Level.WARNING, 0)
    assert finding.path == "$.instructions[0]"


def test_a_repeated_key_is_a_fault_of_its_own(project: Path) -> None:
    text = json.dumps(request())[:-1] + ',\n "mode": "preview"}'
    finding = only(project, text.encode())
    assert (finding.code, finding.path) == ("repeated_key", "$")
    assert (finding.region.line, finding.region.column) == (2, 2)


@pytest.mark.parametrize(
    ("content", "code", "said", "line_and_column"),
    [
        (b"", "invalid_json", "is empty", (1, 1)),
        (
            b'{"path": 1,\n  oops}',
            "invalid_json",
            "a key in double quotation marks is missing",
            (2, 3),
        ),
        (b"\xef\xbb\xbf x", "invalid_json", "a value (", (1, 2)),
        (b'{"a":\n "\xc3\xa9\x80"}', "invalid_json", "(byte 10: 0x80)", (2, 4)),
        (b"\xef\xbb\xbf{\x80}", "invalid_json", "(byte 4: 0x80)", (1, 2)),
        (b"\xff\xfe{\x00}\x00", "invalid_json", "(it is UTF-16). Save it as UTF-8", (1, 1)),
        (b"{\x00}\x00", "invalid_json", "(it is UTF-16). Save it as UTF-8", (1, 1)),
        (b"[]", "invalid_request", "empty array", (1, 1)),
        (b" 5", "invalid_request", "got 5", (1, 2)),
        (b'"{}"', "invalid_request", "must be a request of edit_snippet or", (1, 1)),
        (b"[1,\n {}]", "invalid_request", "must be an object", (1, 2)),
        (b'{"path": NaN}', "invalid_json", "NaN is no JSON value", (1, 10)),
        (b" " * (4 * 1024 * 1024 + 1), "unreadable_bundle", "4,194,304 bytes", (1, 1)),
    ],
)
def test_what_is_no_bundle(
    project: Path, content: bytes, code: str, said: str, line_and_column: tuple[int, int]
) -> None:
    report = checked(project, write_bundle(project, "a", content))
    first = report.findings[0]
    assert first.code == code
    assert said in first.message
    assert (first.region.line, first.region.column) == line_and_column
    assert all(len(f.message) <= 200 for f in report.findings)


def test_a_bundle_with_a_byte_order_mark(project: Path) -> None:
    text = b"\xef\xbb\xbf" + json.dumps(request()).encode()
    assert checked(project, write_bundle(project, "a", text)).findings == ()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no FIFOs and devices in folders")
@pytest.mark.parametrize("kind", ["fifo", "device", "dangling", "circle", "folder"])
def test_what_is_no_regular_file(project: Path, kind: str) -> None:
    path = project / "a.snippet.json"
    said = "is not a regular file"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "dangling":
        path.symlink_to("nowhere")
        said = "can't be read: No such file or directory"
    elif kind == "circle":
        path.symlink_to(path.name)
        said = "can't be read: Too many levels of symbolic links"
    else:
        path.mkdir()
        said = "is a folder"
    (finding,) = checked(project, path).findings
    assert (finding.code, finding.message) == ("unreadable_bundle", said)


def test_a_bug_is_a_finding_and_does_not_end_the_run(
    project: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    path = write_bundle(project, "a", request())
    monkeypatch.setattr("snippet_engine.engine.SnippetEngine.edit_snippet", broken)
    (finding,) = checked(project, path).findings
    assert finding.code == "internal_error"
    assert "ZeroDivisionError" in caplog.text


def test_every_code_has_a_rule() -> None:
    of_writing = {"duplicate_request", "busy", "write_failed", "not_undoable"}
    of_writing |= {"completed_first", "unfinished"}
    of_files = {
        "semantic_not_checked",
        "mixed_line_endings",
        "preexisting_errors",
        "hard_links",
        "windows_name",
    }
    of_renames = {"rename_conflict"}  # no bundle has a rename
    of_approval = {"approval_refused", "approval_timeout"}  # nobody is asked about a bundle
    engine = {code.value for code in ErrorCode} - of_writing - of_renames - of_approval
    own = {"unreadable_bundle", "invalid_json", "repeated_key", "internal_error"}
    own |= {"misspelt_name", "no_bundles", "no_project", "too_many_requests"}
    warnings = {*WARNING_CODES, *UNITY_WARNING_CODES} - of_files - of_writing
    assert set(RULES) == engine | warnings | own


def test_a_script_that_is_not_checked_out_is_judged_as_any_other(project: Path) -> None:
    (project / SCRIPT).chmod(0o444)
    change = {"path": SCRIPT, "instructions": request()["instructions"]}
    both = [request(), {"mode": "apply", "changes": [change]}]
    assert checked(project, write_bundle(project, "good", both)).findings == ()
    finding = only(project, with_target("nowhere"))
    assert (finding.code, finding.path) == ("anchor_not_found", "$.instructions[0].anchor.target")


TARGET = "instructions[0].anchor.target"
TO_20, TO_30, AFTER_20 = (
    with_target("speed > 10"),
    with_target("speed > 10", "speed > 30"),
    with_target("speed > 20", "speed > 30"),
)


@pytest.mark.parametrize(
    ("requests", "alone", "in_order"),
    [
        pytest.param([TO_20, TO_30], [], [f"$[1].{TARGET}"], id="the second contradicts the first"),
        pytest.param([TO_20, AFTER_20], [f"$[1].{TARGET}"], [], id="the second needs the first"),
        pytest.param(
            [TO_20, AFTER_20 | {"expectedHash": content_hash(SOURCE)}],
            [f"$[1].{TARGET}"],
            ["$[1].expectedHash"],
            id="a hash is that of the result before",
        ),
        pytest.param(
            [with_target("nowhere at all"), TO_20, AFTER_20],
            [f"$[0].{TARGET}", f"$[2].{TARGET}"],
            [f"$[0].{TARGET}"],
            id="what is refused leaves nothing for the next",
        ),
    ],
)
def test_requests_are_checked_alone_or_in_order(
    project: Path, requests: list[Any], alone: list[str], in_order: list[str]
) -> None:
    bundle = write_bundle(project, "bundle", requests)
    before = snapshot(project)
    assert [each.path for each in checked(project, bundle).findings] == alone
    assert [each.path for each in checked(project, bundle, in_order=True).findings] == in_order
    assert snapshot(project) == before
