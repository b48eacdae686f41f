"""A call that is refused for its shape, with the nearest requests that aren't."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mcp_server.contract.errors import ToolError, invalid_params
from mcp_server.repair.offers.refusal_text import refusal_text
from snippet_engine.answer.error_text import is_choice_of
from snippet_engine.errors import Offer
from snippet_engine.schemas.checked_params import refusal
from snippet_engine.schemas.schema_check import Problem


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call of ``tool`` is refused, and what to send instead of what was ``sent``.

    ``for_all``: an instruction was to be done at every place that its anchor fits. ``lines`` are
    those that instructions name, one-based, by their index.
    """

    tool: str
    sent: object
    problems: tuple[Problem, ...]
    offers: tuple[Offer, ...] = ()
    for_all: bool = False
    lines: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def first_offer(self) -> Offer | None:
        """The offer that is likelier than the others; ``None`` if there is none, or a choice."""
        return None if is_choice_of(self.offers) else next(iter(self.offers), None)

    def to_error(self) -> ToolError:
        """``ERR_INVALID_PARAMS`` with every problem; its text is complete by itself."""
        error = invalid_params(self.tool, refusal(list(self.problems)))
        offers = [offer.to_json() for offer in self.offers]
        sent = self.sent if isinstance(self.sent, Mapping) else None
        details: dict[str, Any] = {**error.details, "offers": offers}
        # Of the whole request, "$ " before the words would say nothing.
        problems = [str(each) if each.steps else each.message for each in self.problems]
        text = refusal_text(self.tool, problems, sent, self.offers)
        return replace(error, details=details, text=text)
