"""Machines laid out with symbolic links: Editors and SDKs as users have them, from what is here.

The parts are real: Roslyn 4.1 and 4.8 with .NET 8 from the registries, and where this machine has
them Roslyn 5.9 with .NET 10.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from roslyn_server.toolchains.pairing import Toolchain

UNITY_2022 = "2022.3.62f1"
UNITY_6_5 = "6000.5.1f1"
UNITY_6_7 = "6000.7.0b4"


@dataclass(frozen=True)
class Layout:
    """A user's machine: their home, and what else is in their environment.

    ``compiler`` and ``runtime`` are what a server is to choose there.
    """

    name: str
    home: Path
    editor: str
    compiler: str
    runtime: str
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """The environment that processes of that user have."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("DOTNET_", "UNITY_SNIPPET_"))
        }
        cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        return {**kept, "HOME": str(self.home), "XDG_CACHE_HOME": cache, **self.environ}


def unity_2022(home: Path, toolchain: Toolchain) -> Layout:
    """Unity 2022: the compiler in ``DotNetSdkRoslyn``, its runtime in ``NetCoreRuntime``."""
    data = _editor_data(home, UNITY_2022)
    _link(data / "DotNetSdkRoslyn", toolchain.roslyn_dir)
    _link(data / "NetCoreRuntime", toolchain.dotnet_root)
    return Layout("Unity 2022", home, UNITY_2022, toolchain.roslyn_dir.name, ".NET 8")


def unity_6_5(home: Path, toolchain: Toolchain) -> Layout:
    """Unity 6.5: the compiler in an SDK without a runtime of its own."""
    data = _editor_data(home, UNITY_6_5)
    _link(data / "DotNetSdk" / "sdk" / "8.0.318" / "Roslyn" / "bincore", toolchain.roslyn_dir)
    _link(data / "NetCoreRuntime", toolchain.dotnet_root)
    return Layout("Unity 6.5", home, UNITY_6_5, toolchain.roslyn_dir.name, ".NET 8")


def unity_6_7(home: Path, toolchain: Toolchain, sdk: Path) -> Layout:
    """Unity 6.7: an SDK for .NET 10 that has its runtime, and beside it still .NET 8."""
    data = _editor_data(home, UNITY_6_7)
    _link(data / "DotNetSdk", sdk)
    _link(data / "NetCoreRuntime", toolchain.dotnet_root)
    return Layout("Unity 6.7", home, UNITY_6_7, "5.9.0", ".NET 10")


def plain_sdk(home: Path, sdk: Path) -> Layout:
    """A .NET SDK that ``DOTNET_ROOT`` names, and no Unity."""
    _link(home / "dotnet", sdk)
    environ = {"DOTNET_ROOT": str(home / "dotnet")}
    return Layout(".NET SDK 10", home, UNITY_6_7, "5.9.0", ".NET 10", environ)


def project(folder: Path, editor: str) -> Path:
    """An empty Unity project of that Editor."""
    (folder / "Assets").mkdir(parents=True)
    settings = folder / "ProjectSettings"
    settings.mkdir()
    (settings / "ProjectVersion.txt").write_text(f"m_EditorVersion: {editor}\n", encoding="utf-8")
    return folder


def built(
    root: Path,
    references: Path,
    scripts: dict[str, str],
    assembly: str = "Assembly-CSharp",
    dependencies: Sequence[str] = (),
) -> None:
    """Write ``scripts`` into a project, and beside them what a build by Unity leaves of them.

    Any assembly but the predefined one has its definition in the first script's folder.
    """
    for name, text in scripts.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    bee = root / "Library" / "Bee"
    artifacts = bee / "artifacts" / "1900b0aE.dag"
    artifacts.mkdir(parents=True, exist_ok=True)
    if assembly != "Assembly-CSharp":
        definition = {"name": assembly, "references": list(dependencies)}
        folder = (root / next(iter(scripts))).parent
        (folder / f"{assembly}.asmdef").write_text(json.dumps(definition), encoding="utf-8")
    lines = ["-target:library", f'-out:"{artifacts.relative_to(root) / assembly}.dll"']
    lines += ["-nostdlib", "-langversion:9.0", "-define:UNITY_EDITOR"]
    lines += [f'-r:"{path}"' for path in managed_libraries(references)]
    lines += [f'-r:"{artifacts / each}.ref.dll"' for each in dependencies]
    lines += [f'"{name}"' for name in scripts]
    response = artifacts / f"{assembly}.rsp"
    response.write_text("\n".join(lines) + "\n", encoding="utf-8")
    log = {"msg": "init", "dagFile": "Library/Bee/1900b0aE.dag", "targets": ["ScriptAssemblies"]}
    (bee / "tundra.log.json").write_text(json.dumps(log) + "\n", encoding="utf-8")


def managed_libraries(folder: Path) -> list[Path]:
    """The .NET libraries in a folder, native ones left out."""
    return [path for path in sorted(folder.glob("*.dll")) if b"BSJB" in path.read_bytes()]


def _editor_data(home: Path, version: str) -> Path:
    return home / "Unity" / "Hub" / "Editor" / version / "Editor" / "Data"


def _link(link: Path, target: Path) -> None:
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        link.symlink_to(target, target_is_directory=True)
