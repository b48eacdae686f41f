"""Python packages are had by whichever client is here, and pythonnet is found where it was put."""

import hashlib
import os
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from roslyn_server.toolchains import packages, pythonnet_cache
from roslyn_server.toolchains.packages import FetchError, fetch_python

CLIENTS = ["pip", "uv", "Python's own pip"]


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that is to be had without a network, from a folder that pip and uv are told."""
    file = tmp_path / "served" / "made_up-1.0-py3-none-any.whl"
    file.parent.mkdir()
    about = "made_up-1.0.dist-info"
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("made_up.py", "WORD = 'here'")
        made.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: made-up\nVersion: 1.0\n")
        made.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        made.writestr(f"{about}/RECORD", "")
    for client in ("PIP", "UV"):
        monkeypatch.setenv(f"{client}_NO_INDEX", "1")
        monkeypatch.setenv(f"{client}_FIND_LINKS", str(file.parent))
    monkeypatch.setenv(
        "PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    )
    return file


def only(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this machine have no other client than that."""
    find = packages.importlib.util.find_spec
    gone = {"pip": () if client == "pip" else ("pip",), "uv": ("pip", "ensurepip")}
    missing = gone.get(client, ("pip",))
    monkeypatch.setattr(
        packages.importlib.util, "find_spec", lambda name: None if name in missing else find(name)
    )
    if client != "uv":
        monkeypatch.delenv("UV", raising=False)
        monkeypatch.setattr(packages.shutil, "which", lambda _name: None)


@pytest.mark.parametrize("client", CLIENTS)
def test_each_client_brings_what_is_pinned(
    client: str, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(client, monkeypatch)
    assert [name for name, _ in packages._installers()] == [client]
    folder = tmp_path / "unpacked"
    folder.mkdir()
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    fetch_python("made up", f"made-up==1.0 --hash=sha256:{digest}\n", folder)
    assert (folder / "made_up.py").read_text(encoding="utf-8") == "WORD = 'here'"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["served", "unpacked"]


@pytest.mark.parametrize("client", CLIENTS)
def test_what_has_another_hash_is_refused(
    client: str, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(client, monkeypatch)
    folder = tmp_path / "unpacked"
    folder.mkdir()
    with pytest.raises(FetchError, match=f"made up: {client} could not fetch it .*index-url"):
        fetch_python("made up", f"made-up==1.0 --hash=sha256:{'0' * 64}\n", folder)
    assert list(folder.iterdir()) == []


def test_without_any_client_it_is_said_what_to_get(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "_installers", lambda: iter(()))
    with pytest.raises(FetchError, match="neither pip nor uv is here") as refused:
        fetch_python("made up", "", tmp_path / "unpacked")
    assert len(str(refused.value)) <= 200


def test_which_python_it_is_for_is_known_while_another_thread_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meanwhile ``sysconfig`` of Python 3.11 has half of its variables."""
    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    monkeypatch.setattr(sysconfig, "get_config_var", lambda _name: None)
    assert suffix.split(".")[1] in pythonnet_cache.cached_in(tmp_path).name


def test_pythonnet_in_the_cache_can_be_imported_and_replaces_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = pythonnet_cache.cached_in(tmp_path)
    monkeypatch.setattr(pythonnet_cache, "toolchain_cache", lambda: tmp_path)
    monkeypatch.setattr(sys, "path", ["/installed"])
    monkeypatch.setattr(
        pythonnet_cache, "find_spec", lambda _name: object() if str(folder) in sys.path else None
    )
    folder.mkdir(parents=True)
    assert not pythonnet_cache.find_pythonnet()  # it isn't known to be whole
    (folder / pythonnet_cache.MANIFEST).write_text("{}", encoding="utf-8")
    assert pythonnet_cache.find_pythonnet()
    assert pythonnet_cache.find_pythonnet()
    assert sys.path == ["/installed", str(folder)]
