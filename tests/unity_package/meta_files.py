"""The ``.meta`` file that Unity wants beside every asset of a package.

An immutable package (one from a git URL) without them is ignored by Unity. Identifiers are made
from the path, so they stay what they are. ``python -m tests.unity_package.meta_files`` writes
those that are missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "unity_bridge" / "unity_package"

_IMPORTERS = {
    ".cs": "MonoImporter",
    ".asmdef": "AssemblyDefinitionImporter",
    ".md": "TextScriptImporter",
}
_MONO = (
    "  serializedVersion: 2\n  defaultReferences: []\n  executionOrder: 0\n"
    "  icon: {instanceID: 0}\n"
)


def assets(package: Path = PACKAGE) -> Iterator[Path]:
    """Every file and folder that Unity imports: not those in folders whose name ends in ``~``."""
    for path in sorted(package.rglob("*")):
        parts = path.relative_to(package).parts
        hidden = any(part.endswith("~") or part.startswith(".") for part in parts)
        if not hidden and path.suffix != ".meta":
            yield path


def meta_file(asset: Path) -> Path:
    """Where an asset's ``.meta`` file is."""
    return asset.with_name(f"{asset.name}.meta")


def meta_text(asset: Path, package: Path = PACKAGE) -> str:
    """What an asset's ``.meta`` file says when Unity has nothing to add."""
    name = f"com.unitysnippet.mcp/{asset.relative_to(package).as_posix()}"
    guid = hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()
    importer = _IMPORTERS.get(asset.suffix, "DefaultImporter")
    if asset.name == "package.json":
        importer = "PackageManifestImporter"
    folder = "folderAsset: yes\n" if asset.is_dir() else ""
    more = _MONO if importer == "MonoImporter" else ""
    return (
        f"fileFormatVersion: 2\nguid: {guid}\n{folder}{importer}:\n  externalObjects: {{}}\n"
        f"{more}  userData: \n  assetBundleName: \n  assetBundleVariant: \n"
    )


def main() -> None:
    """Write what is missing, and remove what belongs to nothing."""
    for asset in assets():
        if not meta_file(asset).exists():
            meta_file(asset).write_text(meta_text(asset), encoding="utf-8", newline="\n")
            print(meta_file(asset).relative_to(PACKAGE))
    wanted = {meta_file(asset) for asset in assets()}
    for found in PACKAGE.rglob("*.meta"):
        if found not in wanted:
            found.unlink()
            print(f"removed {found.relative_to(PACKAGE)}")


if __name__ == "__main__":
    main()
