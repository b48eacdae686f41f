"""A built project, and a real server with a real compiler that is asked about it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import small_project
from small_project import Check

from benchmarks.project_check.compilers import Compiler, newest_compiler
from benchmarks.verdict import STARTING_S, running_validator
from lsp_client.project.project_requests import ProjectCheck
from lsp_client.validator import LanguageServerValidator
from roslyn_server.toolchains.packages import FetchError


@pytest.fixture(scope="session")
def compiler() -> Compiler:
    """The newest that this machine has."""
    try:
        return newest_compiler()
    except FetchError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, compiler: Compiler) -> Path:
    """The small project, once; tests have copies."""
    root = tmp_path_factory.mktemp("built") / "project"
    root.mkdir()
    script = str(Path(small_project.__file__))
    made = subprocess.run(
        [sys.executable, script, str(root)], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    return root


@pytest.fixture
def game(tmp_path: Path, built: Path) -> Path:
    """A copy of the small project, as old as that."""
    root = tmp_path / "project"
    shutil.copytree(built, root)
    return root


@pytest.fixture
def server(compiler: Compiler) -> Iterator[Callable[[Path], LanguageServerValidator]]:
    """Starts servers, which are ended with the test."""
    with ExitStack() as running:
        started: dict[Path, LanguageServerValidator] = {}

        def start(root: Path) -> LanguageServerValidator:
            if root not in started:
                context = running_validator(root, compiler.toolchain)
                started[root] = running.enter_context(context)
            return started[root]

        yield start


@pytest.fixture
def check(game: Path, server: Callable[[Path], LanguageServerValidator]) -> Check:
    """What is said of the copy."""

    def ask(*, warnings: bool = False) -> ProjectCheck:
        found = server(game).check_project(warnings=warnings, within_s=STARTING_S)
        assert isinstance(found, ProjectCheck), found.message
        return found

    return ask
