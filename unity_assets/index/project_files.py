"""Walk a project as Unity does: the files that may have names, and packages outside of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

USERS = "UserSettings"
"""Settings and windows of one user; the Editor may write them at any time."""
FOLDERS = ("Assets", "Packages", "ProjectSettings", USERS)
YAML = frozenset(
    f".{each}"
    for each in (
        *("unity", "prefab", "asset", "anim", "controller", "overridecontroller", "playable"),
        *("preset", "mat", "mask", "signal", "physicmaterial", "physicsmaterial2d"),
        *("physicsmaterial", "spriteatlas", "spriteatlasv2", "terrainlayer", "mixer", "brush"),
        *("flare", "guiskin", "giparams", "lighting", "rendertexture", "cubemap", "webcamtexture"),
        *("customrendertexture", "texture2darray", "texture3d", "scenetemplate", "fontsettings"),
        *("shadervariants", "vfx", "vfxoperator", "vfxblock", "buildprofile", "state"),
        *("blendtree", "statemachine", "transition", "curves", "gradients", "colors"),
        *("curvesnormalized", "particlecurves", "particlecurvessigned", "particledoublecurves"),
        *("particledoublecurvessigned", "dwlt"),
    )
)
"""Suffixes of files that Unity itself serializes."""
SHADERS = (".shader", ".shadergraph", ".shadersubgraph")
STYLE_SHEETS = (".uss", ".tss")
NATIVE_CODE = (
    *(".jslib", ".jspre", ".js", ".html", ".java", ".kt", ".swift"),
    *(".m", ".mm", ".h", ".c", ".cc", ".cpp"),
)
OTHERS = frozenset((".meta", ".uxml", ".inputactions", *STYLE_SHEETS, *SHADERS, *NATIVE_CODE))
META = ".meta"


class ProjectFile(NamedTuple):
    """A file, with its size and times, which show whether it has changed.

    A size below zero marks a folder that can't be read. A tuple, because a search makes one for
    each file of the project.
    """

    path: str
    size: int
    times: tuple[int, int]


def suffix_of(path: str) -> str:
    """Return the file's suffix in lower case."""
    name = path.rpartition("/")[2]
    return "." + name.rpartition(".")[2].lower() if "." in name else ""


def project_files(root: str, should_stop: Callable[[], bool]) -> Iterator[ProjectFile]:
    """Yield every file that may have names; skip the folders that Unity ignores."""
    present = [each for each in FOLDERS if os.path.isdir(f"{root}/{each}")]
    waiting = present if "Assets" in present else [""]
    while waiting and not should_stop():
        folder = waiting.pop()
        try:
            entries = list(os.scandir(f"{root}/{folder}"))
        except FileNotFoundError:
            continue
        except OSError:
            yield ProjectFile(folder, -1, (0, 0))
            continue
        for entry in entries:
            name = entry.name
            if name.startswith(".") or name.endswith("~") or name.lower() == "cvs":
                continue
            path = f"{folder}/{name}" if folder else name
            try:
                if entry.is_dir():
                    # Unity follows links to outside folders; a link to a parent would loop.
                    if not entry.is_symlink() or _leads_elsewhere(root, path):
                        waiting.append(path)
                    continue
                if not _may_have_names(name):
                    continue
                found = entry.stat()
            except OSError:
                continue
            yield ProjectFile(path, found.st_size, (found.st_mtime_ns, found.st_ctime_ns))


def _may_have_names(name: str) -> bool:
    suffix = suffix_of(name)
    return suffix in YAML or suffix in OTHERS or name.lower() == "link.xml"


def _leads_elsewhere(root: str, path: str) -> bool:
    real = os.path.realpath(f"{root}/{path}")
    own = os.path.realpath(root)
    return not (own + os.sep).startswith(real + os.sep) and not real.startswith(own + os.sep)


OUTSIDE = "it is a package outside of Assets and Packages"

_MANIFEST = "Packages/manifest.json"
_LARGEST = 1024 * 1024
_OF_FOLDER = "file:"


def packages_outside(root: Path) -> list[str]:
    """Return the folders and archives outside the project that a readable manifest names."""
    try:
        with (root / _MANIFEST).open("rb") as opened:
            manifest = json.loads(opened.read(_LARGEST).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return []
    listed = manifest.get("dependencies") if isinstance(manifest, dict) else None
    own, found = root.resolve(), []
    for value in listed.values() if isinstance(listed, dict) else []:
        if isinstance(value, str) and value.startswith(_OF_FOLDER):
            folder = Path(os.path.normpath(own / "Packages" / value.removeprefix(_OF_FOLDER)))
            if not any(folder.is_relative_to(own / each) for each in ("Assets", "Packages")):
                inside = folder.is_relative_to(own)
                found.append((folder.relative_to(own) if inside else folder).as_posix())
    return sorted(found)
