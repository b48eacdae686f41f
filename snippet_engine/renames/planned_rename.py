"""A rename as one change set: scripts, files that move, assets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate

from snippet_engine import budget
from snippet_engine.answer.unified_diff import Diff, LineDiff, lines_of, unified_diff
from snippet_engine.edits import EditSet, TextEdit, joined_insertions
from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.renames.symbol_server import ServerEdit, ServerRename
from snippet_engine.source_text import SourceText, decode
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.paths.project import META, Project, ScriptPath
from snippet_engine.storage.system.names import existing_twin
from unity_assets import Renamed

_MOST_DIFFED = 1024 * 1024
"""Largest asset whose diff is computed, in bytes."""


@dataclass(frozen=True, slots=True)
class RenamedFile:
    """One file of a rename."""

    change: FileChange
    places: int
    """How many places change in the file."""
    diff: Callable[[], Diff | None]
    """Returns the diff, if there is one. Called on demand: an answer shows only a few diffs."""

    @property
    def status(self) -> str:
        """Return the file's status, as results name it."""
        return "edited" if self.change.target is None else "moved"


def planned_files(
    project: Project, code: ServerRename, assets: Renamed
) -> list[RenamedFile] | SnippetError:
    """Return all files of the rename, or an error about a file that can't be changed."""
    files: list[RenamedFile] = []
    name = str(code.symbol["name"])
    for path in sorted({*code.edits, *code.moves}):
        budget.check()
        found = _script(project, path, code.edits.get(path, ()), code.moves.get(path), name)
        if isinstance(found, SnippetError):
            return found
        files.append(found)
    leaving = {each.change.script.canonical + META for each in files if each.change.target}
    places = Counter(each.path for each in assets.hits)
    for path, before, after in assets.files:
        budget.check()
        asset = _asset(project, path, before, after, places[path])
        if isinstance(asset, SnippetError):
            return asset
        if asset.change.script.canonical in leaving:
            return SnippetError(
                ErrorCode.RENAME_CONFLICT,
                f"{show(path)} moves with its script, and its content would change too. Rename "
                "the file first, then the symbol.",
                details={"conflicts": []},
            )
        files.append(asset)
    return files


def _script(
    project: Project, path: str, edits: Sequence[ServerEdit], to: str | None, name: str
) -> RenamedFile | SnippetError:
    script = project.locate(path, for_writing=True)
    if isinstance(script, SnippetError):
        return script
    target = None if to is None else project.locate_new(to)
    if isinstance(target, SnippetError):
        return target
    taken = None if target is None else _taken(project, script, target)
    if taken is not None:
        return taken
    snapshot = script.read()
    if isinstance(snapshot, SnippetError):
        return snapshot
    refused = script.refuse_read_only(snapshot.status)
    if refused is not None:
        return refused
    source = decode(snapshot.data)
    if isinstance(source, SnippetError):
        return replace(source, message=f"{show(path)}: {source.message}")
    found = edits_of(source, path, edits, name)
    if isinstance(found, SnippetError):
        return found
    data = found.apply_to_bytes(source)
    if isinstance(data, SnippetError):
        return data
    after = decode(data)
    if isinstance(after, SnippetError):
        return after
    change = FileChange(script, source.data, data, target)
    diff = partial(unified_diff, source.view, after.view, found)
    return RenamedFile(change, len(edits), diff)


def _taken(project: Project, script: ScriptPath, target: ScriptPath) -> SnippetError | None:
    """Return an error if Windows or macOS would confuse ``target`` with an existing file."""
    twin = existing_twin(project.root, target.canonical.split("/"))
    if twin is None or "/".join(twin) == script.canonical:
        return None
    return SnippetError(
        ErrorCode.RENAME_CONFLICT,
        f"{show(target.relative)} would differ from {twin[-1]} only in case or spelling: Windows "
        "and macOS take them for one file.",
        details={"conflicts": [], "count": 0},
    )


def _asset(
    project: Project, path: str, before: bytes, after: bytes, places: int
) -> RenamedFile | SnippetError:
    found: ScriptPath | SnippetError = project.locate_file(path)
    if isinstance(found, SnippetError):
        return found
    refused = found.check_writable()
    if refused is not None:
        return refused
    return RenamedFile(
        FileChange(found, before, after), places, partial(_asset_diff, before, after)
    )


def _asset_diff(before: bytes, after: bytes) -> Diff | None:
    if max(len(before), len(after)) > _MOST_DIFFED:
        return None
    old, new = (each.decode("utf-8", "replace").replace("\r\n", "\n") for each in (before, after))
    return unified_diff(old, new, _line_edits(old, new))


def _line_edits(old: str, new: str) -> EditSet:
    """Return the changed lines as edits. One edit of the whole file would be compared again."""
    left, right = lines_of(old), lines_of(new)
    starts = [0, *accumulate(map(len, left))]
    changes = (
        ((at, at + 1, at, at + 1) for at, line in enumerate(left) if line != right[at])
        if len(left) == len(right)
        else LineDiff().changes(left, right)
    )
    return EditSet(
        tuple(TextEdit(starts[a], starts[b], "".join(right[c:d])) for a, b, c, d in changes)
    )


def edits_of(
    source: SourceText, path: str, edits: Sequence[ServerEdit], name: str
) -> EditSet | SnippetError:
    """Return the script's edits; ``stale_file`` if one replaces text without the ``name``."""
    found = []
    for each in edits:
        start, end = source.offset(each.start), source.offset(each.end)
        if start is None or end is None or end < start:
            return _stale(path)
        replaced = source.view[start:end]
        # Edits of attributes and usings may add or remove text; all other edits replace the old
        # name.
        if replaced and name not in replaced and each.kind not in ("attribute", "using"):
            return _stale(path)
        found.append(TextEdit(start, end, each.new_text.replace("\r\n", "\n")))
    joined = EditSet.of(joined_insertions(found))
    return joined if isinstance(joined, EditSet) else _stale(path)


def _stale(path: str) -> SnippetError:
    return SnippetError(
        ErrorCode.STALE_FILE,
        f"{show(path)} changed while the rename was computed; nothing was written. "
        "Send this again.",
        details={"path": path},
    )
