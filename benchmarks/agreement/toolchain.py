"""The Roslyn that is asked: 4.1 on .NET 8, both as ``unity-cli roslyn install`` has them.

Under C# 9 this compiler reports newer syntax while parsing, where later ones leave that to a
compilation.
"""

from __future__ import annotations

from roslyn_server.toolchains.install import (
    ROSLYN_4_1,
    install,
    installed_toolchain,
    is_installed,
    parts,
)
from roslyn_server.toolchains.machine import this_machine
from roslyn_server.toolchains.pairing import Toolchain


def toolchain() -> Toolchain:
    """The pinned toolchain, fetched if it isn't in the cache. Raises ``FetchError``."""
    machine = this_machine()
    install([part for part in parts(machine, [ROSLYN_4_1]) if not is_installed(part)])
    return installed_toolchain(machine, ROSLYN_4_1)
