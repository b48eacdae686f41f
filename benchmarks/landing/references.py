"""Other ways of editing, in some lines each. They get the same spoiled intents.

Each is a fair rendition of a common tool, not a product. Requests whose shape such tools commonly
don't take are refused; what else they know (a switch for all places, fresh addresses after a
mismatch) they do here too.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from benchmarks.landing.attempts import Attempt
from benchmarks.landing.outcome import Outcome
from benchmarks.landing.plain import Plain

_LIKE_ENOUGH = 0.8
_BAD_SHAPE = "Invalid input: the parameters do not match the schema of this tool."
_EDITED = "The file has been updated."


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reference answers: the new text, or ``None``, and what it says.

    ``again`` is what a mechanical client makes of that, for the tool that offers something.
    """

    text: str | None
    says: str
    again: Plain | None = None


@dataclass(frozen=True, slots=True)
class ReferenceTrial:
    """One attempt with a reference; bytes as a model writes and is shown them."""

    outcome: Outcome
    bytes_sent: int
    bytes_shown: int


@dataclass(frozen=True, slots=True)
class Reference:
    """One way of editing: how it edits, and how a request of it reads."""

    name: str
    edit: Callable[[str, Plain], Answer]
    request: Callable[[str, Plain], Mapping[str, Any]]

    def tried(self, attempt: Attempt) -> ReferenceTrial:
        """Make the attempt with this tool, and again if its error says how."""
        asked: Plain | None = attempt.plain
        text = _text(attempt.standing, attempt.newline)
        wanted = _text(attempt.right, attempt.newline)
        sent = shown = 0
        outcome = Outcome.REFUSED
        for landed in (Outcome.FIRST, Outcome.SECOND):
            if asked is None:
                break
            takes = attempt.others_take or landed is Outcome.SECOND
            answer = self.edit(text, asked) if takes else Answer(None, _BAD_SHAPE)
            sent += _size(json.dumps(self.request(attempt.path, asked), ensure_ascii=False))
            shown += _size(answer.says)
            if answer.text is not None:
                outcome = landed if answer.text == wanted else Outcome.WRONG
                break
            asked = answer.again
        return ReferenceTrial(outcome, sent, shown)


def exact(text: str, asked: Plain) -> Answer:
    """Replace exact text that occurs once, or everywhere if the request says so."""
    old = asked.old.replace("\r\n", "\n")
    if old == asked.new:
        return Answer(None, "No changes to make: old_string and new_string are the same.")
    count = text.count(old)
    if count == 0:
        return Answer(None, f"String to replace not found in file.\nString: {asked.old}")
    if count > 1 and not asked.everywhere:
        return Answer(
            None,
            f"Found {count} matches of the string to replace, but replace_all is false. To replace "
            "only one occurrence, provide more context to identify it uniquely.\n"
            f"String: {asked.old}",
        )
    return Answer(text.replace(old, asked.new.replace("\r\n", "\n")), _EDITED)


def ladder(text: str, asked: Plain) -> Answer:
    """Try ever looser matches, and take the first."""
    if asked.everywhere and asked.old in text:
        return Answer(text.replace(asked.old, asked.new), _EDITED)
    new = asked.new.replace("\r\n", "\n")
    for step in (_exactly, _by_lines(str.rstrip), _by_lines(str.strip), _unescaped, _squeezed,
                 _between_its_ends, _alike):  # fmt: skip
        place = next(step(text, asked.old.replace("\r\n", "\n")), None)
        if place is not None:
            written = _plain_escapes(new) if step is _unescaped else new
            return Answer(text[: place[0]] + written + text[place[1] :], _EDITED)
    return Answer(None, f"Could not find old_string in the file.\nString: {asked.old}")


def hashed_lines(text: str, asked: Plain) -> Answer:
    """Address lines by number and a hash of two digits; a mismatch shows the present lines."""
    lines = text.split("\n")
    spans = _swept_lines(text, asked) if asked.everywhere else [asked]
    stale = [each for each in spans if not _holds(lines, each)]
    if not stale:
        for each in sorted(spans, key=lambda span: -span.line):
            lines[each.line : each.line + len(each.lines)] = each.becomes
        return Answer("\n".join(lines), _EDITED)
    wanted = [_hash(line) for line in asked.lines]
    hashes = [_hash(line) for line in lines]
    found = [
        at for at in range(len(lines) - len(wanted) + 1) if hashes[at : at + len(wanted)] == wanted
    ]
    first = max(0, asked.line - 3)
    near = "\n".join(
        f"{at + 1}:{_hash(lines[at])}|{lines[at]}"
        for at in range(first, min(len(lines), asked.line + len(wanted) + 3))
    )
    says = f"Lines have changed since they were read. They are now:\n{near}"
    if len(found) == 1 and not asked.everywhere:
        moved = f"{found[0] + 1}:{wanted[0]}"
        return Answer(None, f"{says}\nThe lines are at {moved} now.", replace(asked, line=found[0]))
    return Answer(None, says)


def _string_request(path: str, asked: Plain) -> Mapping[str, Any]:
    body = {"file_path": path, "old_string": asked.old, "new_string": asked.new}
    return {**body, "replace_all": True} if asked.everywhere else body


def _lines_request(path: str, asked: Plain) -> Mapping[str, Any]:
    last = asked.line + len(asked.lines)
    return {
        "path": path,
        "edits": [
            {
                "from": f"{asked.line + 1}:{_hash(asked.lines[0])}",
                "to": f"{last}:{_hash(asked.lines[-1])}",
                "lines": list(asked.becomes),
            }
        ],
    }


EXACT = "exact unique replace"

REFERENCES = (
    Reference(EXACT, exact, _string_request),
    Reference("ladder of looser matches", ladder, _string_request),
    Reference("lines by number and hash", hashed_lines, _lines_request),
)


# -- the ladder's steps -------------------------------------------------------------------------

Place = tuple[int, int]


def _exactly(text: str, old: str) -> Iterator[Place]:
    at = text.find(old)
    if at >= 0:
        yield at, at + len(old)


def _by_lines(same: Callable[[str], str]) -> Callable[[str, str], Iterator[Place]]:
    def step(text: str, old: str) -> Iterator[Place]:
        wanted = [same(line) for line in old.strip("\n").split("\n")]
        yield from _windows(
            text, len(wanted), lambda lines: [same(each) for each in lines] == wanted
        )

    return step


def _unescaped(text: str, old: str) -> Iterator[Place]:
    plain = _plain_escapes(old)
    if plain != old:
        yield from _exactly(text, plain)


def _plain_escapes(text: str) -> str:
    return text.replace("\\n", "\n").replace('\\"', '"').replace("\\t", "\t")


def _squeezed(text: str, old: str) -> Iterator[Place]:
    words = re.findall(r"\w+|[^\w\s]", old)
    if words:
        match = re.search(r"\s*".join(map(re.escape, words)), text)
        if match:
            yield match.span()


def _between_its_ends(text: str, old: str) -> Iterator[Place]:
    lines = [line.strip() for line in old.strip("\n").split("\n")]
    if len(lines) >= 3:
        yield from _windows(
            text,
            len(lines),
            lambda found: found[0].strip() == lines[0] and found[-1].strip() == lines[-1],
        )


def _alike(text: str, old: str) -> Iterator[Place]:
    lines = old.strip("\n").split("\n")
    matcher = SequenceMatcher(None, "", "\n".join(line.strip() for line in lines), autojunk=False)

    def like(found: list[str]) -> bool:
        matcher.set_seq1("\n".join(line.strip() for line in found))
        return (
            matcher.real_quick_ratio() >= _LIKE_ENOUGH
            and matcher.quick_ratio() >= _LIKE_ENOUGH
            and matcher.ratio() >= _LIKE_ENOUGH
        )

    yield from _windows(text, len(lines), like)


def _windows(text: str, height: int, fits: Callable[[list[str]], bool]) -> Iterator[Place]:
    lines = text.split("\n")
    start = 0
    for at in range(len(lines) - height + 1):
        window = lines[at : at + height]
        if fits(window):
            yield start, start + len("\n".join(window))
        start += len(lines[at]) + 1


# -- lines and their hashes ----------------------------------------------------------------------


def _hash(line: str) -> str:
    return hashlib.sha256(line.encode()).hexdigest()[:2]


def _holds(lines: list[str], asked: Plain) -> bool:
    last = asked.line + len(asked.lines) - 1
    if last >= len(lines):
        return False
    ends = (asked.line, asked.lines[0]), (last, asked.lines[-1])
    return all(_hash(lines[at]) == _hash(line) for at, line in ends)


def _swept_lines(text: str, asked: Plain) -> list[Plain]:
    """Return an address for each line that a sweep changes."""
    return [
        replace(
            asked,
            line=at,
            lines=(line,),
            becomes=tuple(line.replace(asked.old, asked.new).split("\n")),
        )
        for at, line in enumerate(text.split("\n"))
        if asked.old in line
    ]


def _text(data: bytes, newline: str) -> str:
    return data.removeprefix(b"\xef\xbb\xbf").decode().replace(newline, "\n")


def _size(text: str) -> int:
    return len(text.encode())
