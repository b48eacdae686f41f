"""What git says has changed of a project's scripts, between two states of it.

Part of docs/design/command-line.md ``bundle``. Asks the ``git`` program, and writes nothing.
Contents are as a checkout has them; an edit of a bundle takes the line endings that the file has.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcp_server.bundles.bundle_names import why_not_named
from mcp_server.bundles.git_checkout import as_checked_out, ends_lines_as
from mcp_server.bundles.git_places import without_crowded
from mcp_server.bundles.git_program import TIMEOUT_S, TreeEntry, git_output, tree_of
from mcp_server.bundles.moved_scripts import told_by_guids
from mcp_server.bundles.script_metas import metas_left_out
from snippet_engine.changes.between import NotMade, ScriptChange, without_dependents
from snippet_engine.storage.change_sets.meta_files import guid_in
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.paths.project import META
from snippet_engine.storage.paths.request_path import SCRIPT_ROOTS
from snippet_engine.storage.system.plain_file import read_plain

_DOTS = re.compile(r"\.\.\.?")
"""Between the two ends of a range."""
_ANCESTOR = re.compile(r"([^~^]*)(?:[~^]\d*)+")
_REGULAR = ("100644", "100755")
NO_OBJECT = "0" * 40
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_FOUND_AS = ("--raw", "-z", "--no-abbrev", "--relative", "-M", "-r")


class _UnreadableError(Exception):
    """A file of the working tree can't be read; the message says which, and why."""


@dataclass(frozen=True, slots=True)
class GitError:
    """Why git gave no answer, in one line."""

    message: str


@dataclass(frozen=True, slots=True)
class Changed:
    """The scripts that changed; the ``others`` are files that no bundle holds.

    ``metas`` are those of scripts that no bundle makes as they are now; ``modes`` say which modes
    of ``scripts`` it doesn't. ``converted`` are deleted ones that git keeps in other bytes than a
    checkout here has.
    """

    scripts: tuple[ScriptChange, ...]
    metas: tuple[str, ...]
    others: tuple[str, ...]
    unmade: tuple[NotMade, ...]
    modes: tuple[str, ...] = ()
    converted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RawRow:
    """One line of git's raw diff; an empty path stands for no file."""

    old_path: str
    new_path: str
    old_object: str
    new_object: str
    is_regular: bool
    old_mode: str = _REGULAR[0]
    new_mode: str = _REGULAR[0]


def changed_scripts(project: Path, revision: str | None) -> Changed | GitError:
    """What a commit changed, or a range; without either, the working tree since HEAD.

    ``A..B`` is the way from one commit to the other, ``A...B`` that from where both set out.
    """
    if revision == "":
        return GitError("REV is empty (a variable that isn't set?). Say a commit, or leave it out.")
    if revision is not None and any(each.startswith("-") for each in _DOTS.split(revision)):
        return GitError(f"{revision} names no commit.")  # git would take it for an option
    try:
        no_repository = _not_in_a_repository(project)
        if no_repository is not None:
            return no_repository
        sides = _sides(project, revision)
        if isinstance(sides, GitError):
            return sides
        rows = list(raw_rows(git_output(project, "diff", *_FOUND_AS, *sides, "--", *SCRIPT_ROOTS)))
        if revision is None:
            rows += _untracked(project)
        scripts = [row for row in rows if _is_of_script(row.old_path, row.new_path)]
        is_any_new = any(
            row.new_path not in ("", row.old_path) or _is_meta(row.new_path) for row in scripts
        )
        tree = tree_of(project, sides[0]) if is_any_new else {}
        same = _same_metas(scripts, tree)
        wanted = {row.old_object for row in scripts} | {row.new_object for row in scripts}
        wanted |= set(same.values())
        contents = dict(object_contents(project, sorted(wanted - {NO_OBJECT})))
        kept = {path: guid_in(contents.get(name)) for path, name in same.items()}
        files = as_checked_out(project, _kept_scripts(rows))
        return _changed(project, tree, rows, contents, kept, files)
    except _UnreadableError as error:
        return GitError(f"{error}.")
    except FileNotFoundError:
        return GitError("git was not found on this machine.")
    except subprocess.TimeoutExpired:
        return GitError(f"git did not answer within {TIMEOUT_S} s.")
    except subprocess.CalledProcessError as error:
        return GitError(f"git: {_said(error)}{_no_commit(project, revision)}")


def _no_commit(project: Path, revision: str | None) -> str:
    """Which side of ``revision`` is no commit, if one isn't, and what to give instead."""
    if revision is None:
        return ""
    if not _has_commits(project):
        return ". There is no commit yet: without REV, the working tree is taken as it is"
    unknown = [each for each in _DOTS.split(revision) if each and not _is_commit(project, each)]
    return f". {_said_of(unknown[0], project)}" if unknown else ""


def _said_of(named: str, project: Path) -> str:
    """That what is ``named`` is no commit, and what to give instead."""
    ancestor = _ANCESTOR.fullmatch(named)
    start = (ancestor[1] or "HEAD") if ancestor else named
    if start != named and _is_commit(project, start):
        return (
            f"{start} has no such ancestor as {named}: REV alone, as {start}, "
            "means what that commit changed, of a first commit everything"
        )
    return (
        f"{named} is no commit of {project}: git log --oneline lists them; without REV, it is "
        "the working tree since HEAD"
    )


def listing_command(revision: str | None) -> str:
    """What lists every file that :func:`changed_scripts` saw, to be typed."""
    if revision is None:
        return "git status --short --untracked-files=all"
    show = "diff" if ".." in revision else "show -m --first-parent"
    return f"git {show} --name-only {shlex.quote(revision)}"


def why_nothing(project: Path, revision: str | None) -> str:
    """Why :func:`changed_scripts` found no change of a script, and what to do instead."""
    where = " or ".join(str(project / root) for root in SCRIPT_ROOTS)
    what = f"No script has changed below {where} " + (
        "since the last commit."
        if revision is None
        else f"in {repr(revision) if revision.endswith('.') else revision}."
    )
    if not _ignores_scripts(project):
        return what
    return (
        f"{what} git ignores scripts there: "
        "unity-cli bundle from-history makes a bundle of what was done with these tools."
    )


def _ignores_scripts(project: Path) -> bool:
    """Whether git is told to leave alone scripts of the project; not where it doesn't say."""
    arguments = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard")
    try:
        listed = git_output(project, *arguments, "--", *SCRIPT_ROOTS)
    except (OSError, subprocess.SubprocessError):
        return False
    return any(_is_script(path) for path in listed.decode(errors="replace").split("\0"))


def _said(error: subprocess.CalledProcessError) -> str:
    """The first line of what git said."""
    lines = error.stderr.decode(errors="replace").strip().splitlines()
    return lines[0] if lines else f"exit code {error.returncode}"


def _not_in_a_repository(project: Path) -> GitError | None:
    """Why the project can't be compared; git's diff would compare plain folders where it can."""
    try:
        git_output(project, "rev-parse", "--show-toplevel")
    except subprocess.CalledProcessError as error:
        if "not a git repository" not in _said(error):
            raise
        return GitError(
            "The project is in no git repository, so there is nothing to compare it with. "
            "unity-cli bundle from-history makes a bundle of what was done with these tools."
        )
    return None


def _has_commits(project: Path) -> bool:
    return _is_commit(project, "HEAD")


def _is_commit(project: Path, name: str) -> bool:
    try:
        found = git_output(project, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    except (OSError, subprocess.SubprocessError):
        return False
    return not found.startswith(b"^")  # ^A is all that A doesn't lead to


def _sides(project: Path, revision: str | None) -> Sequence[str] | GitError:
    """What git compares: one name for the working tree against it, else two.

    git would compare trees and files, too; their paths are not the project's.
    """
    if revision is None:
        return ("HEAD",) if _has_commits(project) else (EMPTY_TREE,)
    dots = _DOTS.search(revision)
    if dots is not None:
        if dots[0] == revision:
            return GitError(
                f"{revision!r} names no commit on either side. Say one, as HEAD~2..HEAD."
            )
        before, after = revision[: dots.start()] or "HEAD", revision[dots.end() :] or "HEAD"
        if _has_commits(project):
            none = [each for each in (before, after) if not _is_commit(project, each)]
            if none:
                return GitError(f"{_said_of(none[0], project)}.")
        if dots[0] == "..":
            return (before, after)
        return (git_output(project, "merge-base", before, after).decode().strip(), after)
    parents = (
        git_output(project, "rev-list", "--parents", "-n", "1", revision, "--").decode().split()
    )
    if not parents:
        return GitError(f"{_said_of(revision, project)}.")
    return (parents[1] if len(parents) > 1 else EMPTY_TREE, parents[0])


def _untracked(project: Path) -> Iterator[RawRow]:
    """Files that git doesn't know yet, and isn't told to leave alone."""
    listed = git_output(
        project, "ls-files", "-z", "--others", "--exclude-standard", "--", *SCRIPT_ROOTS
    )
    for path in listed.decode("utf-8", "surrogateescape").split("\0"):
        if path:
            is_regular = (project / path).is_file() and not (project / path).is_symlink()
            yield RawRow("", path, NO_OBJECT, NO_OBJECT, is_regular)


def raw_rows(raw: bytes) -> Iterator[RawRow]:
    """The lines of git's raw diff with ``-z``, renames found."""
    fields = iter(raw.decode("utf-8", "surrogateescape").split("\0"))
    for field in fields:
        if not field.startswith(":"):
            return
        old_mode, new_mode, old_object, new_object, status = field[1:].split(" ")
        first = next(fields)
        second = next(fields) if status[0] in "RC" else first
        regular = all(mode in (*_REGULAR, "000000") for mode in (old_mode, new_mode))
        if status[0] == "C":  # a copy is a new file
            first, old_object = "", NO_OBJECT
        elif status[0] == "A":
            first = ""
        elif status[0] == "D":
            second = ""
        if not first:
            old_mode = _REGULAR[0]  # as a new file is made
        yield RawRow(first, second, old_object, new_object, regular, old_mode, new_mode)


def object_contents(folder: Path, objects: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Each object's name and content; those that aren't in the repository are left out."""
    if not objects:
        return
    given = "".join(f"{name}\n" for name in objects).encode()
    out = git_output(folder, "cat-file", "--batch", given=given)
    at = 0
    for name in objects:
        end = out.index(b"\n", at)
        header = out[at:end].split(b" ")
        at = end + 1
        if header[-1] == b"missing":
            continue  # it is in the working tree only
        size = int(header[2])
        yield name, out[at : at + size]
        at += size + 1


def _changed(
    project: Path,
    tree: Mapping[str, TreeEntry],
    rows: Sequence[RawRow],
    contents: dict[str, bytes],
    kept: Mapping[str, str | None],
    files: Mapping[tuple[str, str], bytes],
) -> Changed:
    """``tree`` is what was there before, if anything is new; ``kept`` are GUIDs that stayed.

    ``files`` are the scripts of ``contents`` as they are in a checkout.
    """
    scripts: list[ScriptChange] = []
    converted: set[str] = set()
    others: list[str] = []
    unmade: list[NotMade] = []
    for row in rows:
        path = row.new_path or row.old_path
        was, is_ = _is_script(row.old_path), _is_script(row.new_path)
        if not was and not is_:
            if not _is_of_script(path):
                others.append(path)
            continue
        if not row.is_regular:
            paths = (row.old_path or path, row.new_path or path)
            told = "it is, or becomes, something else than a regular file"
            unmade.append(NotMade(path, told, paths))
            continue
        # A script that was, or becomes, another kind of file is made, or goes.
        old = contents.get(row.old_object) if was else None
        new = _new_content(project, row, contents) if is_ else None
        new = files.get((row.new_object, row.new_path), new)
        file = files.get((row.old_object, row.old_path))
        if old is not None and file is not None and file != old:
            converted.add(row.old_path)
            old = file if new is None else ends_lines_as(new, file, old)
        if was and is_ and row.old_path != row.new_path:
            scripts.append(ScriptChange(row.old_path, old, new, row.new_path))
        else:
            scripts.append(ScriptChange(row.new_path if is_ else row.old_path, old, new))
    before = {
        row.old_path: _meta_text(contents.get(row.old_object))
        for row in rows
        if _is_meta(row.old_path)
    }
    after = {
        row.new_path: _meta_text(_new_content(project, row, contents)) if row.is_regular else b""
        for row in rows
        if _is_meta(row.new_path)
    }
    had = {**kept, **{path: guid_in(meta) for path, meta in before.items()}}
    has = {**kept, **{path: guid_in(meta) for path, meta in after.items()}}
    named: list[ScriptChange] = []
    for script in told_by_guids(scripts, had, has):
        why_not = why_not_named(script, tree.__contains__)
        if why_not is None:
            named.append(script)
        else:
            unmade.append(why_not)
    named, hanging = without_dependents(named, unmade)
    named, crowded = without_crowded(named, tree)
    unmade += [*hanging, *crowded]
    # Of a path that one side doesn't name there is nothing there.
    metas = metas_left_out(named, before, dict.fromkeys(before) | after)
    old_modes = {row.old_path: row.old_mode for row in rows}
    new_modes = {row.new_path: row.new_mode for row in rows}
    modes: list[str] = []
    for script in list(named):
        mode = None if script.new is None else _mode_changed(script, old_modes, new_modes)
        if mode is None:
            continue
        if script.old == script.new and script.new_path is None:
            named.remove(script)
            unmade.append(script.not_made(script.path, f"its mode alone changes ({mode})"))
        else:
            modes.append(f"{script.place} ({mode})")
    gone = tuple(each.path for each in named if each.new is None and each.path in converted)
    return Changed(tuple(named), metas, tuple(others), tuple(unmade), tuple(modes), gone)


def _kept_scripts(rows: Sequence[RawRow]) -> set[tuple[str, str]]:
    """The scripts of which git has the content: its name, and where they are."""
    sides = [
        each
        for row in rows
        if row.is_regular
        for each in ((row.old_object, row.old_path), (row.new_object, row.new_path))
    ]
    return {(name, path) for name, path in sides if name != NO_OBJECT and _is_script(path)}


def _mode_changed(
    script: ScriptChange, old_modes: Mapping[str, str], new_modes: Mapping[str, str]
) -> str | None:
    """How a script's mode differs from that which it has once a bundle was applied."""
    had = _REGULAR[0] if script.old is None else old_modes.get(script.path, _REGULAR[0])
    has = new_modes.get(script.place, _REGULAR[0])
    return None if had == has else f"{had} becomes {has}"


def _same_metas(rows: Sequence[RawRow], tree: Mapping[str, TreeEntry]) -> dict[str, str]:
    """The ``.meta`` files that stay as they are where git says that a script has moved."""
    changed = {path for row in rows for path in (row.old_path, row.new_path)}
    moved = [row for row in rows if row.old_path and row.new_path not in ("", row.old_path)]
    metas = {path + META for row in moved for path in (row.old_path, row.new_path)}
    return {path: tree[path].name for path in metas if path in tree and path not in changed}


def _new_content(project: Path, row: RawRow, contents: dict[str, bytes]) -> bytes | None:
    known = contents.get(row.new_object)
    if known is not None:
        return known
    try:
        return read_plain(project / row.new_path)
    except OSError as error:
        raise _UnreadableError(f"{row.new_path} can't be read: {reason_of(error)}") from error


def _meta_text(content: bytes | None) -> bytes | None:
    """A ``.meta``'s content, the same whichever line endings git or the system gives it."""
    return None if content is None else content.replace(b"\r\n", b"\n")


def _is_of_script(*paths: str) -> bool:
    """Whether one of the paths is a script's, or its ``.meta``'s."""
    return any(_is_script(path.removesuffix(META)) for path in paths)


def _is_meta(path: str) -> bool:
    return path.endswith(META) and _is_of_script(path)


def _is_script(path: str) -> bool:
    return path.endswith(".cs") and path.partition("/")[0] in SCRIPT_ROOTS
