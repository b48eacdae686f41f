"""Corpus files as the engine reads them, and the places in them where an edit is sure to fit."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from benchmarks.unity_packages import CSharpFile
from snippet_engine.csharp.document import Document, SpanKind
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.source_text import SourceText, decode

_NUMBER = re.compile(r"(?<![\w.])[1-9]\d*(?![\w.])")
_STATEMENT = re.compile(r"^[ \t]+(return|break|continue|var|this\.|[A-Za-z_.]+ = )[^\n]*;$", re.M)
_OPENING = re.compile(r"^[ \t]*([^\s{/][^\n]*?)\s*\{$", re.M)


def decoded(file: CSharpFile) -> SourceText:
    """The file's text; an assertion fails for a file in another encoding."""
    source = decode(file.data)
    assert isinstance(source, SourceText), f"{file.label}: {source}"
    return source


def documents(files: list[CSharpFile]) -> Iterator[tuple[str, Document]]:
    """Each file's label and document."""
    cache = DocumentCache()
    for file in files:
        yield file.label, cache.get(decoded(file))


@dataclass(frozen=True)
class Place:
    """A piece of a file's view: its text stands there once, and at ``start``."""

    text: str
    start: int


def number_in_code(document: Document, rng: Random) -> tuple[Place, Place] | None:
    """Some line of code that occurs once, and the number in it."""
    for match in _shuffled(_NUMBER, document, rng):
        line = _line_at(document, match.start())
        if line is not None and document.is_active(match.start(), match.end(), document.base):
            return line, Place(match.group(), match.start())
    return None


def statement(document: Document, rng: Random) -> Place | None:
    """Some line that is one statement and occurs once."""
    for match in _shuffled(_STATEMENT, document, rng):
        line = _line_at(document, match.start(1))
        if line is not None:
            return line
    return None


def opening(document: Document, rng: Random) -> tuple[Place, str] | None:
    """Some text from a line's first character to the ``{`` it opens, and it without the ``{``."""
    for match in _shuffled(_OPENING, document, rng):
        text = match.group().lstrip(" \t\n")
        start = match.end() - len(text)
        brace = match.end() - 1
        compiled = not document.is_inactive(brace, brace + 1)
        if compiled and _is_code(document, brace) and _once(document, text):
            return Place(text, start), match.group(1)
    return None


def _shuffled(pattern: re.Pattern[str], document: Document, rng: Random) -> list[re.Match[str]]:
    matches = list(pattern.finditer(document.source.view))
    rng.shuffle(matches)
    return matches


def _line_at(document: Document, offset: int) -> Place | None:
    """The line at ``offset`` from its first visible character, if it is code and occurs once."""
    source = document.source
    start = source.line_start(offset)
    line = source.line_at(offset)
    text = line.strip()
    place = Place(text, start + line.index(text))
    ends = (place.start, offset, place.start + len(text) - 1)
    directive = text.startswith("#")
    code = all(_is_code(document, end) for end in ends)
    return place if code and not directive and _once(document, text) else None


def _is_code(document: Document, offset: int) -> bool:
    return document.span_kind(offset, offset + 1) is SpanKind.CODE


def _once(document: Document, text: str) -> bool:
    return document.source.view.count(text) == 1
