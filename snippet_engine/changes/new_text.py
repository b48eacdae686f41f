r"""A new file's text that isn't what it was meant to be: with a paste's line numbers, or ``\n``.

Part of docs/design/change-sets.md §4. Only where the text as it was sent is no C#, or hides some in
a comment, and what it stands for is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from snippet_engine.changes.request import Change
from snippet_engine.csharp.document import Document
from snippet_engine.errors import Offer, SnippetError


def meant_text(change: Change, is_valid: Callable[[str], bool]) -> Iterator[Offer]:
    """The new file without what came along with its text, if it is C# then.

    ``is_valid`` tells that of a text.
    """
    from snippet_engine.explain.tolerant import ESCAPES  # noqa: PLC0415 - only for errors
    from snippet_engine.offers.commented_out import BASIS, WITH_BREAKS  # noqa: PLC0415
    from snippet_engine.offers.new_text import cleaned  # noqa: PLC0415

    sent = change.create
    if sent is None:
        return
    for told, text in cleaned(sent):
        if is_valid(text):
            is_escaped = told.endswith(ESCAPES)
            what = told.replace("newText", "create", 1)
            what, basis = (WITH_BREAKS, BASIS) if is_escaped else (what, "the text is C# then")
            yield _offer(change, what, text, basis)
            return


def commented_out(
    change: Change, after: Document, is_valid: Callable[[str], bool]
) -> SnippetError | None:
    """``invalid_request`` if a new file, ``after``, has code in a comment that wasn't meant so."""
    if change.create is None or "\\" not in change.create:
        return None
    from snippet_engine.offers.commented_out import (  # noqa: PLC0415 - only for errors
        BASIS,
        WITH_BREAKS,
        whole_file_commented_out,
    )

    found = whole_file_commented_out(change.create, after, is_valid)
    if found is None:
        return None
    error, text = found
    return replace(error, offers=(_offer(change, WITH_BREAKS, text, BASIS),))


def _offer(change: Change, what: str, text: str, basis: str) -> Offer:
    return Offer(what, {"path": change.path, "create": text}, basis)
