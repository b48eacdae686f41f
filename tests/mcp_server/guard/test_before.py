"""What is refused before a write, and what passes."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from pathlib import Path

import pytest
from running_server import SCRIPT, SOURCE

from mcp_server.calls.project import open_engine
from mcp_server.contract.errors import ToolError
from mcp_server.guard.before import BeforeWrites
from mcp_server.guard.events import GuardEvent, Moment, Patch, Replace, Replacement, Whole, Write
from mcp_server.guard.refusal import MAX_CHARACTERS
from snippet_engine.errors import SnippetError
from snippet_engine.storage.paths.project import Project
from snippet_engine.validation.validator import ChangesVerdict


def guard_of(project: Path, compiler: AnsweringCompiler | None = None) -> BeforeWrites:
    opened, engine = Project.open(project), open_engine(project)
    assert isinstance(opened, Project)
    assert not isinstance(engine, ToolError)
    return BeforeWrites(opened, lambda: engine, lambda: compiler, lambda *_: None)


def event_of(project: Path, *writes: Write, session: str = "s") -> GuardEvent:
    return GuardEvent(
        "claude-code", Moment.BEFORE, session, "Edit", "c1", str(project), tuple(writes)
    )


def replace(old: str, new: str, path: str = SCRIPT) -> Replace:
    return Replace(path, (Replacement(old, new),))


BREAKS = replace("speed = 0;", "speed = 0;\n            if (speed > 1) {")


def refusal_of(guard: BeforeWrites, event: GuardEvent) -> str | None:
    return guard.decide(event, inf).refuse


def test_new_syntax_errors_are_refused_once(project: Path) -> None:
    guard, event = guard_of(project), event_of(project, BREAKS)
    refused = refusal_of(guard, event)
    assert refused is not None
    assert refused.startswith(f"{SCRIPT}:16:")
    assert "(CS1513)" in refused
    assert 'edit_snippet {"path":"Assets/Scripts/Player.cs"' in refused
    assert len(refused) <= MAX_CHARACTERS
    assert (project / SCRIPT).read_bytes() == SOURCE
    assert refusal_of(guard, event_of(project, BREAKS, session="other")) is not None
    assert refusal_of(guard, event) is None


@pytest.mark.parametrize(
    "write",
    [
        replace("speed = 0;", "speed = 1;"),
        replace("speed", "pace"),  # it isn't unique: the client refuses it
        replace("speed = 0;", "noSuchName = 1;"),  # a name, which may come with the next edit
        replace("int speed", "int (speed", "Assets/Scripts/Gone.cs"),
        replace("int speed", "int (speed", "Notes.txt"),
        Whole("../Other.cs", "class {"),
        Whole("Library/Other.cs", "class {"),
        Whole("Assets/Hidden~/Other.cs", "class {"),
        Patch("*** Begin Patch\n*** Update File: " + SCRIPT + "\n@@\n-x\n+{\n*** End Patch"),
        Patch("no patch"),
    ],
)
def test_what_passes(project: Path, write: Write) -> None:
    assert refusal_of(guard_of(project), event_of(project, write)) is None


def test_old_errors_pass(project: Path) -> None:
    broken = SOURCE.replace(b"speed = 0;", b"speed = (0;")
    (project / SCRIPT).write_bytes(broken)
    assert refusal_of(guard_of(project), event_of(project, replace("= 10", "= 20"))) is None


@pytest.mark.parametrize(
    "write",
    [
        Whole("Assets/New.cs", "class New { void M( { }"),
        Whole(SCRIPT, SOURCE.decode().removesuffix("}\r\n")),
        Patch(f"*** Begin Patch\n*** Update File: {SCRIPT}\n-int speed = 10;\n+(\n*** End Patch"),
        Patch("*** Begin Patch\n*** Add File: Assets/New.cs\n+class New {\n*** End Patch"),
    ],
)
def test_every_form_of_write_is_judged(project: Path, write: Write) -> None:
    refused = refusal_of(guard_of(project), event_of(project, write))
    assert refused is not None
    assert len(refused) <= MAX_CHARACTERS


def test_absolute_paths_and_links_lead_to_the_script(project: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(project, target_is_directory=True)
    old, new = BREAKS.edits[0][:2]
    for path in (project / SCRIPT, link / SCRIPT):
        event = event_of(tmp_path, replace(old, new, str(path)))
        assert refusal_of(guard_of(project), event) is not None


def test_several_files_are_one_request(project: Path) -> None:
    broken = [Whole(f"Assets/New{each}.cs", "class New {") for each in range(2)]
    refused = refusal_of(guard_of(project), event_of(project, *broken))
    assert refused is not None
    assert "edit_scripts {" in refused
    assert "Assets/New1.cs" in refused


@pytest.mark.parametrize("blank", ["", "\r\n", "\r\n\r\n\r\n"])
def test_the_end_of_a_file_is_shown_with_the_last_lines_of_code(project: Path, blank: str) -> None:
    text = f"class New\r\n{{\r\n    int x;\r\n{blank}"
    refused = refusal_of(guard_of(project), event_of(project, Whole("Assets/New.cs", text)))
    assert refused is not None
    last = text.count("\n") + 1
    lines = refused.splitlines()[1:4]
    assert lines == ["  2 | {", "  3 |     int x;", f"> {last} | (the end of the file)"]


def test_a_long_text_is_cut_and_has_no_request(project: Path) -> None:
    long = "x" * 5000
    event = event_of(project, Whole("Assets/New.cs", f"class New {{ string {long} = ( }}"))
    refused = refusal_of(guard_of(project), event)
    assert refused is not None
    assert len(refused) <= MAX_CHARACTERS
    assert long not in refused


class AnsweringCompiler:
    def __init__(self, *coverage: str) -> None:
        self._coverage = coverage

    def judge_changes(
        self, changes: Mapping[str, str | None], *, within_s: float, patient: bool
    ) -> ChangesVerdict | SnippetError:
        assert not patient
        assert list(changes) == [SCRIPT]
        return ChangesVerdict("compiler", self._coverage, (), (), 1.0)


def test_a_compiler_that_finds_nothing_overrules_ours(project: Path) -> None:
    event = event_of(project, BREAKS)
    assert refusal_of(guard_of(project, AnsweringCompiler("brackets", "syntax")), event) is None
    assert refusal_of(guard_of(project, AnsweringCompiler("brackets")), event) is not None
