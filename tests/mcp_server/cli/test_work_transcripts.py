"""What edits, batches and lint runs print on the example project, held against transcripts."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from transcript import hold_against, run_here

from mcp_server.version import package_version

FIXTURES = Path(__file__).parents[2] / "fixtures"
SCRIPT = "Assets/Scripts/Player.cs"
PLAYER_HASH = "sha256:1b25631b5469b3b9bd6a95a1ae7f926895ae0731bdace34a5582e4fa4a230e60"
NOBODY = "http://127.0.0.1:9/mcp"


def edit(mode: str, target: str, new_text: str, **more: Any) -> dict[str, Any]:
    anchor = {"type": "text", "target": target}
    instruction = {"operation": "replace", "anchor": anchor, "newText": new_text}
    return {"path": SCRIPT, "mode": mode, "instructions": [instruction], **more}


PREVIEW = edit("preview", "speed > 10", "speed > maxSpeed")
APPLY = edit("apply", "speed > 10", "speed > maxSpeed", expectedHash=PLAYER_HASH)
UNDO = {"path": SCRIPT, "hashAfter": PLAYER_HASH}

CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "edit-preview": ("edit_snippet", PREVIEW),
    "edit-apply": ("edit_snippet", APPLY),
    "edit-dry-run": ("edit_snippet", APPLY),
    "edit-dry-run-refused": ("edit_snippet", edit("apply", "speed", "velocity")),
    "edit-ambiguous": ("edit_snippet", edit("apply", "return health;", "return 0;")),
    "edit-syntax-error": ("edit_snippet", edit("apply", "speed > 10", "speed > (10")),
    "edit-wrong-parameters": ("edit_snippet", {**APPLY, "mode": "aply", "extra": 1}),
    "undo-dry-run": ("undo_snippet", UNDO),
    "undo-refused": ("undo_snippet", UNDO),
}

ITEMS = [
    {"id": "outline", "tool": "get_symbols", "params": {"path": SCRIPT}},
    {"id": 2, "tool": "edit_snippet", "params": edit("apply", "nowhere", "x")},
    {"tool": "edit_snippet", "params": APPLY},
    {"tool": "control_play_mode", "params": {"action": "stop"}},
]
INVALID = [
    *ITEMS,
    {"tool": "edit_snipet", "params": {}},
    {"id": 1.5, "tool": "edit_snippet", "params": {"path": 5}, "when": "now"},
    "edit_snippet",
]
BATCHES: dict[str, tuple[list[Any], tuple[str, ...]]] = {
    "batch": (ITEMS, ()),
    "batch-stop-on-error": (ITEMS, ("--stop-on-error",)),
    "batch-dry-run": (ITEMS, ("--dry-run",)),
    "batch-invalid": (INVALID, ()),
    "batch-empty": ([], ()),
}

LINTS: dict[str, tuple[str, ...]] = {
    "lint": ("lint", "Edits"),
    "lint-faulty": ("lint", "Faulty", "Edits"),
    "lint-shard": ("lint", "Faulty", "--shard", "1/2"),
    "lint-in-order": ("lint", "Edits", "Faulty/contradicting.snippet.json", "--in-order"),
    "lint-missing": ("lint", "Edit"),
    "lint-wrong-shard": ("lint", "Edits", "--shard", "3/2"),
}


APPLIES: dict[str, tuple[str, ...]] = {
    "apply": ("apply", "Edits", "--yes"),
    "apply-dry-run": ("--dry-run", "apply", "Edits"),
    "apply-refused": ("apply", "Faulty", "Edits", "--yes"),
    "apply-unasked": ("apply", "Edits"),
}


@pytest.fixture(autouse=True)
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example project, with the faulty bundles, as the working folder."""
    project = tmp_path / "game"
    shutil.copytree(FIXTURES / "unity-project", project)
    shutil.copytree(FIXTURES / "faulty-bundles", project / "Faulty")
    monkeypatch.chdir(project)
    monkeypatch.setenv("COLUMNS", "80")
    for variable in ("UNITY_CLI_URL", "UNITY_CLI_TOKEN", "UNITY_CLI_LSP"):
        monkeypatch.delenv(variable, raising=False)
    return project


class Transcript:
    """Runs a command and holds what it prints against its transcript."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, name: str, *arguments: str, one_document: bool, typed: str = "") -> None:
        code, printed, errors = run_here(self._capsys, *arguments)
        if one_document:
            json.loads(printed)
            assert errors == ""
        found = f"$ unity-cli {' '.join(arguments)}{typed}\n{printed}"
        if errors:
            found += f"[stderr]\n{errors}"
        found = re.sub(r'"durationMs": [\d.e-]+', '"durationMs": MS', found)
        found = found.replace(f'"version": "{package_version()}"', '"version": "VERSION"')
        names = {str(Path.cwd()): "PROJECT"}
        hold_against(f"{name}.txt", f"{found}[exit code {code}]\n", names)


@pytest.fixture
def transcript(capsys: pytest.CaptureFixture[str]) -> Transcript:
    return Transcript(capsys)


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize("case", CALLS)
def test_a_call(case: str, output: str, transcript: Transcript) -> None:
    tool, params = CALLS[case]
    Path("params.json").write_text(json.dumps(params))
    dry = ("--dry-run",) if "dry-run" in case else ()
    arguments = (*dry, "tool", "call", tool, "--params-file", "params.json", "--output", output)
    transcript(f"{case}.{output}", *arguments, one_document=output == "json")


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize("case", BATCHES)
def test_a_batch(
    case: str, output: str, transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    items, options = BATCHES[case]
    lines = "".join(json.dumps(item) + "\n" for item in items).encode() or b"[]"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    arguments = ("batch", "-", *options, "--url", NOBODY, "--output", output)
    transcript(f"{case}.{output}", *arguments, one_document=output == "json")


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize("case", LINTS)
def test_a_lint_run(case: str, output: str, transcript: Transcript) -> None:
    transcript(f"{case}.{output}", *LINTS[case], "--output", output, one_document=output == "json")


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize("case", APPLIES)
def test_an_apply(case: str, output: str, transcript: Transcript) -> None:
    arguments = (*APPLIES[case], "--output", output)
    transcript(f"{case}.{output}", *arguments, one_document=output == "json")


@pytest.mark.parametrize("form", ["sarif", "github"])
def test_a_lint_run_for_github(form: str, game: Path, transcript: Transcript) -> None:
    (game.parent / ".git").mkdir()
    arguments = ("lint", "Faulty", "--format", form)
    transcript(f"lint-{form}", *arguments, one_document=form == "sarif")
