"""Language clients and their servers, all of them gone again when a test ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from language_clients import QUICK, MakeValidator, hostile_command, launch_of, validator_of
from witness import Witness

from lsp_client.running import background_server
from lsp_client.servers.server_table import ServerSpec
from lsp_client.timing import Timing
from lsp_client.validator import LanguageServerValidator


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine doesn't keep a server's own reason from arriving."""
    monkeypatch.setattr(background_server, "GRACE_S", 60.0)


@pytest.fixture
def witness(tmp_path: Path) -> Iterator[Witness]:
    """Waits at the end of the test until no process of any server is left."""
    folder = tmp_path / "processes"
    folder.mkdir()
    made = Witness(folder)
    yield made
    made.wait_until_none_is_left()
    made.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty project."""
    folder = tmp_path / "project"
    (folder / "Assets").mkdir(parents=True)
    return folder


@pytest.fixture
def hostile(root: Path, witness: Witness) -> Iterator[MakeValidator]:
    """Validators whose server has that fault."""
    made: list[LanguageServerValidator] = []

    def make(fault: str, timing: Timing = QUICK, start_s: float = 30.0) -> LanguageServerValidator:
        spec = ServerSpec(
            "hostile",
            start_s=start_s,
            syntax_identifiers=("syntax",),
            semantic_identifiers=("semantics",),
        )
        launch = launch_of(spec, hostile_command(fault), root, **witness.environment)
        made.append(validator_of(root, [launch], timing))
        return made[-1]

    yield make
    for validator in made:
        validator.close()
