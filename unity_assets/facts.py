"""The facts about a symbol from the C# side, read from JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class TypeName:
    """A type's full name; ``name`` has outer types in front, as ``Outer/Inner``."""

    namespace: str
    name: str
    assembly: str

    @property
    def reflected(self) -> str:
        """Return the name as .NET writes it: ``Demo.Outer+Inner``."""
        return self._dotted(self.name.replace("/", "+"))

    @property
    def serialized(self) -> str:
        """Return the name as a managed reference has it: ``Demo.Outer/Inner``."""
        return self._dotted(self.name)

    def _dotted(self, name: str) -> str:
        return f"{self.namespace}.{name}" if self.namespace else name

    @property
    def last(self) -> str:
        """Return the type's own name, without outer types and arity."""
        return self.name.rpartition("/")[2].partition("`")[0]


@dataclass(frozen=True)
class ScriptType:
    """A type, and the project's files that declare it."""

    type: TypeName
    scripts: tuple[str, ...]


@dataclass(frozen=True)
class Holder:
    """A type whose objects have the key, at these property paths."""

    type: TypeName
    scripts: tuple[str, ...]
    managed: bool
    paths: tuple[str, ...]
    animated: tuple[str, ...] = ()
    """Further property paths, in the form of Timeline's curves."""


@dataclass(frozen=True)
class RenamedType:
    """A type's full name before and after."""

    before: TypeName
    after: TypeName


@dataclass(frozen=True)
class SymbolFacts:
    """The facts about a symbol from the C# side that matter for assets."""

    name: str
    kind: str
    type: TypeName | None
    renamed_types: tuple[RenamedType, ...]
    key: str | None
    keeps_key: bool
    """Whether a C# attribute names the key, so that values under it survive a rename."""
    holders: tuple[Holder, ...]
    targets: tuple[ScriptType, ...]
    parameters: tuple[str, ...] | None
    overloads: tuple[tuple[str, ...], ...]
    same_name: int
    is_visual_element: bool
    managed: tuple[TypeName, ...]

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> SymbolFacts:
        """Read the facts; raise ValueError with the missing or wrong part."""
        try:
            return cls(
                name=facts["name"],
                kind=facts["kind"],
                type=_type(facts["type"]) if facts["type"] else None,
                renamed_types=tuple(
                    RenamedType(_type(each["before"]), _type(each["after"]))
                    for each in facts["renamedTypes"]
                ),
                key=facts["key"],
                keeps_key=bool(facts["keepsKey"]),
                holders=tuple(
                    Holder(
                        _type(each["type"]),
                        tuple(each["scripts"]),
                        bool(each["managed"]),
                        tuple(each["paths"]),
                        tuple(each.get("animated", ())),
                    )
                    for each in facts["holders"]
                ),
                targets=tuple(
                    ScriptType(_type(each["type"]), tuple(each["scripts"]))
                    for each in facts["targets"]
                ),
                parameters=_optional_tuple(facts["parameters"]),
                overloads=tuple(tuple(each) for each in facts["overloads"]),
                same_name=int(facts["sameName"]),
                is_visual_element=bool(facts["isVisualElement"]),
                managed=tuple(map(_type, facts["managed"])),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"The symbol's facts aren't complete: {error!r}.") from error


def _type(name: dict[str, str]) -> TypeName:
    return TypeName(name["namespace"], name["name"], name["assembly"])


def _optional_tuple(names: list[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)
