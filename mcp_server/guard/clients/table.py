"""All clients whose hooks the guard understands, as data.

Each follows its client's documentation, as of autumn 2026. No client was run.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp_server.guard.clients.adapter import (
    TEXT,
    Adapter,
    HookFile,
    PlainText,
    Replies,
    cmd_command,
    command_of,
    never_failing,
    posix_command,
    powershell_command,
)
from mcp_server.guard.events import Moment

BEFORE, AFTER, STOP, START = Moment.BEFORE, Moment.AFTER, Moment.STOP, Moment.START

Json = dict[str, Any]

# -- Claude Code: ``hooks`` in its settings. Codex and VS Code have taken over its answers' form. --


def _context_reply(event: str) -> Json:
    """Return the reply that adds the guard's text to the agent's context."""
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": TEXT}}


_DENIED = {"permissionDecision": "deny", "permissionDecisionReason": TEXT}
_BLOCKED = {"decision": "block", "reason": TEXT}
_CLAUDE_EVENTS = {"PreToolUse": BEFORE, "PostToolUse": AFTER, "Stop": STOP, "SessionStart": START}
_CLAUDE_REPLIES: Replies = {
    (BEFORE, "refuse"): {"hookSpecificOutput": {"hookEventName": "PreToolUse", **_DENIED}},
    (BEFORE, "tell"): _context_reply("PreToolUse"),
    (AFTER, "tell"): _context_reply("PostToolUse"),
    (STOP, "block"): _BLOCKED,
    (START, "tell"): _context_reply("SessionStart"),
}


def _claude_hooks(handler: Json, tools: str) -> Json:
    """Return the hooks in Claude Code's form. ``tools`` is a pattern of the tools' names."""
    around = [{"matcher": tools, "hooks": [handler]}]
    return {
        "PreToolUse": around,
        "PostToolUse": around,
        "Stop": [{"hooks": [{**handler, "timeout": 60}]}],
        "SessionStart": [{"hooks": [handler]}],
    }


_CLAUDE_CODE_HOOKS = _claude_hooks(
    {"type": "command", "command": never_failing("claude-code"), "timeout": 5},
    "Edit|Write|MultiEdit|Bash|PowerShell",
)

_CLAUDE_CODE = Adapter(
    name="claude-code",
    events=_CLAUDE_EVENTS,
    writers=frozenset({"Edit", "Write", "MultiEdit"}),
    shells=frozenset({"Bash", "PowerShell"}),
    never=frozenset({"timestamp"}),  # clients that import these hooks send it
    replies=_CLAUDE_REPLIES,
    files=(
        HookFile(
            "~/.claude/settings.json",
            {"hooks": _CLAUDE_CODE_HOOKS},
            variable="CLAUDE_CONFIG_DIR",
            switches={"disableAllHooks": True},
        ),
    ),
)

# -- Codex: ``hooks.json``. It refuses an answer with an unknown field, and runs a hook only after
# its user has trusted the hook's text (``/hooks``). ----------------------------------------------

_CODEX_HOOKS = _claude_hooks(
    {
        "type": "command",
        "command": posix_command("codex"),
        "commandWindows": cmd_command("codex"),
        "timeout": 5,
        "statusMessage": "unity-snippet",
    },
    "apply_patch|Bash",
)

_CODEX = Adapter(
    name="codex",
    events=_CLAUDE_EVENTS,
    writers=frozenset({"apply_patch", "Edit", "Write"}),
    shells=frozenset({"Bash", "shell", "exec_command"}),
    replies=_CLAUDE_REPLIES,
    note="type /hooks in Codex, and trust them: it skips hooks that are not trusted",
    files=(HookFile("~/.codex/hooks.json", {"hooks": _CODEX_HOOKS}, variable="CODEX_HOME"),),
)

# -- Cursor: ``hooks.json``. Only events that every version with hooks knows are configured: one
# unknown name makes some versions drop the whole file. --------------------------------------------


def _cursor_hooks(command: str) -> Json:
    tools = "Write|StrReplace|ApplyPatch|Delete|Shell"
    around = [{"command": command, "matcher": tools, "timeout": 5}]
    stop = [{"command": command, "timeout": 60, "loop_limit": 2}]
    return {"preToolUse": around, "postToolUse": around, "stop": stop}


_FILE_EVENTS = frozenset({"afterFileEdit", "afterTabFileEdit"})

_CURSOR = Adapter(
    name="cursor",
    events={
        "preToolUse": BEFORE,
        "postToolUse": AFTER,
        **dict.fromkeys(sorted(_FILE_EVENTS), AFTER),
        "stop": STOP,
    },
    writers=_FILE_EVENTS | {"Write", "Edit", "StrReplace", "MultiEdit", "ApplyPatch", "Delete"},
    shells=frozenset({"Shell", "Bash"}),
    unread_events=_FILE_EVENTS,
    replies={
        (BEFORE, "refuse"): {"permission": "deny", "user_message": TEXT, "agent_message": TEXT},
        (AFTER, "tell"): {"additional_context": TEXT},
        (STOP, "block"): {"followup_message": TEXT},
    },
    files=(
        HookFile(
            "~/.cursor/hooks.json",
            {"version": 1, "hooks": _cursor_hooks(posix_command("cursor"))},
            # The documentation doesn't say which shell runs them on Windows.
            on_windows={"version": 1, "hooks": _cursor_hooks(command_of("cursor"))},
        ),
    ),
)

# -- Gemini CLI: ``hooks`` in its settings, with times in milliseconds. It refuses a tool call when
# a hook ends with exit code 2 or more, so the command never fails. --------------------------------


def _gemini_hook(milliseconds: int) -> list[Json]:
    names = {"type": "command", "name": "unity-snippet", "command": never_failing("gemini-cli")}
    return [{**names, "timeout": milliseconds}]


_GEMINI_DENIED = {"decision": "deny", "reason": TEXT}
_GEMINI_AROUND = [{"matcher": "write_file|replace|run_shell_command", "hooks": _gemini_hook(5000)}]

_GEMINI_CLI = Adapter(
    name="gemini-cli",
    events={"BeforeTool": BEFORE, "AfterTool": AFTER, "AfterAgent": STOP, "SessionStart": START},
    writers=frozenset({"write_file", "replace"}),
    shells=frozenset({"run_shell_command"}),
    replies={
        (BEFORE, "refuse"): _GEMINI_DENIED,
        (AFTER, "tell"): _context_reply("AfterTool"),
        (STOP, "block"): _GEMINI_DENIED,
        (START, "tell"): _context_reply("SessionStart"),
    },
    files=(
        HookFile(
            "~/.gemini/settings.json",
            {
                "hooks": {
                    "BeforeTool": _GEMINI_AROUND,
                    "AfterTool": _GEMINI_AROUND,
                    "AfterAgent": [{"hooks": _gemini_hook(60000)}],
                    "SessionStart": [{"hooks": _gemini_hook(5000)}],
                }
            },
            switches={"tools.enableHooks": False, "hooksConfig.enabled": False},
        ),
    ),
)

# -- GitHub Copilot CLI: a file in its folder of hooks. It denies every tool call when the hook ends
# with another exit code than 0, or its program is missing. So a shell runs the command, and always
# ends with 0. -------------------------------------------------------------------------------------


def _copilot_document(exec_: str, arguments: list[str]) -> Json:
    def hook(seconds: int, **matcher: str) -> list[Json]:
        started = {"type": "command", **matcher, "exec": exec_, "args": arguments}
        return [{**started, "timeoutSec": seconds}]

    around = hook(5, matcher="Edit|Write|Bash")
    # With event names in these capitals, the payload has Claude Code's fields.
    hooks = {"PreToolUse": around, "PostToolUse": around, "Stop": hook(60), "SessionStart": hook(5)}
    return {"version": 1, "hooks": hooks}


_COPILOT_CLI = Adapter(
    name="copilot-cli",
    events={
        **dict.fromkeys(("PreToolUse", "preToolUse"), BEFORE),
        **dict.fromkeys(("PostToolUse", "postToolUse"), AFTER),
        **dict.fromkeys(("Stop", "agentStop"), STOP),
        **dict.fromkeys(("SessionStart", "sessionStart"), START),
    },
    writers=frozenset(
        {"Edit", "Write", "create", "edit", "str_replace_editor", "apply_patch", "MultiEdit"}
    ),
    shells=frozenset({"Bash", "bash", "powershell"}),
    replies={
        (BEFORE, "refuse"): _DENIED,
        (AFTER, "tell"): {"additionalContext": TEXT},
        (STOP, "block"): _BLOCKED,
        (START, "tell"): {"additionalContext": TEXT},
    },
    files=(
        HookFile(
            "~/.copilot/hooks/unity-snippet.json",
            _copilot_document("sh", ["-c", never_failing("copilot-cli")]),
            own=True,
            variable="COPILOT_HOME",
            on_windows=_copilot_document(
                "cmd", ["/d", "/c", f"{command_of('copilot-cli')} & exit /b 0"]
            ),
        ),
    ),
)

# -- VS Code's agent: a file in a folder of hooks (a preview). It ignores matchers, so the hook runs
# for every tool. No hook is installed for the end of a turn: continuing a turn costs a request. ---

_VSCODE_HOOK: Json = {
    "type": "command",
    "command": never_failing("vscode"),
    "windows": "unity-cli.exe hook vscode",
    "timeout": 5,
}
_VSCODE_HOOKS = {key: [_VSCODE_HOOK] for key in ("PreToolUse", "PostToolUse", "SessionStart")}
_VSCODE_STOP = {"hookSpecificOutput": {"hookEventName": "Stop", **_BLOCKED}}

_VSCODE = Adapter(
    name="vscode",
    events=_CLAUDE_EVENTS,
    writers=frozenset(
        {"create_file", "replace_string_in_file", "multi_replace_string_in_file", "apply_patch"}
        | {"createFile", "edit_file", "str_replace_editor"}
    ),
    touchers=frozenset({"insert_edit_into_file", "editFiles"}),
    shells=frozenset({"run_in_terminal", "runTerminalCommand"}),
    replies={**_CLAUDE_REPLIES, (STOP, "block"): _VSCODE_STOP},
    files=(
        HookFile("~/.copilot/hooks/unity-snippet-vscode.json", {"hooks": _VSCODE_HOOKS}, own=True),
    ),
)

# -- opencode: a plugin of ours, ``opencode.js``, which runs the hook and passes its answer on. The
# payload and the answer are our own form. A plugin can't keep a session from ending. --------------

_PLUGIN = "opencode/plugins/unity-snippet.js"

_OPENCODE = Adapter(
    name="opencode",
    events={"tool.execute.before": BEFORE, "tool.execute.after": AFTER},
    writers=frozenset({"edit", "write", "multiedit", "apply_patch", "patch"}),
    shells=frozenset({"bash"}),
    replies={(BEFORE, "refuse"): {"refuse": TEXT}, (AFTER, "tell"): {"tell": TEXT}},
    files=(
        HookFile(
            dict.fromkeys(("darwin", "win32"), f"~/.config/{_PLUGIN}")
            | {"linux": f"$CONFIG/{_PLUGIN}"},
            Path(__file__).with_name("opencode.js").read_text(encoding="utf-8"),
            own=True,
        ),
    ),
)

# -- Windsurf: ``hooks.json``; only excerpts of its documentation were read. It knows no answer but
# the exit code: 2 refuses a write, and the agent reads standard error. After a write it reads
# nothing, so the guard only takes note; the news come with the next MCP answer. -------------------

_WINDSURF_AFTER = ("post_write_code", "post_run_command")
_WINDSURF_HOOK: Json = {
    "command": posix_command("windsurf"),
    "powershell": powershell_command("windsurf"),
    "show_output": False,
}

_WINDSURF = Adapter(
    name="windsurf",
    events={"pre_write_code": BEFORE, **dict.fromkeys(_WINDSURF_AFTER, AFTER)},
    writers=frozenset({"pre_write_code", "post_write_code"}),
    shells=frozenset({"post_run_command"}),
    unread_events=frozenset(_WINDSURF_AFTER),
    replies={(BEFORE, "refuse"): PlainText.ON_STDERR},
    files=(
        HookFile(
            "~/.codeium/windsurf/hooks.json",
            {"hooks": {key: [_WINDSURF_HOOK] for key in ("pre_write_code", "post_write_code")}},
        ),
    ),
)

# -- Cline: a program for each event in its folder of hooks (not on Windows). Its user reads the
# reason of a refusal; the agent reads messages with its next request. The newer plugins of Cline's
# SDK are not supported. ---------------------------------------------------------------------------

_CLINE_SCRIPT = f"""#!/bin/sh
# The guard of unity-snippet. Written by: unity-cli client install cline --guard
answer=$({command_of("cline")} 2>/dev/null)
[ -n "$answer" ] || answer='{{"cancel": false}}'
printf '%s\\n' "$answer"
exit 0
"""
_CLINE_TOLD = {"cancel": False, "contextModification": TEXT}

_CLINE = Adapter(
    name="cline",
    events={"PreToolUse": BEFORE, "PostToolUse": AFTER},
    writers=frozenset({"write_to_file", "replace_in_file", "new_rule", "apply_patch"}),
    shells=frozenset({"execute_command"}),
    replies={
        (BEFORE, "refuse"): {"cancel": True, "errorMessage": TEXT},
        (BEFORE, "tell"): _CLINE_TOLD,
        (AFTER, "tell"): _CLINE_TOLD,
    },
    note="turn on Enable Hooks in Cline's settings",
    files=tuple(
        HookFile(f"~/Documents/Cline/Hooks/{event}", _CLINE_SCRIPT, own=True, executable=True)
        for event in ("PreToolUse", "PostToolUse")
    ),
)

# -- Kiro: a file in its folder of hooks (IDE 1.0, CLI 3). Exit code 2 refuses a call, with standard
# error for the agent. Otherwise standard output is context, so it may only contain what the
# agent is to read. --------------------------------------------------------------------------------


def _kiro_document(command: str) -> Json:
    tools = {"matcher": "fs_write|fs_append|str_replace|execute_bash|execute_cmd"}
    triggers = (("before", "PreToolUse", tools), ("after", "PostToolUse", tools))
    hooks = [
        {
            "name": f"unity-snippet {when}",
            "trigger": trigger,
            **matcher,
            "action": {"type": "command", "command": command},
            "timeout": 5,
            "enabled": True,
        }
        for when, trigger, matcher in (*triggers, ("start", "SessionStart", {}))
    ]
    return {"version": "v1", "hooks": hooks}


_KIRO = Adapter(
    name="kiro",
    events={
        **dict.fromkeys(("PreToolUse", "preToolUse"), BEFORE),
        **dict.fromkeys(("PostToolUse", "postToolUse"), AFTER),
        **dict.fromkeys(("SessionStart", "agentSpawn"), START),
    },
    writers=frozenset({"fs_write", "str_replace", "write"}),
    touchers=frozenset({"fs_append"}),
    shells=frozenset({"execute_bash", "execute_cmd", "shell"}),
    replies={
        (BEFORE, "refuse"): PlainText.ON_STDERR,
        (AFTER, "tell"): PlainText.ON_STDOUT,
        (START, "tell"): PlainText.ON_STDOUT,
    },
    files=(
        HookFile(
            "~/.kiro/hooks/unity-snippet.json",
            _kiro_document(posix_command("kiro")),
            own=True,
            on_windows=_kiro_document(command_of("kiro")),
        ),
    ),
)

ADAPTERS: Mapping[str, Adapter] = {
    each.name: each
    for each in (
        *(_CLAUDE_CODE, _CODEX, _CURSOR, _GEMINI_CLI, _COPILOT_CLI),
        *(_VSCODE, _OPENCODE, _WINDSURF, _CLINE, _KIRO),
    )
}
"""Every adapter by its name, which is also its name in ``mcp_server.clients.table``."""

_OTHER_NAMES = {"claude": "claude-code", "gemini": "gemini-cli", "copilot": "copilot-cli"}


def adapter_named(name: str) -> Adapter | None:
    """Return the adapter with this name or alias; ``None`` if there is none."""
    return ADAPTERS.get(_OTHER_NAMES.get(name, name))
