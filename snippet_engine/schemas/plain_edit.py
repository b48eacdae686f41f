"""Edits at text anchors without any option: the calls that most are, known without a library.

Part of docs/design/engine.md §1. To import the library that judges all others takes a command a
tenth of its time. Whatever isn't surely such a call is that library's to judge.
"""

from __future__ import annotations

from snippet_engine.schemas.schema import MAX_INSTRUCTIONS, TEXT_POSITIONS

_CALL = {"path", "mode", "instructions"}
_WITH_TEXT = {"operation", "anchor", "newText"}
_WITHOUT_TEXT = {"operation", "anchor"}


def is_plain_edit(params: object) -> bool:
    """Whether ``params`` surely satisfy the schema of ``edit_snippet``; if not, they still may."""
    if type(params) is not dict or params.keys() != _CALL:
        return False
    mode, instructions = params["mode"], params["instructions"]
    return (
        _is_text(params["path"])
        and _is_text(mode)
        and mode in ("preview", "apply")
        and type(instructions) is list
        and 0 < len(instructions) <= MAX_INSTRUCTIONS
        and all(map(_is_plain, instructions))
    )


def _is_plain(instruction: object) -> bool:
    if type(instruction) is not dict:
        return False
    operation = instruction.get("operation")
    if instruction.keys() == _WITH_TEXT:
        is_whole = operation in ("replace", "insert") and _is_text(instruction["newText"])
    else:
        is_whole = instruction.keys() == _WITHOUT_TEXT and operation == "delete"
    return is_whole and _is_text_anchor(instruction["anchor"], has_position=operation == "insert")


def _is_text_anchor(anchor: object, *, has_position: bool) -> bool:
    if type(anchor) is not dict or anchor.get("type") != "text" or not anchor.get("target"):
        return False
    for key, value in anchor.items():
        # No other text is surely one that can be sent on: it may have half of a surrogate pair.
        if type(value) is not str or not value.isascii():
            return False
        if key == "position" and has_position:
            if value not in TEXT_POSITIONS:
                return False
        elif key not in ("type", "target", "before", "after"):
            return False
    return True


def _is_text(value: object) -> bool:
    return type(value) is str and value != "" and value.isascii()
