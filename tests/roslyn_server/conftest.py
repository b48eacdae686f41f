"""Real toolchains, laid out as users have them, and real server processes on them.

Where a module is marked with ``shares_server``, its tests share one server, and lay out its project
anew: starting one takes far longer than asking it. One in twelve of them, with ``--all`` each, has
a server of its own that has seen nothing else, as always one that is marked with ``own_server``.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import laid_out
import lanes
import pytest
from judged_edits import PLAYER, PLAYER_TEXT, Judged, Started, serving_built, starting
from laid_out import Layout
from server_session import ServerOn, Session

from benchmarks.shared_toolchains import ABSENT, shared_toolchains
from roslyn_server.toolchains.install import (
    ROSLYN_4_1,
    ROSLYN_4_8,
    Compiler,
    install,
    installed_toolchain,
    is_installed,
    parts,
)
from roslyn_server.toolchains.machine import this_machine
from roslyn_server.toolchains.packages import FetchError
from roslyn_server.toolchains.pairing import Toolchain


def _installed(compiler: Compiler) -> Toolchain:
    machine = this_machine()
    try:
        install([part for part in parts(machine, [compiler]) if not is_installed(part)])
    except FetchError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    return installed_toolchain(machine, compiler)


@pytest.fixture(scope="session")
def roslyn_4_8() -> Toolchain:
    """Roslyn 4.8 on .NET 8, from the registries."""
    return _installed(ROSLYN_4_8)


@pytest.fixture(scope="session")
def roslyn_4_1() -> Toolchain:
    """Roslyn 4.1 on .NET 8, from the registries."""
    return _installed(ROSLYN_4_1)


@pytest.fixture(scope="session")
def sdk_10() -> Path:
    """A .NET 10 SDK's root with Roslyn 5.9, where this machine has one."""
    shared = shared_toolchains()
    if shared is None:
        pytest.skip(ABSENT)
    return shared / "dotnet-10"


@dataclass(frozen=True)
class Standing:
    """A server that stays, for the project in one place of one machine."""

    machine: Layout
    root: Path
    session: Session


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """What runs the coroutines: one event loop for a module whose tests share a server."""
    return "asyncio"


@pytest.fixture(scope="module")
async def standing(
    tmp_path_factory: pytest.TempPathFactory, roslyn_4_8: Toolchain
) -> AsyncIterator[Standing]:
    """The server that a module's tests share."""
    folder = tmp_path_factory.mktemp("standing")
    machine = laid_out.unity_6_5(folder / "home", roslyn_4_8)
    root = laid_out.project(folder / "project", machine.editor)
    session = await Session.start(machine.environment, root)
    yield Standing(machine, root, session)
    await session.end()


@pytest.fixture
def shared(request: pytest.FixtureRequest, one_in: Callable[[int], int]) -> Standing | None:
    """The module's server, if the test shares it."""
    standing: Standing | None = lanes.shared_server(request, one_in)
    return standing


@pytest.fixture
def machine(tmp_path: Path, roslyn_4_8: Toolchain, shared: Standing | None) -> Layout:
    """A machine with Unity 6.5, whose compiler every machine can fetch."""
    return shared.machine if shared else laid_out.unity_6_5(tmp_path / "home", roslyn_4_8)


@pytest.fixture
def new_root(tmp_path: Path, shared: Standing | None) -> Path:
    """Where a project is to be laid out: nothing is there."""
    if shared is None:
        return tmp_path / "project"
    for each in shared.root.iterdir():
        shutil.rmtree(each)
    return shared.root


@pytest.fixture
def unity_6_7(tmp_path: Path, roslyn_4_8: Toolchain, sdk_10: Path) -> Layout:
    """A machine with Unity 6.7."""
    return laid_out.unity_6_7(tmp_path / "home", roslyn_4_8, sdk_10)


@pytest.fixture(params=["Unity 2022 (4.1)", "Unity 6.5 (4.8)", "Unity 6.7 (5.9)", "SDK 10 (5.9)"])
def layout(request: pytest.FixtureRequest, tmp_path: Path) -> Layout:
    """Each kind of machine in turn."""
    home = tmp_path / "home"
    if request.param.startswith("Unity 2022"):
        return laid_out.unity_2022(home, request.getfixturevalue("roslyn_4_1"))
    if request.param.startswith("Unity 6.5"):
        return laid_out.unity_6_5(home, request.getfixturevalue("roslyn_4_8"))
    if request.param.startswith("Unity 6.7"):
        return laid_out.unity_6_7(
            home, request.getfixturevalue("roslyn_4_8"), request.getfixturevalue("sdk_10")
        )
    return laid_out.plain_sdk(home, request.getfixturevalue("sdk_10"))


@pytest.fixture(scope="session")
def references(roslyn_4_8: Toolchain) -> Path:
    """A folder of .NET libraries to compile against."""
    return roslyn_4_8.dotnet_root / "shared" / "Microsoft.NETCore.App" / roslyn_4_8.runtime


@pytest.fixture
def server_on(shared: Standing | None) -> ServerOn:
    """Starts a server on a machine, for a project, and a client that speaks LSP to it."""

    @asynccontextmanager
    async def start(layout: Layout, root: Path, **client: bool) -> AsyncIterator[Session]:
        if shared is not None and (layout, root) == (shared.machine, shared.root):
            assert not client
            yield shared.session
            shared.session.close_all()
            return
        session = await Session.start(layout.environment, root, **client)
        try:
            yield session
        finally:
            await session.end()

    return start


@pytest.fixture
async def session(root: Path, machine: Layout, server_on: ServerOn) -> AsyncIterator[Session]:
    """A server for the module's project; what a test then writes there has changed since."""
    async with server_on(machine, root) as session:
        yield session


@pytest.fixture
def started() -> Iterator[Started]:
    """Starts engines with their judges, which are ended with the test."""
    with starting() as start:
        yield start


@pytest.fixture(scope="session")
def serving(
    tmp_path_factory: pytest.TempPathFactory, roslyn_4_8: Toolchain, references: Path
) -> Iterator[Judged]:
    """An engine with its judge, which tests share: each has its scripts ``rewritten``."""
    layout = laid_out.unity_6_5(tmp_path_factory.mktemp("machine"), roslyn_4_8)
    folder = tmp_path_factory.mktemp("serving")
    with serving_built(layout, folder, references, {PLAYER: PLAYER_TEXT}) as judged:
        yield judged
