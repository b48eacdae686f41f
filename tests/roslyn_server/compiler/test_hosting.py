"""Loading a compiler: what is kept of it, and what is said where it can't be loaded."""

import os
import time
from pathlib import Path

import laid_out
import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from server_session import ServerOn, Session

from roslyn_server.compiler import hosting
from roslyn_server.compiler.host_assembly import drop_unused, mark_used
from roslyn_server.protocol import EXIT_NO_TOOLCHAIN, NO_TOOLCHAIN_ERROR
from roslyn_server.toolchains.pairing import ASSEMBLIES, Toolchain

pytestmark = pytest.mark.anyio


def build(folder: Path, name: str, number: int, last_used_h: float) -> Path:
    """A kept build; of two, that of the lower number was used later."""
    file = folder / f"{name}-{number:024x}" / f"{name}.dll"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"a build")
    last_used = time.time() - last_used_h * 3600 - number
    os.utime(file, (last_used, last_used))
    return file


def test_the_last_used_builds_stay(tmp_path: Path) -> None:
    old = [build(tmp_path, "Host", number, last_used_h=5) for number in range(4)]
    just_used = [build(tmp_path, "Host", number, last_used_h=0.5) for number in range(10, 20)]
    others = [build(tmp_path, "Start", number, last_used_h=9) for number in range(3)]
    others.append(tmp_path / "Host-mine" / "Host.dll")
    others[-1].parent.mkdir()
    others[-1].write_bytes(b"of another kind")
    mark_used(old[3])
    drop_unused(tmp_path, "Host")
    assert sorted(tmp_path.rglob("*.dll")) == sorted([old[3], *just_used, *others])
    assert len(list(tmp_path.iterdir())) == 15


def test_a_build_that_is_loaded_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builds = [build(tmp_path, "Host", number, last_used_h=5) for number in range(10)]
    unlink = Path.unlink

    def unlink_as_windows(path: Path, missing_ok: bool = False) -> None:
        if path == builds[9]:
            raise PermissionError(13, "a process has loaded it")
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", unlink_as_windows)
    drop_unused(tmp_path, "Host")
    assert [each for each in builds if not each.exists()] == [builds[8]]


async def test_the_compiled_host_is_kept_warms_up_early_and_is_made_anew_when_damaged(
    server_on: ServerOn, tmp_path: Path, roslyn_4_8: Toolchain
) -> None:
    root = laid_out.project(tmp_path / "project", laid_out.UNITY_6_5)
    folder = tmp_path / "cache" / "unity-snippet" / "roslyn" / "host"
    old = [build(folder, "RoslynServerHost", number, last_used_h=2) for number in range(20)]
    is_early: list[bool] = []
    # The second home links to the same compiler.
    for home in ("home", "home", "another"):
        machine = laid_out.unity_6_5(tmp_path / home, roslyn_4_8)
        machine.environ["XDG_CACHE_HOME"] = str(tmp_path / "cache")
        session = await Session.spawn(machine.environment, root, "--log-level", "info")
        await session.initialize()
        session.client.initialized(types.InitializedParams())
        assert await session.ids("Assets/A.cs", "class C { int a }") == ["CS1002"]
        assert await session.end() == 0
        # Before Python can speak to it.
        is_early.append(b"the compiler warms up" in session.stderr)
    assert is_early == [False, True, True]

    assert [each for each in old if each.exists()] == old[:7]
    for each in old:
        each.unlink(missing_ok=True)
    kept = sorted(folder.rglob("*.dll"))
    assert [each.name for each in kept] == ["RoslynServerHost.dll", "RoslynServerStart.dll"]
    whole = [each.read_bytes() for each in kept]
    for each in kept:
        damaged = each.read_bytes()[:1000]
        each.write_bytes(damaged)
        async with server_on(machine, root) as session:
            assert await session.ids("Assets/A.cs", "class C { int a }") == ["CS1002"]
        assert each.read_bytes() != damaged
    assert sorted(folder.rglob("*.dll")) == kept
    assert [len(each.read_bytes()) for each in kept] == [len(each) for each in whole]


async def test_a_compiler_that_cant_be_loaded_is_told_with_what_it_was_to_run_on(
    tmp_path: Path, roslyn_4_8: Toolchain
) -> None:
    damaged = tmp_path / "roslyn"
    damaged.mkdir()
    for name in ASSEMBLIES:
        (damaged / name).write_bytes(b"no library")
    machine = laid_out.unity_6_5(tmp_path / "home", roslyn_4_8)
    machine.environ["UNITY_SNIPPET_ROSLYN_DIR"] = str(damaged)
    machine.environ["UNITY_SNIPPET_DOTNET_ROOT"] = str(roslyn_4_8.dotnet_root)
    root = laid_out.project(tmp_path / "project", machine.editor)

    session = await Session.spawn(machine.environment, root)
    with pytest.raises(JsonRpcException, match=r"could not be loaded on \.NET 8") as failure:
        await session.initialize()
    assert failure.value.code == NO_TOOLCHAIN_ERROR
    session.client.exit(None)
    assert await session.process.wait() == EXIT_NO_TOOLCHAIN


def test_without_pythonnet_what_to_install_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(hosting, "find_pythonnet", lambda: False)
    with pytest.raises(hosting.HostingError, match="run `unity-cli roslyn install`"):
        hosting.load(Toolchain(tmp_path, tmp_path, "8.0.4"))
    assert len(hosting.NO_PYTHONNET) <= 200
