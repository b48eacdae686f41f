"""Text that an agent sends as it was displayed: with numbers and marks, escaped, prettified."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from random import Random

from benchmarks.landing.intent import Intent
from benchmarks.landing.quoting import everywhere
from benchmarks.landing.wording import Form


def line_numbers(intent: Intent, rng: Random) -> Intent | None:
    """Put the number that a reading tool showed before each line, quoted and written."""
    seen = intent.seen
    first = intent.text.count("\n", 0, seen.start) + 1
    shape = rng.choice(("{}\t", "{}: ", "{:>6}\t", "{}|"))
    return _each_line(intent, lambda at: shape.format(first + at))


def quote_marks(intent: Intent, _: Random) -> Intent | None:
    """Put ``>`` before each line, as in a quotation."""
    return _each_line(intent, lambda _: "> ")


def diff_marks(intent: Intent, _: Random) -> Intent | None:
    """Put ``-`` before what goes and ``+`` before what comes, as in a diff."""
    wording = intent.wording
    if wording.before or wording.after or wording.form.name != "REPLACE":
        return None
    if not wording.target.strip() or not wording.result.strip():
        return None
    old = "\n".join("-" + line for line in wording.target.split("\n"))
    new = "\n".join("+" + line for line in wording.result.split("\n"))
    return intent.said(head="", tail="", old=old, new=new)


def fenced(intent: Intent, _: Random) -> Intent | None:
    """Put target and new text into Markdown fences."""
    wording = intent.wording
    if wording.form.name != "REPLACE" or wording.before or wording.after:
        return None
    mark = "```csharp\n"
    return intent.said(head=mark + wording.head, tail=wording.tail + "\n```")


def escapes_as_text(intent: Intent, _: Random) -> Intent | None:
    """Write line breaks, or quotes, as the two characters that JSON has for them."""
    if "\\" in intent.wording.quoted + intent.wording.result:
        return None
    if intent.wording.form is Form.INSERT_LINE_AFTER:
        return None  # A line break before the line, escaped, asks for a blank line.
    return everywhere(intent, lambda text: text.replace('"', '\\"').replace("\n", "\\n"))


def curly_quotes(intent: Intent, _: Random) -> Intent | None:
    """Write straight quotes as typographic ones."""
    return everywhere(intent, lambda text: re.sub(r'"([^"\n]*)"', "“\\1”", text))


def dashes(intent: Intent, _: Random) -> Intent | None:
    """Write hyphens as dashes."""
    return everywhere(intent, lambda text: re.sub(r"(?<= )-(?= )", "–", text))


def no_break_spaces(intent: Intent, _: Random) -> Intent | None:
    """Write a blank between words as a no-break space."""
    return everywhere(intent, lambda text: re.sub(r"(?<=\w) (?=\w)", "\u00a0", text, count=1))


def decomposed(intent: Intent, _: Random) -> Intent | None:
    """Decompose letters with marks."""
    return everywhere(intent, lambda text: unicodedata.normalize("NFD", text))


def _each_line(intent: Intent, mark: Callable[[int], str]) -> Intent | None:
    """Put a mark before each line of target and new text, if these are whole lines."""
    wording, text = intent.wording, intent.text
    if wording.before or wording.after or wording.form.name != "REPLACE" or "\n" in wording.new:
        return None
    line_start = text.rfind("\n", 0, intent.seen.start) + 1
    if text[line_start : intent.seen.start].strip():
        return None
    count = 0

    def marked(part: str, *, first: bool = False) -> str:
        nonlocal count
        if first:
            part = mark(0) + text[line_start : intent.seen.start] + part
        pieces = part.split("\n")
        for at in range(1, len(pieces)):
            count += 1
            pieces[at] = mark(count) + pieces[at]
        return "\n".join(pieces)

    head = marked(wording.head, first=True)
    old = marked(wording.old)
    return intent.said(head=head, old=old, tail=marked(wording.tail))
