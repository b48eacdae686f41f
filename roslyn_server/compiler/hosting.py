"""Load a .NET runtime and Roslyn into this process, through pythonnet.

Implements docs/design/roslyn.md §3 and §4. A process loads one runtime, once, and never unloads it.
The loaded Roslyn compiles our C# in ``csharp/``.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from roslyn_server.compiler.host_assembly import (
    keep_compiled,
    kept_assembly,
    load_compiled,
    mark_used,
)
from roslyn_server.protocol import MEMORY_VARIABLE
from roslyn_server.toolchains.machine import toolchain_cache
from roslyn_server.toolchains.pairing import Toolchain
from roslyn_server.toolchains.pythonnet_cache import find_pythonnet

_log = logging.getLogger("roslyn_server")

NO_PYTHONNET = (
    "the C# compiler is not set up (pythonnet is missing): run `unity-cli roslyn install`"
)

_HOST = "RoslynServerHost"
_START = "RoslynServerStart"
_CSHARP = Path(__file__).with_name("csharp")
_START_SOURCES = (_CSHARP / "start.cs",)
WARM_UP_SCRIPT = _CSHARP / "warm_up_script.cs"
"""The script that is judged to warm up the runtime."""
MESSAGES_SOURCE = _CSHARP / "messages.cs"
"""Formats an error's message for Python; tests and benchmarks compile it into their own hosts."""
SOURCES = sorted({*_CSHARP.rglob("*.cs")} - {*_START_SOURCES, WARM_UP_SCRIPT})
"""The C# files that the host is compiled from."""

_ENVIRONMENT = {
    "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",  # ICU is missing in bare containers
    "DOTNET_EnableDiagnostics": "0",  # no debugger's sockets in the temporary folder
    "DOTNET_gcServer": "0",
    "DOTNET_gcConcurrent": "0",
    "DOTNET_TieredPGO": "0",  # instrumented code costs more than it gains in short sessions
    "DOTNET_NOLOGO": "1",
}
"""Settings that the runtime reads as it starts."""

_CONSERVED = "9"
"""How much the runtime compacts its heap to save memory, from 0 to 9. The user's environment may
set another value."""

_MEMORY_PERCENT = 75
"""The compiler's default share of the machine's memory."""


class HostingError(Exception):
    """Roslyn can't be hosted; the message says why."""


def load(toolchain: Toolchain, *, warms_up: bool = True) -> Any:
    """Load ``toolchain`` and return the .NET class ``RoslynServer.Host``.

    With ``warms_up``, judges a script during the load. Raises :class:`HostingError`.
    """
    try:
        keep_in = toolchain_cache() / "host"
        if start(toolchain, lambda runtime: warms_up and _warms_up(runtime, toolchain, keep_in)):
            importlib.import_module("clr").AddReference(_HOST)
        else:
            load_compiled(_HOST, SOURCES, toolchain.roslyn_dir, keep_in)
            keep_compiled(_START, _START_SOURCES, toolchain.roslyn_dir, keep_in)
        return importlib.import_module("RoslynServer").Host
    except HostingError:
        raise
    except Exception as error:  # whatever hostfxr, pythonnet or .NET throw
        raise HostingError(
            f"Roslyn in {toolchain.roslyn_dir} could not be loaded on .NET "
            f"{toolchain.runtime} from {toolchain.dotnet_root}: {_one_line(error)}"
        ) from error


def _warms_up(runtime: Any, toolchain: Toolchain, kept_in: Path) -> bool:
    """Load the host and warm it up on its own thread, if it was kept."""
    starter = kept_assembly(_START, _START_SOURCES, toolchain.roslyn_dir, kept_in)
    host = kept_assembly(_HOST, SOURCES, toolchain.roslyn_dir, kept_in)
    if not starter.is_file() or not host.is_file():
        return False
    lines = [*toolchain.assemblies, host, WARM_UP_SCRIPT]
    try:
        begin = runtime.get_assembly(str(starter)).get_function(f"{_START}.Start.Begin")
        has_begun = bool(begin("\n".join(map(str, lines)).encode()) == 0)
    except Exception as error:  # damaged files raise many kinds; they are made anew
        starter.unlink(missing_ok=True)
        _log.info("the compiler could not be warmed up: %s", error)
        return False
    for each in (starter, host):
        mark_used(each)
    _log.info("the compiler warms up" if has_begun else "the compiler could not be warmed up")
    return has_begun


def start(toolchain: Toolchain, begun: Callable[[Any], bool] = lambda _: False) -> bool:
    """Start the runtime and load the compiler's assemblies; once in a process.

    ``begun`` is called with ``clr_loader``'s runtime before Python can call .NET; its result is
    returned. Raises :class:`HostingError` without pythonnet, and any error of hostfxr and .NET.
    """
    if not find_pythonnet():
        raise HostingError(NO_PYTHONNET)
    os.environ.setdefault("DOTNET_GCConserveMemory", _CONSERVED)
    os.environ.update({**_ENVIRONMENT, **_memory_limit(os.environ.get(MEMORY_VARIABLE))})
    answer = _start_runtime(toolchain, begun)
    clr: Any = importlib.import_module("clr")
    for path in toolchain.assemblies:
        clr.AddReference(str(path))
    return answer


def dotnet_strings(strings: Sequence[str | None]) -> Any:
    """Return a .NET ``string[]``, in which ``None`` is ``null``."""
    system: Any = importlib.import_module("System")
    return system.Array[system.String](list(strings))


def dotnet_booleans(values: Sequence[bool]) -> Any:
    """Return a .NET ``bool[]``."""
    system: Any = importlib.import_module("System")
    return system.Array[system.Boolean](list(values))


def dotnet_string_lists(lists: Sequence[Sequence[str]]) -> Any:
    """Return a .NET ``string[][]``."""
    system: Any = importlib.import_module("System")
    return system.Array[system.Array[system.String]]([dotnet_strings(each) for each in lists])


def _start_runtime(toolchain: Toolchain, begun: Callable[[Any], bool]) -> bool:
    import clr_loader  # noqa: PLC0415 - part of the optional extra
    import pythonnet  # noqa: PLC0415

    # csc.runtimeconfig.json asks for the server's garbage collector; use another configuration.
    options = {
        "framework": {
            "name": "Microsoft.NETCore.App",
            "version": toolchain.runtime,
        },
        "rollForward": "LatestPatch",
    }
    with tempfile.TemporaryDirectory(prefix="roslyn-server-") as folder:
        config = Path(folder) / "runtimeconfig.json"
        config.write_text(json.dumps({"runtimeOptions": options}), encoding="utf-8")
        runtime = clr_loader.get_coreclr(
            runtime_config=str(config), dotnet_root=str(toolchain.dotnet_root)
        )
        answer = begun(runtime)
        pythonnet.set_runtime(runtime)
        pythonnet.load()
    return answer


def _memory_limit(megabytes: str | None) -> dict[str, str]:
    """Return the runtime's settings for its heap, whose numbers are hexadecimal."""
    if megabytes is not None and megabytes.isdecimal() and int(megabytes) > 0:
        return {"DOTNET_GCHeapHardLimit": f"{int(megabytes) * 2**20:X}"}
    return {"DOTNET_GCHeapHardLimitPercent": f"{_MEMORY_PERCENT:X}"}


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:400]
