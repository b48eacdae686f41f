"""Shaders and shader graphs: the classes of their inspectors, by name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unity_assets.places.place import Place, listed
from unity_assets.renaming import SHADER_ENDINGS

if TYPE_CHECKING:
    from unity_assets.asset_file import AssetFile
    from unity_assets.places.place import Search

_EDITOR = re.compile(
    rb"""(?:\bCustomEditor(?:ForRenderPipeline)?\s+|"m_CustomEditorGUI"\s*:\s*)"([^"\n]*)\""""
)
_DRAWER = re.compile(rb"(?<=[\s{\]])\[\s*(\w+)\s*[(\]]")
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WHY = "a shader names its inspector's class: change it by hand"


def places_in_shader(search: Search, file: AssetFile) -> list[Place]:
    """Return where a renamed class draws the shader's inspector, or a property in it."""
    types = search.renaming.types
    editors = {name for each in types for name in (each.reflected, each.last)}
    drawers = {name for each in types for name in _drawer_names(each.last)}
    data = _COMMENT.sub(lambda found: b" " * len(found[0]), file.data)
    found = [each for each in _EDITOR.finditer(data) if _text(each) in editors]
    found += [each for each in _DRAWER.finditer(data) if _text(each) in drawers]
    return [listed(each.start(1), "shader", _WHY) for each in found]


def _text(found: re.Match[bytes]) -> str:
    return found[1].decode("utf-8", "replace")


def _drawer_names(name: str) -> list[str]:
    """Return how a shader names the class: it may leave out what the name ends with."""
    short = name
    for each in SHADER_ENDINGS:
        short = short.removesuffix(each)
    return [name, short] if short != name else []
