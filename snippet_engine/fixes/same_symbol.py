"""Compare symbol paths: whether one may stand for another, which quotes nothing of its text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from snippet_engine.anchors.resolution import Resolved
from snippet_engine.anchors.symbol_anchor import resolve_anchor
from snippet_engine.csharp.declarations.path_segments import parse_symbol_path
from snippet_engine.csharp.declarations.symbol_path import SymbolPathProblem
from snippet_engine.csharp.declarations.symbols import declarations
from snippet_engine.csharp.document import Document
from snippet_engine.errors import SnippetError
from snippet_engine.fixes.search.tokens import common_ends, hunks
from snippet_engine.request import Instruction, Operation
from snippet_engine.source_text import decode

_LEAST = 4
"""Letters of a name that another one can be a slip of the pen for."""
_ARGUMENTS = re.compile(r"<[^<>]*>|`\d+")


def may_be_offered(document: Document, repaired: Instruction, asked: str) -> bool:
    """Whether ``repaired``, which names another symbol than the path ``asked`` and quotes nothing,
    is still the edit that was sent.

    What is deleted has the same name and parameters; what is replaced is what the new text
    declares; beside what something is inserted may have one slip of the pen in its name.
    """
    path = repaired.anchor.symbol_path or ""
    if repaired.operation is Operation.REPLACE:
        return _declares_it_again(document, repaired)
    if not in_same_type(asked, path):
        return False
    (name, parameters), (other, standing) = _member(asked), _member(path)
    if repaired.operation is Operation.DELETE:
        return name == other and parameters in ("", standing)
    return (not parameters or bool(standing)) and is_one_slip(_plain(name), _plain(other))


def in_same_type(asked: str, path: str) -> bool:
    """Whether two paths name the same type around their members, as far as both say it."""
    one, other = _types(asked), _types(path)
    return not one or not other or is_one_slip(one[-1], other[-1])


def is_one_slip(one: str, other: str) -> bool:
    """Whether a name is the other one but for the case, one letter, or two that changed places.

    A plural is no slip.
    """
    one, other = one.casefold(), other.casefold()
    if one == other:
        return True
    if min(len(one), len(other)) < _LEAST or f"{one}s" == other or one == f"{other}s":
        return False
    top, bottom = common_ends(list(one), list(other))
    left, right = one[top : len(one) - bottom], other[top : len(other) - bottom]
    return max(len(left), len(right)) <= 1 or (len(left) == 2 and left == right[::-1])


def _declares_it_again(document: Document, repaired: Instruction) -> bool:
    """Whether the new text declares the very symbol that it would replace."""
    resolved = resolve_anchor(document, repaired.anchor)
    if not isinstance(resolved, Resolved) or resolved.declaration is None:
        return False
    path, (start, end) = resolved.declaration.path, resolved.declaration.full
    view = document.source.view
    if any(each.path == path and each.full.start != start for each in declarations(document)):
        return False
    text = view[:start] + repaired.new_text + view[end:]
    source = decode(text.encode())
    if isinstance(source, SnippetError):
        return False
    after = document.alike(source)
    within = start + len(repaired.new_text)
    return any(
        each.path == path and start <= each.full.start <= within for each in declarations(after)
    )


def _types(path: str) -> list[str]:
    return [_plain(each) for each in _parts(path)[:-1] if each]  # ``..ctor()`` has an empty one


def _member(path: str) -> tuple[str, str]:
    """The name of a path's last part, with type parameters, and its parameter list."""
    last = _parts(path)[-1]
    at = min((last.find(each) for each in "([" if each in last), default=len(last))
    return last[:at].strip(), "".join(last[at:].split())


def _plain(name: str) -> str:
    return _ARGUMENTS.sub("", name.partition("(")[0]).strip()


def _parts(path: str) -> list[str]:
    """A path's parts, parted at the dots that stand in no brackets."""
    parts, depth = [""], 0
    for each in path[:1000]:
        depth += (each in "(<[") - (each in ")>]")
        if each == "." and depth <= 0:
            parts.append("")
        else:
            parts[-1] += each
    return parts


_WORD = re.compile(r"\w+")


def has_its_parameters(document: Document, instruction: Instruction) -> bool:
    """Whether ``document`` declares what the path of ``instruction`` names, but for parameters that
    its target takes away or its new text puts there.

    False for an anchor without a target, or a path without parameters.
    """
    anchor = instruction.anchor
    asked = _parameters(anchor.symbol_path or "")
    if anchor.target is None or asked is None:
        return False
    name, types = asked
    is_insertion = instruction.operation is Operation.INSERT
    goes = set() if is_insertion else {*_WORD.findall(anchor.target)}
    comes = {*_WORD.findall(instruction.new_text)}
    for each in declarations(document):
        if each.name != name:
            continue
        declared = _parameters(each.path)
        changes = hunks(types, declared[1]) if declared is not None else []
        if declared is None or len(changes) != 1:
            continue
        (change,) = changes
        gone = types[change.start : change.end]
        put = declared[1][change.other_start : change.other_end]
        if _are_in(gone, goes) and _are_in(put, comes):
            return True
    return False


def renamed_to(document: Document, path: str) -> list[str]:
    """Return the paths of symbols with the parameters of ``path`` and a longer or shorter name.

    They are in the same type. Empty for a path without parameters.
    """
    asked = _parameters(path)
    if asked is None or not asked[1]:
        return []
    name, types = asked
    return [
        each.path
        for each in declarations(document)
        if each.name != name
        and (name in each.name or each.name in name)
        and (declared := _parameters(each.path)) is not None
        and [*declared[1]] == [*types]
        and in_same_type(path, each.path)
    ]


def _parameters(path: str) -> tuple[str, Sequence[str]] | None:
    """The name of a path's last part, and the types of its parameters, if it says them."""
    parts = parse_symbol_path(path)
    if isinstance(parts, SymbolPathProblem) or parts[-1].parameters is None:
        return None
    return parts[-1].name, parts[-1].parameters


def _are_in(types: Sequence[str], words: set[str]) -> bool:
    """Whether all words of some types are among ``words``."""
    return all(word in words for each in types for word in _WORD.findall(each))
