"""A built project, and a real server with a real compiler that is asked about it.

Where a module is marked with ``shares_server``, its tests share one server, in whose project each
finds the small project anew: starting a server takes thirty times as long as asking it. One in
twelve of these tests, with ``--all`` each, has a server of its own that has seen nothing else. A
test that is marked with ``own_server`` always has one.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import lanes
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


class Standing:
    """A project in one place, and a server for it that stays."""

    def __init__(self, root: Path, built: Path, validator: LanguageServerValidator) -> None:
        self.root, self.validator = root, validator
        self._built = built

    def renew(self) -> None:
        """Make the project the one that was built, whatever a test has left there or beside it."""
        left = {*self.root.iterdir(), *self.root.parent.iterdir()} - {self.root}
        for each in left:
            if each.is_dir() and not each.is_symlink():
                shutil.rmtree(each)
            else:
                each.unlink()
        shutil.copytree(self._built, self.root, dirs_exist_ok=True)


@pytest.fixture(scope="module")
def standing(
    tmp_path_factory: pytest.TempPathFactory, built: Path, compiler: Compiler
) -> Iterator[Standing]:
    """The server that a module's tests share."""
    root = tmp_path_factory.mktemp("standing") / "project"
    root.mkdir()
    with running_validator(root, compiler.toolchain) as validator:
        yield Standing(root, built, validator)


@pytest.fixture
def shared(request: pytest.FixtureRequest, one_in: Callable[[int], int]) -> Standing | None:
    """The module's server, if the test shares it."""
    standing: Standing | None = lanes.shared_server(request, one_in)
    return standing


@pytest.fixture
def game(tmp_path: Path, built: Path, shared: Standing | None) -> Path:
    """A copy of the small project, as old as that."""
    if shared is not None:
        shared.renew()
        return shared.root
    root = tmp_path / "project"
    shutil.copytree(built, root)
    return root


@pytest.fixture
def server(
    compiler: Compiler, shared: Standing | None
) -> Iterator[Callable[[Path], LanguageServerValidator]]:
    """Starts servers, which are ended with the test, unless it shares its own."""
    with ExitStack() as running:
        started: dict[Path, LanguageServerValidator] = {}
        if shared is not None:
            started[shared.root] = shared.validator

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
