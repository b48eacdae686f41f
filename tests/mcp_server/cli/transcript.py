"""Commands run in this process, and what they print held against a file.

To write the files anew after a change that is meant, run the tests with ``WRITE_TRANSCRIPTS=1``,
and read the difference.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from running_server import interrupts_as_they_were

from mcp_server.cli import main

FOLDER = Path(__file__).parent / "transcripts"


def run_here(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run ``unity-cli``: its exit code, stdout and stderr."""
    capsys.readouterr()
    with interrupts_as_they_were(), pytest.raises(SystemExit) as end:
        main(list(arguments))
    printed = capsys.readouterr()
    assert isinstance(end.value.code, int)
    return int(end.value.code), printed.out, printed.err


def hold_against(file: str, found: str, names: Mapping[str, str] | None = None) -> None:
    """Compare ``found`` with the transcript ``file``; ``names`` stand for what varies.

    On Windows, whose paths have backslashes (in JSON more), these are compared as slashes.
    """
    for varying, name in (names or {}).items():
        found = _with_slashes(found).replace(_with_slashes(varying), name)
    path = FOLDER / file
    if os.environ.get("WRITE_TRANSCRIPTS") and os.name == "posix":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found, encoding="utf-8")
    expected = _with_slashes(path.read_text(encoding="utf-8")) if path.is_file() else ""
    difference = f"{file} differs; if that is meant: python3 dev.py generate"
    assert _with_slashes(found) == expected, difference


def _with_slashes(text: str) -> str:
    return re.sub(r"\\+", "/", text) if os.name == "nt" else text
