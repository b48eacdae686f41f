"""Read a request that uses other words than the contract.

Implements docs/design/server-and-bridge.md §2 "Repair". Every key gets the place that the table has
for it, every value the form that its schema wants. If a value has two readings, they become a
:class:`.Question`. Unknown keys stay where they were sent, and the schema refuses them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp_server.repair.reading.edit_reading import settle
from mcp_server.repair.reading.reading import (
    Question,
    Reading,
    Slot,
    Slots,
    Unread,
    which_mode,
    which_of_two,
    without_guard,
)
from mcp_server.repair.reading.unknown_keys import understood
from mcp_server.repair.reading.values import fitted, is_empty, parsed, same
from mcp_server.repair.words.table import INSTRUCTION_WRAPPERS, OLD_TEXT, WRAPPERS, Level, plain
from mcp_server.repair.words.vocabulary import Vocabulary, vocabulary
from snippet_engine.limits import MAX_SET_INSTRUCTIONS
from snippet_engine.schemas.checked_params import render_path
from snippet_engine.schemas.schema_findings import JsonPath

MAX_KEYS = 600
"""Most keys of a request, or of a change of a set. A real request has at most half as many."""

MAX_WRAPPERS = 4
"""Most wrappers inside each other."""

_KEPT_EMPTY = frozenset({"newText", "target"})
"""Keys for which an empty text is a value."""

_GUARDS = frozenset({"expectedHash"})
"""Keys that protect against a wrong write. If one is empty, its value was probably forgotten."""

_TEXTS = frozenset({"newText", "target", "before", "after", "filter", "contains"})
"""Keys whose values are texts, although they may look like numbers or booleans."""

_LIKE_A_SYMBOL = re.compile(r"[\w.<>,()\[\]`]+")
"""Matches a text that may be a symbol's path: a word without blanks or operators."""

_OLD_TEXT = frozenset(map(plain, OLD_TEXT))
_WRAPPERS = frozenset(map(plain, WRAPPERS))
_INSTRUCTION_WRAPPERS = frozenset(map(plain, INSTRUCTION_WRAPPERS))


_LEFT_OUT = "left out: it is empty"


class TooMuchError(Exception):
    """The request has too many keys to be read."""


def read(tool: str, arguments: Mapping[str, Any]) -> Reading | None:
    """Return ``arguments`` in the words of ``tool``'s contract; ``None`` for too many keys."""
    try:
        return _Reader(tool).read(arguments)
    except TooMuchError:
        return None


@dataclass(slots=True)
class _Reader:
    tool: str
    notes: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    request: Slots = field(default_factory=Slots)
    loose: Slots = field(default_factory=Slots)
    """The keys of an instruction that are among the request's keys."""
    edits: list[Slots | Any] | None = None
    """The instructions. An item that isn't an object stays as sent."""
    none_at: JsonPath | None = None
    """Where an empty array was sent as the instructions."""
    keys_left: int = MAX_KEYS
    words: Vocabulary = field(init=False)

    def __post_init__(self) -> None:
        self.words = vocabulary(self.tool)

    def read(self, arguments: Mapping[str, Any]) -> Reading:
        self._take(Level.REQUEST, arguments, (), self.loose, MAX_WRAPPERS)
        if self.edits is None and self.loose.values:
            self.edits = [self.loose]
            self.loose = Slots()
        if self.edits is not None and self.none_at is not None:
            self._note(self.none_at, _LEFT_OUT)
        request = {name: slot.value for name, slot in self.request.values.items()}
        sent_at: dict[JsonPath, JsonPath] = {
            (name,): slot.sent_at for name, slot in self.request.values.items()
        }
        # An instruction's keys next to the instructions: it is unclear which one they belong to.
        loose = [(str(slot.sent_at[-1]), slot) for slot in self.loose.values.values()]
        unread = [
            self._unread(key, slot, (), None, sent_at)
            for key, slot in (*self.request.unread, *loose, *self.loose.unread)
        ]
        if self.edits is not None:
            request["instructions"] = [
                self._edit(index, edit, sent_at, unread) for index, edit in enumerate(self.edits)
            ]
        elif self.none_at is not None:
            # Only an empty array was sent, so the schema refuses it.
            request["instructions"] = []
            sent_at["instructions",] = self.none_at
        for name, rival in self.request.rivals:
            self.questions.append(which_of_two((name,), self.request.values[name], rival))
        if "mode" in self.words.required:
            mode, modes = request.get("mode"), self.words.schemas[Level.REQUEST]["mode"]["enum"]
            if mode not in modes:
                self.questions.append(which_mode())
        for each in unread:
            _put(request, each)
        return Reading(
            {name: request[name] for name in self._order(request)},
            tuple(dict.fromkeys(self.notes)),
            tuple(self.questions),
            tuple(unread),
            sent_at,
        )

    def _order(self, request: Mapping[str, Any]) -> list[str]:
        """Return the keys in the contract's order; unknown ones come last."""
        known = [name for name in self.words.schemas[Level.REQUEST] if name in request]
        return known + [name for name in request if name not in known]

    # -- one object ------------------------------------------------------------------------

    def _take(
        self, level: Level, sent: Mapping[str, Any], at: JsonPath, edit: Slots, wrappers: int
    ) -> None:
        """Put each key of an object at ``level`` into its place; an edit's keys go to ``edit``."""
        self.keys_left -= len(sent)
        if self.keys_left < 0:
            raise TooMuchError
        for key, value in sent.items():
            where = (*at, key)
            inner = self._inside(level, key, value) if wrappers else None
            if inner is not None:
                self.notes.append(f"{render_path(where)} → the {level} itself")
                self._take(level, inner, where, edit, wrappers - 1)
            elif not self._known(level, key, value, where, edit, wrappers):
                self._unknown(level, key, value, where, edit)

    def _inside(self, level: Level, key: str, value: Any) -> Mapping[str, Any] | None:
        """Return the object inside ``key``, if that is only a wrapper."""
        name = plain(key)
        if level is Level.REQUEST:
            wraps = name in _WRAPPERS or name == plain(self.tool)
        elif level is Level.INSTRUCTION:
            wraps = name in _INSTRUCTION_WRAPPERS
        else:
            wraps = name == "anchor"
        inner = parsed(value) if wraps and isinstance(value, str) else value
        return inner if wraps and isinstance(inner, dict) else None

    def _known(
        self, level: Level, key: str, value: Any, where: JsonPath, edit: Slots, wrappers: int
    ) -> bool:
        """Put ``key`` into its place; return whether the contract knows it by any name."""
        home = self.words.home(level, key)
        if home is None and plain(key) == "kind" and level is not Level.REQUEST:
            home = (Level.ANCHOR, "type")
        if home is None:
            return False
        names_operation = home == (Level.ANCHOR, "type") or (
            level is Level.INSTRUCTION and home == (Level.REQUEST, "mode")
        )
        if names_operation and self._is_operation(value):
            home = (Level.INSTRUCTION, "operation")
        home_level, name = home
        if name == "instructions":
            return level is Level.REQUEST and self._instructions(value, where)
        if name == "anchor":
            return self._anchor(value, where, edit, wrappers)
        if home_level is Level.REQUEST:
            self._place(self.request, home_level, name, value, where, level)
            return True
        self._place(edit, home_level, name, value, where, level)
        # In an anchor, each of these keys only names a place.
        replaces = name == "target" and level is not Level.ANCHOR and plain(key) in _OLD_TEXT
        if replaces and not is_empty(value):
            edit.old_text_at = where
        return True

    def _is_operation(self, value: Any) -> bool:
        if not isinstance(value, str) or len(value) > 60:
            return False
        options = self.words.schemas[Level.INSTRUCTION]["operation"]["enum"]
        return plain(value) in options or plain(value) in self.words.words["operation"]

    def _unknown(self, level: Level, key: str, value: Any, where: JsonPath, edit: Slots) -> None:
        """Drop ``key`` if it is empty or has no meaning. Otherwise the schema refuses it."""
        known = understood(self.words, self.tool, level, key, value)
        if known is not None:
            self._note(where, known.note)
            if known.mode is not None:
                self._put(self.request, "mode", Slot(known.mode, where))
        elif level is Level.REQUEST:
            self.request.unread.append((key, Slot(value, where)))
        else:
            edit.unread.append((key, Slot(value, where, level is Level.ANCHOR)))

    # -- one value -------------------------------------------------------------------------

    def _place(
        self, slots: Slots, home: Level, name: str, value: Any, where: JsonPath, found: Level
    ) -> None:
        """Put the value of the contract's key ``name``, found at ``where``, into its slot."""
        schema = self.words.schemas[home][name]
        if value == "" and isinstance(value, str) and name in _KEPT_EMPTY:
            self._put(slots, name, Slot(value, where))
            return
        words = self.words.words.get(name, {})
        read = fitted(schema, value, words, text_only=name not in _TEXTS)
        if read.absent and value is not None and name in _GUARDS:
            self.questions.append(without_guard(name, where))
            return
        if read.absent:
            self._note(where, f"left out: it is {read.note}")
            return
        if where[-1] != name or found is not home:
            self._note(where, f"→ {_label(home, found, name)}", plainly=True)
        if read.note is not None:
            self._note(where, read.note)
        self._put(slots, name, Slot(read.value, where))
        if name == "operation" and read.word is not None and read.word.position:
            slots.word = read.word

    def _put(self, slots: Slots, name: str, slot: Slot) -> None:
        """Fill a slot. A second value that differs is kept as a rival."""
        known = slots.values.setdefault(name, slot)
        if not same(known.value, slot.value):
            slots.rivals.append((name, slot))

    def _instructions(self, value: Any, where: JsonPath) -> bool:
        if is_empty(value):
            if value == [] and self.none_at is None:
                self.none_at = where
            else:
                self._note(where, _LEFT_OUT)
            return True
        if self.edits is not None:
            return False
        if isinstance(value, str):
            value = parsed(value)
            if value is None:
                return False
            self._note(where, "JSON text")
        doubled = self._doubled(value)
        if doubled is not None:
            self._note((*where, doubled), "→ instructions", plainly=True)
            return self._instructions(value[doubled], (*where, doubled))
        if isinstance(value, dict):
            self._note(where, "one item → an array of it")
            value = [value]
            places = [where]
        elif isinstance(value, list):
            places = [(*where, index) for index in range(len(value))]
        else:
            return False
        if len(value) > MAX_SET_INSTRUCTIONS:
            raise TooMuchError
        if where[-1] != "instructions":
            self._note(where, "→ instructions", plainly=True)
        self.edits = []
        for item, place in zip(value, places, strict=True):
            inner = parsed(item) if isinstance(item, str) else item
            if not isinstance(inner, dict):
                self.edits.append(item)
                continue
            if inner is not item:
                self._note(place, "JSON text")
            edit = Slots(sent_at=place)
            self.edits.append(edit)
            self._take(Level.INSTRUCTION, inner, place, edit, MAX_WRAPPERS)
        return True

    def _doubled(self, value: Any) -> str | None:
        """Return the one key of ``value``, if it is another name of ``instructions``."""
        if not isinstance(value, dict) or len(value) != 1:
            return None
        ((key, inner),) = value.items()
        if self.words.home(Level.REQUEST, key) != (Level.REQUEST, "instructions"):
            return None
        wraps_one = plain(key) in _INSTRUCTION_WRAPPERS and isinstance(inner, dict)
        return None if wraps_one else str(key)

    def _anchor(self, value: Any, where: JsonPath, edit: Slots, wrappers: int) -> bool:
        if is_empty(value):
            self._note(where, _LEFT_OUT)
            return True
        inner = parsed(value) if isinstance(value, str) else value
        if isinstance(inner, dict):
            if inner is not value:
                self._note(where, "JSON text")
            edit.anchor_at = edit.anchor_at or where
            self._take(Level.ANCHOR, inner, where, edit, wrappers)
            return True
        if not isinstance(value, str):
            return False
        if _LIKE_A_SYMBOL.fullmatch(value):
            edit.bare_anchor = Slot(value, where)
        else:
            self._note(where, "→ anchor.target", plainly=True)
            self._put(edit, "target", Slot(value, where))
        return True

    # -- putting it together ---------------------------------------------------------------

    def _edit(
        self,
        index: int,
        edit: Slots | Any,
        sent_at: dict[JsonPath, JsonPath],
        unread: list[Unread],
    ) -> Any:
        if not isinstance(edit, Slots):
            return edit
        at: JsonPath = ("instructions", index)
        sent_at[at] = edit.sent_at
        for key, slot in edit.unread:
            into = (*at, "anchor") if slot.in_anchor else at
            unread.append(self._unread(key, slot, into, index, sent_at))
        settled = settle(edit, at)
        self.notes += settled.notes
        self.questions += settled.questions
        anchor_keys = self.words.schemas[Level.ANCHOR]
        anchor = {name: settled.values[name] for name in anchor_keys if name in settled.values}
        missing_at = edit.sent_at if anchor else (*edit.sent_at, "anchor")
        sent_at[(*at, "anchor")] = edit.anchor_at or missing_at
        instruction = {
            name: anchor if name == "anchor" else settled.values[name]
            for name in self.words.schemas[Level.INSTRUCTION]
            if name in settled.values or (name == "anchor" and anchor)
        }
        for name, slot in edit.values.items():
            into = (*at, "anchor") if name in anchor_keys else at
            sent_at[(*into, name)] = slot.sent_at
        for name, rival in edit.rivals:
            into = (*at, "anchor") if name in anchor_keys else at
            self.questions.append(which_of_two((*into, name), edit.values[name], rival))
        return instruction

    def _unread(
        self,
        key: str,
        slot: Slot,
        at: JsonPath,
        index: int | None,
        sent_at: dict[JsonPath, JsonPath],
    ) -> Unread:
        if index is None and self.edits is not None and len(self.edits) == 1:
            index = 0
        sent_at[(*at, key)] = slot.sent_at
        return Unread(key, slot.value, (*at, key), index, self.tool)

    def _note(self, where: JsonPath, what: str, *, plainly: bool = False) -> None:
        self.notes.append(f"{render_path(where)}{' ' if plainly else ': '}{what}")


def _label(home: Level, found: Level, name: str) -> str:
    label = f"anchor.{name}" if home is Level.ANCHOR and found is not Level.ANCHOR else name
    return f"instructions[0].{label}" if Level.REQUEST is found is not home else label


def _put(request: dict[str, Any], unread: Unread) -> None:
    """Put an unreadable value where the schema refuses it."""
    container: Any = request
    for step in unread.at[:-1]:
        if isinstance(container, dict) and step == "anchor":
            container = container.setdefault("anchor", {})
        else:
            container = container[step]
    container.setdefault(unread.key, unread.value)
