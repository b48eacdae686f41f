"""The table of other words for the contract's keys and values.

Implements docs/design/server-and-bridge.md §2 "Repair". A row needs a single meaning. A key with
several meanings is at most in :data:`MEANINGS`, which refuses it with its own message. Names are
compared in :func:`plain` form: ``file_path``, ``filePath`` and ``FilePath`` are one row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Names = tuple[str, ...]


class Level(StrEnum):
    """The object that a key is in: the request, an instruction, or an anchor."""

    REQUEST = "request"
    INSTRUCTION = "instruction"
    ANCHOR = "anchor"


def plain(name: str) -> str:
    """Return ``name`` in lower case, without the marks between its words."""
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


WRAPPERS: Names = (
    "request",
    "arguments",
    "args",
    "params",
    "parameters",
    "input",
    "toolInput",
    "body",
    "payload",
)
"""Keys that wrap a whole request. The tool's own name is one, too."""

INSTRUCTION_WRAPPERS: Names = ("instruction", "edit", "change", "item")
"""Keys that wrap one instruction."""

TOOL_NAMES: Names = ("name", "tool", "toolName")
"""Keys next to a wrapper that may name the called tool."""

ALIASES: Mapping[str, Mapping[str, Names]] = {
    "": {
        "path": (
            "filePath",
            "file",
            "fileName",
            "relativePath",
            "scriptPath",
            "script",
            "assetPath",
            "targetFile",
            "uri",
        ),
        "client_request_id": ("requestId", "idempotencyKey"),
        "job_id": ("id", "job"),
    },
    "edit_snippet": {
        "instructions": (
            "instruction",
            "edits",
            "edit",
            "changes",
            "operations",
            "replacements",
            "modifications",
        ),
        "operation": ("op", "action", "command", "operationType", "editType"),
        "target": (
            "oldString",
            "oldText",
            "oldStr",
            "old",
            "oldCode",
            "oldContent",
            "find",
            "findText",
            "search",
            "searchText",
            "original",
            "originalText",
            "targetText",
            "anchorText",
            "match",
        ),
        "newText": (
            "newString",
            "newStr",
            "new",
            "newCode",
            "newContent",
            "replacement",
            "replacementText",
            "replace",
            "replaceWith",
            "replaceText",
            "insertText",
            "updated",
            "updatedText",
            "text",
            "content",
            "code",
        ),
        "symbolPath": ("symbol", "symbolName"),
        "before": ("contextBefore", "beforeContext"),
        "after": ("contextAfter", "afterContext"),
        "position": ("insertPosition", "where", "placement"),
        "expectedHash": ("hash", "fileHash", "hashBefore", "sha256"),
    },
    "undo_snippet": {"hashAfter": ("hash",)},
    "get_symbols": {"filter": ("query", "search", "contains")},
    "check_project": {
        "assemblies": ("assembly", "assemblyName", "assemblyNames", "asmdef", "asmdefs"),
        "paths": (
            *("path", "file", "files", "filePath", "filePaths"),
            *("folder", "folders", "directory", "script", "scripts"),
        ),
    },
    "read_console": {
        "max_entries": ("limit", "max", "maxResults", "count", "maxCount"),
        "types": ("type", "logTypes", "logType"),
        "contains": ("filterText", "text", "search", "query"),
        "since": ("cursor", "nextCursor"),
    },
    "run_tests": {
        "mode": ("testMode", "platform", "testPlatform"),
        "filter": ("testFilter", "testName", "tests"),
    },
    "control_play_mode": {"action": ("command", "operation")},
}
"""Other names of each key, by tool. ``""`` stands for every tool that has the key."""

CHANGES_ALIASES: Names = ("files", "edits", "fileChanges", "operations", "changeSet")
"""Other names of ``changes`` in a change set."""

CHANGE_ALIASES: Mapping[str, Names] = {
    "create": ("content", "contents", "fileContent", "fullText", "fileText"),
    "format": (),
    "delete": ("deleted", "deleteFile", "remove"),
    "moveTo": (
        *("newPath", "rename", "renameTo", "move", "moveToPath", "movePath", "movedTo"),
        *("newFilePath", "newFile", "newLocation", "targetPath"),
        *("destination", "destinationPath", "destPath"),
    ),
}
"""Keys that only a change of a set has, with their other names."""

ANCHOR_ALIASES: Mapping[str, Names] = {"target": ("text", "content", "code", "value", "string")}
"""Other names of the keys in an anchor."""

OLD_TEXT: Names = ("oldString", "oldText", "oldStr", "old", "oldCode", "oldContent")
"""Names of ``target`` that mean a text to replace."""

FLAGS: Mapping[str, tuple[str, str]] = {
    "dryRun": ("preview", "apply"),
    "preview": ("preview", "apply"),
    "previewOnly": ("preview", "apply"),
    "apply": ("apply", "preview"),
}
"""Booleans that set ``mode``: the mode if true, and the mode if false."""


@dataclass(frozen=True, slots=True)
class Value:
    """The contract's value for a word."""

    means: str
    position: str | None = None
    """The position that the word also gives."""
    or_inside: str | None = None
    """Another possible position if the anchor is a whole declaration. There, ``before`` and
    ``after`` could also be ``line_before`` and ``line_after``.
    """


VALUES: Mapping[str, Mapping[str, Mapping[str, Value]]] = {
    "edit_snippet": {
        "mode": {"dryRun": Value("preview"), "write": Value("apply")},
        "operation": {
            **dict.fromkeys(
                ("update", "change", "edit", "modify", "substitute", "strReplace"),
                Value("replace"),
            ),
            **dict.fromkeys(("remove", "erase"), Value("delete")),
            "add": Value("insert"),
            **dict.fromkeys(("insertAfter", "addAfter"), Value("insert", "after")),
            **dict.fromkeys(("insertBefore", "addBefore"), Value("insert", "before")),
            "insertLineAfter": Value("insert", "line_after"),
            "insertLineBefore": Value("insert", "line_before"),
            "insertBodyStart": Value("insert", "body_start"),
            "insertBodyEnd": Value("insert", "body_end"),
            "append": Value("insert", "after", or_inside="body_end"),
            "prepend": Value("insert", "before", or_inside="body_start"),
        },
        "type": {
            "textAnchor": Value("text"),
            "symbolAnchor": Value("symbol"),
            "symbolPath": Value("symbol"),
        },
        "in": {"comments": Value("comment")},
        "part": {
            **dict.fromkeys(("methodBody", "functionBody"), Value("body")),
            **dict.fromkeys(("docs", "doc", "xmlDoc", "docComment"), Value("documentation")),
            "attribute": Value("attributes"),
            "initialiser": Value("initializer"),
            "whole": Value("declaration"),
        },
    },
    "edit_scripts": {"mode": {"dryRun": Value("preview"), "write": Value("apply")}},
    "read_console": {
        "types": {
            "logs": Value("log"),
            "info": Value("log"),
            "warnings": Value("warning"),
            "errors": Value("error"),
            "asserts": Value("assert"),
            "exceptions": Value("exception"),
        }
    },
    "run_tests": {
        "mode": {"editMode": Value("edit"), "playMode": Value("play"), "both": Value("all")}
    },
    "control_play_mode": {
        "action": {"play": Value("start"), "enter": Value("start"), "exit": Value("stop")}
    },
}
"""Other words for the values of each key, by tool. Other spellings need no row."""

NO_MEANING: Names = (
    "description",
    "explanation",
    "reason",
    "rationale",
    "title",
    "summary",
    "thought",
    "thoughts",
    "why",
    "note",
    "notes",
    "$schema",
)
"""Keys whose text describes the request, without an effect."""

NO_MEANING_OUTSIDE_ANCHORS: Names = ("comment",)
"""The same outside of anchors. In an anchor they could ask to search comments."""

NO_EFFECT: Mapping[str, Any] = {
    "replaceAll": False,
    "all": False,
    "allOccurrences": False,
    "allowMultiple": False,
    "multiple": False,
    "global": False,
    "regex": False,
    "isRegex": False,
    "useRegex": False,
    "force": False,
    "ignoreCase": False,
    "caseSensitive": True,
    "exact": True,
    "fuzzy": False,
    "expectedReplacements": 1,
    "expectedOccurrences": 1,
}
"""Keys with a value that asks for what ``edit_snippet`` does anyway."""


class Keeps(StrEnum):
    """Whether a request stays safe in its own mode after a key is dropped."""

    ALWAYS = "always"
    IF_FIRST = "if it says the first, or one"
    NEVER = "never"


EDIT_TOOLS: Names = ("edit_snippet", "edit_scripts")
"""The tools whose requests have instructions."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """Keys that ask for something ``tools`` don't do, and what to do instead."""

    names: Names
    instead: str
    keeps_mode: Keeps
    everywhere: bool = False
    """Whether true values ask to change every place of the anchor."""
    line: bool = False
    """Whether the keys give the line of the place."""
    looks: bool = False
    """Whether the keys ask to write nothing. Then no request that writes is offered."""
    send: str = ""
    """An example instruction, if nothing else says which place."""
    tools: Names = EDIT_TOOLS


_BY_TEXT = (
    '{"operation": "replace", "anchor": {"type": "text", "target": "the lines as they are in the '
    'file"}, "newText": "the lines instead"}, or "insert" with position "line_after" in the anchor'
)

MEANINGS: tuple[Meaning, ...] = (
    Meaning(
        ("replaceAll", "all", "allOccurrences", "allowMultiple", "multiple", "global"),
        "changes only the one place that the anchor fits; send an instruction for each other place "
        "(edit_snippet takes 10, edit_scripts 50)",
        # If the anchor fits several places, the request is refused, so no place is chosen.
        Keeps.ALWAYS,
        everywhere=True,
    ),
    Meaning(
        ("occurrence", "occurrenceIndex", "matchIndex", "nth", "instance"),
        "name the place by the text around it (before, after), not by a number",
        # A single place is also the first one. If there are several, the request is refused.
        Keeps.IF_FIRST,
    ),
    Meaning(
        (
            "line",
            "lines",
            "lineNumber",
            "startLine",
            "endLine",
            "lineStart",
            "lineEnd",
            "lineRange",
            *("lineNo", "lineNum", "lineNumbers", "startLineNumber", "endLineNumber"),
            *("insertLine", "insertAtLine", "atLine", "afterLine", "beforeLine", "viewRange"),
        ),
        "name the place by its text, which must occur only once, not by its line number",
        # The probe compares the place with this line before the request is offered.
        Keeps.ALWAYS,
        line=True,
        send=_BY_TEXT,
    ),
    Meaning(
        ("patch", "diff", "unifiedDiff", "patchText", "diffText"),
        "patches are not accepted; send each change as an instruction",
        Keeps.NEVER,
        send=_BY_TEXT,
    ),
    Meaning(
        ("count", "maxReplacements", "expectedReplacements", "expectedOccurrences"),
        "changes the one place where target occurs",
        Keeps.IF_FIRST,
    ),
    Meaning(
        ("regex", "isRegex", "useRegex"),
        "target is literal text, never a regular expression",
        Keeps.NEVER,
    ),
    Meaning(("force",), "an edit that breaks the syntax is still refused", Keeps.ALWAYS),
    Meaning(
        ("count", "steps", "times", "number", "last", "all", "limit"),
        "undo one apply at a time, the newest first; get_history has the arguments for each",
        Keeps.NEVER,
        tools=("undo_snippet",),
    ),
    Meaning(
        ("mode", "preview", "previewOnly", "dryRun", "simulate"),
        "an undo has no preview: it writes; get_history shows what it would undo",
        Keeps.ALWAYS,
        looks=True,
        tools=("undo_snippet",),
    ),
)
"""Keys that are never dropped. The request is refused, and an offer says what would happen."""
