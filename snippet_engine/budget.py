"""Bounds on the work of a request: its steps, and a stop from outside (docs/design/engine.md §11).

*Steps* are counted, so the same request gets the same answer on every machine. A *stop* comes by
the clock, or because the caller has gone; then there is no answer at all. Both belong to the call
that runs in the present thread, so no function has to pass them on: long work calls :func:`check`,
:func:`spend`, or counts with :class:`Steps`. What a call has finished of other writes is noted for
its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import RLock
from time import monotonic
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_CHECKED_EVERY = 256
"""Steps between two looks at the clock."""
_READ_IN_A_STEP = 4_000
"""Code points that a search of a text for another one passes in the time of a step."""
_SHARE_FOR_OTHERS = 0.8
"""The part of a call's time in which it may wait for others."""


class StoppedError(Exception):
    """The caller has gone, or the time is over. Nothing was written."""


class OutOfStepsError(Exception):
    """The searches of a request have taken all the steps that they share."""


class Steps:
    """A number of steps of one kind of work in one request; a step takes some ten microseconds at
    most."""

    def __init__(self, left: int) -> None:
        self.left = left
        self._unchecked = 0

    def take(self, count: int = 1) -> bool:
        """Count steps before they are made; return whether they may be. Raise
        :class:`StoppedError`."""
        self.left -= count
        self._unchecked += count
        if self._unchecked >= _CHECKED_EVERY:
            self._unchecked = 0
            check()
        return self.left >= 0

    @property
    def are_spent(self) -> bool:
        """Whether more steps were asked for than there were."""
        return self.left < 0


_shared: ContextVar[Steps | None] = ContextVar("shared steps", default=None)


@contextmanager
def sharing(steps: int) -> Iterator[None]:
    """Let all searches in this context share so many steps, or those of a context around it.

    A step is one place that is looked at, about two microseconds.
    """
    if _shared.get() is not None:
        yield
        return
    token = _shared.set(Steps(part_of(steps)))
    try:
        yield
    finally:
        _shared.reset(token)


@contextmanager
def at_most(steps: int) -> Iterator[None]:
    """Let this context take no more than so many of the shared steps."""
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


class InPart:
    """The context of :func:`in_part`."""

    __slots__ = ("_part", "_token")

    def __init__(self, part: float) -> None:
        self._part = part

    def __enter__(self) -> None:
        self._token = _part.set(_part.get() * self._part)

    def __exit__(self, *_: object) -> None:
        _part.reset(self._token)


def in_part(part: float) -> InPart:
    """Let this context take that part of what is allowed around it.

    Parts depend on nothing that other parts take, so their order changes nothing.
    """
    # A class, as a set enters it several times for each file, and a generator takes twice as long.
    return InPart(part)


def part_of(steps: int) -> int:
    """How many of the ``steps`` that a whole request may take may be taken in this context."""
    return int(steps * _part.get())


def spend(steps: int = 1) -> None:
    """Take shared steps before they are made.

    Raise :class:`OutOfStepsError` if too few are left, or :class:`StoppedError`.
    """
    shared = _shared.get()
    if shared is None:
        return
    if shared.left < steps:
        raise OutOfStepsError
    shared.take(steps)


def spend_reading(length: int, times: int = 1) -> None:
    """The same for searching a text of so many code points, so many ``times``."""
    spend(1 + times * length // _READ_IN_A_STEP)


class Stop:
    """Ends the work of one call from outside. May be shared by threads.

    A write that has begun can't be stopped. What the call does for others (:func:`to_its_end`) is
    finished first, and ``notes`` say so.
    """

    def __init__(self, within_s: float | None = None) -> None:
        """``within_s``: seconds from now on after which the work stops by itself."""
        self._deadline = None if within_s is None else monotonic() + within_s
        self.waited_for_until = self._deadline
        """When its caller will stop it, of ``time.monotonic``; ``None``: that isn't known."""
        self._lock = RLock()
        self._stopped = False
        self._writing = False
        self._for_others = 0
        self._ended = False
        noted = _notes.get()
        self._notes: list[str] = [] if noted is None else noted

    @property
    def notes(self) -> Sequence[str]:
        """What it has ended of others' work so far, in a sentence each."""
        return tuple(self._notes)

    @property
    def has_ended(self) -> bool:
        """Whether the work came to the end that :meth:`stop` asks for: it wrote nothing."""
        return self._ended

    def stop(self) -> bool:
        """Stop the work at its next step; whether the call surely writes nothing."""
        with self._lock:
            self._stopped = True
            return not self._writing and not self._for_others

    def check(self) -> None:
        """Raise :class:`StoppedError` if the work is to end."""
        late = self._deadline is not None and monotonic() >= self._deadline
        if (self._stopped or late) and not self._writing:
            self._ended = self._stopped
            raise StoppedError

    def begin_writing(self) -> None:
        """From here on the call can't be stopped; raises :class:`StoppedError` if it was."""
        with self._lock:
            self.check()
            self._writing = True

    def give_up_writing(self) -> None:
        """Nothing was written, and the call can be stopped again."""
        with self._lock:
            self._writing = False

    @contextmanager
    def to_its_end(self) -> Iterator[None]:
        """As :func:`to_its_end`."""
        with self._lock:
            self.check()
            self._for_others += 1
        try:
            yield
        finally:
            with self._lock:
                self._for_others -= 1

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call ``function`` in this thread, as work that this stops."""
        token, noted = _current.set(self), _notes.set(self._notes)
        try:
            return function(*args, **kwargs)
        finally:
            _notes.reset(noted)
            _current.reset(token)


_notes: ContextVar[list[str] | None] = ContextVar("notes", default=None)
_current: ContextVar[Stop | None] = ContextVar("stop", default=None)


def check() -> None:
    """Raise :class:`StoppedError` if the call that runs in this thread is to end."""
    stop = _current.get()
    if stop is not None:
        stop.check()


def waited_for_s() -> float | None:
    """So long the call that runs in this thread is still waited for; ``None``: not known."""
    stop = _current.get()
    until = None if stop is None else stop.waited_for_until
    return None if until is None else max(0.0, until - monotonic())


def patience_ms(most_ms: int) -> int:
    """Return how long to wait for other writers: ``most_ms``, or less if the call has less time."""
    left_s = waited_for_s()
    return most_ms if left_s is None else min(most_ms, int(left_s * 1000 * _SHARE_FOR_OTHERS))


@contextmanager
def within(timeout_ms: int | None) -> Iterator[None]:
    """Stop the work in this context after so long, unless somebody outside sees to that."""
    if timeout_ms is None or _current.get() is not None:
        yield
        return
    token = _current.set(Stop(timeout_ms / 1000))
    try:
        yield
    finally:
        _current.reset(token)


def begin_writing() -> None:
    """The call that runs in this thread is about to write: see :meth:`Stop.begin_writing`."""
    stop = _current.get()
    if stop is not None:
        stop.begin_writing()


def give_up_writing() -> None:
    """It did not write: see :meth:`Stop.give_up_writing`."""
    stop = _current.get()
    if stop is not None:
        stop.give_up_writing()


@contextmanager
def to_its_end() -> Iterator[None]:
    """Let what is done for others in this context come to its end, whoever stops the call.

    Raise :class:`StoppedError` if it is stopped already.
    """
    stop = _current.get()
    if stop is None:
        yield
        return
    with stop.to_its_end():
        yield


def note(told: str) -> None:
    """Have the answer say, whatever it is, what was done for others."""
    notes = _notes.get()
    if notes is not None:
        notes.append(told)


@contextmanager
def noting(noted: Sequence[str] = ()) -> Iterator[list[str]]:
    """Yield the notes of the current call, or of this context, with ``noted`` added."""
    notes = _notes.get()
    if notes is not None:
        notes.extend(noted)
        yield notes
        return
    notes = list(noted)
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)
