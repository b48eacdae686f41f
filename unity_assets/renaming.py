"""The texts that a rename of a symbol changes in assets: old and new names, keys and paths."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from unity_assets.facts import RenamedType
from unity_assets.property_paths import holder_parts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unity_assets.facts import Holder, SymbolFacts, TypeName
    from unity_assets.scripts import Scripts

LONGEST_NAME = 8192
"""Maximum number of characters; even a generic type with many arguments has fewer."""

Paths = frozenset[tuple[str, ...]]

_MEMBERS = ("field", "property", "event", "method", "enumMember")
SHADER_ENDINGS = ("Drawer", "Decorator")
ACTION_ENDINGS = ("Interaction", "Processor", "Composite")
"""Endings of a class's name that shaders and input actions may omit."""
_ACCESSORS = {"property": ("get", "set"), "event": ("add", "remove")}
_CASES = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True)
class Renaming:
    """A symbol's old and new texts."""

    facts: SymbolFacts
    new_name: str
    scripts: Scripts

    @classmethod
    def for_search(cls, facts: SymbolFacts, scripts: Scripts) -> Renaming:
        """Return a renaming for a search: each place that it would change has the name."""
        types = tuple(
            RenamedType(each.before, replace(each.before, name=f"{each.before.name}_"))
            for each in facts.renamed_types
        )
        return cls(replace(facts, renamed_types=types), f"{facts.name}_", scripts)

    @property
    def key(self) -> str | None:
        """Return the key under which Unity serializes the symbol."""
        return self.facts.key

    @property
    def new_key(self) -> str:
        """Return the serialized key after the rename: the name itself, or its backing field's."""
        return (self.facts.key or "").replace(self.facts.name, self.new_name)

    @cached_property
    def paths_by_script(self) -> dict[str, Paths]:
        """Return the property paths that have the key, by the GUID of the objects' script."""
        return self._by_script({each: each.paths for each in self.facts.holders})

    @cached_property
    def animated_by_script(self) -> dict[str, Paths]:
        """Return the same for animation curves. Timeline's paths begin at the behaviour."""
        holders = self.facts.holders
        return self._by_script({each: (*each.paths, *each.animated) for each in holders})

    def _by_script(self, own: dict[Holder, tuple[str, ...]]) -> dict[str, Paths]:
        paths: dict[str, Paths] = {}
        for holder, those in own.items():
            if not holder.managed:
                parts = frozenset(map(holder_parts, those))
                for guid in self.scripts.guids(holder.type, holder.scripts):
                    paths[guid] = paths.get(guid, frozenset()) | parts
        return paths

    @cached_property
    def managed_paths(self) -> dict[TypeName, Paths]:
        """Return the property paths that have the key, by the type of a managed reference."""
        paths: dict[TypeName, Paths] = {}
        for holder in self.facts.holders:
            if holder.managed:
                own = frozenset(map(holder_parts, holder.paths))
                paths[holder.type] = paths.get(holder.type, frozenset()) | own
        return paths

    def managed_at(self, held: TypeName) -> Paths:
        """Return the paths of the key in a managed reference of the type ``held``."""
        bare = replace(held, name=held.name.partition("[[")[0])
        return self.managed_paths.get(held, frozenset()) | self.managed_paths.get(bare, frozenset())

    def may_fill(self, held: TypeName) -> bool:
        """Return whether a managed reference's generic type has the field's type in brackets."""
        own = self.facts.type
        brackets = held.name.partition("[[")[2]
        if own is None or not brackets or held in self.managed_paths:
            return False
        return has_name(brackets, (own.reflected, own.serialized))

    @cached_property
    def all_paths(self) -> Paths:
        """Return every property path that has the key, in any object."""
        return frozenset().union(*self.paths_by_script.values(), *self.managed_paths.values())

    @cached_property
    def method(self) -> tuple[str, str] | None:
        """Return the method's name before and after; for a property, the name of its setter."""
        if self.facts.kind == "method":
            return self.facts.name, self.new_name
        if self.facts.kind == "property":
            return f"set_{self.facts.name}", f"set_{self.new_name}"
        return None

    @cached_property
    def target_scripts(self) -> frozenset[str]:
        """Return the GUIDs of the scripts whose objects have the method."""
        return frozenset(
            guid
            for each in self.facts.targets
            for guid in self.scripts.guids(each.type, each.scripts)
        )

    @cached_property
    def types(self) -> dict[TypeName, TypeName]:
        """Return each type whose full name changes, with the new one."""
        return {each.before: each.after for each in self.facts.renamed_types}

    @property
    def is_stored(self) -> bool:
        """Return whether Unity itself, and not only a package, writes the name into assets."""
        facts = self.facts
        return bool(self.types or self.key or self.method or facts.is_visual_element)

    @cached_property
    def words(self) -> list[str]:
        """Return the words to search for.

        Every file that contains the name contains at least one of them.
        """
        if self.types:
            name = self.facts.name.rpartition(".")[2].partition("`")[0]
            endings = (*SHADER_ENDINGS, *ACTION_ENDINGS)
            return sorted({name, *(name.removesuffix(each) for each in endings)} - {""})
        if self.facts.kind not in _MEMBERS:
            return []
        # Odin, Visual Scripting and link.xml have names that Unity doesn't serialize.
        words = [self.facts.name, *self.accessors]
        if self.key:
            words.append(self.key)
        if self.facts.is_visual_element and self.facts.kind in ("field", "property"):
            words.append(kebab_case(self.facts.name))
        return sorted(set(words))

    @property
    def accessors(self) -> list[str]:
        """Return the names that the compiler gives to a property's or an event's methods."""
        return [f"{each}_{self.facts.name}" for each in _ACCESSORS.get(self.facts.kind, ())]

    @cached_property
    def forms(self) -> list[bytes]:
        """Return the words' bytes, both plain and escaped."""
        forms: list[bytes] = []
        for word in self.words:
            forms.append(word.encode("utf-8", "surrogateescape"))
            if not word.isascii():
                forms += [escaped(word).encode(), escaped(word, upper=False).encode()]
        return forms

    def reflected(self, text: str) -> str:
        """Return ``text`` with each ``Ns.Type, Assembly`` in it renamed, unless it is too long."""
        if not self.types or len(text) > LONGEST_NAME:
            return text
        text = self._reflected_names.sub(self._renamed, text)
        for before, after in self._generics.items():
            # Unity cuts a generic type's name in its brackets, so no assembly follows.
            text = re.sub(rf"(?<![\w.+/`<]){re.escape(before)}(?=\[\[[^\]]*$)", after, text)
        return text

    def managed_type(self, text: str) -> str:
        """Return ``Assembly Ns.Type``, as an override of a managed reference has it, renamed."""
        for before, after in self.types.items():
            if text == f"{before.assembly} {before.serialized}":
                return f"{after.assembly} {after.serialized}"
        return self.reflected(text)

    def names_type(self, text: str) -> bool:
        """Return whether ``text`` has a renamed type's full name, with namespace or assembly."""
        if self.reflected(text) != text:
            return True
        return any(
            f"{name}, {assembly}" in text
            or ("." in name and re.search(rf"(?<![\w.+/]){re.escape(name)}(?![\w.+/`])", text))
            for name, assembly in self._by_reflected
            if name in text
        )

    @cached_property
    def _by_reflected(self) -> dict[tuple[str, str], TypeName]:
        both: dict[tuple[str, str], TypeName] = {}
        for before, after in self.types.items():
            both[before.reflected, before.assembly] = after
            both[before.serialized, before.assembly] = after
        return both

    @cached_property
    def _reflected_names(self) -> re.Pattern[str]:
        names = sorted({name for name, _ in self._by_reflected}, key=len, reverse=True)
        return re.compile(
            r"(?<![\w.+/`<])(?P<name>" + "|".join(map(re.escape, names)) + r")"
            r"(?P<rest>(?:\[\[.*\]\])?\s*,\s*)(?P<assembly>[\w.\-]+)"
        )

    @cached_property
    def _generics(self) -> dict[str, str]:
        both = {each.reflected: after.reflected for each, after in self.types.items()}
        return {before: after for before, after in both.items() if "`" in before}

    def _renamed(self, found: re.Match[str]) -> str:
        after = self._by_reflected.get((found["name"], found["assembly"]))
        # The brackets of a generic type may contain other names.
        rest = self.reflected(found["rest"]) if "[" in found["rest"] else found["rest"]
        if after is None:
            return found["name"] + rest + found["assembly"]
        name = after.serialized if "/" in found["name"] else after.reflected
        return name + rest + found["assembly"]


def has_name(text: str, names: Iterable[str]) -> bool:
    """Return whether a text has one of the full names of types or members, as a whole."""
    return any(
        each in text and re.search(rf"(?<![\w.+/]){re.escape(each)}(?![\w.+/`])", text)
        for each in names
    )


def kebab_case(name: str) -> str:
    """Return a name as UXML has it: ``maxValue`` → ``max-value``."""
    return _CASES.sub("-", name.strip("_")).lower().replace("_", "-")


def escaped(word: str, *, upper: bool = True) -> str:
    r"""Return a word as a double-quoted scalar has it: ``\u901F``."""

    def sign(each: str) -> str:
        if each.isascii():
            return each
        digits = f"{ord(each):02X}" if ord(each) < 256 else f"{ord(each):04X}"
        return ("\\x" if ord(each) < 256 else "\\u") + (digits if upper else digits.lower())

    return "".join(map(sign, word))
