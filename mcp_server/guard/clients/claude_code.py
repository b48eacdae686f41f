"""Claude Code's hooks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mcp_server.guard.events import (
    GuardAnswer,
    GuardEvent,
    Moment,
    Replace,
    Replacement,
    Reply,
    Touched,
    Whole,
    Write,
)

NAME = "claude-code"

_MOMENTS = {
    "PreToolUse": Moment.BEFORE,
    "PostToolUse": Moment.AFTER,
    "Stop": Moment.STOP,
    "SessionStart": Moment.START,
}
_NAMES = {moment: name for name, moment in _MOMENTS.items()}
_SHELLS = ("Bash", "PowerShell")


def read(payload: Mapping[str, Any]) -> GuardEvent | None:
    """Return the event; ``None`` if it is unknown, or another client's."""
    moment = _MOMENTS.get(str(payload.get("hook_event_name")))
    others = ("cursor_version", "conversation_id", "turn_id", "sessionId")
    if moment is None or any(each in payload for each in others):
        return None
    tool, sent = str(payload.get("tool_name", "")), payload.get("tool_input")
    call = payload.get("tool_use_id")
    return GuardEvent(
        client=NAME,
        moment=moment,
        session=str(payload.get("session_id", "")),
        tool=tool,
        call=call if isinstance(call, str) else None,
        cwd=str(payload.get("cwd", "")),
        writes=_writes(tool, sent) if isinstance(sent, Mapping) else (),
        may_write_anything=tool in _SHELLS,
        stopped_before=payload.get("stop_hook_active") is True,
    )


def _writes(tool: str, sent: Mapping[str, Any]) -> tuple[Write, ...]:
    path = sent.get("file_path")
    if not isinstance(path, str) or tool not in ("Edit", "Write", "MultiEdit"):
        return ()
    if tool == "Write":
        text = sent.get("content")
        return (Whole(path, text) if isinstance(text, str) else Touched(path),)
    edits = sent.get("edits") if tool == "MultiEdit" else [sent]
    found = [_replacement(each) for each in edits] if isinstance(edits, list) else [None]
    replacements = tuple(each for each in found if each is not None)
    return (Replace(path, replacements) if len(replacements) == len(found) else Touched(path),)


def _replacement(edit: object) -> Replacement | None:
    if not isinstance(edit, Mapping):
        return None
    old, new = edit.get("old_string"), edit.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    return Replacement(old, new, edit.get("replace_all") is True)


def reply(event: GuardEvent | None, answer: GuardAnswer) -> Reply:
    """Return the answer in the client's dialect."""
    said: dict[str, Any] = {}
    name = None if event is None else _NAMES[event.moment]
    if answer.refuse is not None:
        said = {"permissionDecision": "deny", "permissionDecisionReason": answer.refuse}
    elif answer.tell is not None:
        said = {"additionalContext": answer.tell}
    if said:
        return Reply(json.dumps({"hookSpecificOutput": {"hookEventName": name, **said}}))
    if answer.block is not None:
        return Reply(json.dumps({"decision": "block", "reason": answer.block}))
    return Reply()
