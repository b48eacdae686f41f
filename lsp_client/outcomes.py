"""Failures of questions to a language server: exceptions in this package, values for callers."""

from __future__ import annotations

from dataclasses import dataclass


class ServerLost(Exception):  # noqa: N818 - what happened, in words
    """The connection is over; the message says why, as in "roslyn_server died"."""


class RequestRefused(Exception):  # noqa: N818
    """The server answered a request with an error."""


class LastAnswer(RequestRefused):
    """The server answered with an error, and is about to end."""


class ParamsRefused(RequestRefused):
    """The request's parameters name nothing that the server knows."""


class MethodUnknown(RequestRefused):
    """The server doesn't have this optional request."""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Why there is no answer: a sentence without its full stop."""

    reason: str


@dataclass(frozen=True, slots=True)
class Lost(Unavailable):
    """The server was lost before it answered."""
