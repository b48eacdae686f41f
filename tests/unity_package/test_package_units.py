"""The Unity package's own NUnit tests, compiled unchanged and run on Mono."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.bench.assemblies import PACKAGE_ASSEMBLY
from tests.bench.compiler import Profile, build, lay_out
from tests.bench.toolchains import MissingToolError, mono
from tests.unity_package.package_assemblies import RUNNER, nunit, package_tests

_RUN_TIMEOUT_S = 120


def test_the_packages_own_tests_pass_on_mono(tmp_path: Path) -> None:
    profile = Profile.NET_FRAMEWORK
    try:
        files = build([package_tests(profile), RUNNER], profile)
        lay_out(tmp_path, [*files.values(), profile.newtonsoft(), nunit(profile)])
        program = mono().program
    except MissingToolError as missing:
        pytest.skip(str(missing))
    done = subprocess.run(
        [
            program,
            "--debug",
            tmp_path / "UnitRunner.exe",
            tmp_path / f"{PACKAGE_ASSEMBLY}.Tests.dll",
        ],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=_RUN_TIMEOUT_S,
        check=False,
    )
    lines = done.stdout.splitlines()
    failed = [line for line in lines if not line.startswith("ok ")]
    assert (done.returncode, failed, done.stderr) == (0, [], "")
    assert len(lines) > 100
