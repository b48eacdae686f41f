"""What the double's commands do, by their old names, and what each dialect calls them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pipeline_editor.dialects import Dialect

if TYPE_CHECKING:
    from pipeline_editor.editor import PipelineEditor

Json = dict[str, Any]


class CommandError(Exception):
    """A command that throws in the Editor."""


class EditorGoneError(Exception):
    """The Editor's domain has gone: what was on its way to it is lost."""


PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "editor_play": (),
    "editor_stop": (),
    "editor_pause": (),
    "editor_status": (),
    "recompile": (),
    "recompile_status": (),
    "run_tests": ("mode", "filter", "filter_type", "async_tests", "timeout", "include_explicit"),
    "test_status": (),
    "cancel_tests": (),
    "console": ("tail", "level", "since", "since_session"),
    "get_console_logs": ("severity", "limit"),
}

PLAY_COMMANDS = {"editor_play", "editor_stop", "editor_pause"}
"""Those that return nothing from 1.0 on."""

GROUPED: Mapping[str, str] = {
    "editor_play": "editor.playmode start",
    "editor_stop": "editor.playmode stop",
    "editor_pause": "editor.playmode pause",
    "editor_status": "editor status",
    "recompile": "script recompile",
    "recompile_status": "script recompile_status",
    "run_tests": "test run",
    "test_status": "test status",
    "cancel_tests": "test cancel",
    "console": "editor console",
}


def names(dialect: Dialect) -> dict[str, str]:
    """The dialect's name of each command, by the old one."""
    if dialect.grouped:
        return dict(GROUPED)
    console = "console" if dialect.at_least_0_6 else "get_console_logs"
    others = (name for name in GROUPED if name != "console")
    return {name: name for name in (*others, console)}


def spelled(dialect: Dialect, parameter: str) -> str:
    """The dialect's spelling of a parameter."""
    return parameter.replace("_", "-") if dialect.grouped else parameter


def listing(dialect: Dialect) -> Json:
    """What ``/api/commands`` answers."""
    return {
        "commands": [
            {
                "name": name,
                "description": f"{old}, in the Editor",
                "tags": ["editor"],
                "package": "com.unity.pipeline",
                "parameters": [{"name": spelled(dialect, each)} for each in PARAMETERS[old]],
            }
            for old, name in names(dialect).items()
        ]
    }


def _play(editor: PipelineEditor, _parameters: Json) -> Json:
    if not editor.compiled_errors and not editor.refuses_play and editor.play_mode == "stopped":
        editor.begin(lambda: editor.play("playing"))
    return {"message": "Entered play mode"}


def _stop(editor: PipelineEditor, _parameters: Json) -> Json:
    if editor.play_mode != "stopped":
        editor.play("stopped")
    return {"message": "Exited play mode"}


def _pause(editor: PipelineEditor, _parameters: Json) -> Json:
    modes = {"playing": "paused", "paused": "playing"}
    if editor.play_mode in modes:
        editor.play(modes[editor.play_mode])
    return {"message": "Toggled pause"}


def _recompile(editor: PipelineEditor, _parameters: Json) -> Json:
    if editor.play_mode != "stopped":  # put off without a word
        return {"status": "compiling", "message": "Compilation requested"}
    if editor.blind or not editor.changed:
        editor.compile_status = "up_to_date"
        return {"status": "up_to_date", "message": "Nothing to compile"}
    editor.compile_status = "triggered"
    editor.begin(editor.compile)
    return {"status": "compiling", "message": "Compilation started"}


def _recompile_status(editor: PipelineEditor, _parameters: Json) -> Json:
    return {
        "status": editor.compile_status,
        "failed": bool(editor.compiled_errors) and editor.compile_status != "idle",
        "errors": list(editor.compiled_errors) if editor.compile_status != "idle" else [],
        "compilationFailed": bool(editor.compiled_errors) or editor.flag_lags,
    }


def _run_tests(editor: PipelineEditor, parameters: Json) -> Json:
    if parameters.get("async_tests") is not True:
        raise CommandError("this double's runs are asynchronous")
    if editor.run is not None:
        return {"success": False, "error": "a test run is in progress"}
    mode, tests_filter = parameters.get("mode", "all"), parameters.get("filter")
    editor.begin(lambda: editor.run_tests(mode, tests_filter))
    return {"message": "Test run started"}


def _test_status(editor: PipelineEditor, _parameters: Json) -> Json:
    return {"status": "running" if editor.run is not None else "completed"}


def _cancel_tests(editor: PipelineEditor, _parameters: Json) -> Json:
    if editor.run is not None:
        editor.run = None
        editor.write_test_status("cancelled")
    return {"message": "Cancelled"}


def _console(editor: PipelineEditor, parameters: Json) -> Json:
    same = parameters.get("since_session") in (None, editor.session)
    since = parameters.get("since", 0) if same else 0
    entries = [each for each in editor.console if each["seq"] > since]
    tail = parameters.get("tail", 50)
    answer: Json = {
        "entries": entries[-tail:],
        "cursor": len(editor.console),
        "session": editor.session,
        "counts": {},
        "groundTruth": {
            "compilationFailed": bool(editor.compiled_errors),
            "compiling": False,
            "consoleErrors": 0,
        },
    }
    if not same:
        answer["reset"] = True
    return answer


def _console_logs(editor: PipelineEditor, parameters: Json) -> Json:
    logs = [
        {"type": each["logType"], "message": each["message"], "stackTrace": each["stackTrace"]}
        for each in editor.console
    ]
    returned = logs[-parameters.get("limit", 50) :]
    return {"total": len(logs), "returned": len(returned), "logs": returned}


COMMANDS: Mapping[str, Callable[[PipelineEditor, Json], Any]] = {
    "editor_play": _play,
    "editor_stop": _stop,
    "editor_pause": _pause,
    "editor_status": lambda editor, _parameters: {"status": editor.status},
    "recompile": _recompile,
    "recompile_status": _recompile_status,
    "run_tests": _run_tests,
    "test_status": _test_status,
    "cancel_tests": _cancel_tests,
    "console": _console,
    "get_console_logs": _console_logs,
}
