"""What each tool of the engine takes, and what it answers when it succeeds."""

from __future__ import annotations

from snippet_engine.schemas.change_schema import EDIT_SCRIPTS_INPUT, EDIT_SCRIPTS_OUTPUT
from snippet_engine.schemas.result_schema import (
    EDIT_SNIPPET_OUTPUT,
    GET_SYMBOLS_OUTPUT,
    VALIDATE_SCRIPT_OUTPUT,
)
from snippet_engine.schemas.schema import EDIT_SNIPPET_INPUT, GET_SYMBOLS_INPUT, READ_INPUT, Schema
from snippet_engine.schemas.undo_schema import (
    GET_HISTORY_INPUT,
    GET_HISTORY_OUTPUT,
    UNDO_SNIPPET_INPUT,
    UNDO_SNIPPET_OUTPUT,
)

INPUT_SCHEMAS: dict[str, Schema] = {
    "edit_snippet": EDIT_SNIPPET_INPUT,
    "edit_scripts": EDIT_SCRIPTS_INPUT,
    "undo_snippet": UNDO_SNIPPET_INPUT,
    "get_history": GET_HISTORY_INPUT,
    "get_symbols": GET_SYMBOLS_INPUT,
    "validate_script": READ_INPUT,
}

OUTPUT_SCHEMAS: dict[str, Schema] = {
    "edit_snippet": EDIT_SNIPPET_OUTPUT,
    "edit_scripts": EDIT_SCRIPTS_OUTPUT,
    "undo_snippet": UNDO_SNIPPET_OUTPUT,
    "get_history": GET_HISTORY_OUTPUT,
    "get_symbols": GET_SYMBOLS_OUTPUT,
    "validate_script": VALIDATE_SCRIPT_OUTPUT,
}
