"""Change one file of a change set, and change it back (docs/design/engine.md §5 "Change sets").

A slot's temporary file has the new content before the step and the old content after it. So the
same step, reversed, changes the file back. If names can't be exchanged, or somebody removed the
temporary file, the record's image is staged again.
"""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from enum import Enum, auto

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import MAX_FILE_BYTES, content_hash
from snippet_engine.storage.files import (
    discard,
    give_name,
    put_away,
    put_in_place,
    stage,
    staged,
    temporary_name,
)
from snippet_engine.storage.paths.project import META, Project, ScriptPath
from snippet_engine.storage.records.change_record import ChangeRecord, MadeFolder, Slot
from snippet_engine.storage.recovery.unfinished import folder_of
from snippet_engine.storage.state_folder import lock_key
from snippet_engine.storage.system.folder import Folder, FolderIdentity, identity_of

_NO_FILE = frozenset({errno.EINVAL, errno.ELOOP, errno.EFBIG})
"""Errors of reading a name that belongs to something other than a file."""


class SlotState(Enum):
    """The state of the path of a slot's file."""

    BEFORE = auto()
    AFTER = auto()
    FOREIGN = auto()
    """Neither content: another program has changed, removed or created the file."""


@dataclass(frozen=True, slots=True)
class OpenSlot:
    """A slot whose folder is open."""

    slot: Slot
    script: ScriptPath
    folder: Folder
    temporary: str
    has_namesake: bool = False
    """Whether another slot's name differs only in case, so that a file system may find either."""

    def staged(self, after: bytes, like: OpenSlot | None = None) -> AbstractContextManager[int]:
        """Stage the new content like :func:`.staged`, not yet durable.

        It gets the mode and owner of ``like``, if given.
        """
        if like is None:
            return staged(self.folder, self.temporary, after, self.script.name, self.slot.status)
        name, status = like.script.name, like.slot.status
        return staged(self.folder, self.temporary, after, name, status, like.folder)

    def is_named(self) -> bool:
        """Return whether something has the file's name or the temporary one. Raises ``OSError``."""
        return self._is_there(self.script.name) or self._is_there(self.temporary)

    def is_known(self) -> bool:
        """Return whether the file has a known content, or the temporary name exists.

        Raise ``OSError``.
        """
        held = self._hash_of(self.script.name)
        is_ours = held is not None and held in (self.slot.before, self.slot.after)
        return is_ours or self._is_there(self.temporary)

    def _is_there(self, name: str) -> bool:
        try:
            self.folder.status(name)
        except FileNotFoundError:
            return False
        return True

    @property
    def is_staged(self) -> bool:
        """Return whether the new content is under the temporary name, or none is needed."""
        return self.slot.after is None or self._held() == self.slot.after

    def make_durable(self) -> None:
        """Flush the temporary file to disk. Raise ``OSError``."""
        if self.slot.after is not None:
            self.folder.make_durable(self.temporary)

    def state(self) -> SlotState:
        """Return the state of the file's path. Raise ``OSError``."""
        current = self._hash_of(self.script.name)
        if current == self.slot.after:
            return SlotState.AFTER
        return SlotState.BEFORE if current == self.slot.before else SlotState.FOREIGN

    def rescue(self) -> None:
        """Restore another program's save that a dead process's last step moved away.

        Raise ``OSError``.
        """
        held = self._held()
        known = (None, self.slot.before, self.slot.after)
        if self.slot.before is None or held in known or self.state() is not SlotState.AFTER:
            return
        if self.slot.after is None:
            give_name(self.script, self.folder, self.temporary)
        else:
            self.folder.exchange(self.temporary, self.script.name)

    def forward(self) -> SnippetError | None:
        """Give the file its new, staged content; unchanged on a refusal or ``OSError``."""
        slot = self.slot
        if slot.before is None:
            return give_name(self.script, self.folder, self.temporary)
        expected = slot.before if slot.image is None else slot.image
        if slot.after is None:
            return put_away(self.script, self.folder, self.temporary, expected)
        return put_in_place(
            self.script, self.folder, self.temporary, expected, made_like=slot.status
        )

    def back(self) -> SnippetError | None:
        """Give the file its old content, if nobody has changed it since. Raise ``OSError``."""
        slot = self.slot
        if self.state() is not SlotState.AFTER:
            return None
        if slot.before is None:
            assert slot.after is not None
            self.discard()
            return put_away(self.script, self.folder, self.temporary, slot.after)
        if self._held() != slot.before:
            assert slot.image is not None
            self.discard()
            stage(self.folder, self.temporary, slot.image, self.script.name, slot.status)
        if slot.after is None:
            return give_name(self.script, self.folder, self.temporary)
        return put_in_place(self.script, self.folder, self.temporary, slot.after)

    def discard(self) -> bool:
        """Remove the temporary file; return whether there was one. Raise ``OSError``."""
        return discard(self.folder, self.temporary)

    def _held(self) -> str | None:
        return self._hash_of(self.temporary)

    def _hash_of(self, name: str) -> str | None:
        """Return the content's hash; ``None`` if there is no file, empty if it isn't a file."""
        if self.has_namesake and name not in self.folder.names():
            return None
        try:
            data, _ = self.folder.read(name, self.script.max_bytes)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno not in _NO_FILE:
                raise
            return ""
        return content_hash(data)


@contextmanager
def open_slots(
    project: Project, record: ChangeRecord, scripts: Iterable[ScriptPath] = ()
) -> Iterator[tuple[list[OpenSlot | None], dict[str, OSError]]]:
    """Open the record's slots, each folder once; yield them, and why folders can't be opened.

    Raise ``OSError`` for another project's record.
    """
    known = {script.canonical: script for script in scripts}
    # With a second suffix, because lock keys ignore one: a file and its .meta aren't namesakes.
    keys = [lock_key(slot.name + META) for slot in record.slots] if len(record.slots) > 1 else [""]
    times = Counter(keys)
    with ExitStack() as stack:
        opened: dict[str, Folder | OSError] = {}
        slots: list[OpenSlot | None] = []
        for index, slot in enumerate(record.slots):
            script = known.get(slot.path) or project.named(slot.path)
            found = _opened(slot, script, f"{record.ticket}.{index}", opened, stack)
            if found is not None and times[keys[index]] > 1:
                found = replace(found, has_namesake=True)
            slots.append(found)
        away = {path: error for path, error in opened.items() if isinstance(error, OSError)}
        yield slots, away


def _opened(
    slot: Slot,
    script: ScriptPath | None,
    ticket: str,
    opened: dict[str, Folder | OSError],
    stack: ExitStack,
) -> OpenSlot | None:
    if script is None:
        # The record isn't ours, so no file that it names is touched.
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    if slot.is_meta:
        script = script.meta
    where = folder_of(slot.path)
    if where not in opened:
        try:
            opened[where] = stack.enter_context(script.open_folder(in_place=True))
        except OSError as error:
            opened[where] = error
    folder = opened[where]
    if isinstance(folder, OSError):
        return None
    return OpenSlot(slot, script, folder, temporary_name(script.name, ticket))


def missing_folders(script: ScriptPath) -> list[MadeFolder]:
    """Return the missing folders of ``script``, outermost first."""
    missing = []
    top = script.canonical.partition("/")[0]
    for depth in range(1, len(script.inside)):
        inside = script.inside[:depth]
        path = script.real_root.joinpath(*inside)
        if not os.path.lexists(path):
            had_meta = os.path.lexists(str(path) + META)
            missing.append(MadeFolder("/".join((top, *inside)), had_meta))
    return missing


def identities(scripts: Iterable[ScriptPath]) -> dict[str, FolderIdentity]:
    """Return the identities of the scripts' existing folders."""
    found: dict[str, FolderIdentity] = {}
    for script in scripts:
        path = folder_of(script.canonical)
        if path not in found:
            with suppress(OSError):
                # As text: a path object takes several times as long.
                folder = os.path.join(script.real_root, *script.inside[:-1])  # noqa: PTH118
                found[path] = identity_of(folder)
    return found


def make_folders(project: Project, folders: tuple[MadeFolder, ...]) -> None:
    """Make the folders, no link followed. Raises ``OSError``."""
    for made in folders:
        with _parent(project, made) as (parent, name):
            parent.make(name)
            parent.sync()


def drop_folders(
    project: Project, folders: tuple[MadeFolder, ...], keep: Callable[[int, bytes], None]
) -> None:
    """Remove empty folders with the ``.meta`` that Unity made; ``keep`` gets its text first."""
    for index, made in reversed(list(enumerate(folders))):
        with suppress(OSError), _parent(project, made) as (parent, name):
            with suppress(FileNotFoundError):
                parent.drop(name)
            if not made.had_meta:
                keep(index, parent.read(name + META, MAX_FILE_BYTES)[0])
                discard(parent, name + META)


@contextmanager
def _parent(project: Project, made: MadeFolder) -> Iterator[tuple[Folder, str]]:
    script = project.named(f"{made.path}/_.cs")
    if script is None or len(script.inside) < 2:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    with Folder.open(script.real_root, script.inside[:-2], in_place=True) as parent:
        yield parent, script.inside[-2]


def not_made(project: Project, folder: str, made: Iterable[str]) -> bool:
    """Return whether ``folder`` is missing because the set hasn't made it, or removed it again.

    Return ``False`` if the nearest folder above it that the set doesn't make can't be opened
    either: then the reason is unknown.
    """
    made = set(made)
    if folder not in made:
        return False
    while folder in made:
        folder = folder_of(folder)
    script = project.named(f"{folder}/_.cs")
    if script is None:
        return False
    try:
        with script.open_folder():
            return True
    except OSError:
        return False
