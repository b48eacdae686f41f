"""Paths of which it can't be told whether anything is there.

Part of docs/design/change-sets.md §1: a file is made only where nothing is, and what can't be
looked at is neither there nor absent.
"""

from __future__ import annotations

import errno

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.paths.project import ScriptPath
from snippet_engine.storage.paths.request_path import shown


def why_out_of_reach(script: ScriptPath) -> SnippetError | None:
    """``path_not_allowed`` where the system doesn't say whether something has the script's name."""
    try:
        script.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        advice = "Choose a shorter path"
        if error.errno != errno.ENAMETOOLONG:
            advice = "Check the rights of the folders on the way to it, or choose another path"
        return SnippetError(
            ErrorCode.PATH_NOT_ALLOWED,
            f"{shown(script.relative)} can't be reached: {reason_of(error).lower()}. {advice}.",
        )
    return None
