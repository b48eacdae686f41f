"""Read, plan and write a client's configuration file; record what installs have created.

Implements docs/design/command-line.md ``client install``: atomically, with every other key and
comment kept. A file that can't be parsed is left alone. An uninstall removes what an install has
created, once it is empty; what is not recorded belongs to the user.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from itertools import count
from pathlib import Path
from secrets import token_hex
from typing import Any

from mcp_server.calls.private_file import write_private
from mcp_server.clients.json_document import (
    NotEditableError,
    parse_json,
    remove_empty_from_json,
    remove_from_json,
    set_in_json,
)
from mcp_server.clients.table import Format, missing_home
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.names import is_link
from snippet_engine.storage.system.plain_file import NotARegularFileError, read_plain
from snippet_engine.storage.system.replace_file import patiently
from snippet_engine.storage.system.system_calls import make_durable

MAX_FILE_BYTES = 16 * 1024 * 1024
"""The largest configuration file that is read, in bytes."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why the file can't be changed, in words for the user."""

    message: str
    meanwhile: bool = field(default=False, compare=False)
    """Whether someone else has just changed the file, so that planning again may help."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A change of a file."""

    file: Path
    before: str | None
    """The file's text before; ``None`` if the file does not exist."""
    after: str | None
    """The file's text after the change; ``None`` to remove the file."""
    gone: tuple[str, ...] = ()
    """The names of everything that the change removes from our entry."""
    tokens: tuple[str, ...] = field(default=(), repr=False)
    """The tokens in both texts. They must never be shown."""
    notes: tuple[tuple[str, Created], ...] = ()
    """What to record of each section of the file."""
    copy: Path | None = None
    """Where to copy the old file; ``None`` if the change removes only what an install wrote."""

    @property
    def changes(self) -> bool:
        """Whether there is anything to write."""
        return self.before != self.after


def planned(file: Path, change: Callable[[str | None], Plan | Problem]) -> Plan | Problem:
    """Return the plan that ``change`` makes for the text of ``file``, or why that is impossible."""
    try:
        found = change(read_file(file))
        if isinstance(found, Plan) and found.changes:
            missing = missing_home(file) or _dangling_link(file)
            if missing is not None:
                return Problem(f"{missing} Nothing was written.")
            # Refuse even as root, who could write it.
            if file.exists() and not file.stat().st_mode & stat.S_IWUSR:
                return Problem(f"{file} is read-only. Make it writable, and try again.")
        return found
    except NotEditableError as error:
        return Problem(f"{file} can't be changed: {error}. Correct it, and try again.")
    except UnicodeDecodeError:
        return Problem(f"{file} is not UTF-8 text. Save it as UTF-8, and try again.")
    except OSError as error:
        return Problem(f"{file} can't be read: {reason_of(error)}.")


def _dangling_link(file: Path) -> str | None:
    """Return the problem of a link on the way to ``file`` whose target does not exist.

    Only the user may create the target: perhaps its folder is just not mounted.
    """
    for each in (file, *file.parents):
        if os.path.exists(each):
            return None
        if is_link(each):
            target = each.readlink()
            return f"{each} is a link to {target}, which is missing. Create it, or remove the link."
    return None


_KEPT = ".before-unity-snippet"


def copy_place(file: Path) -> Path:
    """Return a free path for a copy of ``file``. No client reads a file with such a name."""
    names = (f"{file.name}{_KEPT}{f'-{n}' if n > 1 else ''}" for n in count(1))
    return next(place for name in names if not os.path.lexists(place := file.with_name(name)))


def copies_of(file: Path) -> list[Path]:
    """Return the copies of ``file`` that were kept."""
    try:
        names = [each.name for each in file.parent.iterdir()]
    except OSError:
        return []
    return sorted(file.with_name(each) for each in names if each.startswith(file.name + _KEPT))


def write(planned: Plan, *, private: bool = False) -> Problem | None:
    """Carry out the plan. At every moment the file has its old or its new text.

    ``private`` makes it readable by its user alone. If the file is a symbolic link, its target is
    written.
    """
    target = planned.file.resolve()
    leftovers: list[Path] = []
    try:
        if planned.copy is not None:
            _write_new(planned.copy, planned.before or "", target.stat().st_mode & 0o777)
            leftovers.append(planned.copy)
        if planned.after is None:
            act: Callable[[], object] = target.unlink
            paths = [target]
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary = target.with_name(f".{target.name}.{token_hex(8)}")
            leftovers.append(temporary)
            _write_new(temporary, planned.after, 0o600)
            if target.exists() and not private:
                temporary.chmod(target.stat().st_mode & 0o7777)
            act, paths = partial(temporary.replace, target), [target, temporary]
        patiently(partial(_if_unchanged, target, planned.before, act), paths)
        leftovers.clear()
    except _ChangedError:
        message = f"{planned.file} was changed by someone else in the meantime. Try again."
        return Problem(message, meanwhile=True)
    except OSError as error:
        done = "removed" if planned.after is None else "written"
        return Problem(f"{planned.file} can't be {done}: {reason_of(error)}.")
    finally:
        for each in leftovers:
            with suppress(OSError):
                each.unlink(missing_ok=True)
    return None


def _write_new(file: Path, text: str, mode: int) -> None:
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as opened:
        opened.write(text.encode())
        opened.flush()
        make_durable(opened.fileno())


class _ChangedError(Exception):
    """The file's text is no longer the one in the plan."""


def _if_unchanged(target: Path, text: str | None, act: Callable[[], object]) -> None:
    """Let ``act`` change the file at ``target``, but only if its text is ``text``.

    Clients write the file, too, and don't take our lock. So the text is read right before ``act``.
    Then the file must still have the version that it had before the reading. Raises ``OSError``
    and :class:`_ChangedError`.
    """
    seen = _version_of(target)
    try:
        is_same = read_file(target) == text
    except (NotEditableError, UnicodeDecodeError):  # it was text when the plan was made
        is_same = False
    if not is_same or _version_of(target) != seen:
        raise _ChangedError
    act()


def _version_of(file: Path) -> tuple[int, ...] | None:
    """Return the values of a file that change when the file is written or replaced."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def read_file(file: Path) -> str | None:
    """Return the file's text; ``None`` if there is no file.

    Raises ``OSError``, ``UnicodeDecodeError`` and :class:`NotEditableError`.
    """
    try:
        data = read_plain(file, MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        return None
    except NotARegularFileError:  # a pipe; or /dev/null, behind a link
        raise NotEditableError("it is not a regular file") from None
    if len(data) > MAX_FILE_BYTES:
        raise NotEditableError("it is too large")
    return data.decode("utf-8")


# -- its text, as JSON or TOML -------------------------------------------------------------


def parse_file(form: Format, text: str) -> Any:
    """Parse the text of a configuration file. Raises :class:`NotEditableError`."""
    _, rest = split_mark(text)
    if form is Format.JSON:
        return parse_json(rest)
    from mcp_server.clients.toml_document import parse_toml  # noqa: PLC0415 - few clients use TOML

    return parse_toml(rest)


def set_member(form: Format, text: str, path: tuple[str, str], value: dict[str, Any]) -> str:
    """Return ``text`` with ``value`` at the key path ``path``. Raises :class:`NotEditableError`."""
    mark, rest = split_mark(text)
    if form is Format.JSON:
        return mark + set_in_json(rest, path, value)
    from mcp_server.clients.toml_document import set_in_toml  # noqa: PLC0415 - as above

    return mark + set_in_toml(rest, path, value)


def remove_member(form: Format, text: str, path: tuple[str, str], *, empty_section: bool) -> str:
    """Return ``text`` without the member at the key path ``path``.

    With ``empty_section``, its section is removed, too, if it is empty then. Raises
    :class:`NotEditableError`.
    """
    mark, rest = split_mark(text)
    if form is Format.JSON:
        rest = remove_from_json(rest, path)
        return mark + (remove_empty_from_json(rest, path[:1]) if empty_section else rest)
    from mcp_server.clients.toml_document import remove_from_toml  # noqa: PLC0415 - as above

    return mark + remove_from_toml(rest, path)


def split_mark(text: str) -> tuple[str, str]:
    """Return the byte order mark at the beginning of the text, if any, and the rest."""
    rest = text.removeprefix("\ufeff")
    return text[: len(text) - len(rest)], rest


_FOLDER = "folder"
_MAX_BYTES = 1024 * 1024
"""The largest record that is read, in bytes."""


class Created(StrEnum):
    """The parts that an install has created, apart from its entry."""

    NOTHING = "nothing"
    SECTION = "section"
    FILE = "file"
    FOLDER = "folder"


def state_folder() -> Path:
    """Return the folder for this product's records about the user's clients."""
    import platformdirs  # noqa: PLC0415 - not for help pages

    return platformdirs.user_state_path("unity-snippet", appauthor=False)


def created_in(file: Path, section: str) -> Created:
    """Return the record about ``file`` and its ``section``."""
    sections = _read().get(str(file.resolve()))
    found = sections.get(section) if isinstance(sections, Mapping) else None
    return Created(found) if found in (Created.SECTION, Created.FILE) else Created.NOTHING


def missing_folders(file: Path) -> list[Path]:
    """Return the folders that must be created before ``file`` can be written."""
    return [each for each in file.resolve().parents if not each.exists()]


def record_folders(folders: list[Path]) -> None:
    """Record that an install created ``folders``."""
    for each in folders:
        record(each, _FOLDER, Created.FOLDER)


def remove_made_folders(folder: Path) -> None:
    """Remove ``folder`` if it is empty and an install created it; then its parents likewise."""
    folder = folder.absolute()
    with suppress(OSError):  # it is not empty, or in use
        while folder != folder.parent:
            noted = _read().get(str(folder.resolve()))
            is_made = isinstance(noted, Mapping) and noted.get(_FOLDER) == Created.FOLDER
            if folder.is_dir():
                if not is_made:
                    return
                folder.rmdir()
            if is_made:
                record(folder, _FOLDER, Created.NOTHING)
            folder = folder.parent


def heirs(file: Path, section: str) -> tuple[tuple[str, Created], ...]:
    """Return the record for another server of ours in ``file``, if an install created the file.

    The uninstall of that server may then remove the file. Empty without a second server.
    """
    others = _read().get(str(file.resolve())) if created_in(file, section) is Created.FILE else None
    names = (each for each in others if each != section and "." not in each) if others else ()
    return tuple((each, Created.FILE) for each in names)[:1]


def record(file: Path, section: str, created: Created) -> None:
    """Record ``created``. The caller holds the lock. A failure only loses the record."""
    known, path = _read(), str(file.resolve())
    before = known.get(path)
    sections = dict(before) if isinstance(before, Mapping) else {}
    sections.pop(section, None)
    if created is not Created.NOTHING:
        sections[section] = created.value
    changed = {each: there for each, there in known.items() if each != path}
    if sections:
        changed[path] = sections
    if changed == known:
        return
    place = state_folder() / "clients.json"
    with suppress(OSError):
        if changed:
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(place, changed, durable=False)
        else:
            place.unlink(missing_ok=True)


def _read() -> dict[str, Any]:
    """Return the record, by file and section; empty if it can't be read."""
    try:
        found = json.loads(read_plain(state_folder() / "clients.json", _MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
