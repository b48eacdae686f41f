"""Every code of a finding, and its meaning in one sentence: the engine's codes, and our own.

Implements docs/design/command-line.md ``lint``.
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
    MISSPELT_NAME: "A file name looks like a misspelt bundle name, so the file isn't checked.",
    NO_BUNDLES: "A folder holds no bundle.",
    NO_PROJECT: "The bundle lies in no Unity project, so it isn't checked.",
    TOO_MANY: "The bundle has more requests than can be applied together.",
    INTERNAL_ERROR: "The check itself failed: a bug in unity-cli.",
    ErrorCode.INVALID_REQUEST: "The request doesn't satisfy its tool's contract.",
    ErrorCode.PATH_NOT_ALLOWED: "The path is not that of a C# script in Assets/ or Packages/.",
    ErrorCode.FILE_NOT_FOUND: "The file that the request edits doesn't exist.",
    ErrorCode.READ_ONLY: "The file that the request edits is read-only.",
    ErrorCode.FILE_TOO_LARGE: "The file that the request edits is too large.",
    ErrorCode.UNSUPPORTED_ENCODING: "The file is neither UTF-8 nor UTF-16 with a BOM.",
    ErrorCode.STALE_FILE: "The file no longer has the expectedHash.",
    ErrorCode.ANCHOR_NOT_FOUND: "The anchor matches no place in the file.",
    ErrorCode.AMBIGUOUS_ANCHOR: "The anchor matches more than one place in the file.",
    ErrorCode.ANCHOR_IN_COMMENT: "The anchor matches only inside comments.",
    ErrorCode.SYMBOL_NOT_FOUND: "The file declares no such symbol.",
    ErrorCode.OVERLAPPING_EDITS: "Two instructions change the same place.",
    ErrorCode.DIFF_TOO_LARGE: "The edit changes more than the limit of one edit.",
    ErrorCode.SYNTAX_ERROR: "The edited file would have a syntax error.",
    ErrorCode.COMPILE_ERROR: "The edited project would not compile.",
    ErrorCode.VALIDATOR_UNAVAILABLE: "The validator that the request asks for is not available.",
    "anchor_in_string": "The anchor matches inside a string literal.",
    "within_a_name": "The edit changes a part of a name, and text next to it.",
    "commented_out": "The new code lands in a comment.",
    "inactive_region": "The edit is in a region that no set of preprocessor symbols compiles.",
    "empty_block": "The edit leaves an empty block.",
    "name_still_used": "The edit removes a declaration whose name is still used.",
    "documentation_removed": "The edit removes the documentation of a declaration.",
    "attributes_removed": "The edit removes the attributes of a declaration.",
    "braces_left_out": "The new body has braces of its own, which are removed.",
    "same_line": "The new code is on the same line as other code.",
    "script_name": "Unity won't find a class in a file with another name.",
    "meta_missing": "A script moves without its .meta, so its GUID is lost.",
    "meta_orphan": "A new script takes over an existing .meta.",
    "assembly_changed": "A script moves to another assembly.",
    "serialized_field": "Scenes and prefabs lose the value of a field.",
    "not_imported": "A script moves to a folder that Unity doesn't compile.",
    "left_behind": "An interrupted write left a temporary file with a text of the script.",
    "encoding_kept": "A blank file keeps its byte order mark with the new text.",
    "new_file_format": "A new script gets the line endings and BOM of the scripts around it.",
    "empty_folder": "A folder stays without any script.",
    "guid_lost": "A class that Unity finds by its file's GUID is removed.",
    "duplicate_insert": "The place already has what the edit adds, so nothing is added.",
    "guard_scope_changed": "An unbraced if or loop would now govern the next statement.",
    "invisible_character": "The new code has an invisible character.",
}
"""By code. A preview, which is all that lint asks of the engine, gives no other."""
