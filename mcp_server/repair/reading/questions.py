"""What only the caller can say of a request: each as a question, with the answers that there are.

Part of docs/design/server-and-bridge.md §2 "Repair".
"""

from __future__ import annotations

from mcp_server.repair.reading.reading import ABSENT, Alternative, Question
from mcp_server.repair.reading.slots import Slot
from snippet_engine.schemas.schema_check import render_path
from snippet_engine.schemas.schema_findings import JsonPath

_SAFE = "it writes nothing"
"""Why a preview is offered first."""


def which_mode() -> Question:
    """Whether to preview or to apply, of a request that says neither."""
    told = [
        Alternative(f'mode "{mode}"', ((("mode",), mode),), keeps_mode=True, basis=basis)
        for mode, basis in (("preview", _SAFE), ("apply", ""))
    ]
    return Question(("mode",), None, tuple(told))


def without_guard(name: str, where: JsonPath) -> Question:
    """An empty guard, which fails to say what a call shall not write on: whether to go without."""
    without = Alternative(f"without {name}", (((name,), ABSENT),))
    problem = "is empty; send the hash that get_symbols gives, or leave it out"
    return Question(where, problem, (without,))


def which_of_two(at: JsonPath, one: Slot, other: Slot) -> Question:
    """Which of two values that differ is meant for the key at ``at``."""
    places = render_path(one.sent_at), render_path(other.sent_at)
    # Of two modes the one that writes nothing comes first.
    mode = at == ("mode",)
    pairs = sorted(zip(places, (one, other), strict=True), key=lambda p: _writes(at, p[1]))
    return Question(
        other.sent_at,
        f"says something else than {places[0]}; send one of them",
        tuple(
            Alternative(
                f"as {place} says",
                ((at, slot.value),),
                keeps_mode=mode,
                basis=_SAFE if mode and not _writes(at, slot) else "",
            )
            for place, slot in pairs
        ),
    )


def _writes(at: JsonPath, slot: Slot) -> bool:
    return at == ("mode",) and bool(slot.value != "preview")
