"""Every code that a finding can carry, and what it means in one sentence.

Implements docs/design/command-line.md ``lint``: the engine's codes, and those of the
readers' own for what never reaches the engine.
"""

from __future__ import annotations

from collections.abc import Mapping

from snippet_engine.errors import ErrorCode

UNREADABLE = "unreadable_bundle"
INVALID_JSON = "invalid_json"
REPEATED_KEY = "repeated_key"
MISSPELT_NAME = "misspelt_name"
NO_BUNDLES = "no_bundles"
NO_PROJECT = "no_project"
TOO_MANY = "too_many_requests"
INTERNAL_ERROR = "internal_error"

RULES: Mapping[str, str] = {
    UNREADABLE: "The bundle can't be read as a text file.",
    INVALID_JSON: "The bundle is not valid JSON.",
    REPEATED_KEY: "An object of the bundle gives one key more than once.",
    MISSPELT_NAME: "A file's name is nearly that of a bundle, so it isn't checked.",
    NO_BUNDLES: "A folder that was named holds no bundle.",
    NO_PROJECT: "The bundle lies in no Unity project, so it isn't checked.",
    TOO_MANY: "The bundle holds more requests than can be applied together.",
    INTERNAL_ERROR: "The check itself failed: a bug in unity-cli.",
    ErrorCode.INVALID_REQUEST: "The request doesn't satisfy its tool's contract.",
    ErrorCode.PATH_NOT_ALLOWED: "The path is not one of a C# script in Assets/ or Packages/.",
    ErrorCode.FILE_NOT_FOUND: "The file that the request edits doesn't exist.",
    ErrorCode.READ_ONLY: "The file that the request edits is read-only.",
    ErrorCode.FILE_TOO_LARGE: "The file that the request edits is too large.",
    ErrorCode.UNSUPPORTED_ENCODING: "The file is neither UTF-8 nor UTF-16 with a BOM.",
    ErrorCode.STALE_FILE: "The file no longer has the expectedHash.",
    ErrorCode.ANCHOR_NOT_FOUND: "The anchor fits no place in the file.",
    ErrorCode.AMBIGUOUS_ANCHOR: "The anchor fits more than one place in the file.",
    ErrorCode.ANCHOR_IN_COMMENT: "The anchor fits only inside comments.",
    ErrorCode.SYMBOL_NOT_FOUND: "The file declares no such symbol.",
    ErrorCode.OVERLAPPING_EDITS: "Two instructions change the same place.",
    ErrorCode.DIFF_TOO_LARGE: "The edit changes more than one edit may.",
    ErrorCode.SYNTAX_ERROR: "The edited file would not compile.",
    ErrorCode.VALIDATOR_UNAVAILABLE: "The validator that the request asks for can't be had.",
    "anchor_in_string": "The anchor fits inside a string literal.",
    "within_a_name": "The edit changes a part of a name, and what stands beside it.",
    "commented_out": "The new code lands in a comment.",
    "inactive_region": "The edit is in a region that no preprocessor symbol set compiles.",
    "empty_block": "The edit leaves an empty block.",
    "name_still_used": "The edit takes a declaration away whose name is still used.",
    "documentation_removed": "The edit replaces a declaration by one without its documentation.",
    "attributes_removed": "The edit replaces a declaration by one without its attributes.",
    "braces_left_out": "The new body has braces of its own, which are left out.",
    "same_line": "The new code stands right beside other code on its line.",
    "script_name": "Unity won't find a class in a file of another name.",
    "meta_missing": "A script gets elsewhere without its .meta: a GUID that it had is lost.",
    "meta_orphan": "A new script takes over a .meta that is there already.",
    "assembly_changed": "A script is compiled into another assembly.",
    "serialized_field": "Scenes and prefabs lose the value of a field.",
    "not_imported": "A script gets where Unity compiles nothing.",
    "left_behind": "A temporary file of a write that was cut short has a text of the script.",
    "encoding_kept": "A new text gets into a blank file that has a byte order mark, which stays.",
    "empty_folder": "The last script leaves a folder, which stays.",
    "guid_lost": "A class that Unity finds by its file's GUID goes with that.",
    "duplicate_insert": "What an edit adds stands right there already, so nothing is added.",
    "guard_scope_changed": "An unbraced if or loop would now govern the next statement.",
    "invisible_character": "The new code has a character that nobody sees.",
}
"""By code. A preview, which is all that lint asks of the engine, gives no other."""
