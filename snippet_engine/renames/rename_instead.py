"""Word the offer of a rename with a result whose edits seem to be one.

Implements docs/design/rename.md §6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snippet_engine.renames.other_places import OtherPlaces
from snippet_engine.renames.seems_rename import RENAME_TOOL, SeemingRename

_UNDO_TOOL = "undo_snippet"
_MOST_REASONS = 3


def rename_instead(
    rename: SeemingRename, places: OtherPlaces, undo: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the value of ``seemsRename``: counts, and the requests to send, in order.

    An applied edit is undone first by ``undo``, so that the old name can be renamed.
    """
    requests = [] if undo is None else [{"tool": _UNDO_TOOL, "arguments": dict(undo)}]
    asked = rename.request(apply=undo is not None)
    body: dict[str, Any] = {
        "symbol": rename.symbol_paths[0],
        "newName": rename.new_name,
        "otherPlaces": places.in_scripts,
        "inAssets": places.in_assets,
        "notCounted": list(places.reasons[:_MOST_REASONS]),
        "requests": [*requests, {"tool": RENAME_TOOL, "arguments": asked}],
    }
    return {key: each for key, each in body.items() if each is not None and each != []}
