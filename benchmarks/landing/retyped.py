"""Text that an agent quotes from memory, and gets wrong."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import SequenceMatcher
from random import Random

from benchmarks.landing.intent import Intent
from benchmarks.landing.quoting import choice, in_a_part

_NAME = re.compile(r"(?<![\w@\"])[A-Za-z_]\w{3,}")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_LEAST_LIKE = 0.5
"""How much of what is quoted has to stand there, in letters."""
_NEAR = 0.01
"""By how much less, in letters, lines may be like it that have as many of its words."""
_RIVAL = 0.03
"""By how much the meant lines have to be more like the quoted ones than any others are."""


def word_wrong(intent: Intent, rng: Random) -> Intent | None:
    """Remember a name as another one."""

    def change(text: str) -> str | None:
        match = choice(rng, list(_NAME.finditer(text)))
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

    return clear_enough(in_a_part(intent, rng, change))


def token_wrong(intent: Intent, rng: Random) -> Intent | None:
    """Remember an operator or a number as another one."""
    others = {
        "==": "!=", "<": "<=", ">": ">=", "&&": "||", "+": "-", "0": "1", "1": "0", ".": "?.",
        "var": "int", "private": "public", "public": "internal", "int": "float", "null": "default",
    }  # fmt: skip
    pattern = re.compile(r"==|&&|(?<![<=\w])[<>](?![<>=\w(])|\w+|[+.](?=\w)")

    def change(text: str) -> str | None:
        found = [match for match in pattern.finditer(text) if match[0] in others]
        match = choice(rng, found)
        return match and text[: match.start()] + others[match[0]] + text[match.end() :]

    return clear_enough(in_a_part(intent, rng, change))


def token_missing(intent: Intent, rng: Random) -> Intent | None:
    """Forget a token."""

    def change(text: str) -> str | None:
        tokens = list(_TOKEN.finditer(text))
        match = choice(rng, tokens) if len(tokens) > 3 else None
        if match is None:
            return None
        end = match.end() + (text[match.end() : match.end() + 1] == " ")
        return text[: match.start()] + text[end:]

    return clear_enough(in_a_part(intent, rng, change))


def token_invented(intent: Intent, rng: Random) -> Intent | None:
    """Remember a word that isn't there."""

    def change(text: str) -> str | None:
        match = choice(rng, list(re.finditer(r"(?<=[ (])(?=[A-Za-z_])", text)))
        if match is None:
            return None
        return (
            text[: match.start()]
            + rng.choice(("this.", "new ", "static ", "readonly "))
            + (text[match.start() :])
        )

    return clear_enough(in_a_part(intent, rng, change))


def line_missing(intent: Intent, rng: Random) -> Intent | None:
    """Forget a whole line."""

    def change(text: str) -> str | None:
        lines = text.split("\n")
        if len(lines) < 4:
            return None
        del lines[rng.randrange(1, len(lines) - 1)]
        return "\n".join(lines)

    return clear_enough(in_a_part(intent, rng, change))


def line_invented(intent: Intent, rng: Random) -> Intent | None:
    """Remember a whole line that isn't there."""

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

    return clear_enough(in_a_part(intent, rng, change))


def line_wrong(intent: Intent, rng: Random) -> Intent | None:
    """Remember a whole line as one from elsewhere in the file."""
    elsewhere = [line for line in intent.text.split("\n") if len(line.strip()) > 8]

    def change(text: str) -> str | None:
        lines = text.split("\n")
        if len(lines) < 4 or not elsewhere:
            return None
        lines[rng.randrange(1, len(lines) - 1)] = rng.choice(elsewhere)
        return "\n".join(lines)

    return clear_enough(in_a_part(intent, rng, change))


def comment_reflowed(intent: Intent, rng: Random) -> Intent | None:
    """Remember a comment of several lines with other line breaks."""
    pattern = re.compile(r"(?:^|(?<=\n))([ \t]*)(///?) ([^\n]+)\n\1\2 ([^\n]+)")

    def change(text: str) -> str | None:
        match = choice(rng, list(pattern.finditer(text)))
        if match is None:
            return None
        words = f"{match[3]} {match[4]}".split(" ")
        cut = max(1, min(len(words) - 1, len(match[3].split(" ")) + rng.choice((-1, 1, 2))))
        mark = f"{match[1]}{match[2]} "
        flowed = f"{mark}{' '.join(words[:cut])}\n{mark}{' '.join(words[cut:])}"
        return text[: match.start()] + flowed + text[match.end() :]

    return clear_enough(in_a_part(intent, rng, change))


def replaced_text_wrong(intent: Intent, rng: Random) -> Intent | None:
    """Remember the text to replace with a word that isn't there."""
    old = intent.wording.old
    match = choice(rng, list(_NAME.finditer(old)))
    if match is None or intent.seen.form.name.startswith("INSERT"):
        return None
    word = match[0][:-1]
    if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", intent.wording.new):
        return None  # Remembered as what it is to become: that isn't asked for any more.
    wrong = old[: match.start()] + word + old[match.end() :]
    spoiled = intent.said(old=wrong)
    stands = spoiled.wording.quoted in intent.standing
    return None if stands else clear_enough(spoiled)


def _in_the_changed_word(intent: Intent) -> bool:
    """Return whether the changed word itself is wrong: then the new one is, too."""
    said, seen = intent.wording, intent.seen
    ends = [
        (re.findall(r"\w*$", one.head)[0], re.findall(r"^\w*", one.tail)[0]) for one in (said, seen)
    ]
    return ends[0] != ends[1]


def clear_enough(intent: Intent | None) -> Intent | None:
    """Mark an intent as undecidable if other lines are as similar to what is quoted."""
    if intent is None or _in_the_changed_word(intent):
        return None
    seen = intent.seen
    if intent.wording.quoted == seen.before + seen.result + seen.after:
        return None  # Remembered as what it is to become: that isn't asked for any more.
    text = intent.standing if intent.outside else intent.text
    first = text.count("\n", 0, seen.start + intent.shift)
    height = seen.quoted.count("\n") + 1
    clear = is_most_like(text, intent.wording.quoted, (first, first + height + intent.grown))
    return intent if clear else replace(intent, told=False)


def is_most_like(text: str, quoted: str, own: tuple[int, int]) -> bool:
    """Return whether the lines ``own`` of ``text`` are most similar to what is ``quoted``.

    By letters, and by words: who reads the file compares words.
    """
    lines = [line.strip() for line in quoted.split("\n")]
    file_lines = [line.strip() for line in text.split("\n")]
    height = len(lines)
    said = "\n".join(lines)
    tokens = _TOKEN.findall(said)
    by_letters = SequenceMatcher(None, "", said, autojunk=False)
    by_words = SequenceMatcher(None, [], tokens, autojunk=False)
    meant = "\n".join(file_lines[slice(*own)])
    by_letters.set_seq1(meant)
    by_words.set_seq1(_TOKEN.findall(meant))
    letters, words = by_letters.ratio(), by_words.ratio()
    if letters <= _LEAST_LIKE:
        return False
    known = set(tokens)
    for first in range(len(file_lines) - height + 1):
        if first < own[1] and own[0] < first + height:
            continue
        other = "\n".join(file_lines[first : first + height])
        standing = _TOKEN.findall(other)
        if len(known & set(standing)) * 2 < len(known):
            continue
        by_letters.set_seq1(other)
        least = letters - _RIVAL
        if by_letters.quick_ratio() < least - _NEAR or by_letters.ratio() < least - _NEAR:
            continue
        by_words.set_seq1(standing)
        if by_letters.ratio() >= least or by_words.ratio() >= words:
            return False
    return True
