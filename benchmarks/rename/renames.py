"""Does the server rename as Roslyn's ``Renamer`` does, and lead a rename back to the same bytes?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from pygls.exceptions import JsonRpcException

from benchmarks.rename.served import ServedNames
from benchmarks.rename.workspace import Declared, Workspace


def compare_renames(
    root: Path, workspace: Workspace, server: ServedNames, drawn: Sequence[Declared]
) -> Iterator[tuple[Declared, str]]:
    """Yield each symbol with the outcome of a rename to a new name.

    ``equal``: the same texts; ``refused: CODE``; ``differs: FILES``.
    """
    for each in drawn:
        name = f"{each.name}Zq"
        try:
            answer = server.rename(*each.place, name)
        except JsonRpcException as error:
            yield each, f"failed: {error}"
            continue
        if answer.conflicts:
            yield each, f"refused: {answer.conflicts[0].code}"
            continue
        truth = workspace.rename(each.place, name)
        if isinstance(truth, str):
            yield each, f"differs: {truth}"
            continue
        ours = applied(root, answer)
        wrong = sorted(
            path
            for path in {*truth, *ours}
            if truth.get(path, "") != ours.get(path, "")
            and not _differs_in_excluded(workspace, path, answer)
        )
        yield each, f"differs: {_first_difference(wrong[0], truth, ours)}" if wrong else "equal"


def _first_difference(path: str, truth: Mapping[str, str], ours: Mapping[str, str]) -> str:
    """Return the first line that differs, as Roslyn and as we have it."""
    pairs = zip_longest(truth.get(path, "").splitlines(), ours.get(path, "").splitlines())
    for number, (one, other) in enumerate(pairs, 1):
        if one != other:
            return f"{path}:{number}: Roslyn {(one or '').strip()!r}, we {(other or '').strip()!r}"
    return path


def _differs_in_excluded(workspace: Workspace, path: str, answer: Any) -> bool:
    """Return whether some of a file's edits stand in code that only other symbols compile."""
    return any(
        workspace.is_excluded((path, edit.line, edit.character))
        for file in answer.edits
        if file.path == path
        for edit in file.edits
    )


def applied(root: Path, answer: Any) -> dict[str, str]:
    """Return the texts after a rename, by path."""
    texts: dict[str, str] = {}
    for file in answer.edits:
        text = (root / file.path).read_bytes().decode("utf-8-sig")
        starts = [0]
        for line in text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        for edit in reversed(file.edits):
            start = starts[edit.line] + edit.character
            end = starts[edit.endLine] + edit.endCharacter
            text = text[:start] + edit.newText + text[end:]
        texts[file.path] = text
    return texts
