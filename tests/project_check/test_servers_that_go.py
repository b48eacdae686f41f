"""A real server that is killed, hangs or runs out of memory: each caller is answered, and there is
a new one for the next."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from benchmarks.project_check.compilers import Compiler
from benchmarks.verdict import STARTING_S
from lsp_client.project.project_requests import ProjectCheck
from lsp_client.servers.selection import Selection
from lsp_client.servers.server_table import ROSLYN_SERVER, Launch
from lsp_client.timing import Timing
from lsp_client.validator import LanguageServerValidator
from snippet_engine.errors import SnippetError
from snippet_engine.project_settings import ProjectLanguage

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends signals to process groups")


def test_a_server_that_stops_while_it_is_asked(
    game: Path, compiler: Compiler, tmp_path: Path
) -> None:
    timing = Timing(hang_s=5.0, first_backoff_s=0.01, longest_backoff_s=0.02)
    validator = validator_of(game, compiler, timing)
    try:
        validator.wait_until_ready(STARTING_S)
        first = validator.server_pid
        assert first is not None
        os.killpg(first, signal.SIGSTOP)
        found = validator.check_project(within_s=STARTING_S)
        assert isinstance(found, ProjectCheck), found.message
        assert found.status == "clean"
        assert validator.server_pid != first
    finally:
        validator.close()


def test_a_server_without_memory(game: Path, compiler: Compiler) -> None:
    """Too little for a compiler: there is no verdict, and every call ends."""
    little = {"DOTNET_GCHeapHardLimit": hex(24 * 1024 * 1024)}
    timing = Timing(first_backoff_s=0.01, longest_backoff_s=0.02)
    validator = validator_of(game, compiler, timing, **little)
    try:
        for _ in range(2):
            found = validator.check_project(within_s=STARTING_S)
            assert isinstance(found, SnippetError) or found.status == "clean"
    finally:
        validator.close()


def test_a_project_that_takes_more_memory_than_there_may_be(game: Path, compiler: Compiler) -> None:
    """Enough to start with and for the small project, not for all of this."""
    many = game / "Assets/Core/Many"
    many.mkdir()
    for number in range(MANY_FILES):
        (many / f"Many{number}.cs").write_text(of_many_methods(f"Many{number}"), "utf-8")
    timing = Timing(first_backoff_s=0.01, longest_backoff_s=0.02)
    validator = validator_of(game, compiler, timing, UNITY_SNIPPET_ROSLYN_MEMORY_MB="96")
    try:
        validator.wait_until_ready(STARTING_S)
        first = validator.server_pid
        assert first is not None
        refused = validator.check_project(within_s=STARTING_S)
        assert isinstance(refused, SnippetError)
        assert refused.code.value == "validator_unavailable"
        assert "the compiler is out of memory" in refused.message
        shutil.rmtree(many)
        # It is asked nothing any more, however long it takes to end.
        found = validator.check_project(within_s=STARTING_S)
        assert isinstance(found, ProjectCheck), found.message
        assert found.status == "clean"
        assert validator.server_pid not in (None, first)
    finally:
        validator.close()


MANY_FILES = 600


def of_many_methods(name: str) -> str:
    methods = "".join(
        f"    public static int M{each}(int[] a) {{ var s = {each}; "
        f"foreach (var e in a) s += e * {name}.M{(each + 1) % 200}(a); return s; }}\n"
        for each in range(200)
    )
    return f"public static class {name}\n{{\n{methods}}}\n"


def validator_of(
    root: Path, compiler: Compiler, timing: Timing, **env: str
) -> LanguageServerValidator:
    toolchain = compiler.toolchain
    command = [sys.executable, "-m", "roslyn_server", "--stdio", "--project", str(root)]
    command += ["--roslyn-dir", str(toolchain.roslyn_dir)]
    command += ["--dotnet-root", str(toolchain.dotnet_root)]
    launch = Launch(ROSLYN_SERVER, tuple(command), root, env=env)
    selection = Selection("test", launches=(launch,))
    return LanguageServerValidator(root, lambda: selection, ProjectLanguage(root), timing)
