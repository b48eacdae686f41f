"""The host's own .NET assembly: :file:`host.cs`, compiled by the Roslyn that is loaded."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

from roslyn_server.toolchain import ASSEMBLIES

_NAME = "RoslynServerHost"
_SOURCES = ("host.cs", "language_gate.cs")


def host_assembly(roslyn_dir: Path) -> str:
    """Compile and load the host into the running runtime; the assembly's name.

    Raises ``RuntimeError`` with the compiler's errors where that Roslyn can't compile it.
    """
    loader: Any = importlib.import_module("System.Runtime.Loader")
    loader.AssemblyLoadContext.Default.LoadFromStream(_compiled(roslyn_dir))
    return _NAME


def _compiled(roslyn_dir: Path) -> Any:
    """The assembly as a .NET stream."""
    analysis: Any = importlib.import_module("Microsoft.CodeAnalysis")
    csharp: Any = importlib.import_module("Microsoft.CodeAnalysis.CSharp")
    system: Any = importlib.import_module("System")
    platform = str(system.AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")).split(os.pathsep)
    paths = [*platform, *(str(roslyn_dir / name) for name in ASSEMBLIES)]
    reference = analysis.MetadataReference.CreateFromFile
    parse = csharp.CSharpSyntaxTree.ParseText
    compilation = csharp.CSharpCompilation.Create(
        _NAME,
        system.Array[analysis.SyntaxTree](
            [parse(Path(__file__).with_name(name).read_text(encoding="utf-8")) for name in _SOURCES]
        ),
        system.Array[analysis.MetadataReference]([reference(path) for path in paths]),
        csharp.CSharpCompilationOptions(analysis.OutputKind.DynamicallyLinkedLibrary),
    )
    stream = importlib.import_module("System.IO").MemoryStream()
    result = compilation.Emit(stream)
    if not result.Success:
        errors = [str(each) for each in result.Diagnostics if each.Id.startswith("CS")]
        raise RuntimeError("\n".join(errors[:20]))
    stream.Position = 0
    return stream
