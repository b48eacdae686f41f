"""Ask git which scripts of a project changed between two states.

Part of docs/design/command-line.md ``bundle``. Writes nothing. Contents are those of a checkout; an
edit of a bundle uses the file's line endings.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcp_server.bundles.git_program import (
    TIMEOUT_S,
    as_checked_out,
    git_output,
    is_commit,
    metas_left_out,
    moved_by_guids,
    object_contents,
    why_not_named,
)
from snippet_engine.changes.between import NotMade, ScriptChange, without_dependents
from snippet_engine.storage.change_sets.meta_files import guid_in
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.paths.project import META
from snippet_engine.storage.paths.request_path import SCRIPT_ROOTS
from snippet_engine.storage.system.plain_file import read_plain

_DOTS = re.compile(r"\.\.\.?")
"""Separates the two ends of a range."""
_REGULAR = ("100644", "100755")
NO_OBJECT = "0" * 40
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_FORMAT = ("--raw", "-z", "--no-abbrev", "--relative", "-M", "-r")


class _UnreadableError(Exception):
    """A file of the working tree can't be read. The message names the file and the reason."""


@dataclass(frozen=True, slots=True)
class GitError:
    """Why git gave no answer, on one line."""

    message: str


@dataclass(frozen=True, slots=True)
class Changed:
    """The changed scripts, and the changes that a bundle can't contain."""

    scripts: tuple[ScriptChange, ...]
    metas: tuple[str, ...]
    """New or changed ``.meta`` files of scripts."""
    others: tuple[str, ...]
    """Other changed files."""
    unmade: tuple[NotMade, ...]
    """Scripts whose change a bundle can't make, each with the reason."""
    modes: tuple[str, ...] = ()
    """Changed file modes of ``scripts``, which a bundle can't set."""


@dataclass(frozen=True, slots=True)
class RawRow:
    """One line of git's raw diff. A path is empty if the file doesn't exist on that side."""

    old_path: str
    new_path: str
    old_object: str
    new_object: str
    is_regular: bool
    old_mode: str = _REGULAR[0]
    new_mode: str = _REGULAR[0]

    @property
    def sides(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Return the git object and the path of the file: before, then after."""
        return (self.old_object, self.old_path), (self.new_object, self.new_path)


def changed_scripts(project: Path, revision: str | None) -> Changed | GitError:
    """Return the changes of a commit or range; without a revision, of the working tree since HEAD.

    ``A..B`` is the change from one commit to the other, ``A...B`` that since their merge base.
    """
    if revision == "":
        return GitError("REV is empty (a variable that isn't set?). Give a commit, or no REV.")
    if revision is not None and any(each.startswith("-") for each in _DOTS.split(revision)):
        return GitError(f"{revision} names no commit.")  # git would take it for an option
    try:
        sides = _sides(project, revision)
        if isinstance(sides, GitError):
            return sides
        rows = list(raw_rows(git_output(project, "diff", *_FORMAT, *sides, "--", *SCRIPT_ROOTS)))
        if revision is None:
            rows += _untracked(project)
        of_scripts = [row for row in rows if _is_of_script(row.old_path, row.new_path)]
        metas = {path: f"{sides[0]}:./{path}" for path in _metas_that_stay(of_scripts)}
        wanted = {name for row in of_scripts for name, _ in row.sides} | set(metas.values())
        contents = object_contents(project, sorted(wanted - {NO_OBJECT}))
        sides_of_scripts = {side for row in rows if row.is_regular for side in row.sides}
        kept = {(name, path) for name, path in sides_of_scripts if _is_script(path)}
        files = as_checked_out(project, {each for each in kept if each[0] != NO_OBJECT})
        guids = {path: guid_in(contents.get(name)) for path, name in metas.items()}
        return _Comparison(project, rows, contents, files).changed(guids)
    except _UnreadableError as error:
        return GitError(f"{error}.")
    except FileNotFoundError:
        return GitError("git was not found on this machine.")
    except subprocess.TimeoutExpired:
        return GitError(f"git did not answer within {TIMEOUT_S} s.")
    except subprocess.CalledProcessError as error:
        return GitError(f"git: {_first_line(error)}")


def listing_command(revision: str | None) -> str:
    """Return the git command that lists every file that :func:`changed_scripts` saw."""
    if revision is None:
        return "git status --short --untracked-files=all"
    show = "diff" if ".." in revision else "show -m --first-parent"
    return f"git {show} --name-only {shlex.quote(revision)}"


def why_nothing(project: Path, revision: str | None) -> str:
    """Return the message for no changed script. It names scripts that git ignores, if any."""
    where = " or ".join(str(project / root) for root in SCRIPT_ROOTS)
    when = "since the last commit" if revision is None else f"in {revision!r}"
    what = f"No script has changed below {where} {when}."
    arguments = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard")
    try:
        ignored = git_output(project, *arguments, "--", *SCRIPT_ROOTS)
    except (OSError, subprocess.SubprocessError):
        return what
    if not any(_is_script(path) for path in ignored.decode(errors="replace").split("\0")):
        return what
    return f"{what} git ignores scripts there. {_FROM_HISTORY}"


_FROM_HISTORY = "For changes made with these tools: unity-cli bundle from-history."


def _first_line(error: subprocess.CalledProcessError) -> str:
    lines = error.stderr.decode(errors="replace").strip().splitlines()
    return lines[0] if lines else f"exit code {error.returncode}"


def _sides(project: Path, revision: str | None) -> Sequence[str] | GitError:
    """Return the states to compare: two commits, or one commit for the working tree.

    git would also compare trees, files and plain folders, but with other paths than the project's.
    """
    try:
        git_output(project, "rev-parse", "--show-toplevel")
    except subprocess.CalledProcessError as error:
        if "not a git repository" not in _first_line(error):
            raise
        return GitError(f"The project is in no git repository. {_FROM_HISTORY}")
    if not is_commit(project, "HEAD"):
        if revision is None:
            return (EMPTY_TREE,)
        return GitError("There is no commit yet. Leave REV out to bundle the working tree.")
    if revision is None:
        return ("HEAD",)
    dots = _DOTS.search(revision)
    ends: tuple[str, ...] = (revision,)
    if dots is not None and dots[0] == revision:
        return GitError(
            f"{revision!r} names no commit on either side. Give one, such as HEAD~2..HEAD."
        )
    if dots is not None:
        ends = (revision[: dots.start()] or "HEAD", revision[dots.end() :] or "HEAD")
    for each in ends:
        if not is_commit(project, each):
            return GitError(
                f"{each} is not a commit of {project}. To list them: git log --oneline."
            )
    if dots is None:
        listed = git_output(project, "rev-list", "--parents", "-n", "1", revision, "--")
        commit, *parents = listed.decode().split()
        return (parents[0] if parents else EMPTY_TREE, commit)
    if dots[0] == "..":
        return ends
    return (git_output(project, "merge-base", *ends).decode().strip(), ends[1])


def _untracked(project: Path) -> Iterator[RawRow]:
    arguments = ("ls-files", "-z", "--others", "--exclude-standard")
    listed = git_output(project, *arguments, "--", *SCRIPT_ROOTS)
    for path in listed.decode("utf-8", "surrogateescape").split("\0"):
        if path:
            is_regular = (project / path).is_file() and not (project / path).is_symlink()
            yield RawRow("", path, NO_OBJECT, NO_OBJECT, is_regular)


def raw_rows(raw: bytes) -> Iterator[RawRow]:
    """Parse git's raw diff with ``-z``, with renames."""
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
            old_mode = _REGULAR[0]  # the mode of a new file
        yield RawRow(first, second, old_object, new_object, regular, old_mode, new_mode)


def _metas_that_stay(rows: Sequence[RawRow]) -> set[str]:
    """Return the ``.meta`` files that git doesn't list, though their scripts moved."""
    changed = {path for row in rows for path in (row.old_path, row.new_path)}
    moved = [row for row in rows if row.old_path and row.new_path not in ("", row.old_path)]
    metas = {path + META for row in moved for path in (row.old_path, row.new_path)}
    return {path for path in metas - changed if "\n" not in path}  # git reads lines


@dataclass(frozen=True, slots=True)
class _Comparison:
    project: Path
    rows: Sequence[RawRow]
    contents: Mapping[str, bytes]
    files: Mapping[tuple[str, str], bytes]
    """The scripts' contents as in a checkout, by git object and path."""

    def changed(self, kept_guids: Mapping[str, str | None]) -> Changed:
        """Return the changes; ``kept_guids`` are the GUIDs in ``.meta`` files that stayed."""
        unmade: list[NotMade] = []
        others = [
            row.new_path or row.old_path
            for row in self.rows
            if not _is_of_script(row.new_path or row.old_path)
            and not (_is_script(row.old_path) or _is_script(row.new_path))
        ]
        scripts = list(self._scripts(unmade))
        before = {
            row.old_path: _with_lf(self.contents.get(row.old_object))
            for row in self.rows
            if _is_meta(row.old_path)
        }
        after = {
            row.new_path: _with_lf(self._new_content(row)) if row.is_regular else b""
            for row in self.rows
            if _is_meta(row.new_path)
        }
        had = {**kept_guids, **{path: guid_in(meta) for path, meta in before.items()}}
        has = {**kept_guids, **{path: guid_in(meta) for path, meta in after.items()}}
        named: list[ScriptChange] = []
        for script in moved_by_guids(scripts, had, has):
            why_not = why_not_named(script)
            if why_not is None:
                named.append(script)
            else:
                unmade.append(why_not)
        named, hanging = without_dependents(named, unmade)
        unmade += hanging
        # A path that one side doesn't name doesn't exist there.
        metas = metas_left_out(named, before, dict.fromkeys(before) | after)
        named, modes = self._without_modes(named, unmade)
        return Changed(tuple(named), metas, tuple(others), tuple(unmade), modes)

    def _scripts(self, unmade: list[NotMade]) -> Iterator[ScriptChange]:
        for row in self.rows:
            path = row.new_path or row.old_path
            was, is_ = _is_script(row.old_path), _is_script(row.new_path)
            if not was and not is_:
                continue
            if not row.is_regular:
                paths = (row.old_path or path, row.new_path or path)
                unmade.append(
                    NotMade(path, "before or after the change it isn't a regular file", paths)
                )
                continue
            old = self.contents.get(row.old_object) if was else None
            new = self.files.get((row.new_object, row.new_path))
            if new is None and is_:
                new = self._new_content(row)
            file = self.files.get((row.old_object, row.old_path))
            if old is not None and file is not None and file != old:
                old = file if new is None else _with_endings_of(new, file, old)
            if was and is_ and row.old_path != row.new_path:
                yield ScriptChange(row.old_path, old, new, row.new_path)
            else:
                yield ScriptChange(row.new_path if is_ else row.old_path, old, new)

    def _without_modes(
        self, scripts: Sequence[ScriptChange], unmade: list[NotMade]
    ) -> tuple[list[ScriptChange], tuple[str, ...]]:
        """Leave out scripts whose mode alone changed. Return the modes of the others, too."""
        old_modes = {row.old_path: row.old_mode for row in self.rows}
        new_modes = {row.new_path: row.new_mode for row in self.rows}
        kept: list[ScriptChange] = []
        modes: list[str] = []
        for script in scripts:
            had = _REGULAR[0]
            if script.old is not None:
                had = old_modes.get(script.path, had)
            has = new_modes.get(script.place, _REGULAR[0])
            mode = f"{had} becomes {has}" if script.new is not None and had != has else ""
            if mode and script.old == script.new and script.new_path is None:
                unmade.append(script.not_made(script.path, f"its mode alone changes ({mode})"))
                continue
            kept.append(script)
            modes += [f"{script.place} ({mode})"] if mode else []
        return kept, tuple(modes)

    def _new_content(self, row: RawRow) -> bytes:
        known = self.contents.get(row.new_object)
        if known is not None:
            return known
        try:
            return read_plain(self.project / row.new_path)
        except OSError as error:
            raise _UnreadableError(f"{row.new_path} can't be read: {reason_of(error)}") from error


def _with_endings_of(new: bytes, checked_out: bytes, kept: bytes) -> bytes:
    """Return the text before a change, with the line endings of ``new`` if nothing else differs.

    An editor may have saved a script with other line endings than a checkout writes.
    """
    in_new, in_checked_out, in_kept = (b"\r\n" in each for each in (new, checked_out, kept))
    return kept if in_new == in_kept and in_new != in_checked_out else checked_out


def _with_lf(meta: bytes | None) -> bytes | None:
    return None if meta is None else meta.replace(b"\r\n", b"\n")


def _is_of_script(*paths: str) -> bool:
    """Return whether one of the paths is that of a script or its ``.meta``."""
    return any(_is_script(path.removesuffix(META)) for path in paths)


def _is_meta(path: str) -> bool:
    return path.endswith(META) and _is_of_script(path)


def _is_script(path: str) -> bool:
    return path.endswith(".cs") and path.partition("/")[0] in SCRIPT_ROOTS
