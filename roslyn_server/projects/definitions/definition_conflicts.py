"""Find conflicts among assembly definitions that keep Unity from compiling anything.

Unity looks at all definitions before it compiles, even at those without scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from roslyn_server.projects.definitions.assembly_definitions import (
    OF_GUID,
    PREDEFINED,
    UNREAD,
    AssemblyDefinition,
)

_OF_RUNTIME = (
    "mscorlib netstandard Microsoft.CSharp System System.ComponentModel.Composition System.Core "
    "System.Data System.Data.DataSetExtensions System.Drawing System.IO.Compression "
    "System.IO.Compression.FileSystem System.Net.Http System.Numerics System.Numerics.Vectors "
    "System.Runtime.Serialization System.Transactions System.Xml System.Xml.Linq"
)
"""Libraries that Unity references by itself."""

_RESERVED = frozenset(each.lower() for each in (*PREDEFINED, *_OF_RUNTIME.split()))


def conflicts(
    folders: Mapping[str, tuple[str, ...]], definitions: Mapping[str, AssemblyDefinition | None]
) -> Iterator[str]:
    """Yield each conflict as a sentence.

    ``folders`` are the definition files in each project-relative folder, ``definitions`` their
    content with GUIDs resolved.
    """
    known: dict[str, AssemblyDefinition] = {}
    named: dict[str, str] = {}
    for path, names in sorted(folders.items()):
        if len(names) > 1:
            yield _nothing(
                f"{path} has more than one assembly definition, {names[0]} and {names[1]}"
            )
            continue
        definition = definitions.get(path)
        if definition is None:
            continue
        file = f"{path}/{names[0]}"
        if definition.fault.startswith(UNREAD):
            yield f"It is not known what Unity compiles: {file} {definition.fault}."
        elif definition.fault:
            yield _nothing(f"{file} {definition.fault}")
        elif definition.name and not definition.is_asmref:
            known[file] = definition
            lower = definition.name.lower()
            other = named.setdefault(lower, file)
            if other != file:
                yield _nothing(f"{other} and {file} both define {definition.name}")
            if lower in _RESERVED:
                yield _nothing(f"{file} takes a reserved name, {definition.name}")
    for file, definition in known.items():
        twice = _twice(definition.references)
        if twice:
            yield _nothing(f"{file} refers to {twice} twice")
    circle = _circle(known.values())
    if circle:
        first = next(file for file, each in known.items() if each.name == circle[0])
        yield _nothing(f"{first} refers to itself ({' → '.join(circle)})")


def _nothing(why: str) -> str:
    return f"Unity compiles nothing as it is: {why}."


def _twice(references: Iterable[str]) -> str:
    seen: set[str] = set()
    for each in references:
        # A GUID that no definition has names nothing, so Unity doesn't count it.
        if each and each in seen and not each.startswith(OF_GUID):
            return each
        seen.add(each)
    return ""


def _circle(definitions: Iterable[AssemblyDefinition]) -> tuple[str, ...]:
    try:
        TopologicalSorter({each.name: each.references for each in definitions}).prepare()
    except CycleError as error:
        return tuple(map(str, reversed(error.args[1])))
    return ()
