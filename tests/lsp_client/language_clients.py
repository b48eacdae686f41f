"""What tests of the language client have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import hostile_server

from lsp_client.servers.selection import Selection
from lsp_client.servers.server_table import Launch, ServerSpec
from lsp_client.timing import Timing
from lsp_client.validator import LanguageServerValidator
from snippet_engine.csharp.lexical.language_version import UNITY_LANGUAGE_VERSION

HOSTILE_SERVER = str(Path(hostile_server.__file__))
QUICK = Timing(verdict_s=0.4, first_backoff_s=0.01, longest_backoff_s=0.02, shutdown_s=0.2)
"""Bounds that tests can wait for."""

GENEROUS_S = 60.0
"""For what should be there at once, but may take its time on a busy machine."""

UNHURRIED = Timing(verdict_s=GENEROUS_S, first_backoff_s=0.01, longest_backoff_s=0.02)
"""Bounds that nothing but a fault exceeds."""

MakeValidator = Callable[..., LanguageServerValidator]
"""Makes a validator whose server has the fault of that name."""


def hostile_command(fault: str) -> tuple[str, ...]:
    """What starts the hostile server with that fault."""
    return sys.executable, "-S", HOSTILE_SERVER, fault


def validator_of(
    root: Path,
    launches: Sequence[Launch],
    timing: Timing = UNHURRIED,
) -> LanguageServerValidator:
    """A validator that asks the first of these servers that starts."""
    selection = Selection("test", launches=tuple(launches))
    return LanguageServerValidator(
        root, lambda: selection, lambda _: UNITY_LANGUAGE_VERSION, timing
    )


def launch_of(spec: ServerSpec, command: Sequence[str], root: Path, **env: str) -> Launch:
    """A server that is started by ``command`` in ``root``."""
    return Launch(spec, tuple(command), root, env=env)
