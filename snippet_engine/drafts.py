"""What scripts would hold once edits that were not written had been applied, one after another.

Implements the in-order half of docs/design/command-line.md "Bundles": a later edit is judged on the
result of the earlier ones, in memory.
"""

from __future__ import annotations

from collections.abc import Mapping

from snippet_engine.source_text import SourceText
from snippet_engine.storage.project import ScriptPath


class Drafts:
    """The drafted texts of one project's scripts. A value: :meth:`with_draft` makes another."""

    __slots__ = ("_texts",)

    def __init__(self, texts: Mapping[str, SourceText] | None = None) -> None:
        self._texts = dict(texts or {})

    def of(self, script: ScriptPath) -> SourceText | None:
        """What the script would hold; ``None`` if that is what it holds on disk."""
        return self._texts.get(script.canonical)

    def with_draft(self, script: ScriptPath, text: SourceText) -> Drafts:
        """The same, and ``script`` holding ``text``."""
        return Drafts({**self._texts, script.canonical: text})

    def touch_another_than(self, script: ScriptPath) -> bool:
        """Whether a script besides ``script`` would hold something else than it does on disk."""
        return any(canonical != script.canonical for canonical in self._texts)
