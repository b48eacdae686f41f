"""``edit_snippet`` with servers of every kind behind it: what is refused, written and told.

docs/design/engine.md §4 and docs/design/roslyn.md §2.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from language_clients import QUICK, MakeValidator
from verdicts import diagnosed

from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.validation.validator import Verdict

TEXT = "class A { void F() { G(1); } }\n"


class Project:
    """An engine and its server; ``good`` scripts are answered honestly."""

    def __init__(self, root: Path, make: MakeValidator, fault: str) -> None:
        self.root = root
        (root / "ProjectSettings").mkdir(exist_ok=True)
        self.validator = make(fault, QUICK)
        engine = SnippetEngine.open(root, self.validator)
        assert isinstance(engine, SnippetEngine)
        self.engine = engine
        # Its start is not what these tests are about.
        assert isinstance(diagnosed(self.validator, "Assets/good.cs", TEXT), Verdict)

    def edit(
        self, old: str, new: str, path: str = "Assets/bad.cs", **request: Any
    ) -> dict[str, Any] | SnippetError:
        file = self.root / path
        if not file.exists():
            file.write_text(TEXT, encoding="utf-8")
        instruction = {
            "operation": "replace",
            "anchor": {"type": "text", "target": old},
            "newText": new,
        }
        return self.engine.edit_snippet(
            {"path": path, "mode": "apply", "instructions": [instruction], **request}
        )

    def text(self, path: str = "Assets/bad.cs") -> str:
        return (self.root / path).read_text(encoding="utf-8")


@pytest.fixture(params=["answers_null", "dies_on_request", "never_answers", "sends_no_json"])
def faulty(request: pytest.FixtureRequest, root: Path, hostile: MakeValidator) -> Project:
    return Project(root, hostile, request.param)


def test_under_lsp_nothing_is_written_without_its_verdict(faulty: Project) -> None:
    for new in ("G(2)", "G((2)"):
        outcome = faulty.edit("G(1)", new, validation="lsp", timeout_ms=600)
        assert isinstance(outcome, SnippetError)
        assert outcome.code is ErrorCode.VALIDATOR_UNAVAILABLE
        assert outcome.retryable
        assert faulty.text() == TEXT


def test_under_auto_the_embedded_verdict_stands_and_says_so(faulty: Project) -> None:
    refused = faulty.edit("G(1)", "G((2)")
    assert isinstance(refused, SnippetError)
    assert refused.code is ErrorCode.SYNTAX_ERROR
    assert refused.details["validation"]["validator"] == "embedded"
    assert faulty.text() == TEXT
    done = faulty.edit("G(1)", "G(2)")
    assert isinstance(done, dict)
    assert done["validation"]["validator"] == "embedded"
    assert done["validation"]["notChecked"][-1].startswith("language server: hostile ")
    assert faulty.text() == TEXT.replace("1", "2")


@pytest.fixture
def honest(root: Path, hostile: MakeValidator) -> Project:
    return Project(root, hostile, "none")


def test_its_verdict_decides_both_ways(honest: Project) -> None:
    # What it knows of C# is that brackets are opened and closed equally often.
    taken = honest.edit("G(1);", "G(1)")
    assert isinstance(taken, dict)
    assert taken["validation"]["validator"] == "hostile"
    refused = honest.edit("G(1)", '"(("')
    assert isinstance(refused, SnippetError)
    assert [each["id"] for each in refused.details["diagnostics"]] == ["CS1026"]
    assert refused.details["diagnostics"][0]["instruction"] == 0


@pytest.mark.parametrize("validation", ["auto", "lsp"])
def test_preview_and_apply_answer_alike(honest: Project, validation: str) -> None:
    preview = honest.edit("G(1)", "G(2)", mode="preview", validation=validation)
    applied = honest.edit("G(1)", "G(2)", mode="apply", validation=validation)
    for outcome in (preview, applied):
        assert isinstance(outcome, dict)
        del outcome["status"], outcome["applied"], outcome["validation"]["durationMs"]
        del outcome["results"][0]["status"]
    assert preview == applied


def test_a_file_is_judged_as_it_stands(honest: Project) -> None:
    (honest.root / "Assets" / "bad.cs").write_text("class A { (", encoding="utf-8")
    outcome = honest.engine.validate_script({"path": "Assets/bad.cs"})
    assert isinstance(outcome, dict)
    assert outcome["valid"] is False
    assert outcome["validation"]["validator"] == "hostile"


def test_nothing_but_the_script_appears_in_the_project(honest: Project) -> None:
    honest.edit("G(1)", "G(2)", mode="preview", validation="lsp")
    names = {
        file.relative_to(honest.root).as_posix()
        for file in honest.root.rglob("*")
        if file.is_file() and not {"SnippetEngine", ".unity-snippet"} & {*file.parts}
    }
    assert names == {"Assets/bad.cs"}


@pytest.fixture
def recording(root: Path, hostile: MakeValidator, tmp_path: Path) -> tuple[Project, Path]:
    journal = tmp_path / "journal"
    project = Project(root, hostile, f"records:{journal}")
    return project, journal


def test_it_is_told_of_writes_and_of_nothing_else_that_stays(
    recording: tuple[Project, Path],
) -> None:
    project, journal = recording
    project.edit("G(1)", "G(2)", mode="preview")
    applied = project.edit("G(1)", "G(2)")
    assert isinstance(applied, dict)
    project.engine.undo_snippet({"path": "Assets/bad.cs", "hashAfter": applied["hashAfter"]})
    # Whatever was sent before is in the journal once this is answered.
    diagnosed(project.validator, "Assets/good.cs", "class Last { }")
    told = [line.split(" ") for line in journal.read_text(encoding="utf-8").splitlines()]
    events = [method for method, uri in told if uri.endswith("bad.cs")]
    overlay = ["textDocument/didOpen", "textDocument/didChange"]
    asked = "textDocument/diagnostic"
    put_back = ["textDocument/didChange", "textDocument/didClose"]
    judged = [*overlay, asked, *put_back]
    saved = ["textDocument/didOpen", "textDocument/didSave", "textDocument/didClose"]
    changed = ["workspace/didChangeWatchedFiles"]
    # The apply is judged anew: other files may have changed since the preview.
    assert events == [*judged, *judged, *saved, *changed, *saved, *changed]
