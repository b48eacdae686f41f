"""Compile a .NET assembly of our own with the loaded Roslyn, and keep it.

Compiling takes a cold Roslyn two seconds and more. The result is named by its inputs, and made
again if it can't be loaded.
"""

from __future__ import annotations

import hashlib
import importlib
import logging
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from roslyn_server.toolchains.pairing import ASSEMBLIES
from snippet_engine.storage.system.replace_file import replace_file

_log = logging.getLogger("roslyn_server")

_MOST_BUILDS = 8
"""How many builds of an assembly are kept, each for another Roslyn or other sources."""
_RECENT_S = 3600
_OF_BUILD = re.compile("[0-9a-f]{24}")


def load_compiled(
    name: str,
    sources: Sequence[Path],
    roslyn_dir: Path,
    keep_in: Path | None = None,
    libraries: Sequence[Path] = (),
) -> None:
    """Compile C# files against the running runtime and Roslyn, and load the assembly ``name``.

    ``libraries`` are further references. ``keep_in`` is a folder for the compiled assembly, which
    is only loaded the next time; failing to write there is no error. Raises
    ``RuntimeError`` with the compiler's errors.
    """
    clr: Any = importlib.import_module("clr")
    loader: Any = importlib.import_module("System.Runtime.Loader")
    context = loader.AssemblyLoadContext.Default
    kept = kept_assembly(name, sources, roslyn_dir, keep_in) if keep_in is not None else None
    if kept is None or not _is_loaded_from(kept, context):
        stream = _compiled(name, sources, roslyn_dir, libraries)
        context.LoadFromStream(stream)
        if kept is not None:
            _keep(stream, kept)
    clr.AddReference(name)


def kept_assembly(name: str, sources: Sequence[Path], roslyn_dir: Path, keep_in: Path) -> Path:
    """Return the path of the kept assembly; the runtime requires the assembly's name in it."""
    return keep_in / f"{name}-{_digest(sources, roslyn_dir)}" / f"{name}.dll"


def keep_compiled(name: str, sources: Sequence[Path], roslyn_dir: Path, keep_in: Path) -> None:
    """Compile an assembly for the next start, unless it is already kept."""
    kept = kept_assembly(name, sources, roslyn_dir, keep_in)
    if not kept.is_file():
        _keep(_compiled(name, sources, roslyn_dir), kept)


def _digest(sources: Sequence[Path], roslyn_dir: Path) -> str:
    digest = hashlib.sha256()
    for path in sources:
        digest.update(path.read_bytes())
    for assembly in ASSEMBLIES:
        path = (roslyn_dir / assembly).resolve()  # links give the same path
        status = path.stat()
        digest.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:24]


def _is_loaded_from(kept: Path, context: Any) -> bool:
    if not kept.is_file():
        return False
    try:
        context.LoadFromAssemblyPath(str(kept))
    except Exception as error:  # .NET raises many kinds for a damaged file
        _log.info("the kept host is made anew: %s", error)
        return False
    mark_used(kept)
    return True


def _symbols(analysis: Any) -> Iterator[str]:
    """Yield preprocessor symbols for the features of this version of Roslyn."""
    provider = getattr(analysis, "SyntaxTreeOptionsProvider", None)
    if hasattr(provider, "TryGetGlobalDiagnosticValue"):
        yield "SEVERITIES_BY_TREE"


def _keep(stream: Any, kept: Path) -> None:
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent, prefix=".host-") as folder:
            written = Path(folder) / kept.name
            written.write_bytes(bytes(stream.ToArray()))
            replace_file(written, kept)
    except OSError as error:
        _log.info("the compiled host could not be kept: %s", error)
    drop_unused(kept.parent.parent, kept.stem)


def mark_used(kept: Path) -> None:
    """Set the time of an assembly's last use, so that it is kept. A failure is no error."""
    with suppress(OSError):
        os.utime(kept)


def drop_unused(keep_in: Path, name: str) -> None:
    """Remove all but the last used builds of the assembly ``name``.

    Keeps every build that was used in the last hour. Windows keeps a file that a process has
    loaded. Elsewhere the process keeps the file open, and the next start compiles it again.
    """
    used: list[tuple[float, Path]] = []
    with suppress(OSError), os.scandir(keep_in) as entries:
        for entry in entries:
            if _OF_BUILD.fullmatch(entry.name.removeprefix(f"{name}-")):
                with suppress(OSError):
                    file = Path(entry.path, f"{name}.dll")
                    status = file.stat() if file.is_file() else entry.stat()
                    used.append((status.st_mtime, file))
    for last, file in sorted(used, reverse=True)[_MOST_BUILDS:]:
        if time.time() - last > _RECENT_S:
            with suppress(OSError):
                file.unlink(missing_ok=True)
                shutil.rmtree(file.parent, ignore_errors=True)


def _compiled(
    name: str, sources: Sequence[Path], roslyn_dir: Path, libraries: Sequence[Path] = ()
) -> Any:
    """Return the assembly as a .NET stream."""
    analysis: Any = importlib.import_module("Microsoft.CodeAnalysis")
    csharp: Any = importlib.import_module("Microsoft.CodeAnalysis.CSharp")
    system: Any = importlib.import_module("System")
    platform = str(system.AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")).split(os.pathsep)
    paths = [*platform, *(str(roslyn_dir / assembly) for assembly in ASSEMBLIES)]
    paths += map(str, libraries)
    reference = analysis.MetadataReference.CreateFromFile
    options = csharp.CSharpParseOptions(
        # The newest C# that every supported Roslyn has, so that the sources mean the same to all.
        csharp.LanguageVersion.CSharp10,
        analysis.DocumentationMode.Parse,
        analysis.SourceCodeKind.Regular,
        system.Array[system.String](list(_symbols(analysis))),
    )
    parse = csharp.CSharpSyntaxTree.ParseText
    trees = [parse(source.read_text(encoding="utf-8"), options) for source in sources]
    compilation = csharp.CSharpCompilation.Create(
        name,
        system.Array[analysis.SyntaxTree](trees),
        system.Array[analysis.MetadataReference]([reference(path) for path in paths]),
        csharp.CSharpCompilationOptions(
            analysis.OutputKind.DynamicallyLinkedLibrary
        ).WithOptimizationLevel(analysis.OptimizationLevel.Release),
    )
    stream = importlib.import_module("System.IO").MemoryStream()
    result = compilation.Emit(stream)
    if not result.Success:
        errors = [str(each) for each in result.Diagnostics if "error CS" in str(each)]
        raise RuntimeError("\n".join(errors[:20]))
    stream.Position = 0
    return stream
