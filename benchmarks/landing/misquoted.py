"""Text that an agent gets wrong: from memory, in its white space, or as it was displayed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from difflib import SequenceMatcher
from random import Random

from benchmarks.landing.intent import Intent

_PARTS = ("before", "head", "tail", "after")
"""What a wording quotes and leaves as it is."""

_NAME = re.compile(r"(?<![\w@\"])[A-Za-z_]\w{3,}")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_RIVAL = 0.03
"""By how much the meant lines have to be more like the quoted ones than any others are."""


# -- retyped from memory -----------------------------------------------------------------------


def word_wrong(intent: Intent, rng: Random) -> Intent | None:
    """A name is remembered as another one."""

    def change(text: str) -> str | None:
        match = _choice(rng, list(_NAME.finditer(text)))
        if match is None:
            return None
        name = match[0]
        others = [
            name[:-1],
            name + "s",
            name[0].swapcase() + name[1:],
            "_" + name,
            name[: len(name) // 2] + name[len(name) // 2 + 1 :],
            "Get" + name[0].upper() + name[1:],
        ]
        return text[: match.start()] + rng.choice(others) + text[match.end() :]

    return _clear_enough(_in_a_part(intent, rng, change))


def token_wrong(intent: Intent, rng: Random) -> Intent | None:
    """An operator or a number is remembered as another one."""
    others = {
        "==": "!=", "<": "<=", ">": ">=", "&&": "||", "+": "-", "0": "1", "1": "0", ".": "?.",
        "var": "int", "private": "public", "public": "internal", "int": "float", "null": "default",
    }  # fmt: skip
    pattern = re.compile(r"==|&&|(?<![<=\w])[<>](?![<>=\w(])|\w+|[+.](?=\w)")

    def change(text: str) -> str | None:
        found = [match for match in pattern.finditer(text) if match[0] in others]
        match = _choice(rng, found)
        return match and text[: match.start()] + others[match[0]] + text[match.end() :]

    return _clear_enough(_in_a_part(intent, rng, change))


def token_missing(intent: Intent, rng: Random) -> Intent | None:
    """A token is forgotten."""

    def change(text: str) -> str | None:
        tokens = list(_TOKEN.finditer(text))
        match = _choice(rng, tokens) if len(tokens) > 3 else None
        if match is None:
            return None
        end = match.end() + (text[match.end() : match.end() + 1] == " ")
        return text[: match.start()] + text[end:]

    return _clear_enough(_in_a_part(intent, rng, change))


def token_invented(intent: Intent, rng: Random) -> Intent | None:
    """A word is remembered that isn't there."""

    def change(text: str) -> str | None:
        match = _choice(rng, list(re.finditer(r"(?<=[ (])(?=[A-Za-z_])", text)))
        if match is None:
            return None
        return (
            text[: match.start()]
            + rng.choice(("this.", "new ", "static ", "readonly "))
            + (text[match.start() :])
        )

    return _clear_enough(_in_a_part(intent, rng, change))


def line_missing(intent: Intent, rng: Random) -> Intent | None:
    """A whole line is forgotten."""

    def change(text: str) -> str | None:
        lines = text.split("\n")
        if len(lines) < 4:
            return None
        del lines[rng.randrange(1, len(lines) - 1)]
        return "\n".join(lines)

    return _clear_enough(_in_a_part(intent, rng, change))


def line_invented(intent: Intent, rng: Random) -> Intent | None:
    """A whole line is remembered that isn't there."""

    def change(text: str) -> str | None:
        lines = text.split("\n")
        if len(lines) < 3:
            return None
        at = rng.randrange(1, len(lines) - 1)
        indentation = re.match(r"\s*", lines[at])
        line = (indentation[0] if indentation else "") + rng.choice(
            ("Debug.Assert(enabled);", "// Nothing else to do here.", "", "EnsureInitialized();")
        )
        return "\n".join([*lines[:at], line, *lines[at:]])

    return _clear_enough(_in_a_part(intent, rng, change))


def line_wrong(intent: Intent, rng: Random) -> Intent | None:
    """A whole line is remembered as one from elsewhere in the file."""
    elsewhere = [line for line in intent.text.split("\n") if len(line.strip()) > 8]

    def change(text: str) -> str | None:
        lines = text.split("\n")
        if len(lines) < 4 or not elsewhere:
            return None
        lines[rng.randrange(1, len(lines) - 1)] = rng.choice(elsewhere)
        return "\n".join(lines)

    return _clear_enough(_in_a_part(intent, rng, change))


def comment_reflowed(intent: Intent, rng: Random) -> Intent | None:
    """A comment of several lines is remembered with its line breaks elsewhere."""
    pattern = re.compile(r"(?:^|(?<=\n))([ \t]*)(///?) ([^\n]+)\n\1\2 ([^\n]+)")

    def change(text: str) -> str | None:
        match = _choice(rng, list(pattern.finditer(text)))
        if match is None:
            return None
        words = f"{match[3]} {match[4]}".split(" ")
        cut = max(1, min(len(words) - 1, len(match[3].split(" ")) + rng.choice((-1, 1, 2))))
        mark = f"{match[1]}{match[2]} "
        flowed = f"{mark}{' '.join(words[:cut])}\n{mark}{' '.join(words[cut:])}"
        return text[: match.start()] + flowed + text[match.end() :]

    return _clear_enough(_in_a_part(intent, rng, change))


def replaced_text_wrong(intent: Intent, rng: Random) -> Intent | None:
    """What is to be replaced is remembered with a word that isn't there."""
    old = intent.wording.old
    match = _choice(rng, list(_NAME.finditer(old)))
    if match is None or intent.seen.form.name.startswith("INSERT"):
        return None
    wrong = old[: match.start()] + match[0][:-1] + old[match.end() :]
    spoiled = intent.said(old=wrong)
    stands = spoiled.wording.quoted in intent.standing
    return None if stands else _clear_enough(spoiled)


# -- white space -------------------------------------------------------------------------------


def indented_otherwise(intent: Intent, rng: Random) -> Intent | None:
    """Every line is quoted, and written, less or more deeply indented."""
    deeper = rng.choice(("    ", "\t", "  ", ""))

    def change(text: str) -> str:
        if deeper:
            return text.replace("\n", "\n" + deeper)
        return re.sub(r"\n(?: {4}|\t)", "\n", text)

    return _everywhere(intent, change)


def tabs_for_blanks(intent: Intent, _: Random) -> Intent | None:
    """Tabs for blanks, or blanks for tabs."""

    def change(text: str) -> str:
        if "\t" in intent.text:
            return text.replace("\t", "    ")
        return re.sub(r"(?<=\n)(?: {4})+", lambda match: "\t" * (len(match[0]) // 4), text)

    return _everywhere(intent, change)


def trailing_blanks(intent: Intent, rng: Random) -> Intent | None:
    """Blanks at the end of a line that aren't there, or none where there are some."""

    def change(text: str) -> str | None:
        if re.search(r"[ \t]\n", text):
            return re.sub(r"[ \t]+\n", "\n", text)
        match = _choice(rng, list(re.finditer(r"\n", text)))
        return (
            match
            and text[: match.start()] + rng.choice((" ", "  ", "\t")) + (text[match.start() :])
        )

    return _in_a_part(intent, rng, change)


def lines_joined(intent: Intent, rng: Random) -> Intent | None:
    """Two lines are quoted as one."""

    def change(text: str) -> str | None:
        match = _choice(rng, list(re.finditer(r"(?<=[\w)])[ \t]*\n\s*(?=[{&|.?])", text)))
        return match and text[: match.start()] + " " + text[match.end() :]

    return _in_a_part(intent, rng, change)


def line_split(intent: Intent, rng: Random) -> Intent | None:
    """One line is quoted as two."""

    def change(text: str) -> str | None:
        found = re.finditer(r"(?<=[,({]) ?(?=\w)|(?<=\)) (?=\{)", text)
        match = _choice(rng, [each for each in found if "//" not in text])
        return match and text[: match.start()] + "\n        " + text[match.end() :]

    return _in_a_part(intent, rng, change)


def blank_line(intent: Intent, rng: Random) -> Intent | None:
    """A blank line too many, or one too few."""

    def change(text: str) -> str | None:
        if "\n\n" in text:
            return text.replace("\n\n", "\n", 1)
        match = _choice(rng, list(re.finditer(r"\n", text)))
        return match and text[: match.start()] + "\n" + text[match.start() :]

    return _in_a_part(intent, rng, change)


def inner_blanks(intent: Intent, rng: Random) -> Intent | None:
    """Blanks within a line that aren't there, or none where there are some."""

    def change(text: str) -> str | None:
        found = list(re.finditer(r"(?<=\w)\((?=\w)|(?<=[,]) (?=\w)|(?<=\w) (?=[=+\-<>])", text))
        match = _choice(rng, found)
        if match is None:
            return None
        other = {"(": " (", " ": rng.choice(("", "  "))}[match[0]]
        return text[: match.start()] + other + text[match.end() :]

    return _in_a_part(intent, rng, change)


def carriage_returns(intent: Intent, _: Random) -> Intent | None:
    """Line endings as on Windows, in what is quoted and in what is written."""
    return _everywhere(intent, lambda text: text.replace("\n", "\r\n"))


# -- as it was displayed -----------------------------------------------------------------------


def line_numbers(intent: Intent, rng: Random) -> Intent | None:
    """Each line with the number that a reading tool showed, quoted and written."""
    seen = intent.seen
    first = intent.text.count("\n", 0, seen.start) + 1
    shape = rng.choice(("{}\t", "{}: ", "{:>6}\t", "{}|"))
    return _each_line(intent, lambda at: shape.format(first + at))


def quote_marks(intent: Intent, _: Random) -> Intent | None:
    """Each line behind a ``>``, as quoted in a conversation."""
    return _each_line(intent, lambda _: "> ")


def diff_marks(intent: Intent, _: Random) -> Intent | None:
    """What goes behind ``-`` and what comes behind ``+``, as in a diff."""
    wording = intent.wording
    if wording.before or wording.after or wording.form.name != "REPLACE":
        return None
    if not wording.target.strip() or not wording.result.strip():
        return None
    old = "\n".join("-" + line for line in wording.target.split("\n"))
    new = "\n".join("+" + line for line in wording.result.split("\n"))
    return intent.said(head="", tail="", old=old, new=new)


def fenced(intent: Intent, _: Random) -> Intent | None:
    """Target and new text as blocks of Markdown."""
    wording = intent.wording
    if wording.form.name != "REPLACE" or wording.before or wording.after:
        return None
    mark = "```csharp\n"
    return intent.said(head=mark + wording.head, tail=wording.tail + "\n```")


def escapes_as_text(intent: Intent, _: Random) -> Intent | None:
    """Line breaks, or quotes, as the two characters that JSON has for them."""
    if "\\" in intent.wording.quoted + intent.wording.result:
        return None
    return _everywhere(intent, lambda text: text.replace('"', '\\"').replace("\n", "\\n"))


def curly_quotes(intent: Intent, _: Random) -> Intent | None:
    """Straight quotes as typographic ones."""
    return _everywhere(intent, lambda text: re.sub(r'"([^"\n]*)"', "“\\1”", text))


def dashes(intent: Intent, _: Random) -> Intent | None:
    """Hyphens as dashes."""
    return _everywhere(intent, lambda text: re.sub(r"(?<= )-(?= )", "–", text))


def no_break_spaces(intent: Intent, _: Random) -> Intent | None:
    """A blank between words as one that doesn't break."""
    return _everywhere(intent, lambda text: re.sub(r"(?<=\w) (?=\w)", "\u00a0", text, count=1))


def decomposed(intent: Intent, _: Random) -> Intent | None:
    """Letters with marks as letter and mark."""
    return _everywhere(intent, lambda text: unicodedata.normalize("NFD", text))


# -- how ---------------------------------------------------------------------------------------


def _choice(rng: Random, found: list[re.Match[str]]) -> re.Match[str] | None:
    return rng.choice(found) if found else None


def _in_a_part(intent: Intent, rng: Random, change: Callable[[str], str | None]) -> Intent | None:
    """``change`` made to some part that is quoted and stays; ``None`` if it fits none."""
    wording = intent.wording
    parts = [name for name in _PARTS if getattr(wording, name).strip()]
    rng.shuffle(parts)
    # The target is retyped more often than its context is.
    parts.sort(key=lambda name: name in ("before", "after") and rng.random() < 0.5)
    for name in parts:
        text = getattr(wording, name)
        changed = change(text)
        if changed is not None and changed != text and (changed.strip() or not text.strip()):
            spoiled = intent.said(**{name: changed})
            if spoiled.wording.quoted not in intent.standing:
                return spoiled
    return None


def _everywhere(intent: Intent, change: Callable[[str], str]) -> Intent | None:
    """``change`` made to all that is quoted and to what is written.

    ``None`` where nothing that counts is quoted otherwise: then it is the new text alone that is
    another one, and nobody can tell.
    """
    wording = intent.wording
    parts = {name: change(getattr(wording, name)) for name in (*_PARTS, "old", "new")}
    spoiled = intent.said(**parts)
    said = spoiled.wording
    pairs = (
        (said.before.rstrip(), wording.before.rstrip()),
        (said.target, wording.target),
        (said.after.lstrip(), wording.after.lstrip()),
    )
    return spoiled if any(one != other for one, other in pairs) else None


def _each_line(intent: Intent, mark: Callable[[int], str]) -> Intent | None:
    """A mark before each line of target and new text, where these are whole lines."""
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


def _in_the_changed_word(intent: Intent) -> bool:
    """Whether it is the very word that changes which is wrong: then the new one is, too."""
    said, seen = intent.wording, intent.seen
    ends = [
        (re.findall(r"\w*$", one.head)[0], re.findall(r"^\w*", one.tail)[0]) for one in (said, seen)
    ]
    return ends[0] != ends[1]


def _clear_enough(intent: Intent | None) -> Intent | None:
    """Marks as untold what is quoted so badly that other lines are as much like it."""
    if intent is None or _in_the_changed_word(intent):
        return None
    quoted, seen = intent.wording, intent.seen
    lines = [line.strip() for line in quoted.quoted.split("\n")]
    height = seen.quoted.count("\n") + 1
    own_first = intent.text.count("\n", 0, seen.start)
    file_lines = [line.strip() for line in intent.text.split("\n")]
    own = "\n".join(file_lines[own_first : own_first + height])
    said = "\n".join(lines)
    matcher = SequenceMatcher(None, "", said, autojunk=False)
    matcher.set_seq1(own)
    likeness = matcher.ratio()
    known = set(_TOKEN.findall(said))
    for first in range(len(file_lines) - height + 1):
        if abs(first - own_first) < height:
            continue
        other = "\n".join(file_lines[first : first + height])
        if len(known & set(_TOKEN.findall(other))) * 2 < len(known):
            continue
        matcher.set_seq1(other)
        if matcher.quick_ratio() >= likeness - _RIVAL and matcher.ratio() >= likeness - _RIVAL:
            return replace(intent, told=False)
    return intent if likeness > 0.5 else replace(intent, told=False)
