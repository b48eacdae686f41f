"""Texts that Unity doesn't serialize, whose names are listed only.

- Shaders: the classes of their inspectors.
- Input actions: registered classes, and their fields.
- Plugins and web pages: methods that messages call.
- Style sheets: types of controls.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unity_assets.places.place import Place, listed
from unity_assets.renaming import ACTION_ENDINGS, SHADER_ENDINGS

if TYPE_CHECKING:
    from unity_assets.asset_file import AssetFile
    from unity_assets.places.place import Search

_EDITOR = re.compile(
    rb"""(?:\bCustomEditor(?:ForRenderPipeline)?\s+|"m_CustomEditorGUI"\s*:\s*)"([^"\n]*)\""""
)
_DRAWER = re.compile(rb"(?<=[\s{\]])\[\s*(\w+)\s*[(\]]")
_SHADER_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)


def places_in_shader(search: Search, file: AssetFile) -> list[Place]:
    """Return the names of a renamed class that draws the shader's inspector or a property in it."""
    types = search.renaming.types
    editors = {name for each in types for name in (each.reflected, each.last)}
    drawers = {name for each in types for name in _drawer_names(each.last)}
    data = _SHADER_COMMENT.sub(lambda found: b" " * len(found[0]), file.data)
    found = [each for each in _EDITOR.finditer(data) if _text(each[1]) in editors]
    found += [each for each in _DRAWER.finditer(data) if _text(each[1]) in drawers]
    why = "a shader names its inspector's class: change it by hand"
    return [listed(each.start(1), "shader", why) for each in found]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _drawer_names(name: str) -> list[str]:
    """Return a drawer's names in shaders, with and without its ending; none if it has no ending."""
    short = name
    for each in SHADER_ENDINGS:
        short = short.removesuffix(each)
    return [name, short] if short != name else []


_VALUE = re.compile(rb'"(processors|interactions|path)"\s*:\s*"([^"\\\n]*)"')
_CALL = re.compile(r"(?:^|[,;])\s*(?P<name>\w+)(?:\((?P<values>[^()]*)\))?(?=\s*(?:$|[,;]))")
_REGISTERED = "an action refers to a registered name: change it by hand"


def places_in_actions(search: Search, file: AssetFile) -> list[Place]:
    """Return the values with a registered name of the class, or with a value for its field."""
    return [
        listed(value.start(2), "input action", _REGISTERED)
        for value in _VALUE.finditer(file.data)
        if any(_is_called(search, each) for each in _CALL.finditer(_text(value[2])))
    ]


def _is_called(search: Search, call: re.Match[str]) -> bool:
    renaming = search.renaming
    facts = renaming.facts
    if facts.kind == "type":
        return call["name"] in _registered_names(facts.name)
    if facts.kind not in ("field", "property") or facts.type is None or not call["values"]:
        return False
    is_set = re.search(rf"(?:^|,)\s*{re.escape(facts.name)}\s*=", call["values"])
    return bool(is_set) and call["name"] in _registered_names(facts.type.last)


def _registered_names(name: str) -> list[str]:
    """Return the names under which the Input System may have registered a class."""
    return [name, *(name.removesuffix(each) for each in ACTION_ENDINGS if name.endswith(each))]


def places_in_native_code(search: Search, file: AssetFile) -> list[Place]:
    """Return the strings that are the name of a method that a message can call."""
    facts = search.renaming.facts
    if facts.kind != "method" or not facts.targets:
        return []
    name = re.escape(facts.name.encode())
    found = re.finditer(rb"""(?P<quote>["'`])""" + name + rb"(?P=quote)", file.data)
    why = "native code may send this message"
    return [listed(each.start() + 1, "native code", why, lost=False) for each in found]


_COMMENT = rb"/\*.*?\*/"
_NO_SELECTOR = rb'%b|"[^"\n]*"|\{(?:%b|[^}])*\}' % (_COMMENT, _COMMENT)


def places_in_style_sheet(search: Search, file: AssetFile) -> list[Place]:
    """Return the selectors by a control's name. Another namespace may have that name, too."""
    facts = search.renaming.facts
    if not facts.is_visual_element or facts.kind != "type":
        return []
    name = re.escape(facts.name.encode())
    selector = rb"(?<![\w.#:\-\x80-\xff])(?P<name>%b)(?![\w\-\x80-\xff])" % name
    found = re.finditer(rb"%b|%b" % (_NO_SELECTOR, selector), file.data, re.DOTALL)
    why = "it selects by the type's own name: change it by hand"
    return [listed(each.start(), "USS selector", why) for each in found if each["name"]]
