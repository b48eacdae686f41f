"""The quickstart, run as printed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SETUP = ("python3 dev.py setup", ". .venv/bin/activate")
"""The lines that make the environment: the tests run inside it already."""

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def blocks() -> list[str]:
    text = (ROOT / "quickstart.md").read_text(encoding="utf-8")
    return re.findall(r"^```bash\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def transcript(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What each block printed, in order; every one of them must exit with 0."""
    clone = tmp_path_factory.mktemp("clone")
    (clone / "tests").mkdir()
    shutil.copytree(ROOT / "tests" / "fixtures", clone / "tests" / "fixtures")
    first, *rest = blocks()
    assert all(line in first for line in SETUP)
    for line in SETUP:
        first = first.replace(line + "\n", "")
    mark = "=== next block ==="
    script = "set -euo pipefail\n" + f"echo '{mark}'\n".join([first, *rest])
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=clone,
        env={**os.environ, "PATH": path, "HOME": str(clone)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split(mark + "\n")


def test_every_step_does_what_the_text_says(transcript: list[str]) -> None:
    _, doctor, symbols, preview, apply, deletion, log_line, by_symbol, *rest = transcript
    batch, lint, undo, refused, check, clients = rest
    assert "✔ Unity project: " in doctor
    assert "✔ embedded validator: " in doctor
    assert "\nGame namespace 4-60\n  Player class 6-59\n" in symbols
    assert "\n    TakeDamage(int,string) method 47-51\n" in symbols
    assert preview.startswith("previewed ")
    assert apply.startswith("applied ")
    hash_after = re.compile(r"hashAfter +(sha256:[0-9a-f]{64})")
    assert hash_after.findall(preview) == hash_after.findall(apply) != []
    assert "-            if (body == null)" in deletion
    assert '+            Debug.Log($"health: {health}");' in log_line
    assert '"why": "the dead take no damage"' in by_symbol
    assert "+            if (!IsAlive) return 0;" in by_symbol
    assert batch.startswith("[1/2] get_symbols (id outline): ok\n")
    assert "[2/2] edit_snippet (id more health): skipped: dry run\n" in batch
    assert "+        [SerializeField] private int health = 120;" in batch
    assert "Edits/cap-speed.snippet.json:4:19: error: stale_file" in lint
    assert lint.endswith("findings, exit code 1\n")
    assert undo.startswith("undone ")
    assert "refused, exit code 1" in refused
    assert "no errors" in check
    assert "dry run: " in clients
    assert '"url": "http://127.0.0.1:48091/mcp"' in clients
