"""What is said to be typed: commands that work with the installation as it is."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from mcp_server import this_installation
from mcp_server.doctor import installation
from mcp_server.doctor.installation import check_toolchains
from mcp_server.this_installation import (
    install_roslyn,
    pip_install,
    program,
    quoted_program,
    quoted_word,
    upgrade,
)

A_CLONE, CLONE = Path("/games/a clone"), Path("/games/clone")


def words_of(line: str) -> list[str]:
    """The words of a command, as the system's shell parts them."""
    if os.name == "posix":
        return shlex.split(line)
    parted = shlex.split(line.removeprefix("& "), posix=False)
    return [each.strip("'\"") for each in parted]


def test_the_program_can_be_typed_whatever_path_says(monkeypatch: pytest.MonkeyPatch) -> None:
    beside = sysconfig.get_path("scripts")
    for path in (beside, "/nonexistent"):
        monkeypatch.setenv("PATH", path)
        typed = words_of(program())
        done = subprocess.run([*typed, "--version"], capture_output=True, text=True, check=True)
        assert done.stdout.startswith("unity-cli ")
        assert (typed == ["unity-cli"]) == (path != "/nonexistent")


def test_a_link_or_a_copy_of_it_on_the_path_is_called_by_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    beside = shutil.which("unity-cli", path=sysconfig.get_path("scripts"))
    assert beside is not None
    there = tmp_path / Path(beside).name
    monkeypatch.setenv("PATH", str(tmp_path))
    shutil.copy(beside, there)
    assert program() == "unity-cli"
    there.write_text("another program")
    there.chmod(0o755)
    assert program() == quoted_program(beside)
    if os.name == "posix":
        there.unlink()
        there.symlink_to(beside)
        assert program() == "unity-cli"


def test_pip_is_the_one_of_this_python() -> None:
    words = words_of(pip_install("pythonnet<4,>=3.2", "b"))
    assert words == [sys.executable, "-m", "pip", "install", "pythonnet<4,>=3.2", "b"]
    done = subprocess.run([*words[:3], "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("pip ")


def test_where_there_is_no_pip_uv_installs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    uv = tmp_path / ("uv.exe" if os.name == "nt" else "uv")
    uv.write_text("")
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(this_installation, "find_spec", lambda _name: None)
    words = words_of(pip_install("a"))
    assert words == ["uv", "pip", "install", "--python", sys.executable, "a"]


def test_where_pipx_made_it_with_uv_pipx_installs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "pipx_metadata.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(this_installation, "find_spec", lambda _name: None)
    assert words_of(pip_install("a")) == ["pipx", "inject", "--force", "unity-snippet", "a"]


def test_the_compiler_comes_by_one_command_in_every_environment() -> None:
    assert install_roslyn() == f"{program()} roslyn install"
    assert install_roslyn(compiler_found=True) == f"{program()} roslyn install --no-compiler"


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        ({}, 'pip install "--upgrade" "unity-snippet"'),
        (
            {"url": "https://git.example/u.git", "vcs_info": {"vcs": "git", "commit_id": "1"}},
            '"unity-snippet @ git+https://git.example/u.git"',
        ),
        ({"url": "file:///games/a%20clone", "dir_info": {"editable": True}}, f"git -C '{A_CLONE}'"),
        ({"url": "file:///games/clone", "dir_info": {}}, f'"{CLONE}"'),
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

    monkeypatch.setattr(importlib.metadata, "distribution", lambda _name: Installed())
    assert said in upgrade()


def test_doctor_says_exactly_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["click>=8.1,<9", "no-such-package>=7"]
    monkeypatch.setattr(installation, "requires", lambda _name: lines)
    (check,) = installation.check_packages()
    assert not check.ok
    assert words_of(check.advice)[-1] == "no-such-package>=7"


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


@pytest.mark.parametrize(
    ("path", "system", "word"),
    [
        (r"C:\Python\python.exe", "win32", r"C:\Python\python.exe"),
        (r"C:\Program Files\python.exe", "win32", r"& 'C:\Program Files\python.exe'"),
        ("/opt/my python", "linux", "'/opt/my python'"),
    ],
)
def test_a_program_is_called_by_its_path(path: str, system: str, word: str) -> None:
    assert quoted_program(path, system) == word


def test_a_program_that_only_path_leads_to_is_one_word(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = tmp_path / "of another"
    place.mkdir()
    there = place / ("unity-cli.exe" if os.name == "nt" else "unity-cli")
    there.write_text("")
    there.chmod(0o755)
    monkeypatch.setenv("PATH", str(place))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(sysconfig, "get_path", lambda _name: str(tmp_path))
    assert Path(words_of(program())[0]) == there
    assert program() != str(there)
