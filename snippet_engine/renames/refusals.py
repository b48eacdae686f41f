"""The errors of a refused rename."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from snippet_engine.call_context import unsaved_message
from snippet_engine.errors import ErrorCode, Offer, SnippetError, shortened, show
from snippet_engine.renames.symbol_server import NameConflict, ServerRename
from snippet_engine.storage.paths.project import META
from unity_assets import Renamed

MOST_CONFLICTS = 20
"""Most conflicts that an error lists."""

_MESSAGE = 110


def conflict(
    code: ServerRename, found: Sequence[NameConflict], params: Mapping[str, Any]
) -> SnippetError:
    """Return ``rename_conflict`` with the first distinct conflicts, and the number of all."""
    found = list({(each.path, each.line, each.message): each for each in found}.values())
    first = found[0]
    at = f"{show(first.path)}:{first.line}: " if first.path else ""
    more = f" ({len(found)} conflicts)" if len(found) > 1 else ""
    return SnippetError(
        ErrorCode.RENAME_CONFLICT,
        f"{at}{shortened(first.message, _MESSAGE)}{more}",
        details={
            "conflicts": [each.to_json() for each in found[:MOST_CONFLICTS]],
            "count": len(found),
            "symbol": code.symbol["display"],
        },
        offers=_forced(found, params),
    )


def _forced(found: Sequence[NameConflict], params: Mapping[str, Any]) -> tuple[Offer, ...]:
    """Offer ``force`` if every conflict is about a name that Unity calls."""
    if params.get("force") or any(each.code not in FORCEABLE for each in found):
        return ()
    what = "rename it, although Unity calls methods by its old or new name"
    return (Offer(what, {**params, "force": True}, unless="Unity needs to call it"),)


FORCEABLE = frozenset({"unity_message", "input_message"})
"""Conflicts that ``force`` overrules."""


def asset_conflicts(kind: str, found: Renamed) -> list[NameConflict]:
    """Return the conflicts in assets as conflicts of a rename of a symbol of this ``kind``.

    For a method, only two things are conflicts: a message that an asset sends to it, and two
    scripts with the same GUID.
    """
    return [
        NameConflict(
            "input_message" if kind == "method" and not each.path.endswith(META) else "asset",
            each.path,
            each.line,
            1,
            each.message,
        )
        for each in found.conflicts
    ]


def incomplete(code: ServerRename, params: Mapping[str, Any]) -> SnippetError:
    """Return ``rename_conflict``, because not all places could be searched."""
    reason = code.reasons[0] if code.reasons else "The server doesn't say why."
    return SnippetError(
        ErrorCode.RENAME_CONFLICT,
        f"Not all of the project could be searched: {shortened(reason, _MESSAGE)}",
        details={"conflicts": [], "count": 0, "reasons": list(code.reasons[:MOST_CONFLICTS])},
        offers=(
            Offer(
                "rename what was found",
                {**params, "force": True},
                unless="files that were not searched use the name, too",
            ),
        ),
    )


def nothing_found(code: ServerRename) -> SnippetError:
    """Return ``rename_conflict``, because the rename would change nothing."""
    return SnippetError(
        ErrorCode.RENAME_CONFLICT,
        f"No place of {shortened(str(code.symbol['display']), 80)} was found that could be "
        "renamed; nothing was written.",
        details={"conflicts": [], "count": 0},
    )


def unsaved(paths: Sequence[str], params: Mapping[str, Any]) -> SnippetError:
    """Return ``rename_conflict``, because the Editor's next save would overwrite these files."""
    return SnippetError(
        ErrorCode.RENAME_CONFLICT,
        unsaved_message(paths),
        details={
            "conflicts": [
                NameConflict(
                    "unsaved", path, 1, 1, "open in the Editor, with unsaved changes"
                ).to_json()
                for path in paths[:MOST_CONFLICTS]
            ],
            "count": len(paths),
        },
        offers=(Offer("send it again once they are saved", dict(params), unless="they aren't"),),
    )
