"""An intent: the edit that an agent wants, and its words for it. Spoiling changes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

from benchmarks.landing.true_edits import Script, Splice, TrueEdit, applied
from benchmarks.landing.wording import Wording, squeezed


@dataclass(frozen=True, slots=True)
class Intent:
    """An edit that an agent wants, in its words.

    ``text`` is the file as the agent has seen it, ``seen`` the wording that is right for it, and
    ``wording`` what the agent says. ``earlier`` is what happened to the file since: by the agent's
    own request, or from ``outside``. ``right`` is the text that has to come of it.
    """

    script: Script
    text: str
    seen: Wording
    wording: Wording
    right: str
    earlier: tuple[Splice, ...] = ()
    outside: bool = False
    told: bool = True
    """Whether what is meant can be told from request and file."""
    everywhere: bool = False
    """The same edit is wanted at every place of the target."""
    old_hash: bool = False
    """The request says which hash the file had when the agent saw it."""
    done: bool = False
    """The file is as wanted already."""
    siblings: tuple[Splice, ...] = ()
    """Other hunks of the real change."""

    @classmethod
    def of(cls, edit: TrueEdit, wording: Wording) -> Self:
        """Return the edit as it would be right."""
        script = edit.script
        right = applied(script.text, [wording.splice])
        return cls(script, script.text, wording, wording, right, siblings=edit.siblings)

    @property
    def standing(self) -> str:
        """Return the file's content when the request comes."""
        return self.right if self.done else applied(self.text, self.earlier)

    @property
    def shift(self) -> int:
        """Return how much later the quoted text begins in the file than the agent saw."""
        before = (each for each in self.earlier if self.outside and each.end <= self.seen.start)
        return sum(len(each.new) - (each.end - each.start) for each in before)

    @property
    def grown(self) -> int:
        """Return how many more lines the quoted text has in the file than the agent saw."""
        within = (
            each
            for each in self.earlier
            if self.outside and each.start < self.seen.end and self.seen.start < each.end
        )
        return sum(
            each.new.count("\n") - self.text.count("\n", each.start, each.end) for each in within
        )

    def said(self, **parts: Any) -> Self:
        """Return the same intent, in other words."""
        return replace(self, wording=replace(self.wording, **parts))

    def after(self, *earlier: Splice, outside: bool = False) -> Self | None:
        """Return the same intent for a file that was changed before.

        ``None`` where that touches what is to be edited.
        """
        own = self.seen.splice
        for splice in earlier:
            if splice.start <= own.end and own.start <= splice.end:
                return None
        right = applied(self.text, [*earlier, own])
        changed = replace(self, earlier=earlier, outside=outside, right=right)
        seen = self.seen
        quoted = any(each.start < seen.end and seen.start < each.end for each in earlier)
        # Where what is quoted stands elsewhere now, and only there, all says that it is meant, but
        # for who knows what the agent did itself.
        elsewhere = outside and quoted and squeezed(seen.quoted) in squeezed(changed.standing)
        return replace(changed, told=False) if elsewhere else changed
