"""A library stands for scripts only if it was compiled from just these, whatever their times are.

docs/design/roslyn.md §3 "The whole project". Built by ``csc`` itself, then as old as an archive's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import laid_out
import pytest
from laid_out import Layout
from server_session import ServerOn, Session

from roslyn_server.protocol import JUDGE_TEXT_REQUEST, STATUS_REQUEST

pytestmark = pytest.mark.anyio

CLOCK = "Assets/Low/Clock.cs"
MENU = "Assets/Mid/Menu.cs"
TOP = "Assets/High/Top.cs"
SCRIPTS = {
    CLOCK: "public class Clock { public const int Now = 1; public void Wind() { } }\n",
    MENU: "public class Menu { public const int Size = Clock.Now; void Open() { } }\n",
    TOP: "class Top { byte size = Menu.Size; byte now = Clock.Now; void Open() { } }\n",
}
LARGER = SCRIPTS[CLOCK].replace("= 1;", "= 1000;")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, references: Path, sdk_10: Path) -> Path:
    """Three assemblies with their libraries; a copy beside it keeps what was built."""
    root = laid_out.project(tmp_path_factory.mktemp("built") / "project", laid_out.UNITY_6_7)
    laid_out.built(root, references, {CLOCK: SCRIPTS[CLOCK]}, "Low")
    laid_out.built(root, references, {MENU: SCRIPTS[MENU]}, "Mid", ["Low"])
    laid_out.built(root, references, {TOP: SCRIPTS[TOP]}, "High", ["Low", "Mid"])
    for name in ("Low", "Mid"):
        _compile(root, name, sdk_10)
    _age(root)
    shutil.copytree(root, root.with_name("kept"))
    return root


@pytest.fixture
def root(built: Path) -> Path:
    """The project as it was built, where it was built: its libraries name their scripts' paths."""
    shutil.rmtree(built)
    return Path(shutil.copytree(built.with_name("kept"), built))


def _compile(root: Path, name: str, sdk: Path) -> None:
    (response,) = root.glob(f"Library/Bee/artifacts/*/{name}.rsp")
    outputs = (
        f"-out:{response.with_suffix('.dll')}",
        f"-refout:{response.with_suffix('.ref.dll')}",
    )
    (csc,) = sdk.glob("sdk/*/Roslyn/bincore/csc.dll")
    options = ("-debug:portable", "-deterministic", "-noconfig", "-nologo")
    command = [sdk / "dotnet", "exec", csc, *options, *outputs, f"@{response}"]
    environment = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
    subprocess.run(command, cwd=root, check=True, env=environment)


def _age(root: Path) -> None:
    """Scripts are older than the build, as if all came out of an archive."""
    for file in root.rglob("*"):
        os.utime(file, (1_700_000_000, 1_700_000_000) if "Library" in file.parts else (1, 1))


async def errors(session: Session, path: str) -> list[str]:
    params = {"uri": session.uri(path), "text": SCRIPTS[path], "namesMs": 600_000}
    answer = await session.client.protocol.send_request_async(JUDGE_TEXT_REQUEST, params)
    return [each.code for each in answer.errors]


async def held(session: Session) -> int:
    """How many assemblies were read from their scripts."""
    status: Any = await session.client.protocol.send_request_async(STATUS_REQUEST, None)
    return int(status.assemblies)


def _unchanged(_root: Path, _sdk: Path) -> None:
    """Libraries of these scripts stand for them."""


def _changed(root: Path, _sdk: Path) -> None:
    (root / CLOCK).write_text(LARGER, "utf-8")


def _built_since(root: Path, sdk: Path) -> None:
    """The lowest library is of the change, and the one above it was made before."""
    _changed(root, sdk)
    _compile(root, "Low", sdk)


def _asked_otherwise(root: Path, sdk: Path) -> None:
    """What was built last was not built under these symbols: it failed, perhaps."""
    text = SCRIPTS[CLOCK].replace("Now = 1;", "Now =\n#if MORE\n1000\n#else\n1\n#endif\n;")
    (root / CLOCK).write_text(text, "utf-8")
    for name in ("Low", "Mid"):
        _compile(root, name, sdk)
    for response in root.glob("Library/Bee/artifacts/*/*.rsp"):
        response.write_text(response.read_text("utf-8") + "-define:MORE\n", "utf-8")


def _without_notes(root: Path, sdk: Path) -> None:
    _changed(root, sdk)
    for notes in root.glob("Library/Bee/artifacts/*/*.pdb"):
        notes.unlink()


@pytest.mark.parametrize(
    ("change", "read"),
    [(_unchanged, 1), (_changed, 3), (_built_since, 2), (_asked_otherwise, 3), (_without_notes, 3)],
)
async def test_libraries_stand_for_these_scripts_and_no_others_however_old_they_are(
    root: Path,
    unity_6_7: Layout,
    sdk_10: Path,
    server_on: ServerOn,
    change: Callable[[Path, Path], None],
    read: int,
) -> None:
    change(root, sdk_10)
    _age(root)
    async with server_on(unity_6_7, root) as session:
        found = await errors(session, TOP)
        assert found == ([] if change is _unchanged else ["CS0031", "CS0031"])
        assert await held(session) == read
