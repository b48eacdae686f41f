"""Cache the documents that requests use again, within bounds.

Part of docs/design/roslyn.md §1.3: the document of an edited text reuses that of the text before.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from snippet_engine import budget
from snippet_engine.csharp.document import Document
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS, SymbolSet
from snippet_engine.csharp.tree.syntax_tree import MAX_WORK, most_work
from snippet_engine.edits import EditSet
from snippet_engine.source_text import SourceText

_BYTES_PER_BYTE = 50
"""Memory of an analysed document for each byte of its file; nearly all of it is the tree."""

_BYTES_PER_EDITED_BYTE = 12
"""The same for an edited document, which shares nearly all of its tree with its original."""

_BYTES_PER_DOCUMENT = 6_500
"""Additional memory of each document, however small."""

_MAX_DOCUMENTS = 300
"""More are hardly asked for again; without this limit, many small ones would fill the memory."""

_Key = tuple[str, int, SymbolSet]
"""A text's hash, its tree's allowance, and its base symbol set."""


class DocumentCache:
    """A least-recently-used cache of documents by content hash; keeps at least two.

    One file of a change set may parse for fewer steps than a whole request. A text that could use
    more of them gets a separate document, so that no answer depends on earlier requests.
    """

    def __init__(
        self, max_bytes: int = 256 * 1024 * 1024, max_documents: int = _MAX_DOCUMENTS
    ) -> None:
        """``max_bytes`` limits the documents' memory, which is estimated from their size."""
        self._max_bytes = max_bytes
        self._max_documents = max_documents
        self._bytes = 0
        self._lock = Lock()
        self._documents: OrderedDict[_Key, tuple[Document, int]] = OrderedDict()
        """Each document and its estimated memory in bytes."""

    def get(self, source: SourceText, symbols: SymbolSet = UNITY_EDITOR_SYMBOLS) -> Document:
        """Return the document of ``source``, already analysed if its content was seen recently."""
        return self._keep(source, symbols, None, None)

    def known(self, source: SourceText, like: Document) -> Document:
        """Return the cached document of ``source``, else a new one under the symbols of ``like``.

        The new one isn't cached.
        """
        with self._lock:
            kept = self._documents.get((source.hash, MAX_WORK, like.base))
        return like.alike(source) if kept is None else kept[0]

    def edited(self, before: Document, after: SourceText, edits: EditSet) -> Document:
        """Return the document of ``after``, which is ``before`` with ``edits`` applied.

        It reuses the analysis of ``before`` where possible. If an edit puts a CR next to an LF, the
        view of the edited bytes is another text.
        """
        if edits.apply(before.source.view) != after.view:
            return self._keep(after, before.base, None, None)
        return self._keep(after, before.base, before, edits)

    def _keep(
        self,
        source: SourceText,
        symbols: SymbolSet,
        before: Document | None,
        edits: EditSet | None,
    ) -> Document:
        allowed = _allowed(len(source.data))
        key = source.hash, allowed, symbols
        with self._lock:
            if before is not None and _key_of(before) in self._documents:
                # The next request edits one of the two: keep both.
                self._documents.move_to_end(_key_of(before))
            found = self._documents.get(key)
            if found is None:
                rate = _BYTES_PER_BYTE if before is None else _BYTES_PER_EDITED_BYTE
                known = self._documents.get((source.hash, MAX_WORK, symbols))
                alike = known[0] if known is not None else None
                made = Document(source, before, edits, allowed, alike, symbols)
                found = made, _BYTES_PER_DOCUMENT + len(source.data) * rate
                self._documents[key] = found
                self._bytes += found[1]
                while self._is_full() and len(self._documents) > 2:
                    _, (_, freed) = self._documents.popitem(last=False)
                    self._bytes -= freed
            self._documents.move_to_end(key)
            return found[0]

    def _is_full(self) -> bool:
        return self._bytes > self._max_bytes or len(self._documents) > self._max_documents


def _allowed(length: int) -> int:
    """Return a tree's allowance: the request's part, or ``MAX_WORK`` if the part is enough."""
    allowed = budget.part_of(MAX_WORK)
    return allowed if allowed < most_work(length) else MAX_WORK


def _key_of(document: Document) -> _Key:
    return document.source.hash, document.most_work, document.base
