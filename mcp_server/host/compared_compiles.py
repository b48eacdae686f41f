"""Compare two of Unity's compiles, with an edit between them.

Implements docs/design/change-sets.md §5. Errors are equal if file, code and message are: lines
move. They are counted, because a file may have the same message twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

Issue: TypeAlias = Mapping[str, Any]
Compile: TypeAlias = Mapping[str, Any]


def beyond(errors: Iterable[Issue], known: Iterable[Issue]) -> list[Issue]:
    """Return the ``errors`` that are not in ``known``, counting equal ones."""
    left = Counter(map(_key, known))
    found: list[Issue] = []
    for each in errors:
        if left[_key(each)] > 0:
            left[_key(each)] -= 1
        else:
            found.append(each)
    return found


def why_it_stays(before: Compile, after: Compile) -> str | None:
    """Return why an edit stays despite Unity's errors; ``None`` if the edit must be undone.

    Only errors that certainly weren't there before count. An error may have hidden others.
    """
    errors, known = after["errors"], before["errors"]
    new = beyond(errors, known)
    if before["status"] != "failed":
        return None
    if not new and errors:
        if after.get("truncated"):
            return (
                "the edit stays: the errors that Unity lists were there before the edit; it lists "
                "only some"
            )
        return "the edit stays: all of these errors were there before the edit"
    if not new:
        return "the edit stays: compiling fails as before the edit, and Unity lists no errors"
    if before.get("truncated"):
        why = (
            f"Unity listed only {len(known)} of the errors before the edit, so the new ones are "
            "unknown"
        )
    elif not known:
        why = "the scripts didn't compile before the edit, and Unity listed no errors then"
    elif (gone := len(beyond(known, errors))) and after.get("truncated"):
        why = f"Unity lists only {len(errors)} of the errors, so the resolved ones are unknown"
    elif gone:
        some = "an error is" if gone == 1 else f"{gone} errors are"
        why = f"{some} gone with the edit, and may have hidden the ones that Unity lists now"
    else:
        return None
    return f"the edit stays: {why}"


def has_compiled_since(compiled: Compile, since_s: float) -> bool:
    """Return whether Unity has compiled since ``since_s``, a time of ``time.time``.

    The Editor may compile by itself when it sees a change, before anybody asks. A result from the
    Pipeline was checked for this already.
    """
    if compiled["status"] == "succeeded" or compiled.get("link") != "plugin":
        return not compiled.get("stale_view")
    try:
        # The Editor runs on this machine, so both use one clock.
        last = datetime.fromisoformat(compiled["last_compiled"])
        return last.replace(tzinfo=last.tzinfo or UTC).timestamp() >= since_s
    except (KeyError, ValueError):
        return False


def _key(issue: Issue) -> tuple[str, str, str]:
    return str(issue["path"]), str(issue["code"]), str(issue["message"])
