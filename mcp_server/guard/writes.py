"""Which scripts of the project a tool call writes, and what it writes there.

The text is rebuilt as the client would; ``None`` if that is uncertain: it may have changed, or not.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcp_server.guard.events import GuardEvent, Patch, Replace, Replacement, Whole
from mcp_server.guard.patch import FilePatch, patched, read_patch
from snippet_engine.errors import SnippetError
from snippet_engine.project_settings import DEFINITIONS
from snippet_engine.source_text import decode
from snippet_engine.storage.paths.project import Project

MAX_SCRIPTS = 50
"""Most scripts of one call that are looked at."""


@dataclass(frozen=True, slots=True)
class ScriptWrite:
    """One script of the project, by its relative path."""

    path: str
    before: bytes | None
    """Its content; ``None`` if there is no such file."""
    after: bytes | None
    """What the tool writes; ``None`` if that isn't known, or the file is deleted."""


def project_path(project: Project, given: str, cwd: str) -> str | None:
    """Return the project-relative path of the script that a client names; ``None`` if it is none.

    The file need not exist.
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
    """Return the assembly definitions and the like that an event's tool writes."""
    root = os.path.realpath(project.root)
    places = (os.path.realpath(Path(event.cwd or os.sep) / each) for each in _named(event))
    return [
        each[len(root) + 1 :].replace(os.sep, "/")
        for each in dict.fromkeys(places)
        if each.startswith(root + os.sep) and each.endswith(DEFINITIONS)
    ]


def paths_of(event: GuardEvent, project: Project) -> list[str]:
    """Return the scripts that an event's tool writes."""
    found = (project_path(project, each, event.cwd) for each in _named(event))
    return list(dict.fromkeys(each for each in found if each is not None))


def _named(event: GuardEvent) -> list[str]:
    """Return the paths that an event's tool writes, as the client gives them."""
    named: list[str] = []
    for each in event.writes:
        if isinstance(each, Patch):
            for file in read_patch(each.text) or ():
                named += [file.path, *([file.move_to] if file.move_to else [])]
        else:
            named.append(each.path)
    return [each for each in named[:MAX_SCRIPTS] if "\0" not in each and len(each) <= 4096]


def script_writes(event: GuardEvent, project: Project) -> list[ScriptWrite]:
    """Return what an event's tool is about to write, as far as it can be rebuilt."""
    found: dict[str, ScriptWrite] = {}

    def add(given: str, text_after: Callable[[bytes | None], bytes | None]) -> None:
        path = project_path(project, given, event.cwd)
        if path is None or (path not in found and len(found) == MAX_SCRIPTS):
            return
        known = found.get(path)
        if known is None:
            before = content(project, path)
            found[path] = ScriptWrite(path, before, text_after(before))
        else:  # several edits of one file, one after the other
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
    """Yield the paths that a patch of one file writes, each with its bytes afterwards."""
    if file.added is not None:
        yield file.path, whole(file.added)
        return
    path = project_path(project, file.path, event.cwd)
    before = None if path is None else content(project, path)
    after = None if before is None or file.is_deleted else _hunks_applied(before, file)
    yield file.path, after  # one that moves is judged where it was, with the errors it had there
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
    """Return a script's bytes now; ``None`` if there is no such file, or it can't be read."""
    script = project.locate(path)
    if isinstance(script, SnippetError):
        return None
    snapshot = script.read()
    return None if isinstance(snapshot, SnippetError) else snapshot.data


MAX_SEARCHED_BYTES = 200_000_000
"""Most bytes that the replacements in one file may search."""


def whole(text: str) -> bytes | None:
    """Return the bytes of a file that the tool writes whole; ``None`` if UTF-8 can't hold the
    text."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return None


def replaced(before: bytes | None, edits: Sequence[Replacement]) -> bytes | None:
    """Return the file after exact replacements, one after the other.

    Clients match text with LF line endings even in a file with others. An empty text to replace
    means that the file is new or empty.
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
