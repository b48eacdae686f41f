"""Which scripts a bundle can't have because of their names.

Part of docs/design/command-line.md ``bundle``. git's trees have names that a request can't say, and
such as no script is made by; the rules are those of the paths of requests.
"""

from __future__ import annotations

from collections.abc import Callable

from snippet_engine.changes.between import NotMade, ScriptChange
from snippet_engine.storage.paths.project import why_too_long
from snippet_engine.storage.paths.request_path import why_not_sent
from snippet_engine.storage.system.portable_names import why_not_portable


def why_not_named(script: ScriptChange, had_folder: Callable[[str], bool]) -> NotMade | None:
    """Why no request does what became of ``script``, if that is for a name.

    ``had_folder``: whether a folder was there before. One that was stays, whatever its name is.
    """
    for path in (script.path, script.place):
        why = why_not_sent(path)
        if why is not None:
            return script.not_made(path, f"its path {why}")
    if script.old is not None and script.new_path is None:
        return None
    names = script.place.split("/")
    why = why_too_long(names)
    if why is None and why_not_portable(names) is not None:
        why = why_not_portable(_new_names(names, had_folder))
    return None if why is None else script.not_made(script.place, f"its path {why}")


def _new_names(names: list[str], had_folder: Callable[[str], bool]) -> list[str]:
    """The last of a new script's names, from the first one on that nothing had."""
    known = 0
    while known < len(names) - 1 and had_folder("/".join(names[: known + 1])):
        known += 1
    return names[known:]
