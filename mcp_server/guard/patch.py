"""Read the text of ``apply_patch``, and apply it as Codex does. Pure.

A hunk's place is searched from where the last one ended: its lines as they are, then without
trailing white space, then without any at the ends, then with plain quotes and dashes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

BEGIN, END = "*** Begin Patch", "*** End Patch"
_ADD, _DELETE, _UPDATE = "*** Add File: ", "*** Delete File: ", "*** Update File: "
_MOVE, _END_OF_FILE = "*** Move to: ", "*** End of File"

MAX_FILES = 100
"""Most files of a patch that are looked at."""

MAX_COMPARED_LINES = 2_000_000
"""Most lines that the search for one file's hunks compares."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that a patch replaces by others."""

    context: str | None
    """The line below which they are."""
    old: tuple[str, ...]
    new: tuple[str, ...]
    is_last: bool = False
    """Whether they are at the file's end."""


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a patch does to one file."""

    path: str
    added: str | None = None
    """The text of a new file. Without it and without ``hunks``, the file is moved or deleted."""
    hunks: tuple[Hunk, ...] = ()
    move_to: str | None = None
    is_deleted: bool = False


def read_patch(text: str) -> tuple[FilePatch, ...] | None:
    """Return what a patch does to each file; ``None`` if the text is no patch."""
    lines = text.strip().replace("\r\n", "\n").split("\n")
    if lines[0].strip() != BEGIN or lines[-1].strip() != END:
        return None
    files: list[FilePatch] = []
    rest = lines[1:-1]
    while rest:
        size = next((at for at in range(1, len(rest)) if _begins_file(rest[at])), len(rest))
        file = _file_patch(rest[0].strip(), rest[1:size])
        if file is None or len(files) == MAX_FILES:
            return None
        files.append(file)
        rest = rest[size:]
    return tuple(files)


def _begins_file(line: str) -> bool:
    return line.startswith((_ADD, _DELETE, _UPDATE))


def _file_patch(head: str, body: list[str]) -> FilePatch | None:
    if head.startswith(_ADD):
        if not all(each.startswith("+") for each in body):
            return None
        return FilePatch(head.removeprefix(_ADD), "".join(f"{each[1:]}\n" for each in body))
    if head.startswith(_DELETE):
        return None if body else FilePatch(head.removeprefix(_DELETE), is_deleted=True)
    if not head.startswith(_UPDATE):
        return None
    move_to = None
    if body and body[0].startswith(_MOVE):
        move_to = body[0].removeprefix(_MOVE).strip()
        body = body[1:]
    hunks = _hunks(body)
    if hunks is None or not (hunks or move_to):
        return None
    return FilePatch(head.removeprefix(_UPDATE), hunks=hunks, move_to=move_to)


def _hunks(body: Sequence[str]) -> tuple[Hunk, ...] | None:
    parts: list[list[str]] = []
    for line in body:
        if line == "@@" or line.startswith("@@ ") or not parts:
            parts.append([line] if line.startswith("@@") else ["@@", line])
        else:
            parts[-1].append(line)
    found = [_hunk(each) for each in parts if "".join(each).strip()]
    hunks = tuple(each for each in found if each is not None)
    return hunks if len(hunks) == len(found) else None


def _hunk(lines: Sequence[str]) -> Hunk | None:
    old: list[str] = []
    new: list[str] = []
    is_last = False
    for line in lines[1:]:
        if line == _END_OF_FILE:
            is_last = True
            continue
        if is_last and line:
            return None
        sign, rest = line[:1], line[1:]
        if sign not in ("", " ", "+", "-"):
            return None
        if sign != "+":
            old.append(rest)
        if sign != "-":
            new.append(rest)
    if not old and not new:
        return None
    return Hunk(lines[0][2:].strip() or None, tuple(old), tuple(new), is_last)


def patched(text: str, hunks: Sequence[Hunk]) -> str | None:
    """Return ``text`` after the hunks; ``None`` if one matches nowhere."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    search = _Search(lines)
    replacements = []
    at = 0
    for hunk in hunks:
        if hunk.context is not None:
            found = search.find((hunk.context,), at, is_last=False)
            if found is None:
                return None
            at = found + 1
        old, new = hunk.old, hunk.new
        if not old:
            replacements.append((len(lines), 0, new))
            continue
        found = search.find(old, at, is_last=hunk.is_last)
        if found is None and old[-1] == "":
            # It stands for the line break at the file's end.
            old, new = old[:-1], new[:-1] if new and new[-1] == "" else new
            found = search.find(old, at, is_last=hunk.is_last) if old else None
        if found is None:
            return None
        replacements.append((found, len(old), new))
        at = found + len(old)
    for start, count, new in sorted(replacements, reverse=True, key=lambda each: each[0]):
        lines[start : start + count] = new
    return "\n".join(lines) + "\n"


_PLAIN: Mapping[int, str] = {
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-"),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f"), '"'),
    **dict.fromkeys(map(ord, "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008"), " "),
    **dict.fromkeys(map(ord, "\u2009\u200a\u202f\u205f\u3000"), " "),
}

_FORMS: tuple[Callable[[str], str], ...] = (
    str,
    str.rstrip,
    str.strip,
    lambda line: line.strip().translate(_PLAIN),
)


class _Search:
    """Finds lines in a file, in bounded work."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._left = MAX_COMPARED_LINES
        self._forms: dict[int, list[str]] = {}

    def find(self, wanted: Sequence[str], start: int, *, is_last: bool) -> int | None:
        """Return the first place at or below ``start``; at the file's end first if ``is_last``."""
        most = len(self._lines) - len(wanted)
        if most < start:
            return None
        places = [most, *range(start, most)] if is_last else range(start, most + 1)
        for number, form in enumerate(_FORMS):
            have = self._in_form(number)
            ends = [form(each) for each in wanted]
            for at in places:
                self._left -= 1
                if have[at] == ends[0]:
                    self._left -= len(ends)
                    if have[at : at + len(ends)] == ends:
                        return at
                if self._left < 0:
                    return None
        return None

    def _in_form(self, number: int) -> list[str]:
        if number not in self._forms:
            self._forms[number] = [_FORMS[number](each) for each in self._lines]
        return self._forms[number]
