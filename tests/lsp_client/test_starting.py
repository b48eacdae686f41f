"""A server starts while its client loads what it speaks to it with."""

import subprocess
import sys
from pathlib import Path

import pytest

_CLIENT = Path(__file__).with_name("starting_client.py")


@pytest.mark.parametrize("what", ["wait", "close"])
def test_a_server_runs_before_the_lsp_library_is_loaded_and_is_ended_with_its_client(
    tmp_path: Path, what: str
) -> None:
    command = [sys.executable, str(_CLIENT), str(tmp_path / "pid"), what]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["runs", "is gone", ""]
