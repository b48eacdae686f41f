"""Cache diffs. Texts are named by their hashes, so a cached diff is never outdated.

Implements docs/design/review.md "Diffs".
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from mcp_server.review.page.diffs.file_diff import CONTEXT_LINES, FileDiff, file_diff

MAX_KEPT_ROWS = 30_000
"""Most rows of all diffs that are kept; those not looked at for longest go first."""

ALL_LINES = 1_000_000
"""A context that leaves out no line."""


class KeptDiffs:
    """Makes and caches diffs of texts that are named by their hashes. May be used on any thread."""

    def __init__(self, text_of: Callable[[str], bytes | None]) -> None:
        """``text_of`` returns the text with a hash, if it is kept."""
        self._text_of = text_of
        self._kept: OrderedDict[tuple[object, ...], FileDiff] = OrderedDict()
        self._rows = 0
        self._lock = Lock()

    def diff(
        self, path: str, before: str | None, after: str | None, context: int = CONTEXT_LINES
    ) -> FileDiff:
        """Return what changed in the file at ``path``, whose texts have these hashes.

        A hash is ``None`` if there is no such file.
        """
        key = (before, after, path.endswith(".cs"), context)
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known
        texts = [None if each is None else self._text_of(each) for each in (before, after)]
        for name, wanted, text in zip(("before", "after"), (before, after), texts, strict=True):
            if wanted is not None and text is None:
                return FileDiff(note=f"The text {name} is not kept, so no difference is known.")
        made = file_diff(*texts, is_csharp=path.endswith(".cs"), context=context)
        with self._lock:
            self._keep(key, made)
        return made

    def _keep(self, key: tuple[object, ...], diff: FileDiff) -> None:
        replaced = self._kept.pop(key, None)
        self._kept[key] = diff
        self._rows += _size(diff) - (0 if replaced is None else _size(replaced))
        while self._rows > MAX_KEPT_ROWS and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._rows -= _size(dropped)


def _size(diff: FileDiff) -> int:
    return 1 + sum(len(each.rows) for each in diff.hunks)
