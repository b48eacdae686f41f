"""Compile, in one Roslyn process, all C# that the suite compiles: the bench is built once.

``python -m tests.bench.build_all``; ``dev.py test`` runs it first. A compiler that is new to a
process spends most of its time on warming up, so one process for all of it takes a fraction of
what one for each would. What can't be built here is left to the test that needs it, which says
why; exit code 0 whatever happens.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from filelock import FileLock

from tests.bench import assemblies, toolchains
from tests.bench.compiler import Assembly, CompileError, Profile, build_together
from tests.bench.installation import Runtime
from tests.bench.toolchains import MissingToolError
from tests.unity_package.package_assemblies import RUNNER, package_tests


def main() -> int:
    """Build all that is missing in the cache; say what could not be built."""
    wanted = list(_wanted())
    try:
        with FileLock(toolchains.cache_folder() / "install.lock"):
            build_together(wanted)
    except (CompileError, MissingToolError) as failure:
        print(f"The bench is not built ahead of its tests: {failure}", file=sys.stderr)
    return 0


def _wanted() -> Iterator[tuple[Assembly, Profile]]:
    for runtime in Runtime:
        try:
            profile = runtime.domain_profile
            yield assemblies.DOMAIN, profile
            yield assemblies.PROBE, profile
            yield assemblies.package(profile), profile
            yield assemblies.host(runtime.host_profile), runtime.host_profile
        except MissingToolError as missing:
            print(f"{runtime.value}: {missing}", file=sys.stderr)
    for profile in (Profile.NET_FRAMEWORK, Profile.NET_STANDARD):
        try:
            yield assemblies.package(profile, assemblies.NEWER_DEFINES), profile
            yield assemblies.package(profile), profile
            yield package_tests(profile), profile
        except MissingToolError as missing:
            print(f"{profile.value}: {missing}", file=sys.stderr)
    yield RUNNER, Profile.NET_FRAMEWORK


if __name__ == "__main__":
    sys.exit(main())
