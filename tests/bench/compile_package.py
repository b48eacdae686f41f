"""Compile the Unity package as Unity's oldest and newest supported Editors would.

``python -m tests.bench.compile_package`` prints the compiler's lines; exit code 1 where there
are any. What this machine has no references for is named and passed over.
"""

from __future__ import annotations

import sys

from tests.bench.assemblies import EDITOR_DEFINES, NEWER_DEFINES, package
from tests.bench.compiler import CompileError, Profile, build
from tests.bench.toolchains import MissingToolError


def main() -> int:
    """Compile for both API levels, with the defines of Unity 2021.3 and of Unity 6."""
    failed = False
    for profile in (Profile.NET_FRAMEWORK, Profile.NET_STANDARD):
        for unity, defines in (("2021.3", EDITOR_DEFINES), ("6000.0", NEWER_DEFINES)):
            try:
                build([package(profile, defines)], profile)
                print(f"{profile.value}, Unity {unity}: compiles")
            except CompileError as error:
                print(f"{profile.value}, Unity {unity}: {error}")
                failed = True
            except MissingToolError as missing:
                print(f"{profile.value}: not compiled. {missing}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
