"""The real Unity C# of a run: pinned packages, for tuning and held out.

Packages come from the registry as in the corpus tests, and stay in the user's cache.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks import unity_packages as fetching
from roslyn_server.toolchains.packages import NpmPackage
from snippet_engine.source_text import SourceText, decode

__all__ = ["EXTRA", "HELD_OUT", "KNOWN", "TUNING", "CorpusFile", "fetching", "load"]

TUNING = (
    "com.neuecc.unirx",
    "com.cysharp.unitask",
    "com.github.asus4.onnxruntime.unity",
)
"""Packages that the validator's rules were made on."""

HELD_OUT = (
    "com.modesttree.zenject",
    "io.justtrack.justtrack-unity-sdk",
    "extensions.unity.theme",
    "jp.keijiro.osc-jack",
)
"""Packages that were kept apart while the first rules were made.

What they showed since was mended as well. Figures to show need a seed that no rule was made
with, and better still other files: see :data:`EXTRA`.
"""

_FURTHER = (
    NpmPackage(
        "io.justtrack.justtrack-unity-sdk",
        "8.0.0",
        "sha512-q72/seHVu1uPRxuwmt67q30Uh9h/fPgWBGD3e8jejmSxcMMXUhv5nK+3dRHRntathodNJHI2bQkjHKwvBxAkAw==",
    ),
    NpmPackage(
        "extensions.unity.theme",
        "4.1.0",
        "sha512-zk5LmGTMgksgW86lPkbfnmA0uRMTmAUB0aqQ7wHPmCfqDa73R4PbudyX0MlVJUVvAlFRR/HjxFjwtbi45LJcdg==",
    ),
    NpmPackage(
        "jp.keijiro.osc-jack",
        "2.0.0",
        "sha512-T863MWbgn5xAH2omdQSYY8OHuaRMfZa/k/47IEhPt2ltluTrqOj2sV7zJJ/fyxCPBYYd8B/OWUrp/+kHfU0oPg==",
    ),
)

EXTRA = "extra"
"""Stands for the folders of C# that ``UNITY_SNIPPET_CORPUS`` names."""

_PACKAGES = {package.name: package for package in (*fetching.PACKAGES, *_FURTHER)}

KNOWN = (*TUNING, *HELD_OUT, EXTRA)
"""Every name that can be asked for."""


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """One file as the engine reads it, and what it is called in reports."""

    label: str
    source: SourceText


def load(name: str) -> list[CorpusFile]:
    """Return the C# files of a package, without those in an encoding that the engine refuses.

    Raises ``FetchError`` where the package can't be had.
    """
    files = fetching.extra_files() if name == EXTRA else fetching.csharp_files(_PACKAGES[name])
    decoded = ((file.label, decode(file.data)) for file in files)
    return [
        CorpusFile(label, source) for label, source in decoded if isinstance(source, SourceText)
    ]
