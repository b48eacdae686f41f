"""Look at scripts that may have changed: read them, and add history entries for changes.

The text decides whether a script has changed. Stamps and events only say where to look. Lives on
the watcher's thread.
"""

from __future__ import annotations

import logging
import os
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from time import monotonic

from mcp_server.contract.short_schemas import HASH_DIGITS
from mcp_server.event_log import log_event
from mcp_server.watcher.git_signs import GitSigns, Moved
from mcp_server.watcher.known_texts import KnownTexts
from mcp_server.watcher.outside_change import (
    MAX_NOTED,
    MAX_RECENT,
    BulkChange,
    ManyTexts,
    NotedSteps,
    NotedTexts,
    OutsideChange,
    OwnWrite,
    Recent,
    Seen,
    may_have_made,
)
from mcp_server.watcher.read_texts import ReadTexts, ScriptFiles
from mcp_server.watcher.settling import EMPTY_S, MANY, QUIET_S, Settled, Settling
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.storage.files import KeptStatus
from snippet_engine.storage.paths.project import FileSnapshot, Project
from snippet_engine.storage.stores.outside_changes import (
    OUTSIDE,
    FoundChange,
    KnownText,
    Maker,
    OutsideChanges,
    is_gone,
)

ATTRIBUTED_S = 2.0
"""Seconds after a change was seen in which it may still be attributed to a client."""

_MAX_TRIES = 10
_NEAR_S = 1.0
_MAX_ASKED = 200
NO_UNDO_GIT = "use git: it changed these files"
NO_UNDO_MANY = "more than 20 files changed at once; use git, or the program that changed them"

_HEAD = "head"

NOBODY = Maker()


class ScriptLooks:
    """Looks at the scripts of one project."""

    def __init__(
        self, project: Project, texts: KnownTexts, settling: Settling, noted: NotedTexts
    ) -> None:
        self.files = ScriptFiles(project.root)
        self._project = project
        self._texts = texts
        self._settling = settling
        self._git = GitSigns(project.root)
        self._outside = OutsideChanges(project)
        self._outside.sweep()
        self.as_read = ReadTexts(project, texts, self.files, self._outside)
        self._noted = noted
        self._calls: dict[str, tuple[float, ...]] = {}
        """By path, the calls whose hooks read the known text."""
        self._recent: deque[Recent] = deque(maxlen=MAX_RECENT)
        """The newest changes without a known maker, oldest first."""
        self._fresh: list[OutsideChange] = []
        """Changes without a known maker that :meth:`fresh` has not returned yet."""
        self.on_own: Callable[[OwnWrite], None] = lambda _: None
        """Called with what this product wrote."""
        self._number = 0
        self._empty_since: dict[str, float] = {}
        self._tries: dict[str, int] = {}

    @property
    def is_git_busy(self) -> bool:
        """Return whether git is writing now."""
        return self._git.is_busy()

    def end_first(self) -> BulkChange | None:
        """Record what changed while nothing watched, once all stamps were looked at.

        Return the changes if they are a bulk change. Otherwise return ``None``, and
        :meth:`settled` returns the changes later.
        """
        bulk = None
        was_known = self.as_read.knows_all
        self.as_read.end_scan()
        waiting, head = self._settling.paths, self._texts.meta(_HEAD)
        if waiting and was_known:
            changed = [each for each in waiting if self._has_changed(each)]
            moved = None if head is None else self._git.moved(0.0, head)
            if moved is not None or len(changed) > MANY:
                bulk = self._add_bulk(changed, moved, NOBODY)
        self._texts.note(_HEAD, self._git.head)
        return bulk

    def take_waiting(self) -> Seen | None:
        """Look at the waiting scripts now. Return the changes without a known maker, if any."""
        since_s = monotonic() - ATTRIBUTED_S
        return self.settled(Settled(self._settling.paths, are_many=True, since_s=since_s))

    def take_all(self, maker: Maker, since_s: float) -> list[OutsideChange] | BulkChange:
        """Look at the waiting scripts, and attribute their changes to ``maker``.

        Changes without a known maker are attributed, too, if they were seen after ``since_s``, a
        time of ``time.monotonic``. 0 means :data:`ATTRIBUTED_S` ago.
        """
        now_s = monotonic()
        changed = [each for each in self._settling.paths if self._has_changed(each)]
        bulk = self._bulk(changed, now_s - ATTRIBUTED_S, maker, are_many=True)
        since_s = since_s or now_s - ATTRIBUTED_S
        if bulk is not None:
            return bulk
        began_s = time.time() - (monotonic() - since_s)

        def may_be_theirs(each: Recent) -> bool:
            return each.at_s > since_s and may_have_made(began_s, each.calls)

        return self._of_maker(changed, may_be_theirs, maker, began_s)

    def take_each(
        self,
        paths: Sequence[str],
        maker: Maker,
        noted: Mapping[str, bytes | None],
        *,
        call_s: float,
        are_written: bool,
    ) -> list[OutsideChange]:
        """Look at ``paths``, and attribute their changes to ``maker``, as :meth:`take_all` does.

        ``noted`` has their texts from before the maker's call, read at ``call_s``. ``are_written``
        says that the call has ended. Then an empty script is taken as it is; otherwise it may be
        half written.
        """
        now_s = monotonic()
        written = [each for each in paths if are_written or not self._is_being_written(each, now_s)]

        def is_theirs(each: Recent) -> bool:
            change, is_new = each.change, now_s - each.at_s <= ATTRIBUTED_S
            if change.path not in paths or change.path not in noted or not each.calls:
                was_there = change.path in noted and noted[change.path] == change.after
                return change.path in paths and is_new and not was_there
            return call_s in each.calls

        return self._of_maker(written, is_theirs, maker, call_s)

    def _of_maker(
        self,
        changed: Sequence[str],
        is_theirs: Callable[[Recent], bool],
        maker: Maker,
        call_s: float,
    ) -> list[OutsideChange]:
        """Take the scripts ``changed``. Return the changes that ``maker`` made, also recent ones.

        ``is_theirs`` says which recent changes are attributed to ``maker``.
        """
        taken = [each for path in changed if (each := self.take(path, maker, call_s)) is not None]
        again = {each.path for each in taken}
        theirs = list(filter(is_theirs, self._recent))
        for found in theirs:
            self._recent.remove(found)
        recent = [
            self._attribute(each.change, maker)
            for each in theirs
            if each.change.path not in again or (call_s in each.calls)
        ]
        of_maker = {each.number for each in recent}
        self._fresh = [each for each in self._fresh if each.number not in of_maker]
        return recent + taken

    def settled(self, settled: Settled) -> Seen | None:
        """Look at scripts at rest. Return the changes without a known maker, if any."""
        now_s = monotonic()
        ready = [each for each in settled.paths if not self._is_being_written(each, now_s)]
        changed = [each for each in ready if self._has_changed(each)]
        bulk = self._bulk(changed, settled.since_s, NOBODY, are_many=settled.are_many)
        done = () if bulk is None else frozenset(bulk.paths)
        left = [path for path in changed if path not in done]
        for path in left:
            self.take(path)
        self._texts.note(_HEAD, self._git.head)
        return self.fresh(bulk)

    def fresh(self, bulk: BulkChange | None = None) -> Seen | None:
        """Return ``bulk`` and the changes without a maker that were not returned yet.

        Returns ``None`` if there are neither.
        """
        found, self._fresh = self._fresh, []
        return Seen(tuple(found), bulk) if found or bulk is not None else None

    def _is_being_written(self, path: str, now_s: float) -> bool:
        """Return whether a script became empty less than :data:`EMPTY_S` seconds ago.

        Such a script may be half written, so it is looked at again.
        """
        known, stamp = self._texts.get(path), self.files.stamp(path)
        is_emptied = known is not None and stamp is not None and not stamp[2] and known.stamp[2]
        if not is_emptied:
            self._empty_since.pop(path, None)
            return False
        if now_s - self._empty_since.setdefault(path, now_s) >= EMPTY_S:
            del self._empty_since[path]
            return False
        self._settling.hold(path, now_s, EMPTY_S)
        return True

    def _has_changed(self, path: str) -> bool:
        """Return whether a script's text differs from the known one.

        If not, learn its new stamp.
        """
        script = self._project.named(path)
        if script is None or self.files.is_away(path):  # If a drive is away, nothing was deleted.
            self._settling.drop(path)
            return False
        at_s, now, known = time.time(), script.read(), self._texts.get(path)
        if isinstance(now, SnippetError):
            return known is not None and is_gone(script)
        hashed = content_hash(now.data)
        if known is not None and known.hash == hashed:
            self.as_read.learn(path, now, at_s)
            return False
        return True

    def _bulk(
        self, changed: Sequence[str], since_s: float, maker: Maker, *, are_many: bool
    ) -> BulkChange | None:
        """Add one entry for all changes if git made them, or if they are many at once.

        Otherwise return ``None``.
        """
        now_s = monotonic()
        changed = [
            each
            for each in changed
            if not (self._settling.is_expected(each, now_s) or each in self._noted)
        ]
        if not changed:
            return None
        since = time.time() - (monotonic() - since_s) - _NEAR_S
        moved = self._git.moved(since)
        if moved is None and not (are_many and len(changed) > MANY):
            return None
        return self._add_bulk(changed, moved, maker)

    def _by_git(self, changed: Sequence[str]) -> Sequence[str]:
        """Return the scripts that git wrote.

        Return all of ``changed`` if it has over :data:`_MAX_ASKED`, or over ``MANY`` others.
        """
        if len(changed) > _MAX_ASKED:
            return changed
        files: dict[str, os.stat_result | None] = {}
        for path in changed:
            files[self.files.place(path)] = None
            with suppress(OSError):
                files[self.files.place(path)] = os.lstat(self.files.place(path))
        wrote = self._git.wrote(files)
        by_git = [path for path in changed if self.files.place(path) in wrote]
        return by_git if len(changed) - len(by_git) <= MANY else changed

    def _add_bulk(
        self, changed: Sequence[str], moved: Moved | None, maker: Maker
    ) -> BulkChange | None:
        """Add one entry for many scripts, or for those that git wrote; ``None`` if none changed."""
        git = "" if moved is None else moved.words
        if moved is not None:
            changed = self._by_git(changed)
        files: list[tuple[str, str | None, str | None]] = []
        texts = ManyTexts()
        earlier = self._texts.texts(changed, texts.most_bytes)
        for path in changed:
            script, known = self._project.named(path), self._texts.get(path)
            at_s, seen_s = time.time(), self.as_read.seen_at(path)
            now = None if script is None else script.read()
            before = None if known is None else known.hash
            was = earlier.get(path)
            data = now.data if isinstance(now, FileSnapshot) else None
            after = None if data is None else content_hash(data)
            is_seen = data is not None or (known is not None and script and is_gone(script))
            if is_seen and after != before and not self._outside.is_own(path, after, seen_s):
                files.append((path, before, after))
                if (known is None) == (was is None):
                    texts.add(path, was, data)
            if isinstance(now, FileSnapshot):
                self.as_read.learn(path, now, at_s)
            elif is_seen:
                self.as_read.forget(path, at_s)
            self._settling.drop(path)
        if not files:
            return None
        files.sort()
        why = f"{NO_UNDO_GIT} ({git})" if git else NO_UNDO_MANY
        entry = self._outside.found_many(files, why, maker)
        self._texts.note(_HEAD, self._git.head)
        self._texts.save()
        log_event("many_scripts_changed", files=len(files), git=git or None)
        paths = tuple(path for path, _, _ in files)
        return BulkChange(paths, git, entry.ticket, tuple(texts.kept), texts.reformatted)

    def take(self, path: str, maker: Maker = NOBODY, call_s: float = 0.0) -> OutsideChange | None:
        """Look at one script, and add history entries for its changes.

        Returns the change that ``maker`` made, if any. The maker's hook read the earlier text at
        ``call_s``. Other changes have no maker yet; a later call may still claim them.
        """
        script = self._project.named(path)
        if script is None or self.files.is_away(path):
            return None
        for each in self._noted.of(path)[:1]:
            self.as_read.learn_noted(path, each.data, each.call_s)
        known = self._texts.get(path)
        if known is None and not (self.as_read.knows_all or path in self._noted):
            self.as_read.read_first(path)  # The text before isn't known.
            return None
        before = KnownText(None, seen_s=self.as_read.seen_at(path))
        if known is not None:
            status = KeptStatus(*known.status)
            before = KnownText(
                known.hash, self._texts.text(path), status, self.as_read.seen_at(path)
            )
        at_s, steps = time.time(), NotedSteps(before, self._calls.get(path, ()))

        def made(read_s: float) -> tuple[Sequence[KnownText], Maker]:
            steps.add(self._noted.take(path, read_s))
            return steps.texts, maker if may_have_made(call_s, steps.calls) else NOBODY

        found = self._outside.found(script, before, made)
        if isinstance(found, SnippetError):
            self._try_again(path, found)
            return None
        self._tries.pop(path, None)
        self._settling.drop(path)
        if found[-1].snapshot is None:
            self.as_read.forget(path, at_s)
        else:
            self.as_read.learn(path, found[-1].snapshot, at_s)
        if any(each.entry for each in found):
            self.as_read.no_longer_first(path)
        self._calls.pop(path, None)
        if found[-1].entry is None and steps.calls:
            self._calls[path] = steps.calls
            if len(self._calls) > MAX_NOTED:
                del self._calls[next(iter(self._calls))]
        changes = [each for each in found if each.entry is not None]
        if not changes:
            self._note_own(path, before, found[-1].after)
        elif changes[0].before.hash is None or changes[0].before.data is not None:
            self._note_own(path, before, changes[0].before.data)
        if changes and (last := found[-1]).own_on_top is not None and last.snapshot is not None:
            left = KnownText(content_hash(last.own_on_top), last.own_on_top, None, before.seen_s)
            self._note_own(path, left, last.snapshot.data)
        is_makers = maker is not NOBODY and may_have_made(call_s, steps.calls)
        for step in found[:-1] if is_makers else found:
            if (change := self._to_outside_change(step, NOBODY)) is not None:
                self._fresh.append(change)
                self._recent.append(Recent(change, monotonic(), steps.before(step.noted)))
        return self._to_outside_change(found[-1], maker) if is_makers else None

    def _note_own(self, path: str, before: KnownText, after: bytes | None) -> None:
        """Report a write by this product, if the text differs from the one before."""
        if before.hash != (None if after is None else content_hash(after)):
            is_unknown = before.hash is not None and before.data is None
            self.on_own(OwnWrite(path, before.data, after, is_unknown, before.seen_s))

    def _try_again(self, path: str, error: SnippetError) -> None:
        """Look at a script again later if the error may pass; after :data:`_MAX_TRIES`, drop it."""
        tries = self._tries.get(path, 0) + 1
        is_passing = error.code in (ErrorCode.BUSY, ErrorCode.WRITE_FAILED)
        if is_passing and tries <= _MAX_TRIES:
            self._tries[path] = tries
            self._settling.hold(path, monotonic(), QUIET_S * tries)
            return
        self._tries.pop(path, None)
        self._settling.drop(path)
        log_event("script_not_looked_at", level=logging.WARNING, path=path, why=str(error))

    def _to_outside_change(self, found: FoundChange, maker: Maker) -> OutsideChange | None:
        """Return a found change with the next number; ``None`` if it has no entry."""
        if found.entry is None:
            return None
        self._number += 1
        before = found.before
        log_event("outside_change", path=found.script.canonical, source=maker.source)
        return OutsideChange(
            self._number,
            found.script.canonical,
            maker,
            found.entry,
            None if found.undo is None else _with_digits(found.undo),
            before.hash is not None,
            before.data,
            found.after,
        )

    def _attribute(self, change: OutsideChange, maker: Maker) -> OutsideChange:
        if change.maker.source != OUTSIDE:
            return change
        with suppress(OSError):
            entry = self._outside.attribute(change.entry, maker)
            return replace(change, entry=entry, maker=maker)
        return change


def _with_digits(undo: Mapping[str, str]) -> dict[str, str]:
    found = dict(undo)
    if "hashAfter" in found:
        found["hashAfter"] = found["hashAfter"].removeprefix("sha256:")[:HASH_DIGITS]
    return found
