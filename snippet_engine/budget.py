"""Limit the work of a request: by steps, and by a stop from outside (docs/design/engine.md §11).

*Steps* are counted, so the same request gets the same answer on every machine. A *stop* comes when
the time is over or the caller has gone; then the request has no answer. Both belong to the call of
the current thread, so functions needn't pass them on. Long work calls :func:`check` or
:func:`spend`, or counts with :class:`Steps`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import RLock
from time import monotonic
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_CHECKED_EVERY = 256
"""Steps between two checks of the clock."""
_READ_IN_A_STEP = 4_000
"""How many code points a text search reads in one step."""
_SHARE_FOR_OTHERS = 0.8
"""The part of a call's time in which it may wait for others."""


class Having(Generic[T]):
    """A context in which a context variable has a value."""

    # This is a class because a generator takes twice as long, and each file of a set enters
    # several.
    __slots__ = ("_token", "_value", "_variable")

    def __init__(self, variable: ContextVar[T], value: T) -> None:
        self._variable = variable
        self._value = value

    def __enter__(self) -> T:
        self._token = self._variable.set(self._value)
        return self._value

    def __exit__(self, *_: object) -> None:
        self._variable.reset(self._token)


class StoppedError(Exception):
    """The caller has gone, or the call's time is over. Nothing was written."""


class OutOfStepsError(Exception):
    """The searches of a request have used all their shared steps."""


class Steps:
    """Steps for one kind of work in a request. A step takes some ten microseconds at most."""

    def __init__(self, left: int) -> None:
        self.left = left
        self._unchecked = 0

    def take(self, count: int = 1) -> bool:
        """Take ``count`` steps before doing the work; return whether enough were left.

        Raise :class:`StoppedError` if the call should end.
        """
        self.left -= count
        self._unchecked += count
        if self._unchecked >= _CHECKED_EVERY:
            self._unchecked = 0
            check()
        return self.left >= 0


_shared: ContextVar[Steps | None] = ContextVar("shared steps", default=None)


@contextmanager
def sharing(steps: int) -> Iterator[None]:
    """Share ``steps`` among all searches in this context, or use those of an outer context.

    Checking one place is one step, and takes about two microseconds.
    """
    if _shared.get() is not None:
        yield
        return
    with Having(_shared, Steps(part_of(steps))):
        yield


@contextmanager
def at_most(steps: int) -> Iterator[None]:
    """Limit this context to ``steps`` of the shared steps."""
    shared = _shared.get()
    kept = max(shared.left - part_of(steps), 0) if shared is not None else 0
    try:
        if shared is not None:
            shared.left -= kept
        yield
    finally:
        if shared is not None:
            shared.left += kept


_part: ContextVar[float] = ContextVar("part of a request", default=1.0)


def in_part(part: float) -> Having[float]:
    """Limit this context to ``part`` of what the outer context may use.

    Parts are independent of each other, so their order doesn't matter.
    """
    return Having(_part, _part.get() * part)


def part_of(steps: int) -> int:
    """Return how many of a whole request's ``steps`` this context may take."""
    return int(steps * _part.get())


def spend(steps: int = 1) -> None:
    """Take shared steps before doing the work.

    Raise :class:`OutOfStepsError` if too few are left, or :class:`StoppedError`.
    """
    shared = _shared.get()
    if shared is None:
        return
    if shared.left < steps:
        raise OutOfStepsError
    shared.take(steps)


def spend_reading(length: int, times: int = 1) -> None:
    """Take shared steps for ``times`` searches of a text with ``length`` code points."""
    spend(1 + times * length // _READ_IN_A_STEP)


class Stop:
    """Ends the work of one call from outside. Thread-safe.

    A write that has begun can't be stopped. First, the call finishes the interrupted writes of
    others (:func:`to_its_end`); ``notes`` lists them.
    """

    def __init__(self, within_s: float | None = None) -> None:
        """``within_s`` is the number of seconds after which the work stops by itself."""
        self._deadline = None if within_s is None else monotonic() + within_s
        self.waited_for_until = self._deadline
        """Until when the caller waits, in ``time.monotonic``; ``None`` if unknown."""
        self._lock = RLock()
        self._stopped = False
        self._writing = False
        self._for_others = 0
        self._ended = False
        noted = _notes.get()
        self._notes: list[str] = [] if noted is None else noted

    @property
    def notes(self) -> Sequence[str]:
        """Return what the call has finished for others so far, in one sentence each."""
        return tuple(self._notes)

    @property
    def has_ended(self) -> bool:
        """Return whether :meth:`stop` ended the work, so that it wrote nothing."""
        return self._ended

    def stop(self) -> bool:
        """Stop the work at its next step; return whether the call will certainly write nothing."""
        with self._lock:
            self._stopped = True
            return not self._writing and not self._for_others

    def check(self) -> None:
        """Raise :class:`StoppedError` if the work should end."""
        late = self._deadline is not None and monotonic() >= self._deadline
        if (self._stopped or late) and not self._writing:
            self._ended = self._stopped
            raise StoppedError

    def begin_writing(self) -> None:
        """Make the call unstoppable; raise :class:`StoppedError` if it was stopped before."""
        with self._lock:
            self.check()
            self._writing = True

    def give_up_writing(self) -> None:
        """Make the call stoppable again, because it wrote nothing."""
        with self._lock:
            self._writing = False

    @contextmanager
    def to_its_end(self) -> Iterator[None]:
        """Do what :func:`to_its_end` does."""
        with self._lock:
            self.check()
            self._for_others += 1
        try:
            yield
        finally:
            with self._lock:
                self._for_others -= 1

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call ``function`` in this thread, so that :meth:`stop` can end it."""
        with Having(_current, self), Having(_notes, self._notes):
            return function(*args, **kwargs)


_notes: ContextVar[list[str] | None] = ContextVar("notes", default=None)
_current: ContextVar[Stop | None] = ContextVar("stop", default=None)


def check() -> None:
    """Raise :class:`StoppedError` if the call in this thread should end."""
    stop = _current.get()
    if stop is not None:
        stop.check()


def waited_for_s() -> float | None:
    """Return how long the caller still waits, in seconds; ``None`` if unknown."""
    stop = _current.get()
    until = None if stop is None else stop.waited_for_until
    return None if until is None else max(0.0, until - monotonic())


def patience_ms(most_ms: int) -> int:
    """Return how long to wait for other writers: ``most_ms``, or less if the call has less time."""
    left_s = waited_for_s()
    return most_ms if left_s is None else min(most_ms, int(left_s * 1000 * _SHARE_FOR_OTHERS))


@contextmanager
def within(timeout_ms: int | None) -> Iterator[None]:
    """Stop the work in this context after ``timeout_ms``, unless the call already has a stop."""
    if timeout_ms is None or _current.get() is not None:
        yield
        return
    with Having(_current, Stop(timeout_ms / 1000)):
        yield


def begin_writing() -> None:
    """Note that the call in this thread is about to write: see :meth:`Stop.begin_writing`."""
    stop = _current.get()
    if stop is not None:
        stop.begin_writing()


def give_up_writing() -> None:
    """Note that the call did not write: see :meth:`Stop.give_up_writing`."""
    stop = _current.get()
    if stop is not None:
        stop.give_up_writing()


@contextmanager
def to_its_end() -> Iterator[None]:
    """Finish the work for others in this context, even if the call is stopped meanwhile.

    Raise :class:`StoppedError` if it is stopped already.
    """
    stop = _current.get()
    if stop is None:
        yield
        return
    with stop.to_its_end():
        yield


def note(text: str) -> None:
    """Add a note on work for others to the call's answer, whether a result or an error."""
    notes = _notes.get()
    if notes is not None:
        notes.append(text)


@contextmanager
def noting(noted: Sequence[str] = ()) -> Iterator[list[str]]:
    """Yield the notes of the current call, or of this context, with ``noted`` added."""
    notes = _notes.get()
    if notes is not None:
        notes.extend(noted)
        yield notes
        return
    notes = list(noted)
    with Having(_notes, notes):
        yield notes
