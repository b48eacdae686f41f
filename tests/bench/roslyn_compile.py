"""Roslyn as a compiler in a process of its own: compilations as JSON in, diagnostics out.

Read by :mod:`tests.bench.compiler`. A process can load one .NET runtime, once; hence the process.
Each compilation is what ``csc`` takes: arguments in its own syntax.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

from roslyn_server.compiler import hosting
from tests.bench import toolchains


def main() -> int:
    """Compile what stdin lists, in order; print one JSON array of diagnostics for each."""
    analysis, csharp, system = _load()
    for arguments in json.load(sys.stdin):
        print(json.dumps(_compile(arguments, analysis, csharp, system)), flush=True)
    return 0


def _load() -> tuple[Any, Any, Any]:
    hosting.start(toolchains.roslyn())
    return (
        importlib.import_module("Microsoft.CodeAnalysis"),
        importlib.import_module("Microsoft.CodeAnalysis.CSharp"),
        importlib.import_module("System"),
    )


def _compile(arguments: list[str], analysis: Any, csharp: Any, system: Any) -> list[str]:
    """Compile one assembly; its errors and warnings as the compiler prints them."""
    io: Any = importlib.import_module("System.IO")
    text: Any = importlib.import_module("Microsoft.CodeAnalysis.Text")
    parsed = csharp.CSharpCommandLineParser.Default.Parse(
        system.Array[system.String](arguments), str(Path.cwd()), None, None
    )
    if parsed.Errors.Length:
        return [str(each) for each in parsed.Errors]
    trees = []
    for source in parsed.SourceFiles:
        with io.File.OpenRead(source.Path) as stream:
            content = text.SourceText.From(stream, None, parsed.ChecksumAlgorithm)
        trees.append(csharp.CSharpSyntaxTree.ParseText(content, parsed.ParseOptions, source.Path))
    references = [
        analysis.MetadataReference.CreateFromFile(each.Reference, each.Properties)
        for each in parsed.MetadataReferences
    ]
    compilation = csharp.CSharpCompilation.Create(
        parsed.CompilationName,
        system.Array[analysis.SyntaxTree](trees),
        system.Array[analysis.MetadataReference](references),
        parsed.CompilationOptions,
    )
    output = Path(parsed.OutputDirectory) / parsed.OutputFileName
    symbols = output.with_suffix(".pdb")
    with io.File.Create(str(output)) as assembly, io.File.Create(str(symbols)) as pdb:
        emitted = compilation.Emit(assembly, pdb, options=parsed.EmitOptions)
    told = [
        each for each in emitted.Diagnostics if int(each.Severity) >= 2 and not each.IsSuppressed
    ]
    return list(dict.fromkeys(str(each) for each in told))


if __name__ == "__main__":
    sys.exit(main())
