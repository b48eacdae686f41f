"""What a release attaches: wheel, sdist, Claude Desktop's bundle, Unity's tarball.

    python -m channels.artifacts FOLDER

The archives hold the same bytes each time: names in order, no times, no owners.
"""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from channels.manifests import ROOT, manifests, project

UNITY_PACKAGE = ROOT / "unity_bridge" / "unity_package"
_TIME = (1980, 1, 1, 0, 0, 0)
"""The earliest that a zip file can tell."""


def build_python(folder: Path) -> tuple[Path, Path]:
    """The wheel and the sdist, by ``python -m build``. Raises ``CalledProcessError``."""
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    name, version = project()["name"].replace("-", "_"), project()["version"]
    return folder / f"{name}-{version}-py3-none-any.whl", folder / f"{name}-{version}.tar.gz"


def build_bundle(wheel: Path, folder: Path) -> Path:
    """The ``.mcpb`` for Claude Desktop: it brings the wheel, uv fetches what that depends on."""
    about = project()
    requirements = (
        "[project]\n"
        'name = "unity-snippet-bundle"\n'
        f'version = "{about["version"]}"\n'
        f'requires-python = "{about["requires-python"]}"\n'
        f'dependencies = ["{about["name"]}"]\n\n'
        "[tool.uv]\npackage = false\n\n"
        f'[tool.uv.sources]\n{about["name"]} = {{ path = "{wheel.name}" }}\n'
    )
    files = {
        "manifest.json": manifests()["channels/mcpb/manifest.json"].encode(),
        "pyproject.toml": requirements.encode(),
        "server.py": (ROOT / "channels" / "mcpb" / "server.py").read_bytes(),
        wheel.name: wheel.read_bytes(),
    }
    target = folder / f"{about['name']}-{about['version']}.mcpb"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return target


def build_unity_tarball(folder: Path) -> Path:
    """Unity's package as npm packs it: below ``package/``. To be signed, or installed as it is."""
    about = json.loads((UNITY_PACKAGE / "package.json").read_text(encoding="utf-8"))
    target = folder / f"{about['name']}-{about['version']}.tgz"
    target.write_bytes(gzip.compress(_tar(_package_files()), mtime=0))
    return target


def _package_files() -> Iterable[Path]:
    return sorted(
        path
        for path in UNITY_PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )


def _tar(files: Iterable[Path]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in files:
            entry = tarfile.TarInfo(f"package/{path.relative_to(UNITY_PACKAGE).as_posix()}")
            entry.size = path.stat().st_size
            with path.open("rb") as opened:
                archive.addfile(entry, opened)
    return packed.getvalue()


def main(arguments: list[str]) -> int:
    """Build everything into the folder that is named."""
    folder = Path(arguments[0]).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    wheel, sdist = build_python(folder)
    for built in (wheel, sdist, build_bundle(wheel, folder), build_unity_tarball(folder)):
        print(built)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
