"""Run ``git``. Find moved scripts by their GUIDs, and changes that a bundle can't make.

Part of docs/design/command-line.md ``bundle``. Nothing here writes. git finds moves by similar
texts, and none among files that it doesn't track yet; Unity identifies a script by the GUID in its
``.meta``.
"""

from __future__ import annotations

import os
import secrets
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from snippet_engine.changes.between import NotMade, ScriptChange
from snippet_engine.storage.paths.project import META, why_too_long
from snippet_engine.storage.paths.request_path import why_not_sent
from snippet_engine.storage.system.names import why_not_portable

TIMEOUT_S = 60


def git_output(folder: Path, *arguments: str, given: bytes | None = None) -> bytes:
    """Run git in a folder and return its output. Raises the errors of ``subprocess.run``."""
    return subprocess.run(
        ["git", "-C", str(folder), *arguments],
        input=given,
        capture_output=True,
        timeout=TIMEOUT_S,
        check=True,
        env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
    ).stdout


def is_commit(project: Path, name: str) -> bool:
    """Return whether ``name`` is a commit; false if git can't say."""
    try:
        found = git_output(project, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    except (OSError, subprocess.SubprocessError):
        return False
    return not found.startswith(b"^")  # ^A is everything but A's ancestors


def object_contents(folder: Path, objects: Sequence[str]) -> dict[str, bytes]:
    """Return the contents of git objects by name. Missing objects are left out."""
    given = "".join(f"{name}\n" for name in objects).encode("utf-8", "surrogateescape")
    out = git_output(folder, "cat-file", "--batch", given=given) if objects else b""
    found: dict[str, bytes] = {}
    at = 0
    for name in objects:
        end = out.index(b"\n", at)
        header = out[at:end].split(b" ")
        at = end + 1
        if header[-1] != b"missing":  # else it is in the working tree only
            size = int(header[2])
            found[name] = out[at : at + size]
            at += size + 1
    return found


def as_checked_out(
    project: Path, wanted: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], bytes]:
    """Return contents, by object name and project path, as a checkout would write them.

    git may convert line endings and encodings. Files that git can't convert are omitted.
    """
    asked = sorted(each for each in wanted if "\n" not in each[1])  # git reads lines
    if not asked:
        return {}
    root = git_output(project, "rev-parse", "--show-prefix").removesuffix(b"\n")
    # git reports the stored size, not the size of its output. A missing object marks each end.
    end = f"end-{secrets.token_hex(16)}".encode()
    given = b"".join(
        b"%s %s%s\n%s\n" % (name.encode(), root, path.encode("utf-8", "surrogateescape"), end)
        for name, path in asked
    )
    out = git_output(project, "cat-file", "--batch", "--filters", given=given)
    found: dict[tuple[str, str], bytes] = {}
    for each, answer in zip(asked, out.split(end + b" missing\n"), strict=False):
        header, _, content = answer.partition(b"\n")
        if header.split(b" ")[1:2] == [b"blob"]:
            found[each] = content.removesuffix(b"\n")
    return found


def moved_by_guids(
    scripts: Sequence[ScriptChange], was: Mapping[str, str | None], is_: Mapping[str, str | None]
) -> list[ScriptChange]:
    """Return ``scripts`` with each new script joined to the old one that had its GUID.

    ``was`` and ``is_`` are the GUIDs by the paths of the ``.meta`` files, before and after. For a
    script without a GUID on either side, git decides; one whose two GUIDs differ did not move.
    """
    old = {each.path: each.old for each in scripts if each.old is not None}
    made_of = _sources(scripts, old, was, is_)
    used = set(made_of.values())
    found: list[ScriptChange] = []
    for each in scripts:
        if each.path in old and each.path not in used:
            found.append(ScriptChange(each.path, old[each.path], None))
        if each.new is not None:
            path = made_of.get(each.place)
            if path is None:
                found.append(ScriptChange(each.place, None, each.new))
            else:
                new_path = each.place if path != each.place else None
                found.append(ScriptChange(path, old[path], each.new, new_path))
    return found


def _sources(
    scripts: Sequence[ScriptChange],
    old: Mapping[str, bytes],
    was: Mapping[str, str | None],
    is_: Mapping[str, str | None],
) -> dict[str, str]:
    """Return the old path of each script that existed before, by its new path."""
    new = [each for each in scripts if each.new is not None]
    sources: dict[str, str] = {}
    free = set(old)

    def take(path: str, place: str) -> None:
        sources[place] = path
        free.remove(path)

    for each in new:  # these first: a copy has the same GUID
        guid = is_.get(each.place + META)
        if each.path in free and guid is not None and was.get(each.path + META) == guid:
            take(each.path, each.place)
    by_guid = {
        guid: path
        for path in reversed(list(old))
        if path in free and (guid := was.get(path + META)) is not None
    }
    for each in new:
        guid = is_.get(each.place + META)
        if each.place not in sources and guid is not None and by_guid.get(guid) in free:
            take(by_guid[guid], each.place)
    for each in new:
        if each.place not in sources and each.path in free:
            guids = {was.get(each.path + META), is_.get(each.place + META)} - {None}
            if each.path == each.place or len(guids) < 2:
                take(each.path, each.place)
    return sources


def why_not_named(script: ScriptChange) -> NotMade | None:
    """Return why a path can't be in a request, or can't exist on Windows; ``None`` if it can.

    A folder that existed before the change may keep its name.
    """
    for path in (script.path, script.place):
        why = why_not_sent(path)
        if why is not None:
            return script.not_made(path, f"its path {why}")
    if script.old is not None and script.new_path is None:
        return None
    names = script.place.split("/")
    why = why_too_long(names) or why_not_portable(names)
    return None if why is None else script.not_made(script.place, f"its path {why}")


def metas_left_out(
    scripts: Iterable[ScriptChange],
    before: Mapping[str, bytes | None],
    after: Mapping[str, bytes | None],
) -> tuple[str, ...]:
    """Return, sorted, the ``.meta`` files that ``scripts`` don't bring to their state in ``after``.

    A change set moves a script's ``.meta`` along and deletes it with its script; it neither creates
    nor changes one. ``before`` and ``after`` are the contents; ``None`` if the file doesn't exist.
    """
    made = dict(before)
    leaving = [each for each in scripts if each.new is None or each.new_path is not None]
    made |= dict.fromkeys([each.path + META for each in leaving])
    # Add after removing: one script may move to a path that another leaves.
    made |= {
        each.place + META: before[each.path + META]
        for each in leaving
        if each.new is not None and before.get(each.path + META) is not None
    }
    return tuple(path for path in sorted(after) if made.get(path) != after[path])
