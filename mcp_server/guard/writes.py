"""Which scripts of the project a tool call writes, and with which text.

The text is rebuilt as the client would do it. It is ``None`` if that isn't certain. ``apply_patch``
works as in Codex: each hunk is searched from the end of the last one. Its lines are compared
exactly, then without trailing white space. Then they are compared without white space at both ends,
and finally with plain quotes and dashes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcp_server.guard.events import GuardEvent, Patch, Replace, Replacement, Whole
from snippet_engine.errors import SnippetError
from snippet_engine.project_settings import DEFINITIONS
from snippet_engine.source_text import decode
from snippet_engine.storage.paths.project import Project

BEGIN, END = "*** Begin Patch", "*** End Patch"
_ADD, _DELETE, _UPDATE = "*** Add File: ", "*** Delete File: ", "*** Update File: "
_MOVE, _END_OF_FILE = "*** Move to: ", "*** End of File"

MAX_FILES = 100
MAX_COMPARED_LINES = 2_000_000


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of a patch: ``old`` is replaced by ``new``."""

    context: str | None
    """A line above the hunk, below which the search begins."""
    old: tuple[str, ...]
    new: tuple[str, ...]
    is_last: bool = False


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
    """Return what a patch does to each file; ``None`` if the text isn't a valid patch."""
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
    """Return ``text`` with the hunks applied; ``None`` if a hunk matches nowhere."""
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
            # An empty last line stands for the line break at the file's end.
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
    """Finds lines in a file, with a limited number of comparisons."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._left = MAX_COMPARED_LINES
        self._forms: dict[int, list[str]] = {}

    def find(self, wanted: Sequence[str], start: int, *, is_last: bool) -> int | None:
        """Return the first index at or after ``start`` where the lines ``wanted`` are.

        If ``is_last``, the end of the file is tried first.
        """
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


MAX_SCRIPTS = 50


@dataclass(frozen=True, slots=True)
class ScriptWrite:
    """A write to one script of the project."""

    path: str
    before: bytes | None
    """The present text; ``None`` if there is no such file."""
    after: bytes | None
    """The text that the tool writes; ``None`` if it isn't known, or the file is deleted."""


def project_path(project: Project, given: str, cwd: str) -> str | None:
    """Return the project-relative path of a script that a client names relative to ``cwd``.

    ``None`` if it isn't a script of the project. The file need not exist.
    """
    if not given.endswith(".cs") or "\0" in given or len(given) > 4096:
        return None
    place = os.path.normpath(Path(cwd or os.sep) / given)
    for form in (place, os.path.realpath(place)):
        for root in {str(project.root), os.path.realpath(project.root)}:
            if form.startswith(root + os.sep):
                relative = form[len(root) + 1 :].replace(os.sep, "/")
                found = project.locate_new(relative)
                if not isinstance(found, SnippetError):
                    return found.canonical
    return None


def settings_of(event: GuardEvent, project: Project) -> list[str]:
    """Return the assembly definitions and similar files that the event's tool writes."""
    root = os.path.realpath(project.root)
    places = (os.path.realpath(Path(event.cwd or os.sep) / each) for each in _named(event))
    return [
        each[len(root) + 1 :].replace(os.sep, "/")
        for each in dict.fromkeys(places)
        if each.startswith(root + os.sep) and each.endswith(DEFINITIONS)
    ]


def paths_of(event: GuardEvent, project: Project) -> list[str]:
    """Return the scripts that the event's tool writes."""
    found = (project_path(project, each, event.cwd) for each in _named(event))
    return list(dict.fromkeys(each for each in found if each is not None))


def _named(event: GuardEvent) -> list[str]:
    """Return all paths that the event's tool writes, as the client sent them."""
    named: list[str] = []
    for each in event.writes:
        if isinstance(each, Patch):
            for file in read_patch(each.text) or ():
                named += [file.path, *([file.move_to] if file.move_to else [])]
        else:
            named.append(each.path)
    return [each for each in named[:MAX_SCRIPTS] if "\0" not in each and len(each) <= 4096]


def script_writes(event: GuardEvent, project: Project) -> list[ScriptWrite]:
    """Return the writes of the event's tool, with their new texts as far as known."""
    found: dict[str, ScriptWrite] = {}

    def add(given: str, text_after: Callable[[bytes | None], bytes | None]) -> None:
        path = project_path(project, given, event.cwd)
        if path is None or (path not in found and len(found) == MAX_SCRIPTS):
            return
        known = found.get(path)
        if known is None:
            before = content(project, path)
            found[path] = ScriptWrite(path, before, text_after(before))
        else:  # another edit of the same file
            after = None if known.after is None else text_after(known.after)
            found[path] = ScriptWrite(path, known.before, after)

    for each in event.writes:
        if isinstance(each, Whole):
            text = whole(each.text)
            add(each.path, lambda _, text=text: text)  # type: ignore[misc]
        elif isinstance(each, Replace):
            edits = each.edits
            add(each.path, lambda before, edits=edits: replaced(before, edits))  # type: ignore[misc]
        elif isinstance(each, Patch):
            for file in read_patch(each.text) or ():
                for path, after in _patched_files(file, event, project):
                    add(path, lambda _, after=after: after)  # type: ignore[misc]
        else:
            add(each.path, lambda _: None)
    return list(found.values())


def _patched_files(
    file: FilePatch, event: GuardEvent, project: Project
) -> Iterator[tuple[str, bytes | None]]:
    """Yield each path that the patch of one file writes, with its new bytes.

    The bytes are ``None`` if the file is deleted there or moved there, or if they aren't known.
    """
    if file.added is not None:
        yield file.path, whole(file.added)
        return
    path = project_path(project, file.path, event.cwd)
    before = None if path is None else content(project, path)
    after = None if before is None or file.is_deleted else _hunks_applied(before, file)
    yield file.path, after  # a moved file is judged at its old path, against its old text
    if file.move_to is not None:
        yield file.move_to, None


def _hunks_applied(before: bytes, file: FilePatch) -> bytes | None:
    if not file.hunks:
        return before
    source = decode(before)
    if isinstance(source, SnippetError) or source.encoding.codec != "utf-8":
        return None
    text = patched(before.decode(), file.hunks)
    return None if text is None else whole(text)


def content(project: Project, path: str) -> bytes | None:
    """Return a script's present bytes; ``None`` if it doesn't exist or can't be read."""
    script = project.locate(path)
    if isinstance(script, SnippetError):
        return None
    snapshot = script.read()
    return None if isinstance(snapshot, SnippetError) else snapshot.data


MAX_SEARCHED_BYTES = 200_000_000


def whole(text: str) -> bytes | None:
    """Return ``text`` as UTF-8; ``None`` if UTF-8 can't encode it."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return None


def replaced(before: bytes | None, edits: Sequence[Replacement]) -> bytes | None:
    """Return ``before`` after exact replacements, one after the other; ``None`` if one fails.

    Clients match text with LF line endings even in a file with others. An empty ``old`` means that
    the file is new or empty.
    """
    if before is None or not before.strip():
        is_new = len(edits) == 1 and not edits[0].old.strip()
        return whole(edits[0].new) if is_new else None
    source = decode(before)
    if isinstance(source, SnippetError):
        return None
    if len(edits) * len(before) > MAX_SEARCHED_BYTES:
        return None
    bom, codec = source.encoding.bom, source.encoding.codec
    exact = before[len(bom) :].decode(codec)
    for text, as_sent in ((exact, str), (source.view, _with_lf)):
        found: str | None = text
        for each in edits:
            if found is not None:
                found = _one_replaced(found, as_sent(each.old), as_sent(each.new), each.everywhere)
        if found is not None:
            try:
                return bom + found.encode(codec)
            except UnicodeEncodeError:
                return None
    return None


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _one_replaced(text: str, old: str, new: str, everywhere: bool) -> str | None:
    if not old or old not in text:
        return None
    if everywhere:
        return text.replace(old, new)
    at = text.find(old)
    return None if text.find(old, at + 1) >= 0 else text[:at] + new + text[at + len(old) :]
