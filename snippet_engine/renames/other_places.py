"""Count the places that a rename by edits leaves out, within a short time.

Part of docs/design/rename.md §6.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

from snippet_engine import budget
from snippet_engine.errors import SnippetError, shortened
from snippet_engine.renames.asset_names import AssetNames
from snippet_engine.renames.seems_rename import SeemingRename
from snippet_engine.renames.symbol_server import FoundReferences, SymbolServer

WITHIN_S = 1.0
"""How long an edit waits for these counts."""

NOT_ASKED = "The request didn't ask a language server."
_LATE = f"Counting took longer than {WITHIN_S:g} s."
_ASSETS_LATE = f"Assets: searching them took longer than {WITHIN_S:g} s."
_REASON = 160


@dataclass(frozen=True, slots=True)
class OtherPlaces:
    """How many places have the old name apart from those that the edits replace."""

    in_scripts: int | None
    """``None`` if unknown."""
    in_assets: int | None
    """``None`` if unknown."""
    reasons: tuple[str, ...] = ()
    """What was not counted."""

    @property
    def are_none(self) -> bool:
        """Return whether a rename would find no other places, since it searches no others."""
        return self.in_scripts == 0 and self.in_assets == 0


def other_places(
    rename: SeemingRename, server: SymbolServer, assets: AssetNames, left_s: float
) -> OtherPlaces | None:
    """Count those places in the project on disk, before the edits are written.

    ``None`` if the edits are no rename of one symbol, or the server would refuse one.
    """
    until = monotonic() + min(WITHIN_S, left_s)
    found = server.find_references(
        rename.canonical, rename.place, within_s=max(0.0, until - monotonic())
    )
    if isinstance(found, SnippetError):
        is_late = found.retryable and len(rename.symbol_paths) == 1
        return OtherPlaces(None, None, (_LATE,)) if is_late else None
    places = {(each.path, each.start) for each in found.references}
    if not found.is_provable or not rename.declared <= places:
        return None
    in_assets, left = _in_assets(found, assets, until)
    reasons = [shortened(each, _REASON) for each in (*found.reasons, *left)]
    if not found.complete and not found.reasons:
        reasons.append("The language server doesn't say what it left out.")
    return OtherPlaces(len(places - rename.replaced), in_assets, tuple(reasons))


def _in_assets(
    found: FoundReferences, assets: AssetNames, until: float
) -> tuple[int | None, list[str]]:
    try:
        known = assets.find(found.symbol, until=until)
    except budget.StoppedError:
        budget.check()  # It may be the call's own time that is over.
        return None, [_ASSETS_LATE]
    left = [f"{path}: {reason}." for path, reason in known.not_searched]
    return len(known.hits), left
