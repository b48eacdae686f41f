"""The engine's errors: values with a closed set of codes (docs/design/engine.md §8).

A function that can fail in an expected way returns ``T | SnippetError``; an exception is a bug.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Self

MAX_MESSAGE_LENGTH = 200
"""Longest error message, in code points."""

_MAX_PATH_LENGTH = 70
CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class ErrorCode(StrEnum):
    """Every code that an answer of the engine can have."""

    INVALID_REQUEST = "invalid_request"
    PATH_NOT_ALLOWED = "path_not_allowed"
    FILE_NOT_FOUND = "file_not_found"
    READ_ONLY = "read_only"
    FILE_TOO_LARGE = "file_too_large"
    UNSUPPORTED_ENCODING = "unsupported_encoding"
    STALE_FILE = "stale_file"
    ANCHOR_NOT_FOUND = "anchor_not_found"
    AMBIGUOUS_ANCHOR = "ambiguous_anchor"
    ANCHOR_IN_COMMENT = "anchor_in_comment"
    SYMBOL_NOT_FOUND = "symbol_not_found"
    OVERLAPPING_EDITS = "overlapping_edits"
    DIFF_TOO_LARGE = "diff_too_large"
    SYNTAX_ERROR = "syntax_error"
    COMPILE_ERROR = "compile_error"
    RENAME_CONFLICT = "rename_conflict"
    VALIDATOR_UNAVAILABLE = "validator_unavailable"
    DUPLICATE_REQUEST = "duplicate_request"
    BUSY = "busy"
    WRITE_FAILED = "write_failed"
    APPROVAL_REFUSED = "approval_refused"
    APPROVAL_TIMEOUT = "approval_timeout"


RETRYABLE_CODES = frozenset(
    {
        ErrorCode.STALE_FILE,
        ErrorCode.BUSY,
        ErrorCode.VALIDATOR_UNAVAILABLE,
        ErrorCode.APPROVAL_TIMEOUT,
    }
)
"""Codes after which the same request can succeed once the cause is gone (re-read, wait)."""


NEEDS_ACTION = "needsAction"
"""The key in ``details`` of a refusal that lasts until someone does something in the project."""
ALREADY_APPLIED = "already_applied"
"""The key in ``details`` of a refused edit that was already applied, and a near miss's label."""
MOST_LIKE = "the text: this is the closest match"
"""The label of the closest match if its text is only similar to the target."""
BREAKS_CODE = frozenset({ErrorCode.SYNTAX_ERROR, ErrorCode.COMPILE_ERROR})
"""Codes of an edit that would cause new errors in the code."""

MAX_OFFERS = 3


class Applicability(StrEnum):
    """Whether an offer can be sent as it is."""

    READY = "ready"
    CHOICE = "choice"
    """The agent has to choose: it is unknown which of several offers is right, or if a single one
    is.
    """
    DRAFT = "draft"
    """A part of the offer would still be refused."""


class OfferReason(StrEnum):
    """How an offer differs from the refused request."""

    CORRECTED = "corrected"
    EVERY_PLACE = "every_place"
    TAKES_BACK = "takes_back"


@dataclass(frozen=True, slots=True)
class Offer:
    """A whole request that can be sent instead of the refused one."""

    what: str
    arguments: Mapping[str, Any]
    """The request, ready for JSON."""
    basis: str = ""
    """Why this offer is likelier than the next one. Without it, several offers are a choice."""
    changed: tuple[tuple[int, Sequence[Mapping[str, Any]]], ...] = ()
    """The changed instructions, by their index in the refused request, if nothing else changes."""
    tool: str = ""
    """The tool to send the offer to, if it isn't the tool that refused."""
    takes_all: bool = False
    unless: str = ""
    """A condition under which the offer is unnecessary. With it, a single offer is a choice, too.
    """
    lacks: str = ""
    """The part of the request that would still be refused. A ready offer has none."""
    takes_back: bool = False

    @property
    def reason(self) -> OfferReason:
        """Return how the offer differs from the refused request."""
        if self.takes_all:
            return OfferReason.EVERY_PLACE
        return OfferReason.TAKES_BACK if self.takes_back else OfferReason.CORRECTED

    def to_json(self) -> dict[str, Any]:
        """Return the offer without empty keys; the reason only if it isn't ``corrected``."""
        optional = {
            "basis": self.basis,
            "unless": self.unless,
            "lacks": self.lacks,
            "tool": self.tool,
            "reason": "" if self.reason is OfferReason.CORRECTED else self.reason.value,
        }
        given = {key: value for key, value in optional.items() if value}
        return {"what": self.what, **given, "arguments": dict(self.arguments)}

    @classmethod
    def from_json(cls, sent: Mapping[str, Any]) -> Self:
        """Return the offer that :meth:`to_json` turned into ``sent``, without what JSON omits."""
        reason = sent.get("reason")
        return cls(
            str(sent["what"]),
            sent["arguments"],
            str(sent.get("basis", "")),
            tool=str(sent.get("tool", "")),
            takes_all=reason == OfferReason.EVERY_PLACE,
            unless=str(sent.get("unless", "")),
            lacks=str(sent.get("lacks", "")),
            takes_back=reason == OfferReason.TAKES_BACK,
        )


def applicability_of(offers: Sequence[Offer]) -> list[Applicability]:
    """Return the applicability of each of the offers of one error."""
    is_doubted = any(each.unless or each.lacks for each in offers[:1])
    is_choice = is_doubted or (len(offers) > 1 and not offers[0].basis)
    alike = Applicability.CHOICE if is_choice else Applicability.READY
    return [Applicability.DRAFT if each.lacks else alike for each in offers]


@dataclass(frozen=True, slots=True)
class SnippetError:
    """One refused request."""

    code: ErrorCode
    message: str
    """At most ``MAX_MESSAGE_LENGTH`` code points; longer text is cut, but not within backticks."""
    instruction: int | None = None
    """The index of the instruction at fault."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """The data of the error, ready for JSON; its keys depend on the code."""
    offers: tuple[Offer, ...] = ()
    """Requests to send instead, the most likely one first."""
    file: int | None = None
    """The index of the faulty change in its change set."""

    def __post_init__(self) -> None:
        message = shortened_message(self.message, MAX_MESSAGE_LENGTH)
        if message is not self.message:
            object.__setattr__(self, "message", message)

    @property
    def retryable(self) -> bool:
        """Return whether sending the same request again can succeed."""
        # Waiting installs no validator, but an installed one may answer the next time.
        if self.details.get(NEEDS_ACTION) is True:
            return False
        return self.code in RETRYABLE_CODES and self.details.get("found") is not False

    @property
    def is_unfinished(self) -> bool:
        """Return whether a write was begun and must still be finished or rolled back."""
        return self.details.get("unfinished") is True

    def for_instruction(self, index: int) -> SnippetError:
        """Return the same error, attributed to the instruction at ``index``."""
        return replace(self, instruction=index)

    def for_file(self, index: int) -> SnippetError:
        """Return the same error, attributed to the change at ``index`` of a set."""
        return replace(self, file=index)

    def to_json(self) -> dict[str, Any]:
        """Return ``code``, ``message``, ``file``?, ``instruction``?, ``details``, ``offers``."""
        return without_none(
            {
                "code": self.code.value,
                "message": self.message,
                "file": self.file,
                "instruction": self.instruction,
                "details": dict(self.details),
                "offers": [offer.to_json() for offer in self.offers],
            }
        )


def without_none(body: dict[str, Any]) -> dict[str, Any]:
    """Return ``body`` without the keys whose value is ``None``."""
    return {key: value for key, value in body.items() if value is not None}


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: ``1 file``, ``1,200 files``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def shortened(text: str, limit: int) -> str:
    """Return ``text``, cut to ``limit`` code points at the end of a word, with an ellipsis.

    A word is cut only if it takes more than half of ``limit``.
    """
    if len(text) <= limit:
        return text
    end = limit - 1
    while end > limit // 2 and _is_in_word(text, end):
        end -= 1
    return text[: limit - 1 if _is_in_word(text, end) else end].rstrip() + "…"


def shortened_start(text: str, limit: int) -> str:
    """Return the end of ``text`` in ``limit`` code points, from the beginning of a word."""
    return shortened(text[::-1], limit)[::-1]


def _is_in_word(text: str, at: int) -> bool:
    return text[at - 1 : at + 1].replace("_", "a").isalnum()


def shortened_message(text: str, limit: int) -> str:
    """Return ``text`` as :func:`shortened`, but without a command in backticks that doesn't fit."""
    cut = shortened(text, limit)
    if cut is text or cut.count("`") % 2 == 0:
        return cut
    return cut[: cut.rindex("`")] + "…"


def show(path: str) -> str:
    """Return ``path`` as messages show it: on one line; a long one loses its beginning.

    A path that begins or ends with a blank is put in quotation marks.
    """
    line = one_line(path)
    mark = "" if line == line.strip() else '"'
    most = _MAX_PATH_LENGTH - 2 * len(mark)
    return f"{mark}{shortened_start(line, most)}{mark}"


def one_line(path: str) -> str:
    """Return the whole ``path`` on one line, without unprintable characters."""
    line = CONTROL_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", path)
    return line.encode("utf-8", "replace").decode()
