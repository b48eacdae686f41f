"""Methods that assets call by name (rows 8, 11, 14): UnityEvents and animation events."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unity_assets.objects import MONO_BEHAVIOUR, Reference
from unity_assets.places.overrides import overridden, siblings
from unity_assets.places.place import Place, Reach, Site, listed
from unity_assets.yaml.edits import scalar_edit
from unity_assets.yaml.nodes import SCALAR

if TYPE_CHECKING:
    from unity_assets.yaml.nodes import Node

UNITY_EVENT, ANIMATION_EVENT = "UnityEvent", "animation event"

_METHOD = ".m_MethodName"
_CALL = re.compile(r"(?P<event>.+)\.m_Calls\.Array\.data\[(?P<index>\d+)\]")
_ARGUMENT: dict[str, tuple[str, ...]] = {
    "1": (),
    "3": ("System.Int32",),
    "4": ("System.Single",),
    "5": ("System.String",),
    "6": ("System.Boolean",),
}
"""The method's parameters for each ``m_Mode``. Mode 0 has the event's, mode 2 one object."""
_VOID, _OBJECT = "1", "2"
_NO_STRINGS = ("m_Name", "m_MethodName", "functionName")
"""Keys of an object's name, and of method names that other functions here handle."""
_ANY = "*"
"""A generic type's parameter."""


def unity_event_call(site: Site) -> Place | None:
    """Return the place of a persistent call's method name."""
    method = site.search.renaming.method
    if site.in_key or method is None or site.value.kind != SCALAR:
        return None
    if site.value.text != method[0]:
        return None
    if site.entry.key == "m_MethodName":
        return _call(site, *_direct(site))
    if site.entry.key == "value" and site.holder.text_at("propertyPath").endswith(_METHOD):
        return _call(site, *_overridden(site))
    return None


def animation_event(site: Site) -> Place | None:
    """Return the place of an animation event's function name."""
    facts = site.search.renaming.facts
    if site.in_key or facts.kind != "method" or site.entry.key != "functionName":
        return None
    if site.value.kind != SCALAR or site.value.text != facts.name or not facts.targets:
        return None
    if facts.same_name:
        one = facts.same_name == 1
        others = "type has" if one else "types have"
        why = f"{facts.same_name} other script {others} a method of that name"
        return listed(site.value.start, ANIMATION_EVENT, why)
    if facts.overloads:
        return listed(site.value.start, ANIMATION_EVENT, "an overload keeps the name")
    edit = scalar_edit(site.value, site.search.renaming.new_name)
    return Place(site.value.start, ANIMATION_EVENT, Reach.NOTHING, (edit,))


def named_by_string(site: Site) -> Place | None:
    """Return the place of a string that equals the method's name: code may call that method.

    A UnityEvent that calls ``SendMessage`` has a string like that, too.
    """
    facts = site.search.renaming.facts
    if site.in_key or facts.kind != "method" or not facts.targets:
        return None
    if site.value.kind != SCALAR or site.value.text != facts.name:
        return None
    last = site.holder.text_at("propertyPath") if site.entry.key == "value" else site.entry.key
    is_read = site.document.class_id == MONO_BEHAVIOUR or site.entry.key in ("value", "data")
    if not is_read or str(last).rpartition(".")[2] in _NO_STRINGS:
        return None
    return listed(site.value.start, "string", "code may call the method by this string", lost=False)


def _direct(site: Site) -> tuple[bool | None, str, str]:
    call = site.holder
    mode = call.text_at("m_Mode")
    argument = call.text_at("m_Arguments", "m_ObjectArgumentAssemblyTypeName")
    target = Reference.read(call.get("m_Target"))
    type_name = call.text_at("m_TargetAssemblyTypeName")
    return _is_ours(site, site.file.path, target, type_name), mode, argument


def _overridden(site: Site) -> tuple[bool | None, str, str]:
    """Return whether an overridden call is ours, its mode, and the type of its argument.

    Parts that no override changes are read from the source prefab.
    """
    path = site.holder.text_at("propertyPath").removesuffix(_METHOD)
    source = overridden(site)
    call = _call_of(source.document.body, path) if source.document is not None else None

    def part(*names: str) -> str:
        for other in siblings(site, ".".join((path, *names))):
            return other.text_at("value")
        return call.text_at(*names) if call is not None else ""

    mode = part("m_Mode")
    argument = part("m_Arguments", "m_ObjectArgumentAssemblyTypeName")
    type_name = part("m_TargetAssemblyTypeName")
    for other in siblings(site, f"{path}.m_Target"):
        target = Reference.read(other.get("objectReference"))
        return _is_ours(site, site.file.path, target, type_name), mode, argument
    if call is not None and source.file is not None:
        target = Reference.read(call.get("m_Target"))
        return _is_ours(site, source.file.path, target, type_name), mode, argument
    return _is_ours(site, site.file.path, Reference(0, ""), type_name), mode, argument


def _call_of(body: Node, path: str) -> Node | None:
    found = _CALL.fullmatch(path)
    if found is None:
        return None
    node: Node | None = body
    for part in re.findall(r"Array\.data\[(\d+)\]|([^.]+)", found["event"]):
        node = node.get(int(part[0]) if part[0] else part[1]) if node is not None else None
    return node.get("m_Calls", int(found["index"])) if node is not None else None


def _is_ours(site: Site, path: str, target: Reference, type_name: str) -> bool | None:
    """Return whether a call's target has the method; None if unknown."""
    renaming = site.search.renaming
    found = site.search.objects.resolve(path, target)
    # Unity uses an existing target's own type; the type name in the call may be stale.
    if found.is_known:
        return found.script in renaming.target_scripts
    if "[[" in type_name:
        # Unity cuts the name in the brackets, and types that derive from it aren't in the facts.
        bare = type_name.partition("[[")[0]
        return any(bare == each.type.reflected for each in renaming.facts.targets) or None
    if type_name:
        name, _, assembly = (each.strip() for each in type_name.partition(","))
        own = {(each.type.reflected, each.type.assembly) for each in renaming.facts.targets}
        return (name, assembly.partition(",")[0]) in own
    return None


def _call(site: Site, ours: bool | None, mode: str, argument: str) -> Place | None:
    if ours is False:
        return None
    if ours is None:
        return listed(site.value.start, UNITY_EVENT, "the call's target isn't known", lost=False)
    facts = site.search.renaming.facts
    fits = _fits(facts.parameters, mode)
    other = [_fits(each, mode) for each in facts.overloads]
    if not fits and any(other):
        return None
    if fits and any(other):
        exact = mode == _OBJECT and facts.parameters == (_without_assembly(argument),)
        if not exact:
            why = "the call may mean an overload that keeps the name"
            return listed(site.value.start, UNITY_EVENT, why)
        if any(each == facts.parameters for each in facts.overloads):
            return None
    if not fits:
        why = "already broken: no method of that name takes the call's argument"
        return listed(site.value.start, UNITY_EVENT, why, lost=False)
    method = site.search.renaming.method
    new = method[1] if method else ""
    return Place(site.value.start, UNITY_EVENT, Reach.NOTHING, (scalar_edit(site.value, new),))


def _fits(parameters: tuple[str, ...] | None, mode: str) -> bool:
    """Return whether a call of this mode may call a method with these parameters."""
    if parameters is None or mode not in (*_ARGUMENT, _OBJECT):
        return True
    if parameters == (_ANY,):
        return mode != _VOID
    if mode == _OBJECT:
        return len(parameters) == 1 and parameters not in _ARGUMENT.values()
    return parameters == _ARGUMENT[mode]


def _without_assembly(name: str) -> str:
    return name.partition(",")[0].strip()
