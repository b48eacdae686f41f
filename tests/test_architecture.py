"""The map of the code is true: what ARCHITECTURE.md names is there, and no package is missing."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
PACKAGES = ("snippet_engine", "mcp_server", "lsp_client", "unity_bridge", "roslyn_server")

_ROOM = re.compile(r"^### `([\w/]+/)`\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
_ITEM = re.compile(r"^- ((?:`\w+`(?:,\s+)?)+):", re.MULTILINE)
_PATH = re.compile(r"`([\w.]+/[\w./]*|[\w.]+\.(?:py|md|toml))`")
_STEP = re.compile(r"^\| `([\w/.]+\.py)` \| `([\w.]+)` \|", re.MULTILINE)

ROOMS = {folder.rstrip("/"): text for folder, text in _ROOM.findall(TEXT)}
IN_PROJECTS = ("Packages/", "Library/")
"""Folders that are meant to be a Unity project's."""


def is_there(folder: str, name: str) -> bool:
    place = ROOT / folder / name
    return place.is_dir() or any(place.with_suffix(each).is_file() for each in (".py", ".cs"))


def items(text: str) -> list[str]:
    """The modules and folders that the items of a room begin with."""
    return [name for names in _ITEM.findall(text) for name in re.findall(r"\w+", names)]


def functions(file: Path) -> set[str]:
    """The functions of a module, and the methods of its classes behind the class's name."""
    found: set[str] = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found |= {
                f"{node.name}.{each.name}"
                for each in node.body
                if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
            }
    return found


def test_every_room_is_a_folder() -> None:
    assert len(ROOMS) > 20
    assert [room for room in ROOMS if not (ROOT / room).is_dir()] == []


def test_every_module_that_a_room_lists_is_in_it() -> None:
    listed = {room: items(text) for room, text in ROOMS.items()}
    assert sum(map(len, listed.values())) > 150
    missing = [
        f"{room}/{name}"
        for room, names in listed.items()
        for name in names
        if not is_there(room, name)
    ]
    assert missing == []


def test_every_package_has_a_room() -> None:
    packages = {
        file.parent.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for file in (ROOT / package).rglob("__init__.py")
    }
    assert packages - ROOMS.keys() == set()


def test_every_path_leads_somewhere() -> None:
    paths = [each for each in _PATH.findall(TEXT) if not each.startswith(IN_PROJECTS)]
    assert len(paths) > 40
    assert [each for each in paths if not (ROOT / each).exists()] == []


def test_the_two_paths_go_through_functions_that_exist() -> None:
    steps = _STEP.findall(TEXT)
    assert len(steps) > 30
    assert [(file, name) for file, name in steps if name not in functions(ROOT / file)] == []
