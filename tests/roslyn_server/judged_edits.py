"""An engine whose judge is ``roslyn_server``, found and started as ``--lsp auto`` does it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import laid_out
import pytest
from laid_out import Layout

from lsp_client.validator import LanguageServerValidator
from mcp_server.calls.language_server import server_validator
from mcp_server.calls.project import open_engine
from snippet_engine.csharp.document import Document
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import BREAKS_CODE, ErrorCode, SnippetError
from snippet_engine.source_text import SourceText, decode
from snippet_engine.validation.validator import Verdict

ENEMY = "Assets/Enemy.cs"
PLAYER = "Assets/Player.cs"
TEXT = """namespace Game
{
    public class Enemy
    {
        public int Hit(Player player)
        {
#if GAME_MOBILE
            return 0;
#else
            return player.Health;
#endif
        }
    }
}
"""
PLAYER_TEXT = "namespace Game\n{\n    public class Player { public int Health; }\n}\n"
STARTING_S = 120.0
"""So long a start may take on a busy machine; edits then have their usual five seconds."""

Started = Callable[[Layout, Path], "Judged"]


class Judged:
    """An engine whose judge has started."""

    def __init__(self, root: Path, validator: LanguageServerValidator, engine: SnippetEngine):
        self.root, self.validator, self.engine = root, validator, engine

    def edit(self, old: str, new: str, **request: Any) -> dict[str, Any] | SnippetError:
        anchor = {"type": "text", "target": old}
        instruction = {"operation": "replace", "anchor": anchor, "newText": new}
        asked = {
            "path": ENEMY,
            "mode": "preview",
            "validation": "lsp",
            "instructions": [instruction],
            **request,
        }
        # On a busy machine a verdict can be late: who gets none asks again, as its error says.
        until = monotonic() + STARTING_S
        while True:
            outcome = self.engine.edit_snippet(asked)
            late = isinstance(outcome, SnippetError) and (
                outcome.code is ErrorCode.VALIDATOR_UNAVAILABLE
            )
            if not late or monotonic() > until:
                return outcome
            sleep(0.5)

    def rewritten(self, scripts: Mapping[str, str]) -> Judged:
        """The same one, with no files below Assets but ``scripts``."""
        for file in (each for each in (self.root / "Assets").rglob("*") if each.is_file()):
            file.unlink()
        for name, text in scripts.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")
        return self

    def text(self, path: str) -> str:
        """What the file holds."""
        return (self.root / path).read_text(encoding="utf-8")


def refusals(outcome: dict[str, Any] | SnippetError) -> list[tuple[str, str, int]]:
    """Id, path (none for the edited file) and one-based line of each new error."""
    assert isinstance(outcome, SnippetError), outcome
    assert outcome.code in BREAKS_CODE, outcome
    told = outcome.details["diagnostics"]
    return [(each["id"], each.get("path", ""), each["line"]) for each in told]


@contextmanager
def serving_built(
    layout: Layout, folder: Path, references: Path, scripts: Mapping[str, str]
) -> Iterator[Judged]:
    """A project of ``scripts`` that was built, made in ``folder``, with its judge.

    Only its start sees the machine's environment, so that any test may run meanwhile.
    """
    root = laid_out.project(folder / "project", layout.editor)
    laid_out.built(root, references, dict(scripts))
    with pytest.MonkeyPatch.context() as patching:
        judged = _judged(layout, root, patching)
    yield judged
    judged.validator.close()


@contextmanager
def starting() -> Iterator[Started]:
    """What starts engines with their judges, on machines whose environment they then have."""
    judges: list[Judged] = []
    with pytest.MonkeyPatch.context() as patching:

        def start(layout: Layout, root: Path) -> Judged:
            judges.append(_judged(layout, root, patching))
            return judges[-1]

        try:
            yield start
        finally:
            for each in judges:
                each.validator.close()


def _judged(layout: Layout, root: Path, patching: pytest.MonkeyPatch) -> Judged:
    for name in set(os.environ) - set(layout.environment):
        patching.delenv(name)
    for name, value in layout.environment.items():
        patching.setenv(name, value)
    validator = server_validator("auto", root)
    assert validator is not None
    engine = open_engine(root, validator)
    assert isinstance(engine, SnippetEngine)
    source = decode(b"class Warm { }\n")
    assert isinstance(source, SourceText)
    document = Document(source)
    verdict = validator.diagnose(ENEMY, document, within_s=STARTING_S, patient=True)
    assert isinstance(verdict, Verdict), verdict
    return Judged(root, validator, engine)
