"""What two compiles of Unity's tell of the edit between them.

Implements docs/design/change-sets.md §5. Errors are compared by file, code and message, and
counted: lines move, and the same words may stand twice in a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

Issue: TypeAlias = Mapping[str, Any]
Compile: TypeAlias = Mapping[str, Any]
"""The result of a ``compile``."""


def beyond(errors: Iterable[Issue], known: Iterable[Issue]) -> list[Issue]:
    """Those of ``errors`` that ``known`` doesn't account for."""
    left = Counter(map(_key, known))
    found: list[Issue] = []
    for each in errors:
        if left[_key(each)] > 0:
            left[_key(each)] -= 1
        else:
            found.append(each)
    return found


def why_it_stays(before: Compile, after: Compile) -> str | None:
    """Why an edit stays that doesn't compile; ``None``: what is wrong came with it.

    Only what surely wasn't there before counts: an error may have hidden others.
    """
    told, known = after["errors"], before["errors"]
    new = beyond(told, known)
    if before["status"] != "failed":
        return None
    if not new and told:
        if after.get("truncated"):
            return "the edit stays: the errors that Unity tells were there before it; it has more"
        return "the edit stays: all of these errors were there before it"
    if not new:
        return (
            "the edit stays: Unity tells no errors, and that the scripts don't compile, as before"
        )
    if before.get("truncated"):
        why = f"Unity told only {len(known)} of the errors before it, so which are new is unknown"
    elif not known:
        why = "the scripts didn't compile before it, and Unity told no errors then"
    elif (gone := len(beyond(known, told))) and after.get("truncated"):
        why = f"Unity tells only {len(told)} errors of more, so which are gone with it is unknown"
    elif gone:
        some = "an error is" if gone == 1 else f"{gone} errors are"
        why = f"{some} gone with it, and may have kept Unity from seeing what it tells now"
    else:
        return None
    return f"the edit stays: {why}"


def has_compiled_since(compiled: Compile, since_s: float) -> bool:
    """Whether what the Editor says is of a compile since, as of ``time.time``.

    It may have compiled by itself, as it does where it sees a change before it is asked. The road
    over the Pipeline has looked at that before it answers.
    """
    if compiled["status"] == "succeeded" or compiled.get("link") != "plugin":
        return not compiled.get("stale_view")
    try:
        # The Editor runs on this machine: there is one clock.
        last = datetime.fromisoformat(compiled["last_compiled"])
        return last.replace(tzinfo=last.tzinfo or UTC).timestamp() >= since_s
    except (KeyError, ValueError):
        return False


def _key(issue: Issue) -> tuple[str, str, str]:
    """What makes an error the same one, wherever its line has moved to."""
    return str(issue["path"]), str(issue["code"]), str(issue["message"])
