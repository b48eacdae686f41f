"""The laws of docs/design/engine.md §10, over composed C# and random requests."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from answered import success
from hypothesis import given, settings
from hypothesis import strategies as st
from lsp_edits import offset_of, with_edits
from sent_back import check_offers, check_requests
from unity_project import SCRIPT, UnityProject

from snippet_engine.errors import BREAKS_CODE, ErrorCode, SnippetError
from snippet_engine.source_text import SourceText, content_hash, decode

MEMBERS = [
    "    int speed = 10;\n",
    "    // int speed = 10;\n",
    "    string path = \"C:\\\\\"; char quote = '\\'';\n",
    '    string text = @"a ""quoted"" {brace";\n',
    '    string sum = $"{a + 1:N2} {(b ? "{" : "}")} {{";\n',
    "    public int Health { get; private set; }\n",
    "    void Update()\n    {\n        if (speed > 10)\n            Go();\n        End();\n    }\n",
    "    void Go(int by)\n    {\n        speed += by;\n        Log(by);\n    }\n",
    "    void Go() { Log(1); }\n",
    "#if UNITY_EDITOR\n    void Edit() { Go(1); }\n#else\n    void Play() { Go(2); }\n#endif\n",
    "#if false\n    not code at all {\n#endif\n",
    "    /* block\n       comment */\n",
    "    enum State { Idle, Running = 2 }\n",
    "    event Action Died; // 😀 died\n",
    "\n",
    "    class Inner\n    {\n        int 数 = 1;\n    }\n",
    "\tvoid Tabs()\n\t{\n\t\tLog(2);\t\n\t}\n",
    "    void Loop() { for (int i = 0; i < 3; i++) { Log(i); } }\n",
    "    void Broken( { }\n",
]
ENCODINGS = [(b"", "utf-8"), (b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le")]
NEW_TEXTS = [
    "x", "Log(3);", "// note", "20", "", "}", "{ Log(4); }", "a\nb", "if (a)\n    Go(9);", '"',
    "*/", "#endif", "😀", "int speed = 10;", "\\", " ",
]  # fmt: skip
PATHS = ["Player", "Player.Update", "Go", "Go(int)", "Inner.数", "State.Idle", "Health", "Nowhere"]


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A script composed of members, in some encoding, with some line endings."""
    members = draw(st.lists(st.sampled_from(MEMBERS), min_size=1, max_size=6))
    text = "class Player\n{\n" + "".join(members) + "}\n"
    text = text if draw(st.booleans()) else text.removesuffix("\n")
    ending = draw(st.sampled_from(["\n", "\r\n", "\r", None]))
    if ending is None:
        lines = text.split("\n")
        endings = draw(
            st.lists(
                st.sampled_from(["\n", "\r\n", "\r"]), min_size=len(lines), max_size=len(lines)
            )
        )
        # A CR before an LF would be one line ending of another kind.
        text = "".join(line + end for line, end in zip(lines, endings, strict=True))
    else:
        text = text.replace("\n", ending)
    bom, codec = draw(st.sampled_from(ENCODINGS))
    return bom + text.encode(codec)


@st.composite
def anchors(draw: st.DrawFn, view: str) -> dict[str, Any]:
    """An anchor for some place of ``view``, or nearly so."""
    start = draw(st.integers(0, len(view) - 1))
    target = view[start : start + draw(st.integers(1, 30))]
    if draw(st.booleans()):
        # A whole line, as agents mostly send.
        line_start = view.rfind("\n", 0, start) + 1
        line_end = view.find("\n", start)
        target = view[line_start : line_end if line_end >= 0 else len(view)].strip() or target
    anchor: dict[str, Any] = {"type": "text", "target": target}
    kind = draw(st.integers(0, 9))
    at = view.find(target)
    if kind < 3:
        anchor["before"] = view[max(at - draw(st.integers(1, 40)), 0) : at]
    if 1 < kind < 5:
        end = at + len(target)
        anchor["after"] = view[end : end + draw(st.integers(1, 40))]
    if kind == 5:
        anchor["in"] = "comment"
    if kind == 6:
        anchor["target"] = target + draw(st.sampled_from(["x", " ", "\n"]))
    if kind == 7:
        anchor = {"type": "symbol", "symbolPath": draw(st.sampled_from(PATHS))}
        if draw(st.booleans()):
            anchor["target"] = target
    return {key: value for key, value in anchor.items() if value}


@st.composite
def instructions(draw: st.DrawFn, view: str) -> dict[str, Any]:
    operation = draw(st.sampled_from(["replace", "insert", "delete"]))
    anchor = draw(anchors(view))
    instruction = {"operation": operation, "anchor": anchor}
    if operation == "insert":
        positions = ["before", "after", "line_before", "line_after"]
        if anchor["type"] == "symbol" and "target" not in anchor:
            positions += ["body_start", "body_end"]
        anchor["position"] = draw(st.sampled_from(positions))
    if operation != "delete":
        new = draw(st.sampled_from(NEW_TEXTS))
        if operation == "replace" and draw(st.booleans()):
            new = anchor.get("target", "").replace("1", "2").replace("Log", "Print")
        instruction["newText"] = new or "y"
    return instruction


@st.composite
def cases(draw: st.DrawFn) -> tuple[bytes, list[dict[str, Any]]]:
    data = draw(files())
    source = decode(data)
    assert isinstance(source, SourceText)
    return data, draw(st.lists(instructions(source.view), min_size=1, max_size=4))


@pytest.fixture(scope="module")
def project() -> Iterator[UnityProject]:
    """One project for all examples: each writes the script anew."""
    with tempfile.TemporaryDirectory() as folder:
        yield UnityProject(Path(folder) / "project")


def send(project: UnityProject, mode: str, edits: list[dict[str, Any]]) -> Any:
    return project.edit(*edits, mode=mode)


def comparable(outcome: dict[str, Any]) -> dict[str, Any]:
    """A result without what may differ between a preview and an apply."""
    body = {**outcome, "validation": {**outcome["validation"], "durationMs": 0}}
    body["results"] = [
        {**each, "status": each["status"].replace("applied", "previewed")}
        for each in outcome["results"]
    ]
    return {**body, "status": outcome["status"].replace("applied", "previewed"), "applied": False}


def verdict(outcome: dict[str, Any] | SnippetError) -> Any:
    """What a preview and an apply of one request have in common."""
    if isinstance(outcome, SnippetError):
        body = outcome.to_json()
        body["details"].get("validation", {}).pop("durationMs", None)
        for offer in body["offers"]:
            del offer["arguments"]["mode"]
        return body
    return comparable(outcome)


@settings(max_examples=120)
@given(cases())
def test_laws_1_2_3_and_5(project: UnityProject, case: tuple[bytes, list[dict[str, Any]]]) -> None:
    data, edits = case
    project.write(data)
    before = project.tree()

    preview = send(project, "preview", edits)
    assert project.tree() == before

    outcome = send(project, "apply", edits)
    assert verdict(outcome) == verdict(preview)
    if isinstance(outcome, SnippetError):
        assert project.read() == data
        for index in {outcome.instruction} - {None}:
            check_offers(data, edits[index], outcome)
        check_requests(project, outcome, len(edits))
        return
    after = project.read()
    assert outcome["hashBefore"] == content_hash(data)
    assert outcome["hashAfter"] == content_hash(after)
    assert outcome["applied"] is (after != data)
    check_only_reported_ranges_changed(data, after, outcome)
    if outcome["applied"]:
        success(project.engine.undo_snippet({"path": SCRIPT, "hashAfter": outcome["hashAfter"]}))
    assert project.read() == data


def check_only_reported_ranges_changed(data: bytes, after: bytes, outcome: dict[str, Any]) -> None:
    """The ranges of the results, and nothing else, are what differs between the bytes."""
    bom, codec = next((bom, codec) for bom, codec in reversed(ENCODINGS) if data.startswith(bom))
    assert after.startswith(bom)
    old = data[len(bom) :].decode(codec)
    new = after[len(bom) :].decode(codec)
    done = sorted(
        (each for each in outcome["results"] if each["status"] == "applied"),
        key=lambda each: (
            tuple(each["range"]["start"].values()),
            tuple(each["range"]["end"].values()),
        ),
    )
    # The pieces between the ranges stand unchanged, in order, around the new texts.
    rest, at = new, 0
    for each in done:
        start, end = (offset_of(old, each["range"][edge]) for edge in ("start", "end"))
        assert rest.startswith(old[at:start]), (old, new, each)
        rest = rest[start - at :]
        length = length_in(rest, each["afterSnippet"])
        rest = rest[length:]
        at = end
    assert rest.removeprefix("\r") == old[at:].removeprefix("\r")
    # As text, line endings aside, the results are the whole edit.
    edits = [{"range": each["range"], "newText": each["afterSnippet"]} for each in done]
    assert lines(with_edits("\n".join(lines(old)), edits)) == lines(new)


def length_in(text: str, view: str) -> int:
    """How much of ``text`` the lines of ``view`` take, whatever their endings."""
    at = 0
    for character in view:
        if character == "\n":
            assert text[at] in "\r\n"
            at += 2 if text.startswith("\r\n", at) else 1
        else:
            assert text[at] == character
            at += 1
    return at


def lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


@settings(max_examples=80)
@given(cases(), st.randoms(use_true_random=False))
def test_law_4(
    project: UnityProject, case: tuple[bytes, list[dict[str, Any]]], random: Any
) -> None:
    data, edits = case
    project.write(data)
    first = send(project, "preview", edits)
    order = list(range(len(edits)))
    random.shuffle(order)
    shuffled = [edits[number] for number in order]
    second = send(project, "preview", shuffled)
    assert isinstance(first, SnippetError) is isinstance(second, SnippetError)
    if isinstance(first, SnippetError):
        assert errors(first, edits) == errors(second, shuffled)
        return
    assert first["hashAfter"] == second["hashAfter"]
    assert first["diff"] == second["diff"]
    assert by_instruction(first, edits, None) == by_instruction(second, edits, order)
    assert warnings(first, edits) == warnings(second, shuffled)


def errors(error: SnippetError, edits: list[dict[str, Any]]) -> Any:
    """Everything an error says, by what each instruction does."""

    def said(index: int | None) -> str:
        # Equal insertions are one; which of them counts is decided by their order.
        return "" if index is None else edits[index].get("newText", "").strip()

    if error.code in BREAKS_CODE:
        return sorted(
            (each["line"], each["column"], each["message"], said(each.get("instruction")))
            for each in error.details["diagnostics"]
        )
    every = [error.to_json(), *error.details.get("otherErrors", ())]
    return sorted(
        # Of equal edits, their order decides which one meets a third.
        (each["code"], str(each["details"]["line"]), "")
        if each["code"] == ErrorCode.OVERLAPPING_EDITS
        else (each["code"], each["message"], said(each["instruction"]))
        for each in every
    )


def by_instruction(
    outcome: dict[str, Any], edits: list[dict[str, Any]], order: list[int] | None
) -> list[Any]:
    """The results in one order; of equal insertions the first one counts, whichever it is."""
    found = []
    for each in outcome["results"]:
        number = each["index"] if order is None else order[each["index"]]
        found.append(
            (number, each["range"], each["beforeSnippet"], each["afterSnippet"], each["status"])
        )
    found.sort(key=lambda each: each[0])
    places = [str(each[1]) for each in found]
    return [each if places.count(str(each[1])) == 1 else ("shared", str(each[1])) for each in found]


def warnings(outcome: dict[str, Any], edits: list[dict[str, Any]]) -> list[Any]:
    """The warnings, by what their instruction does: of equal insertions, the first one counts."""
    return sorted(
        (
            each["code"],
            each.get("line", 0),
            "" if "index" not in each else str(edits[each["index"]]),
        )
        for each in outcome["warnings"]
    )
