"""Loading a .NET runtime and Roslyn into this process, through pythonnet.

Implements docs/design/roslyn.md §3 and §4. A process can load one runtime, once, and never unload
it. :file:`host.cs` holds the questions that are asked; the Roslyn that was loaded compiles it.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from roslyn_server.compiler.host_assembly import load_compiled
from roslyn_server.protocol import MEMORY_VARIABLE
from roslyn_server.toolchains.machine import toolchain_cache
from roslyn_server.toolchains.toolchain import Toolchain

NO_PYTHONNET = (
    "pythonnet is not installed, so no Roslyn can be hosted. Install it with: "
    "`python -m pip install pythonnet` (with this Python; unity-cli doctor names it)"
)

_HOST = "RoslynServerHost"
MESSAGES_SOURCE = Path(__file__).with_name("messages.cs")
"""How an error's message reaches Python; for whatever else is compiled to ask Roslyn, too."""
_ASKED = (
    "host.cs",
    "side_by_side.cs",
    "bodies.cs",
    "latest_texts.cs",
    "language_gate.cs",
    "gated_texts.cs",
    "certain_errors.cs",
    "predefined_types.cs",
    "flow.cs",
    "sources.cs",
    "foreign_work.cs",
    "configured.cs",
    "analyzer_library.cs",
    "analyzers.cs",
    "generators.cs",
    "words.cs",
    "declared_text.cs",
    "declaration_change.cs",
    "concerned_trees.cs",
    "inactive_code.cs",
    "found_errors.cs",
    "assembly_state.cs",
    "judged_texts.cs",
    "project_assembly.cs",
    "new_errors.cs",
    "lowering.cs",
    "judgement.cs",
    "project_model.cs",
    "texts_alone.cs",
)
SOURCES = [
    *map(Path(__file__).with_name, _ASKED),
    MESSAGES_SOURCE,
]
"""What the .NET side is compiled from."""

_ENVIRONMENT = {
    "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",  # ICU is missing in bare containers
    "DOTNET_EnableDiagnostics": "0",  # no debugger's sockets in the folder for temporary files
    "DOTNET_gcServer": "0",
    "DOTNET_gcConcurrent": "0",
    "DOTNET_TieredPGO": "0",  # instrumented code costs more than it gains in short sessions
    "DOTNET_NOLOGO": "1",
}
"""Settings that the runtime reads as it starts."""

_MEMORY_PERCENT = 75
"""How much of the machine's memory the compiler may take, where nobody says it."""


class HostingError(Exception):
    """Roslyn can't be hosted; the message says why, for people."""


def has_pythonnet() -> bool:
    """Whether the optional extra ``[roslyn]`` is installed."""
    return importlib.util.find_spec("pythonnet") is not None


def load(toolchain: Toolchain) -> Any:
    """Load ``toolchain`` and return the .NET class ``RoslynServer.Host``.

    Raises :class:`HostingError`.
    """
    try:
        start(toolchain)
        load_compiled(_HOST, SOURCES, toolchain.roslyn_dir, keep_in=toolchain_cache() / "host")
        return importlib.import_module("RoslynServer").Host
    except HostingError:
        raise
    except Exception as error:  # whatever hostfxr, pythonnet or .NET throw
        raise HostingError(
            f"Roslyn in {toolchain.roslyn_dir} could not be loaded on .NET "
            f"{toolchain.runtime} from {toolchain.dotnet_root}: {_one_line(error)}"
        ) from error


def start(toolchain: Toolchain) -> None:
    """Start the runtime and load the compiler's assemblies; once in a process.

    Raises :class:`HostingError` without pythonnet, and whatever hostfxr and .NET throw.
    """
    if not has_pythonnet():
        raise HostingError(NO_PYTHONNET)
    os.environ.update({**_ENVIRONMENT, **_memory_limit(os.environ.get(MEMORY_VARIABLE))})
    _start_runtime(toolchain)
    clr: Any = importlib.import_module("clr")
    for path in toolchain.assemblies:
        clr.AddReference(str(path))


def dotnet_strings(strings: Sequence[str | None]) -> Any:
    """``strings`` as a .NET ``string[]``, in which ``None`` is ``null``."""
    system: Any = importlib.import_module("System")
    return system.Array[system.String](list(strings))


def dotnet_longs(numbers: Sequence[int]) -> Any:
    """``numbers`` as a .NET ``long[]``."""
    system: Any = importlib.import_module("System")
    return system.Array[system.Int64](list(numbers))


def dotnet_string_lists(lists: list[list[str]]) -> Any:
    """``lists`` as a .NET ``string[][]``."""
    system: Any = importlib.import_module("System")
    return system.Array[system.Array[system.String]]([dotnet_strings(each) for each in lists])


def _start_runtime(toolchain: Toolchain) -> None:
    import clr_loader  # noqa: PLC0415 - part of the optional extra
    import pythonnet  # noqa: PLC0415

    # csc.runtimeconfig.json asks for the server's garbage collector; so this process has its own.
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
        pythonnet.set_runtime(runtime)
        pythonnet.load()


def _memory_limit(megabytes: str | None) -> dict[str, str]:
    """The runtime's settings for its heap; its numbers are hexadecimal."""
    if megabytes is not None and megabytes.isdecimal() and int(megabytes) > 0:
        return {"DOTNET_GCHeapHardLimit": f"{int(megabytes) * 2**20:X}"}
    return {"DOTNET_GCHeapHardLimitPercent": f"{_MEMORY_PERCENT:X}"}


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:400]
