"""A stand-in for Unity's libraries, compiled from ``unity_engine.cs``."""

from __future__ import annotations

import tempfile
from hashlib import sha256
from pathlib import Path

from benchmarks.project_check.compilers import Compiler
from benchmarks.project_check.reference_compiler import CACHE, ReferenceCompiler

_SOURCE = Path(__file__).with_name("unity_engine.cs")


def unity_library(compiler: Compiler) -> Path:
    """Return the compiled library; it is made once, and kept in the user's cache."""
    inputs = _SOURCE.read_bytes() + repr(compiler).encode()
    kept = CACHE.parent / "unity_engine" / sha256(inputs).hexdigest()[:24] / "UnityEngine.dll"
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
            made = Path(folder) / kept.name
            response = made.with_suffix(".rsp")
            lines = ["-target:library", f'-out:"{made}"', "-nostdlib+", "-noconfig", "-warn:0"]
            lines += [*(f'-r:"{each}"' for each in compiler.libraries), f'"{_SOURCE}"']
            response.write_text("\n".join([*lines, "-langversion:11.0", "-deterministic"]))
            ReferenceCompiler(compiler, Path(folder), [response]).build()
            made.replace(kept)
    return kept
