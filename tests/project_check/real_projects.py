"""Projects of real code as Unity leaves them after a build: the bench's own, a public package's.

Run as a script it writes one into a folder, and its assemblies as JSON to stdout: in a process of
its own, as that hosts a compiler and a process can host one.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.project_check.compilers import Compiler, newest_compiler
from benchmarks.project_check.layout import LaidOutAssembly, LaidOutProject, lay_out, write_build
from tests.bench import assemblies
from tests.bench.compiler import Assembly, Profile
from tests.bench.installation import UNITY_VERSION

PACKAGE_FILES, PACKAGE_ASSEMBLIES = 60, 4


def public_package(root: Path, compiler: Compiler) -> LaidOutProject:
    """The beginning of a public package, in some assemblies."""
    return lay_out(root, compiler, files=PACKAGE_FILES, assemblies=PACKAGE_ASSEMBLIES)


def stand_ins(root: Path, compiler: Compiler) -> LaidOutProject:
    """What the bench has in Unity's place, and the Unity package that is compiled against it."""
    profile = Profile.NET_STANDARD
    package = assemblies.package(profile)
    every = (assemblies.CONTRACT, *assemblies.STAND_INS, package)
    made = [_copied(root, each) for each in every]
    defines = tuple(f"-define:{symbol}" for symbol in package.defines)  # one build, one set
    options = {each.name: (*defines, *each.options) for each in every}
    project = LaidOutProject(root, tuple(made))
    for assembly in made:
        _define(root, assembly)
    write_build(project, compiler, options, version=UNITY_VERSION)
    return project


def _copied(root: Path, assembly: Assembly) -> LaidOutAssembly:
    above = Path(os.path.commonpath([each.parent for each in assembly.sources]))
    folder = Path("Assets") / assembly.name
    sources = [folder / each.relative_to(above) for each in assembly.sources]
    libraries = [each for each in assembly.references if isinstance(each, Path)]
    plugins = [Path("Assets/Plugins") / each.name for each in libraries]
    for place, original in zip((*sources, *plugins), (*assembly.sources, *libraries), strict=True):
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(original, root / place)
    return LaidOutAssembly(
        assembly.name,
        tuple(sorted(each.as_posix() for each in sources)),
        tuple(each.name for each in assembly.references if isinstance(each, Assembly)),
        tuple(each.as_posix() for each in plugins),
    )


def _define(root: Path, assembly: LaidOutAssembly) -> None:
    """Not every assembly has each library, and Unity's own are assemblies of this project."""
    definition = {
        "name": assembly.name,
        "references": assembly.references,
        "allowUnsafeCode": True,
        "overrideReferences": True,
        "precompiledReferences": [Path(each).name for each in assembly.plugins],
        "noEngineReferences": True,
    }
    file = root / "Assets" / assembly.name / f"{assembly.name}.asmdef"
    file.write_text(json.dumps(definition), encoding="utf-8")


PROJECTS: dict[str, Callable[[Path, Compiler], LaidOutProject]] = {
    "stand-ins": stand_ins,
    "public-package": public_package,
}


def read(root: Path, told: str) -> LaidOutProject:
    """The project that a script wrote into ``root``, of whose assemblies it ``told``."""
    rows: list[dict[str, Any]] = json.loads(told)
    return LaidOutProject(
        root,
        tuple(
            LaidOutAssembly(
                row["name"],
                tuple(row["sources"]),
                tuple(row["references"]),
                tuple(row["plugins"]),
            )
            for row in rows
        ),
    )


if __name__ == "__main__":
    laid_out = PROJECTS[sys.argv[1]](Path(sys.argv[2]), newest_compiler())
    print(json.dumps([asdict(each) for each in laid_out.assemblies]))
