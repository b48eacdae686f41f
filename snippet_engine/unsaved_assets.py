"""Ask for the scenes and prefabs that the Editor has open with unsaved changes.

As with :mod:`snippet_engine.client_identity`, the caller sets whom the present call asks; without
an Editor nothing is unsaved. The Editor's next save would overwrite what is written to such a file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeAlias

from snippet_engine.errors import NEEDS_ACTION, ErrorCode, SnippetError, show

if TYPE_CHECKING:
    from snippet_engine.storage.paths.project import ScriptPath

AskEditor: TypeAlias = Callable[[], Collection[str] | None]
"""Returns project-relative paths; ``None`` if the Editor doesn't report them. May block."""

UNKNOWN = {
    "code": "unsaved_unknown",
    "message": "The connected Editor didn't report whether it has unsaved changes in these "
    "assets. If it has, saving them in the Editor overwrites what was written.",
}
"""The warning of a write whose assets the Editor said nothing about."""

_ask: ContextVar[AskEditor] = ContextVar("unsaved assets", default=tuple)


@contextmanager
def asking_for_unsaved(ask: AskEditor) -> Iterator[None]:
    """Let the calls in this context ask, once they are about to write assets."""
    token = _ask.set(ask)
    try:
        yield
    finally:
        _ask.reset(token)


def unsaved_among(files: Iterable[ScriptPath]) -> list[str] | None:
    """Return the canonical paths of ``files``, no scripts, that have unsaved changes.

    Return ``None`` if the Editor doesn't report them.
    """
    assets = {each.canonical for each in files if not each.is_script}
    known = _ask.get()() if assets else ()
    return None if known is None else sorted(assets & set(known))


def named(paths: Collection[str]) -> str:
    """Return a message about ``paths`` that have unsaved changes."""
    names = ", ".join(map(show, sorted(paths)[:3])) + (", …" if len(paths) > 3 else "")
    return (
        f"The Editor has unsaved changes in {names}. Save or discard them in Unity first; nothing "
        "was written."
    )


def refusal(paths: Collection[str]) -> SnippetError:
    """Return ``busy``: these assets have unsaved changes."""
    details = {"unsaved": sorted(paths), NEEDS_ACTION: True}
    return SnippetError(ErrorCode.BUSY, named(paths), details=details)
