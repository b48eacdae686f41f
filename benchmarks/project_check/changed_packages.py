"""Changes of packages: asked for, fetched, embedded and described."""

from __future__ import annotations

import json

from benchmarks.project_check.change import DATA, RESOLVED, Change, put, same
from benchmarks.project_check.project_as_built import CACHED, FILES, definition, lock, manifest

_OWN_PACKAGE = "Packages/com.e/package.json"
_Y = "Library/PackageCache/com.y@1.0.0"
_FETCHED_Y = {
    f"{_Y}/package.json": '{"name": "com.y", "version": "1.0.0"}\n',
    f"{_Y}/Y.asmdef": definition("Y"),
    f"{_Y}/Y.cs": "public class Y { }\n",
}


def _described(**said: object) -> str:
    """Return a package's entry in the project."""
    return json.dumps({"name": "com.e", "version": "1.0.0", **said})


def _with_y(source: str) -> dict[str, str]:
    """Return one more package that is asked for, and resolved."""
    version = "1.0.0" if source in ("builtin", "registry") else "file:../../y.tgz"
    entry = {"version": version.replace(".tgz", "" if source == "local" else ".tgz"), "depth": 0}
    resolved = json.loads(lock())
    resolved["dependencies"]["com.y"] = {**entry, "source": source, "dependencies": {}}
    return {
        "Packages/manifest.json": manifest(**{"com.x": "1.2.0", "com.y": str(entry["version"])}),
        "Packages/packages-lock.json": json.dumps(resolved),
    }


PACKAGES = (
    Change(
        "one asked for",
        put(manifest(**{"com.x": "1.2.0", "com.y": "1.0.0"}), "Packages/manifest.json"),
        "resolves it",
        RESOLVED,
    ),
    Change(
        "another version",
        {
            "Packages/manifest.json": manifest(**{"com.x": "1.3.0"}),
            "Packages/packages-lock.json": lock("1.3.0"),
        },
        "fetches it",
        RESOLVED,
    ),
    Change(
        "one gone",
        {
            "Packages/manifest.json": manifest(),
            "Packages/packages-lock.json": '{"dependencies": {}}',
        },
        "removes it",
        RESOLVED,
    ),
    Change(
        "one of the Editor's, resolved and not fetched",
        _with_y("builtin"),
        "fetches it",
        RESOLVED,
    ),
    Change("one in a file, not fetched", _with_y("local-tarball"), "fetches it", RESOLVED),
    Change("one in a folder that isn't there", _with_y("local"), "reports it", RESOLVED),
    Change(
        "one that is fetched and not compiled",
        {**_with_y("registry"), **_FETCHED_Y},
        "compiles it",
        RESOLVED,
    ),
    same(
        "one that is fetched, for a phone",
        {
            **_with_y("registry"),
            **_FETCHED_Y,
            f"{_Y}/Y.asmdef": definition("Y", includePlatforms=["Android"]),
        },
        "compiles nothing of it",
        RESOLVED,
    ),
    same(
        "one that is fetched, of tests alone",
        {
            **_with_y("registry"),
            **_FETCHED_Y,
            f"{_Y}/Y.asmdef": definition("Y", defineConstraints=["UNITY_INCLUDE_TESTS"]),
        },
        "compiles nothing of it",
        DATA,
    ),
    Change(
        "one of tests alone, asked for",
        {
            **_with_y("registry"),
            **_FETCHED_Y,
            f"{_Y}/Y.asmdef": definition("Y", optionalUnityReferences=["TestAssemblies"]),
            "Packages/manifest.json": json.dumps(
                {"dependencies": {"com.x": "1.2.0", "com.y": "1.0.0"}, "testables": ["com.y"]}
            ),
        },
        "compiles its tests",
        "Manual: Add tests to a package",
    ),
    Change(
        "in the project, asking for another",
        put(_described(dependencies={"com.z": "1.0.0"}), _OWN_PACKAGE),
        "resolves it",
        RESOLVED,
    ),
    Change(
        "in the project, asking for a newer one",
        put(_described(dependencies={"com.x": "1.3.0"}), _OWN_PACKAGE),
        "fetches it",
        RESOLVED,
    ),
    same(
        "in the project, asking for an older one",
        put(_described(dependencies={"com.x": "1.0.0"}), _OWN_PACKAGE),
        "has it",
        RESOLVED,
    ),
    Change("without a name", put('{"version": "1.0.0"}', _OWN_PACKAGE), "refuses it", RESOLVED),
    Change(
        "twice in the project",
        {_OWN_PACKAGE: _described(), "Packages/other/package.json": _described()},
        "refuses them",
        RESOLVED,
    ),
    same(
        "a folder that is no package",
        {
            "Packages/no/No.asmdef": definition("No"),
            "Packages/no/No.cs": "class No { Nope nope; }\n",
        },
        "passes over it",
        "Manual: Embedded packages",
    ),
    Change("broken manifest", put("{", "Packages/manifest.json"), "resolves nothing", RESOLVED),
    Change(
        "in the project, in another version",
        {
            "Packages/com.x/package.json": '{"name": "com.x", "version": "2.0.0"}',
            "Packages/com.x/X.asmdef": definition("X"),
        },
        "takes that",
        "Manual: Embedded packages",
    ),
    same(
        "in the project, the same",
        {
            f"Packages/com.x/{name.removeprefix(f'{CACHED}/')}": text
            for name, text in FILES.items()
            if name.startswith(CACHED)
        },
        "takes that",
        "Manual: Embedded packages",
    ),
)
