"""Make one instruction from its values, and ask a question for each open choice.

Implements docs/design/server-and-bridge.md §2 "Repair". Knows the contract's instructions, but no
C#.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mcp_server.repair.reading.reading import ABSENT, Alternative, Question, Slots
from snippet_engine.schemas.checked_params import render_path
from snippet_engine.schemas.schema_findings import JsonPath, quoted


@dataclass(slots=True)
class Settled:
    """An instruction's values by key, and the values of its anchor."""

    values: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


def settle(edit: Slots, at: JsonPath) -> Settled:
    """Return the instruction that ``edit`` describes, at the place ``at`` of the request."""
    settled = Settled({name: slot.value for name, slot in edit.values.items()})
    _Settler(edit, at, settled).settle()
    return settled


class _Settler:
    def __init__(self, edit: Slots, at: JsonPath, settled: Settled) -> None:
        self._edit = edit
        self._at = at
        self._settled = settled
        self._values = settled.values

    def settle(self) -> None:
        self._bare_anchor()
        self._type()
        self._operation()
        self._position_of_word()
        match self._values.get("operation"):
            case "insert":
                self._old_text_beside_insert()
            case "delete":
                self._new_text_of_delete()
            case "replace" if self._values.get("newText") == "":
                self._ask("newText", None, self._deletion())
        if self._values.get("operation") in ("replace", "delete") and "position" in self._values:
            self._position_of_no_insert()
        if self._values.get("target") == "" and "symbolPath" in self._values:
            self._ask(
                "target",
                None,
                self._way("the whole declaration, without target", target=ABSENT),
            )

    # -- anchor ----------------------------------------------------------------------------

    def _bare_anchor(self) -> None:
        bare = self._edit.bare_anchor
        if bare is None:
            return
        if {"target", "symbolPath"} & self._values.keys():
            problem = "must be an object; the anchor's fields are next to it already"
            self._question(bare.sent_at, problem)
            return
        self._question(
            bare.sent_at,
            'must be an object: {"type": "text", "target": …} or {"type": "symbol", …}',
            self._way("the text itself", type="text", target=bare.value),
            self._way("a symbol's path", type="symbol", symbolPath=bare.value),
        )

    def _type(self) -> None:
        values = self._values
        kind = values.get("type")
        if kind is None and ("symbolPath" in values or "target" in values):
            values["type"] = "symbol" if "symbolPath" in values else "text"
            self._note("anchor.type", f"{quoted(values['type'])} added")
        elif kind == "text" and "symbolPath" in values:
            values["type"] = "symbol"
            self._note("anchor.type", '"text" → "symbol", as it has a symbolPath')
        elif kind == "symbol" and "symbolPath" not in values and "target" in values:
            self._ask(
                "target",
                None,
                self._way("target as a text", type="text"),
                self._way("target as a symbol's path", symbolPath=values["target"], target=ABSENT),
            )

    # -- operation and position ------------------------------------------------------------

    def _operation(self) -> None:
        values = self._values
        if "operation" in values:
            return
        target, new_text = values.get("target"), values.get("newText")
        if new_text and "position" in values:
            said = "insert"
        elif target and new_text and "position" not in values:
            said = "replace"
        elif new_text and "symbolPath" in values:
            self._ask(
                "operation",
                None,
                self._way("replace the whole declaration", operation="replace"),
                self._way("insert behind it", operation="insert"),
            )
            return
        elif target and new_text == "":
            self._ask("operation", None, self._deletion())
            return
        elif (target or "symbolPath" in values) and not new_text:
            self._ask(
                "operation",
                None,
                self._way("delete, as there is no newText", operation="delete", newText=ABSENT),
            )
            return
        else:
            return
        values["operation"] = said
        self._note("operation", f"{quoted(said)} added")

    def _deletion(self) -> Alternative:
        """Offer a deletion instead of a replacement by nothing.

        The deletion is only offered, because it also tidies up.
        """
        return self._way(
            'operation "delete", as newText is empty',
            operation="delete",
            newText=ABSENT,
            keeps_mode=True,
        )

    def _position_of_word(self) -> None:
        """Take the position from the operation's word. If another position is given, ask."""
        word = self._edit.word
        if word is None or self._values.get("operation") != "insert":
            return
        said, given = word.position, self._values.get("position")
        is_whole = "target" not in self._values
        inside = word.or_inside if is_whole else None
        on_lines = f"line_{said}"
        if given is None and inside is not None:
            self._ask(
                "operation",
                f"could mean position {quoted(inside)} or {quoted(on_lines)}; send one of them",
                self._way(f"in the body: position {quoted(inside)}", position=inside),
                self._way(
                    f"next to the declaration: position {quoted(on_lines)}", position=on_lines
                ),
            )
        elif given is None and said in ("before", "after") and self._may_be_lines(said):
            what = "the symbol" if is_whole else "the target"
            self._ask(
                "operation",
                f"could mean position {quoted(on_lines)} or {quoted(said)}; send one of them",
                self._way(f"on lines of its own: position {quoted(on_lines)}", position=on_lines),
                self._way(f"right {said} {what}: position {quoted(said)}", position=said),
            )
        elif given is None:
            self._values["position"] = said
            self._note("anchor.position", f"{quoted(said)} added")
        elif given not in (said, on_lines, inside):
            self._ask(
                "operation",
                f"says {quoted(said)}, position says {quoted(given)}; send one of them",
                self._way(f"position {quoted(given)}"),
                self._way(f"position {quoted(said)}", position=said),
            )

    def _may_be_lines(self, said: str) -> bool:
        """Return whether the new text, before or after its anchor (``said``), may be whole lines.

        True next to a whole declaration, and for several lines without a line break at the anchor.
        """
        if "target" not in self._values:
            return bool(self._values.get("part", "declaration") == "declaration")
        new_text = self._values.get("newText")
        if not isinstance(new_text, str) or "\n" not in new_text.strip():
            return False
        bare = new_text.strip(" \t\r")
        return not (bare.startswith("\n") if said == "after" else bare.endswith("\n"))

    def _position_of_no_insert(self) -> None:
        operation, position = self._values["operation"], self._values["position"]
        ways = [self._way(f"{operation}, without position", position=ABSENT)]
        if self._values.get("newText"):
            ways.append(self._way(f"insert at position {quoted(position)}", operation="insert"))
        self._ask("position", None, *ways)

    def _old_text_beside_insert(self) -> None:
        old_text_at = self._edit.old_text_at
        if old_text_at is not None:
            self._question(
                old_text_at,
                'names a text to replace, but operation is "insert"; send one of them',
                self._way("replace it", operation="replace", position=ABSENT),
                self._way("insert at it", operation="insert"),
            )

    def _new_text_of_delete(self) -> None:
        new_text = self._values.get("newText")
        if new_text == "":
            del self._values["newText"]
            self._note("newText", "left out: it is empty")
        elif new_text is not None:
            self._ask(
                "newText",
                None,
                self._way("replace by newText", operation="replace"),
                self._way("delete, without newText", newText=ABSENT),
            )

    # -- questions and notes ---------------------------------------------------------------

    def _way(self, what: str, *, keeps_mode: bool = False, **values: Any) -> Alternative:
        changes = tuple((self._place(name), value) for name, value in values.items())
        return Alternative(what, changes, keeps_mode=keeps_mode)

    def _place(self, name: str) -> JsonPath:
        in_anchor = name not in ("operation", "newText", "metadata")
        return (*self._at, "anchor", name) if in_anchor else (*self._at, name)

    def _ask(self, name: str, problem: str | None, *ways: Alternative) -> None:
        slot = self._edit.values.get(name)
        sent_at = slot.sent_at if slot is not None else (*self._edit.sent_at, name)
        self._question(sent_at, problem, *ways)

    def _question(self, sent_at: JsonPath, problem: str | None, *ways: Alternative) -> None:
        self._settled.questions.append(Question(sent_at, problem, ways))

    def _note(self, key: str, what: str) -> None:
        self._settled.notes.append(f"{render_path(self._at)}.{key}: {what}")
