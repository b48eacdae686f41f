"""The applied edits that are to be judged, and those whose errors still stand. Pure.

Each edit is kept with the texts from before it, so that it can be judged at any time. An error
counts as new if the files on disk have it, and those texts didn't.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcp_server.news.findings import Origin

MAX_EDITS = 500
MAX_FILES = 1_000
"""Most files whose earlier texts are kept. The compiler isn't asked about more."""

MAX_CHARACTERS = 32_000_000


@dataclass(frozen=True, slots=True)
class AppliedEdit:
    """An edit, and the texts from before it."""

    origin: Origin
    earlier: Mapping[str, str | None]
    """The texts by path; ``None`` if there was no such file."""
    is_due: bool = True
    """Whether the edit is still to be judged."""
    blocked_s: float | None = None
    """Since when other errors prevent the compiler from judging it; ``None`` if none do."""

    @property
    def number(self) -> int:
        """Return the edit's number. A later edit has a larger one."""
        return self.origin.number

    @property
    def is_settled(self) -> bool:
        """Return whether the edit needs no more judging."""
        return not self.is_due and self.blocked_s is None


@dataclass(slots=True)
class AppliedEdits:
    """The edits in the order of their numbers, in which they were applied."""

    _edits: dict[int, AppliedEdit] = field(default_factory=dict)

    def __iter__(self) -> Iterator[AppliedEdit]:
        return iter(self._edits.values())

    def __contains__(self, number: int) -> bool:
        return number in self._edits

    def add(self, edit: AppliedEdit) -> list[AppliedEdit]:
        """Add an edit. Return the oldest edits, which were removed to make room."""
        is_late = any(number > edit.number for number in self._edits)
        self._edits[edit.number] = edit
        if is_late:
            self._edits = dict(sorted(self._edits.items()))
        gone = []
        while self._is_full():
            gone.append(self._edits.pop(next(iter(self._edits))))
        return gone

    def _is_full(self) -> bool:
        if len(self._edits) > MAX_EDITS:
            return True
        texts = earliest(self._edits.values())
        size = sum(len(each) for edit in self for each in edit.earlier.values() if each is not None)
        return len(texts) > MAX_FILES or size > MAX_CHARACTERS

    def judged(self, numbers: Mapping[int, bool]) -> None:
        """Note that edits were judged. ``numbers`` says whether the edit's errors still stand.

        An edit without standing errors is removed.
        """
        for number, has_errors in numbers.items():
            edit = self._edits.get(number)
            if edit is not None and has_errors:
                self._edits[number] = AppliedEdit(edit.origin, edit.earlier, is_due=False)
            else:
                self._edits.pop(number, None)

    def attribute(self, origin: Origin) -> None:
        """Replace the origin of the edit that has the same number."""
        edit = self._edits.get(origin.number)
        if edit is not None:
            self._edits[origin.number] = replace(edit, origin=origin)

    def blocked(self, numbers: Iterable[int], now_s: float) -> None:
        """Note that edits were judged, but that errors elsewhere kept a part from being judged."""
        for number in numbers:
            edit = self._edits.get(number)
            if edit is not None and not edit.is_settled:
                since = now_s if edit.blocked_s is None else edit.blocked_s
                self._edits[number] = AppliedEdit(edit.origin, edit.earlier, False, since)

    def no_longer_blocked(self, before_s: float) -> None:
        """Settle the edits that have been blocked since before ``before_s``."""
        old = [each for each in self if each.blocked_s is not None and each.blocked_s < before_s]
        self.judged({each.number: True for each in old})

    @property
    def due(self) -> list[AppliedEdit]:
        """Return the edits that are still to be judged."""
        return [each for each in self if each.is_due]


def earliest(edits: Iterable[AppliedEdit]) -> dict[str, str | None]:
    """Return each file's text from before the first of ``edits``, which come in order."""
    texts: dict[str, str | None] = {}
    for edit in edits:
        for path, text in edit.earlier.items():
            texts.setdefault(path, text)
    return texts


def common_origin(
    edits: Sequence[AppliedEdit], what: str, *, is_one_of_several: bool = False
) -> Origin:
    """Return one origin for all ``edits``. ``what`` describes several of them.

    The origin has a caller if all edits have the same one.
    """
    last = edits[-1].origin
    if len(edits) == 1:
        return last
    caller = last.caller if len({each.origin.caller for each in edits}) == 1 else None
    client = last.client if caller is not None else None
    up_to = f"{what} up to the {last.what}"
    return Origin(last.number, up_to, caller, client, is_one_of_several=is_one_of_several)
