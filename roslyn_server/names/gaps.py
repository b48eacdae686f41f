"""Say what a search for a name did not see: the compiler's rows as sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable

_OF_PLACE = {
    "inactive": "{0}:{1}: the name is in #if code that no symbol set compiles.",
    "unnamed": "{0}:{1}: new() and base() in #if code that isn't compiled were not searched.",
    "unbound": "{0}:{1}: the compiler doesn't know what the name means there.",
    "dynamic": "{0}:{1}: the name is looked up at run time (dynamic).",
}


def sentences(rows: Iterable[str], relative: Callable[[str], str]) -> list[str]:
    """Return a sentence for each row; ``relative`` makes paths project-relative."""
    return [_sentence(row.split("\t"), relative) for row in rows]


def unsaved(path: str) -> str:
    """Return the sentence about a file that is open with another text."""
    return f"{path} is open with unsaved changes, which were not searched."


def excluded(path: str, assembly: str) -> str:
    """Return the sentence about a script of an assembly that Unity doesn't compile here."""
    return f"{path} has the name and was not searched: Unity doesn't compile {assembly} here."


def _sentence(row: list[str], relative: Callable[[str], str]) -> str:
    match row:
        case ["assembly", name, _, detail]:
            return f"{name} was not searched: {detail}."
        case ["deep", path]:
            return f"{relative(path)} was not searched: it nests too deeply."
        case ["implicit", name]:
            return f"Uses that don't spell {name} (foreach, await, queries) were not searched."
        case ["element", name]:
            return f"Uses of {name} by its number, such as Item1, were not searched."
        case ["made", name]:
            return (
                f"Objects of {name} that are made without its name (by constructors of derived "
                "types, new T() or Unity) were not searched."
            )
        case ["paths", type_name, most]:
            return f"{type_name} has the field at more than {most} paths: only these were searched."
        case [kind, path, line]:
            return _OF_PLACE[kind].format(relative(path), line)
    raise ValueError(row)
