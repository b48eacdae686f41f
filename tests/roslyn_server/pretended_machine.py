"""A machine in memory: any system's files, on any system."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import PurePath, PurePosixPath, PureWindowsPath

from roslyn_server.toolchains.machine import DiskFiles, Machine
from roslyn_server.toolchains.pairing import ASSEMBLIES, RUNTIME_CONFIG

ELF_X64 = b"\x7fELF\x02\x01\x01".ljust(18, b"\0") + struct.pack("<H", 0x3E)
MACH_O_ARM64 = b"\xcf\xfa\xed\xfe" + struct.pack("<I", 0x0100_000C)
MACH_O_X64 = b"\xcf\xfa\xed\xfe" + struct.pack("<I", 0x0100_0007)
PE_X64 = b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x40) + b"PE\0\0" + struct.pack("<H", 0x8664)

_LIBRARIES = {
    "Linux": ("libhostfxr.so", ELF_X64),
    "Darwin": ("libhostfxr.dylib", MACH_O_ARM64),
    "Windows": ("hostfxr.dll", PE_X64),
}


class MemoryFiles(DiskFiles):
    """A file system of what it is given: content by path, and links by theirs."""

    def __init__(self) -> None:
        self.content: dict[PurePath, bytes] = {}
        self.links: dict[PurePath, PurePath] = {}

    def is_file(self, path: PurePath) -> bool:
        return path in self.content

    def names(self, folder: PurePath) -> tuple[str, ...]:
        below = (path.relative_to(folder) for path in self.content if path.is_relative_to(folder))
        return tuple(sorted({path.parts[0] for path in below if path.parts}))

    def head(self, path: PurePath, size: int) -> bytes:
        return self.content.get(path, b"")[:size]

    def resolved(self, path: PurePath) -> PurePath:
        return self.links.get(path, path)


class PretendedMachine:
    """Files are added with paths of that system; :attr:`machine` is what discovery gets."""

    def __init__(self, system: str = "Linux", architecture: str = "x64") -> None:
        self.system = system
        self.architecture = architecture
        self.files = MemoryFiles()
        self.environ: dict[str, str] = {}
        self.dotnet_on_path: PurePath | None = None
        self.path = PureWindowsPath if system == "Windows" else PurePosixPath
        homes = {"Windows": r"C:\Users\me", "Darwin": "/Users/me", "Linux": "/home/me"}
        self.home = self.path(homes[system])

    @property
    def machine(self) -> Machine:
        return Machine(
            system=self.system,
            architecture=self.architecture,
            home=self.home,
            cache=self.home / "cache",
            dotnet_on_path=self.dotnet_on_path,
            environ=self.environ,
            files=self.files,
        )

    def add(self, path: PurePath | str, content: bytes | str = b"") -> PurePath:
        content = content.encode() if isinstance(content, str) else content
        at = self.path(path)
        self.files.content[at] = content
        return at

    def project(self, version: str) -> PurePath:
        root = self.home / "game"
        self.add(
            root / "ProjectSettings" / "ProjectVersion.txt",
            f"m_EditorVersion: {version}\nm_EditorVersionWithRevision: {version} (abc)\n",
        )
        return root

    def compiler(self, folder: PurePath | str, needs: str | None, **options: object) -> PurePath:
        """A compiler's folder, and the runtime that its configuration asks for."""
        at = self.path(folder)
        for name in ASSEMBLIES:
            self.add(at / name)
        if needs is not None:
            framework = {"name": "Microsoft.NETCore.App", "version": needs}
            config: Mapping[str, object] = {"framework": framework, **options}
            self.add(at / RUNTIME_CONFIG, json.dumps({"runtimeOptions": config}))
        return at

    def runtime(
        self, root: PurePath | str, *versions: str, library: bytes | None = None
    ) -> PurePath:
        """A .NET root with those runtimes, and its library for this system."""
        at = self.path(root)
        name, usual = _LIBRARIES[self.system]
        for version in versions:
            self.add(at / "shared" / "Microsoft.NETCore.App" / version / "System.Runtime.dll")
            self.add(at / "host" / "fxr" / version / name, usual if library is None else library)
        return at

    def sdk(self, root: PurePath | str, version: str, needs: str | None = None) -> PurePath:
        """An SDK's compiler below a .NET root; by default it needs the SDK's own major."""
        folder = self.path(root) / "sdk" / version / "Roslyn" / "bincore"
        return self.compiler(folder, needs or f"{version.split('.', maxsplit=1)[0]}.0.0")
