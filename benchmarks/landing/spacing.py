"""Text that an agent quotes with other white space than it has."""

from __future__ import annotations

import re
from random import Random

from benchmarks.landing.intent import Intent
from benchmarks.landing.quoting import SEAM, choice, everywhere, in_a_part


def indented_otherwise(intent: Intent, rng: Random) -> Intent | None:
    """Quote and write every line less or more deeply indented.

    Not less where some lines begin with tabs and others with blanks: without them, nothing says
    which of both a line that is written is to have.
    """
    deeper = rng.choice(("    ", "\t", "  ", ""))
    said = f"\n{intent.wording.quoted}\n{intent.wording.new}"
    if not deeper and "\n\t" in said and "\n    " in said:
        return None

    def change(text: str) -> str:
        if deeper:
            return text.replace("\n", "\n" + deeper)
        return re.sub(rf"\n({SEAM}*)(?: {{4}}|\t)", r"\n\1", text)

    return everywhere(intent, change)


def tabs_for_blanks(intent: Intent, _: Random) -> Intent | None:
    """Swap tabs and blanks.

    Not where what is written has tabs of its own in a file that has none, or blanks before a line
    among tabs, or behind some: who sends the one for all of the other doesn't ask for both.
    """
    new = intent.wording.new
    if re.search(r"^\t* {2}", new, re.MULTILINE) if "\t" in intent.text else "\t" in new:
        return None

    def change(text: str) -> str:
        if "\t" in intent.text:
            return text.replace("\t", "    ")
        return re.sub(
            rf"(?<=\n)({SEAM}*)((?: {{4}})+)",
            lambda match: match[1] + "\t" * (len(match[2]) // 4),
            text,
        )

    return everywhere(intent, change)


def trailing_blanks(intent: Intent, rng: Random) -> Intent | None:
    """Add blanks at the end of a line, or leave them out."""

    def change(text: str) -> str | None:
        if re.search(r"[ \t]\n", text):
            return re.sub(r"[ \t]+\n", "\n", text)
        match = choice(rng, list(re.finditer(r"\n", text)))
        return (
            match
            and text[: match.start()] + rng.choice((" ", "  ", "\t")) + (text[match.start() :])
        )

    return in_a_part(intent, rng, change)


def lines_joined(intent: Intent, rng: Random) -> Intent | None:
    """Quote two lines as one."""

    def change(text: str) -> str | None:
        match = choice(rng, list(re.finditer(r"(?<=[\w)])[ \t]*\n\s*(?=[{&|.?])", text)))
        return match and text[: match.start()] + " " + text[match.end() :]

    return in_a_part(intent, rng, change)


def line_split(intent: Intent, rng: Random) -> Intent | None:
    """Quote one line as two."""

    def change(text: str) -> str | None:
        found = re.finditer(r"(?<=[,({]) ?(?=\w)|(?<=\)) (?=\{)", text)
        match = choice(rng, [each for each in found if "//" not in text])
        return match and text[: match.start()] + "\n        " + text[match.end() :]

    return in_a_part(intent, rng, change)


def blank_line(intent: Intent, rng: Random) -> Intent | None:
    """Add a blank line, or leave one out."""

    def change(text: str) -> str | None:
        if "\n\n" in text:
            return text.replace("\n\n", "\n", 1)
        match = choice(rng, list(re.finditer(r"\n", text)))
        return match and text[: match.start()] + "\n" + text[match.start() :]

    return in_a_part(intent, rng, change)


def inner_blanks(intent: Intent, rng: Random) -> Intent | None:
    """Add blanks within a line, or leave them out."""

    def change(text: str) -> str | None:
        found = list(re.finditer(r"(?<=\w)\((?=\w)|(?<=[,]) (?=\w)|(?<=\w) (?=[=+\-<>])", text))
        match = choice(rng, found)
        if match is None:
            return None
        other = {"(": " (", " ": rng.choice(("", "  "))}[match[0]]
        return text[: match.start()] + other + text[match.end() :]

    return in_a_part(intent, rng, change)


def carriage_returns(intent: Intent, _: Random) -> Intent | None:
    """Quote and write with Windows' line endings."""
    return everywhere(intent, lambda text: text.replace("\n", "\r\n"))
