"""A file sent whole where one stands already, as the edits that make the sent text of it.

Implements docs/design/change-sets.md §1. Only an offer: what it would do is shown first, and the
hash says of which text it was made: whoever sends a new file may not know of the one there is.
"""

from __future__ import annotations

from dataclasses import replace

from snippet_engine.changes.between import NotMade, ScriptChange, change_between
from snippet_engine.errors import ErrorCode, Offer, SnippetError
from snippet_engine.explain.near_miss import ALREADY_APPLIED
from snippet_engine.source_text import SourceText, content_hash, decode
from snippet_engine.storage.paths.request_path import shown

MAX_LINES = 1_000
"""Lines of either text up to which their differences are looked for."""

_SEND = "To change it, send instructions for it"
_KEEPS_GUID = "deleted and made anew it loses its GUID"


def exists_already(path: str, old: bytes, sent: str, room: int) -> SnippetError:
    """``path_not_allowed`` for a new text ``sent`` to a path that holds ``old``.

    With the edits that make the one of the other as an offer, if they are at most ``room``.
    """
    source = decode(old)
    if not isinstance(source, SourceText):
        return _refusal(path, f"{_SEND}.")
    wanted = _in_form_of(source, sent)
    if wanted == old:
        made = _refusal(path, "It has that very text: leave it out.")
        return replace(made, details={ALREADY_APPLIED: True})
    if max(source.view.count("\n"), sent.count("\n")) >= MAX_LINES:
        return _refusal(path, f"{_SEND} (too long to do that for you): {_KEEPS_GUID}.")
    change = change_between(ScriptChange(path, old, wanted))
    if change is None or isinstance(change, NotMade) or len(change.instructions) > room:
        return _refusal(path, f"{_SEND}, of the parts that are to differ: {_KEEPS_GUID}.")
    arguments = {
        "path": path,
        "mode": "preview",
        "expectedHash": content_hash(old),
        "instructions": [each.to_json() for each in change.instructions],
    }
    offer = Offer("a preview of the edits that make that text of the one that is there", arguments)
    return _refusal(path, f"{_SEND}.", offer)


def _in_form_of(source: SourceText, text: str) -> bytes:
    """``text`` with the encoding and the line ending of ``source``, the most frequent one."""
    endings = source.line_endings.most_common(1)
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if endings:
        lines = lines.replace("\n", endings[0][0])
    return source.encoding.bom + lines.encode(source.encoding.codec)


def _refusal(path: str, advice: str, *offers: Offer) -> SnippetError:
    message = f"{shown(path)} exists already. {advice}"
    return SnippetError(ErrorCode.PATH_NOT_ALLOWED, message, offers=offers)
