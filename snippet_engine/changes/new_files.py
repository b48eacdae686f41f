"""Check the new files of a set: their names against other files, and their texts.

Implements docs/design/change-sets.md §1 and §4. A new file gets the line endings and byte order
mark of most scripts in its folder. If the folder has no scripts, the nearest folder above with
scripts counts. If there is none, another folder below ``Assets`` or in the package counts. A
limited number of files is read.
"""

from __future__ import annotations

import errno
import os
from codecs import BOM_UTF8
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePosixPath

from snippet_engine.change_request import Change, ChangeRequest
from snippet_engine.changes.between import NotMade, ScriptChange, change_between
from snippet_engine.csharp.document import Document
from snippet_engine.errors import ALREADY_APPLIED, ErrorCode, Offer, SnippetError, show
from snippet_engine.single_edit.versions import Drafts
from snippet_engine.source_text import SourceText, content_hash, decode
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.system.names import WHY_ONE, existing_twin, one_name
from snippet_engine.storage.system.plain_file import read_plain


def twin_of(
    project: Project, script: ScriptPath, request: ChangeRequest, drafts: Drafts
) -> SnippetError | None:
    """Return ``path_not_allowed`` if the path of a new ``script`` exists in another spelling.

    A file that ``request`` removes doesn't count. A folder counts even if all its files leave it.
    """
    twin = existing_twin(script.real_root, script.inside)
    if twin is None:
        return None
    root = script.canonical.split("/")[: -len(script.inside)]
    there = "/".join((*root, *twin))
    whole = len(twin) == len(script.inside)
    spelled = "/".join((*root, *script.inside[: len(twin)]))
    leaves = request.leaves
    if there in leaves:
        return None
    other = project.named(there) if whole else None
    if other is not None and drafts.is_gone(other):
        return None
    if not whole and not script.real_root.joinpath(*twin).is_dir():
        return SnippetError(
            ErrorCode.PATH_NOT_ALLOWED,
            f"{show(there)} is a file, and {show(spelled)} would be a folder: {WHY_ONE}. "
            "Choose another name.",
        )
    if not whole and any(
        to is not None and path.startswith(f"{there}/") and to == spelled + path[len(there) :]
        for path, to in leaves.items()
    ):
        return SnippetError(
            ErrorCode.PATH_NOT_ALLOWED,
            f"{show(there)} already exists, and {WHY_ONE}. To change its spelling, rename the "
            "folder itself, in Unity.",
            details={"path": there},
        )
    instead = "/".join((*root, *twin, *script.inside[len(twin) :]))
    advice = f"Edit {show(there)}" if whole else f"Send {show(instead)}"
    return SnippetError(
        ErrorCode.PATH_NOT_ALLOWED,
        f"{show(there)} already exists, and {WHY_ONE}. {advice}, or choose another name.",
        details={"suggestion": instead},
    )


def conflicting_paths(places: Mapping[int, ScriptPath]) -> Iterator[SnippetError]:
    """Yield an error for each new file whose path conflicts with another one's."""
    files = {each.canonical: index for index, each in places.items()}
    spelled: dict[str, tuple[str, int]] = {}
    for index, place in places.items():
        folders = [str(each) for each in PurePosixPath(place.canonical).parents][:-1]
        for folder in folders:
            if folder in files:
                message = (
                    f"change {files[folder]} makes {show(folder)} a file, so it can't be a folder."
                )
                yield _refused(place, message, index)
                break
        for path in (place.canonical, *folders):
            other, first = spelled.setdefault(one_name(path), (path, index))
            if other != path:
                message = f"Change {first} makes {show(other)}, and {WHY_ONE}."
                yield _refused(place, f"{message} Choose one spelling, or another name.", index)
                break


def _refused(place: ScriptPath, why: str, index: int) -> SnippetError:
    message = f"{show(place.relative)} can't be created: {why}"
    return SnippetError(ErrorCode.PATH_NOT_ALLOWED, message).for_file(index)


def cleaned_text(change: Change, is_valid: Callable[[str], bool]) -> Iterator[Offer]:
    """Yield an offer of the new file without what a paste added, if it is valid C# then."""
    from snippet_engine.fixes.commented_out import BASIS, WITH_BREAKS  # noqa: PLC0415
    from snippet_engine.fixes.invalid_new_text import cleaned  # noqa: PLC0415
    from snippet_engine.fixes.normalise.wrappings import ESCAPES  # noqa: PLC0415 - only for errors

    sent = change.create
    if sent is None:
        return
    for note, text in cleaned(sent):
        if is_valid(text):
            is_escaped = note.endswith(ESCAPES)
            what = note.replace("newText", "create", 1)
            what, basis = (WITH_BREAKS, BASIS) if is_escaped else (what, "the text is C# then")
            yield _offer(change, what, text, basis)
            return


def commented_out(
    change: Change, after: Document, is_valid: Callable[[str], bool]
) -> SnippetError | None:
    """Return ``invalid_request`` if a new file, ``after``, has code in a comment by mistake."""
    if change.create is None or "\\" not in change.create:
        return None
    from snippet_engine.fixes.commented_out import (  # noqa: PLC0415 - only for errors
        BASIS,
        WITH_BREAKS,
        whole_file_commented_out,
    )

    found = whole_file_commented_out(change.create, after, is_valid)
    if found is None:
        return None
    error, text = found
    return replace(error, offers=(_offer(change, WITH_BREAKS, text, BASIS),))


def _offer(change: Change, what: str, text: str, basis: str) -> Offer:
    return Offer(what, {**change.to_json(), "create": text}, basis)


MAX_LINES = 1_000
"""Most lines of either text for which differences are computed."""

_SEND = "To change it, send instructions for it"
_KEEPS_GUID = "deleting and creating it again would lose its GUID"


def exists_already(path: str, old: bytes, sent: str, room: int) -> SnippetError:
    """Return ``path_not_allowed`` for a new text ``sent`` to a path that has the content ``old``.

    The offer has the edits that turn one into the other, if at most ``room`` instructions are
    enough.
    """
    source = decode(old)
    if not isinstance(source, SourceText):
        return _refusal(path, f"{_SEND}.")
    wanted = _in_form_of(source, sent)
    if wanted == old:
        made = _refusal(path, "It already has exactly this text: leave it out.")
        return replace(made, details={ALREADY_APPLIED: True})
    if max(source.view.count("\n"), sent.count("\n")) >= MAX_LINES:
        return _refusal(path, f"{_SEND} (too long to prepare here): {_KEEPS_GUID}.")
    change = change_between(ScriptChange(path, old, wanted))
    if change is None or isinstance(change, NotMade) or len(change.instructions) > room:
        return _refusal(path, f"{_SEND}, for the parts that should differ: {_KEEPS_GUID}.")
    arguments = {
        "path": path,
        "mode": "preview",
        "expectedHash": content_hash(old),
        "instructions": [each.to_json() for each in change.instructions],
    }
    offer = Offer("a preview of the edits that turn the existing text into this one", arguments)
    return _refusal(path, f"{_SEND}.", offer)


def _in_form_of(source: SourceText, text: str) -> bytes:
    endings = source.line_endings.most_common(1)
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if endings:
        lines = lines.replace("\n", endings[0][0])
    return source.encoding.bom + lines.encode(source.encoding.codec)


def _refusal(path: str, advice: str, *offers: Offer) -> SnippetError:
    message = f"{show(path)} exists already. {advice}"
    return SnippetError(ErrorCode.PATH_NOT_ALLOWED, message, offers=offers)


def why_out_of_reach(script: ScriptPath) -> SnippetError | None:
    """Return ``path_not_allowed`` if the system can't say whether the script's path is taken."""
    try:
        script.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        advice = "Choose a shorter path"
        if error.errno != errno.ENAMETOOLONG:
            advice = "Check the rights of the folders on the way to it, or choose another path"
        return SnippetError(
            ErrorCode.PATH_NOT_ALLOWED,
            f"{show(script.relative)} can't be reached: {reason_of(error).lower()}. {advice}.",
        )
    return None


MAX_SCRIPTS = 20
_MAX_ENTRIES = 2_000
_MAX_FOLDERS = 50
_MAX_BYTES = 8_192
_ENDINGS = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}
_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class FileFormat:
    """The line ending and byte order mark of most scripts in ``where``."""

    ending: str = "\n"
    has_bom: bool = False
    where: str = ""


PLAIN = FileFormat()
"""The format if no other script is found."""


def in_format(text: str, wanted: FileFormat) -> tuple[str, str]:
    """Return ``text`` in the ``wanted`` format, and a description of what was changed.

    If ``text`` has a carriage return, its line endings stay. A byte order mark stays, too.
    """
    taken: list[str] = []
    if wanted.ending != "\n" and "\n" in text and "\r" not in text:
        text = text.replace("\n", wanted.ending)
        taken.append(f"{_ENDINGS[wanted.ending]} line endings")
    if wanted.has_bom and not text.startswith(_MARK):
        text = _MARK + text
        taken.append("a byte order mark")
    which = f", as most scripts in {wanted.where} have" if taken else ""
    return text, " and ".join(taken) + which


def format_around(script: ScriptPath) -> FileFormat:
    """Return the format of the scripts around the new ``script``."""
    depth = 1 if script.canonical.startswith("Packages/") else 0
    folders = list(script.inside[:-1])
    top = script.canonical.split("/")[: -len(script.inside)]
    while len(folders) >= depth:
        found = _format_of(script.real_root.joinpath(*folders), script.name)
        if found is not None:
            return FileFormat(*found, show("/".join((*top, *folders))))
        if len(folders) == depth:
            break
        folders.pop()
    searched = script.real_root.joinpath(*folders)
    for folder in islice(_folders_below(searched), _MAX_FOLDERS):
        found = _format_of(folder, script.name)
        if found is not None:
            below = folder.relative_to(script.real_root).parts
            return FileFormat(*found, show("/".join((*top, *below))))
    return PLAIN


def _format_of(folder: Path, besides: str) -> tuple[str, bool] | None:
    """Return the format of most scripts in ``folder``; ``None`` if it has none."""
    names = [name for name, is_folder in _entries(folder) if not is_folder]
    scripts = sorted(name for name in names if name.lower().endswith(".cs") and name != besides)
    return most_common(_beginnings(folder / name for name in scripts[:MAX_SCRIPTS]))


def most_common(beginnings: Iterable[bytes]) -> tuple[str, bool] | None:
    """Return the most common line ending, and whether most files have a UTF-8 byte order mark.

    ``\\n`` and no mark win ties. ``None`` if no beginning is usable.
    """
    endings: Counter[str] = Counter()
    marks: Counter[bool] = Counter()
    for data in beginnings:
        if not data or b"\0" in data:  # UTF-16 has zero bytes.
            continue
        marks[data.startswith(BOM_UTF8)] += 1
        crlf = data.count(b"\r\n")
        counts = {"\n": data.count(b"\n") - crlf, "\r\n": crlf, "\r": data.count(b"\r") - crlf}
        ending = max(counts, key=counts.__getitem__)
        endings[ending] += 1 if counts[ending] else 0
    if not marks:
        return None
    return max(_ENDINGS, key=endings.__getitem__), marks[True] > marks[False]


def _beginnings(paths: Iterable[Path]) -> Iterator[bytes]:
    for path in paths:
        try:
            # The limit may have cut a CRLF in two.
            yield read_plain(path, _MAX_BYTES).removesuffix(b"\r")
        except OSError:
            continue


def _folders_below(folder: Path) -> Iterator[Path]:
    waiting = deque([folder])
    while waiting:
        above = waiting.popleft()
        names = sorted(name for name, is_folder in _entries(above) if is_folder)
        for name in names[:_MAX_FOLDERS]:
            yield above / name
            waiting.append(above / name)


def _entries(folder: Path) -> list[tuple[str, bool]]:
    try:
        with os.scandir(folder) as entries:
            return [
                (each.name, each.is_dir(follow_symlinks=False))
                for each in islice(entries, _MAX_ENTRIES)
                if not each.name.startswith(".") and not each.is_symlink()
            ]
    except OSError:
        return []
