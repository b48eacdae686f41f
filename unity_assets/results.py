"""The answers of ``Assets``: places of a name, changed files, places that stay and why."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, order=True)
class Hit:
    """A place that has the name; lines count from 1."""

    path: str
    line: int
    kind: str
    text: str


@dataclass(frozen=True, order=True)
class Left(Hit):
    """A place that stays as it is, and why. ``lost``: it no longer works after the rename."""

    why: str
    lost: bool


@dataclass(frozen=True, order=True)
class Conflict:
    """A place that is a reason to refuse the rename."""

    path: str
    line: int
    message: str


@dataclass(frozen=True)
class Found:
    """All places, and the files that couldn't be searched, each with the reason.

    ``unnamed`` are uses that don't have the name: objects of a type have its script's GUID, and a
    ``PlayerInput`` makes method names from action names.
    """

    hits: list[Hit]
    not_searched: list[tuple[str, str]]
    unnamed: list[Hit] = field(default_factory=list)


@dataclass(frozen=True)
class Renamed:
    """Each changed file with its bytes before and after, and the decision for each place."""

    files: list[tuple[str, bytes, bytes]]
    hits: list[Hit]
    left: list[Left]
    not_searched: list[tuple[str, str]]
    conflicts: list[Conflict]


class StoppedError(Exception):
    """The work was stopped because the caller's ``should_stop`` returned true."""
