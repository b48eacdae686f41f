"""What is said to be typed: commands that work with the installation as it is."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from mcp_server import this_installation
from mcp_server.doctor import installation
from mcp_server.doctor.validators import check_toolchains
from mcp_server.this_installation import (
    extra,
    install_roslyn,
    pip_install,
    program,
    quoted_word,
    upgrade,
)

ROOT = Path(__file__).parents[2]


def test_the_program_can_be_typed_whatever_path_says(monkeypatch: pytest.MonkeyPatch) -> None:
    beside = Path(sys.executable).parent
    for path in (str(beside), "/nonexistent"):
        monkeypatch.setenv("PATH", path)
        typed = shlex.split(program())
        done = subprocess.run([*typed, "--version"], capture_output=True, text=True, check=True)
        assert done.stdout.startswith("unity-cli ")
        assert (typed == ["unity-cli"]) == (path != "/nonexistent")


def test_pip_is_the_one_of_this_python() -> None:
    words = shlex.split(pip_install("pythonnet<4,>=3.2", "b"))
    assert words == [sys.executable, "-m", "pip", "install", "pythonnet<4,>=3.2", "b"]
    done = subprocess.run([*words[:3], "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("pip ")


def test_where_there_is_no_pip_uv_installs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    uv = tmp_path / ("uv.exe" if os.name == "nt" else "uv")
    uv.write_text("")
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(this_installation, "find_spec", lambda _name: None)
    words = shlex.split(pip_install("a"))
    assert words == ["uv", "pip", "install", "--python", sys.executable, "a"]


def test_the_compiler_s_requirement_is_the_one_that_is_declared() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (name,) = declared["optional-dependencies"]["roslyn"]
    (said,) = extra("roslyn")
    assert sorted(said.removeprefix("pythonnet").split(",")) == sorted(
        name.removeprefix("pythonnet").split(",")
    )
    assert extra("nothing") == []


@pytest.mark.parametrize("there", [True, False])
def test_what_is_there_is_not_to_be_installed_again(
    monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    monkeypatch.setattr(
        this_installation, "find_spec", lambda name: True if there or name == "pip" else None
    )
    assert ("pip install" in install_roslyn()) is not there
    assert install_roslyn().endswith(f"{program()} roslyn install")
    # With a compiler that was found, only what hosts it may lack.
    assert ("roslyn install" in install_roslyn(compiler_found=True)) is there
    assert ("pip install" in install_roslyn(compiler_found=True)) is not there


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        ({}, 'pip install "--upgrade" "unity-snippet"'),
        (
            {"url": "https://git.example/u.git", "vcs_info": {"vcs": "git", "commit_id": "1"}},
            '"unity-snippet @ git+https://git.example/u.git"',
        ),
        ({"url": "file:///games/a%20clone", "dir_info": {"editable": True}}, "git -C '/games/a "),
        ({"url": "file:///games/clone", "dir_info": {}}, '"/games/clone"'),
        ({"url": "file:///games/unity_snippet.whl", "archive_info": {}}, "unity_snippet.whl"),
    ],
)
def test_an_upgrade_comes_from_where_this_came(
    monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any], said: str
) -> None:
    class Installed:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return json.dumps(origin) if origin else None

    monkeypatch.setattr(this_installation, "distribution", lambda _name: Installed())
    assert said in upgrade()


def test_doctor_says_exactly_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["click>=8.1,<9", "no-such-package>=7"]
    monkeypatch.setattr(installation, "requires", lambda _name: lines)
    (check,) = installation.check_packages()
    assert not check.ok
    assert shlex.split(check.advice)[-1] == "no-such-package>=7"


def test_no_advice_names_a_package_that_no_index_has(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for variable in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setenv("UNITY_SNIPPET_ROSLYN_DIR", str(tmp_path / "nowhere"))
    (check,) = check_toolchains(None)
    assert not check.ok
    assert "unity-snippet[" not in check.advice


@pytest.mark.parametrize("path", ["/a/b", "/T mé/'q' \"dq\" $x `y`/p", "/a;b"])
def test_a_path_is_one_word_of_the_shell(path: str) -> None:
    assert shlex.split(quoted_word(path, "linux")) == [path]


@pytest.mark.parametrize(
    ("path", "word"),
    [
        (r"C:\Games\Tower", r"C:\Games\Tower"),
        (r"C:\My Games\$x", r"'C:\My Games\$x'"),
        (r"C:\O'Brien", r"'C:\O''Brien'"),
    ],
)
def test_a_path_is_one_word_of_powershell(path: str, word: str) -> None:
    assert quoted_word(path, "win32") == word
