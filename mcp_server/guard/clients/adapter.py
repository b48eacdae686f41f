"""One client's dialect as data, and the code that all clients share.

Reads a payload as a ``GuardEvent``, and writes a ``GuardAnswer`` as a ``Reply``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from hashlib import sha256
from typing import Any, Literal, TypeAlias

from mcp_server.guard.clients.arguments import plain_path, text_of, writes_of
from mcp_server.guard.events import GuardAnswer, GuardEvent, Moment, Reply, Touched

TEXT = "{text}"
"""The placeholder for the guard's text in a reply's template."""

MAX_TEXT = 9_000
"""Most characters of a text. Claude Code moves longer texts to a file, Copilot CLI cuts them."""

MAX_ID = 200
"""Most characters of a session's id, a call's id and a tool's name."""

_EVENT = ("hook_event_name", "hookEventName", "hookName", "agent_action_name")
_SESSION = ("session_id", "sessionId", "conversation_id", "trajectory_id", "taskId")
_TOOL = ("tool_name", "toolName")
_CALL = ("tool_use_id", "toolUseId")
_FOLDERS = ("workspace_roots", "workspaceRoots")
_ARGUMENTS = ("tool_input", "toolArgs", "parameters", "tool_info")
_NESTED = ("preToolUse", "postToolUse")
_BLOCKED = ("stop_hook_active", "stopHookActive")


class PlainText(Enum):
    """A reply that isn't JSON."""

    ON_STDOUT = "stdout"
    """Plain text, with exit code 0."""
    ON_STDERR = "stderr"
    """Plain text, with exit code 2, which makes the client block."""


Template: TypeAlias = Mapping[str, Any] | PlainText
Kind: TypeAlias = Literal["refuse", "tell", "block"]
Replies: TypeAlias = Mapping[tuple[Moment, Kind], Template]
"""The replies that the client accepts. An answer without a template here is dropped."""


@dataclass(frozen=True, slots=True)
class HookFile:
    """A file that the guard's installation writes."""

    path: str | Mapping[str, str]
    """Begins with ``~`` or ``$CONFIG``.

    May differ by system, as in ``mcp_server.clients.table``.
    """
    content: Mapping[str, Any] | str
    """A JSON document, whose lists may also hold other programs' hooks.

    With ``own``, the whole file.
    """
    own: bool = False
    executable: bool = False
    variable: str | None = None
    """The environment variable that replaces the folder right below ``~``."""
    on_windows: Mapping[str, Any] | None = None
    switches: Mapping[str, bool] = field(default_factory=dict)
    """Settings in the document, each with the value that turns all hooks off."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """The dialect of one client."""

    name: str
    events: Mapping[str, Moment]
    """The moment of each event that the guard handles."""
    writers: frozenset[str]
    replies: Replies
    files: tuple[HookFile, ...]
    touchers: frozenset[str] = frozenset()
    """Tools that write files. Their texts can't be known before."""
    shells: frozenset[str] = frozenset()
    """Tools that may write anything."""
    unread_events: frozenset[str] = frozenset()
    """Events whose answer the agent never reads."""
    never: frozenset[str] = frozenset()
    """Fields that this client never sends. A payload with one of them is another client's."""
    note: str = ""
    """What the user has to do once after the installation."""

    def read(self, payload: Any) -> GuardEvent | None:
        """Read a payload as an event. Return ``None`` if it is unknown or broken.

        Also return ``None`` for another client, which may have imported this client's hook.
        """
        if not isinstance(payload, Mapping):
            return None
        sender = sender_of(payload)
        if sender != self.name and (sender is not None or not self.never.isdisjoint(payload)):
            return None
        name = text_of(payload, _EVENT) or _unnamed(payload)
        moment = self.events.get(name)
        if moment is None:
            return None
        nested = (each for key in _NESTED if isinstance(each := payload.get(key), Mapping))
        call = next(nested, payload)
        tool = text_of(call, _TOOL) or name
        arguments = next((call[each] for each in _ARGUMENTS if each in call), call)
        around = moment in (Moment.BEFORE, Moment.AFTER)
        known = tool in self.writers or tool in self.touchers
        writes = writes_of(arguments) if around and known else ()
        if tool in self.touchers:
            paths = dict.fromkeys(path for each in writes if (path := getattr(each, "path", None)))
            writes = tuple(map(Touched, paths))
        return GuardEvent(
            client=self.name,
            moment=moment,
            session=_kept_id(text_of(payload, _SESSION)) or "",
            tool=tool[:MAX_ID],
            call=_kept_id(text_of(call, _CALL)),
            cwd=_folder(payload),
            writes=writes,
            may_write_anything=around and tool in self.shells,
            stopped_before=moment is Moment.STOP and _stopped_before(payload),
            is_answer_read=name not in self.unread_events,
        )

    def reply(self, event: GuardEvent | None, answer: GuardAnswer) -> Reply:
        """Return ``answer`` in the client's dialect; empty if there is nothing to say."""
        if event is None or not event.is_answer_read:
            return Reply()
        kinds: tuple[Kind, ...] = ("refuse", "tell", "block")
        for kind in kinds:
            text = getattr(answer, kind)
            template = self.replies.get((event.moment, kind))
            if text and template is not None:
                return _to_reply(template, _bounded_text(text))
        return Reply()

    def body(self, event: GuardEvent | None, answer: GuardAnswer) -> str:
        """Return the answer as the body of an HTTP response."""
        return self.reply(event, answer).stdout or "{}"

    @property
    def command(self) -> str:
        """Return the command with which the client runs the hook."""
        return command_of(self.name)


def command_of(client: str) -> str:
    """Return the hook's command, the same in every version: Codex trusts a hook by its hash."""
    return f"unity-cli hook {client}"


def never_failing(client: str) -> str:
    """Return the command for shells. It never fails, even if ``unity-cli`` is missing."""
    return f"{command_of(client)}; exit 0"


def posix_command(client: str) -> str:
    """Return the command for POSIX shells. It keeps the hook's exit code, which may refuse a call.

    If ``unity-cli`` is missing, it prints nothing and ends with 0.
    """
    return f"sh -c 'command -v unity-cli >/dev/null 2>&1 || exit 0; exec {command_of(client)}'"


def cmd_command(client: str) -> str:
    """Return the command for Windows' ``cmd``. It never fails."""
    return f"where /q unity-cli.exe && unity-cli.exe hook {client} & exit /b 0"


def powershell_command(client: str) -> str:
    """Return the command for PowerShell. It keeps the hook's exit code."""
    there = "Get-Command unity-cli.exe -ErrorAction SilentlyContinue"
    return f"if ({there}) {{ unity-cli.exe hook {client}; exit $LASTEXITCODE }}"


def runs_the_hook(client: str, command: str) -> bool:
    """Return whether ``command`` runs the client's hook and nothing else.

    The command may have options, and be in any form that an installation writes.
    """
    called, options = f"hook {client}", r"(?:\s+--[\w=-]+)*"
    plain = (
        rf"""([\"']?)(?:.*[\\/])?unity-cli(?:\.exe)?\1\s+hook\s+{re.escape(client)}"""
        rf"{options}(?:\s*;\s*exit 0|\s*&\s*exit /b 0)?"
    )
    forms = (posix_command(client), cmd_command(client), powershell_command(client))
    wrapped = (
        re.escape(each).replace(re.escape(called), re.escape(called) + options) for each in forms
    )
    return any(re.fullmatch(each, command) for each in (plain, *wrapped))


def parse_payload(data: bytes) -> Any:
    """Read the payload; ``None`` if it isn't JSON. Texts may contain raw control characters."""
    try:
        return json.loads(data.decode("utf-8-sig", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None


def _kept_id(text: str | None) -> str | None:
    """Return an id of at most :data:`MAX_ID` characters. A longer one is replaced by its hash."""
    if text is None or len(text) <= MAX_ID:
        return text
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _unnamed(payload: Mapping[str, Any]) -> str:
    """Guess the event's name from the payload's keys; ``""`` if that fails.

    Copilot CLI sends no name.
    """
    if "toolName" in payload:
        return "postToolUse" if "toolResult" in payload else "preToolUse"
    if "stopReason" in payload:
        return "agentStop"
    return "sessionStart" if "source" in payload else ""


def _folder(payload: Mapping[str, Any]) -> str:
    folder = text_of(payload, ("cwd", "directory"))
    roots = next((payload[each] for each in _FOLDERS if each in payload), None)
    if not folder and isinstance(roots, list) and roots and isinstance(roots[0], str):
        folder = roots[0]
    return plain_path(folder or "")


def _stopped_before(payload: Mapping[str, Any]) -> bool:
    count = payload.get("loop_count")
    again = isinstance(count, int) and count > 0
    # An aborted turn must not go on.
    return (
        again
        or any(payload.get(each) is True for each in _BLOCKED)
        or payload.get("status", "completed") not in ("completed", None)
    )


def _bounded_text(text: str) -> str:
    """Return ``text`` cut to :data:`MAX_TEXT` characters, and as valid Unicode."""
    text = text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
    return text.encode("utf-8", "replace").decode("utf-8")


def _to_reply(template: Template, text: str) -> Reply:
    if template is PlainText.ON_STDERR:
        return Reply(stderr=text + "\n", exit_code=2)
    if template is PlainText.ON_STDOUT:
        return Reply(stdout=text + "\n")
    return Reply(stdout=json.dumps(_fill(template, text)))


def _fill(template: Any, text: str) -> Any:
    if isinstance(template, Mapping):
        return {key: _fill(value, text) for key, value in template.items()}
    return text if template == TEXT else template


_GEMINI_EVENTS = frozenset({"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel"})
_VSCODE_TOOLS = frozenset(
    {"create_file", "replace_string_in_file", "multi_replace_string_in_file", "editFiles"}
    | {"insert_edit_into_file", "run_in_terminal", "createFile", "runTerminalCommand"}
)


def sender_of(payload: Mapping[str, Any]) -> str | None:
    """Return the client that sent ``payload``; ``None`` if several clients send such payloads."""
    for key, client in (
        ("cursor_version", "cursor"),
        ("conversation_id", "cursor"),
        ("agent_action_name", "windsurf"),
        ("clineVersion", "cline"),
        ("turn_id", "codex"),
        ("hookEventName", "vscode"),
        ("toolArgs", "copilot-cli"),
        ("stopReason", "copilot-cli"),
        ("stop_reason", "copilot-cli"),
        ("tool_result", "copilot-cli"),
    ):
        if key in payload:
            return client
    event, tool = payload.get("hook_event_name"), payload.get("tool_name")
    if isinstance(event, str) and event in _GEMINI_EVENTS:
        return "gemini-cli"
    if isinstance(event, str) and event.startswith("tool.execute."):
        return "opencode"
    if isinstance(tool, str) and tool in _VSCODE_TOOLS:
        return "vscode"
    if tool in ("Edit", "Write", "Bash") and "timestamp" in payload:
        return "copilot-cli"
    transcript = payload.get("transcript_path")
    if isinstance(transcript, str) and "/.claude/" in transcript.replace("\\", "/"):
        return "claude-code"
    return None
