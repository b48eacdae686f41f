"""A library stands for scripts only if it was compiled from just these, whatever their times are.

docs/design/roslyn.md §3 "The whole project". Built by ``csc`` itself, then as old as an archive's.
"""

from __future__ import annotations

import os
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


@pytest.fixture
def root(tmp_path: Path, unity_6_7: Layout, references: Path, sdk_10: Path) -> Path:
    """Three assemblies with their libraries."""
    root = laid_out.project(tmp_path / "project", unity_6_7.editor)
    laid_out.built(root, references, {CLOCK: SCRIPTS[CLOCK]}, "Low")
    laid_out.built(root, references, {MENU: SCRIPTS[MENU]}, "Mid", ["Low"])
    laid_out.built(root, references, {TOP: SCRIPTS[TOP]}, "High", ["Low", "Mid"])
    for name in ("Low", "Mid"):
        _compile(root, name, sdk_10)
    _age(root)
    return root


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


async def test_libraries_of_these_scripts_stand_for_them(
    root: Path, unity_6_7: Layout, server_on: ServerOn
) -> None:
    async with server_on(unity_6_7, root) as session:
        assert (await errors(session, TOP), await held(session)) == ([], 1)


def _changed(root: Path) -> None:
    (root / CLOCK).write_text(LARGER, "utf-8")


def _built_since(root: Path) -> None:
    """The lowest library is of the change, and the one above it was made before."""
    _changed(root)
    sdk = Path(os.path.realpath(next(root.parent.rglob("DotNetSdk"))))
    _compile(root, "Low", sdk)


def _asked_otherwise(root: Path) -> None:
    """What was built last was not built under these symbols: it failed, perhaps."""
    text = SCRIPTS[CLOCK].replace("Now = 1;", "Now =\n#if MORE\n1000\n#else\n1\n#endif\n;")
    (root / CLOCK).write_text(text, "utf-8")
    sdk = Path(os.path.realpath(next(root.parent.rglob("DotNetSdk"))))
    for name in ("Low", "Mid"):
        _compile(root, name, sdk)
    for response in root.glob("Library/Bee/artifacts/*/*.rsp"):
        response.write_text(response.read_text("utf-8") + "-define:MORE\n", "utf-8")


def _without_notes(root: Path) -> None:
    _changed(root)
    for notes in root.glob("Library/Bee/artifacts/*/*.pdb"):
        notes.unlink()


@pytest.mark.parametrize(
    ("change", "read"),
    [(_changed, 3), (_built_since, 2), (_asked_otherwise, 3), (_without_notes, 3)],
)
async def test_others_do_not_however_old_they_are(
    root: Path, unity_6_7: Layout, server_on: ServerOn, change: Callable[[Path], None], read: int
) -> None:
    change(root)
    _age(root)
    async with server_on(unity_6_7, root) as session:
        assert await errors(session, TOP) == ["CS0031", "CS0031"]
        assert await held(session) == read
