"""What tests of the language client have in common."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import hostile_server

from lsp_client.timing import Timing
from lsp_client.validator import LanguageServerValidator

HOSTILE_SERVER = str(Path(hostile_server.__file__))
QUICK = Timing(verdict_s=0.4, first_backoff_s=0.01, longest_backoff_s=0.02, shutdown_s=0.2)
"""Bounds that tests can wait for."""

MakeValidator = Callable[..., LanguageServerValidator]
"""Makes a validator whose server has the fault of that name."""
