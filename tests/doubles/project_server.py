"""A double of a server that knows the whole project: it answers as it is told, or misbehaves.

Started as ``project_server.py [FAULT]``. Without a fault, a project has an error wherever one of
its scripts says ``#error`` at the beginning of a line; each folder of ``Assets`` is an assembly. A
changed text is judged by the same rule. Faults are those of :data:`FAULTS`; of those that are about
proof, each later answer is one as if the background had come further. A folder
``UNITY_SNIPPET_ONCE`` names is where ``*_once`` remembers that it was. Standard library only.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import word_names
from hostile_server import error, read, result, send

FAULTS = (
    "none",
    "knows_no_projects",
    "dies",
    "dies_once",
    "hangs",
    "hangs_once",
    "never_ends",
    "never_ends_once",
    "answers_nothing",
    "says_clean_with_errors",
    "says_errors_without_any",
    "says_no_count",
    "refuses",
    "confirms_late",
    "confirms_never",
    "corrects_late",
)

ANSWERS_UNTIL_PROOF = 3
"""How many answers come before what a late proof says."""


METHODS = ("unity/checkProject", "unity/judgeChanges")
NAMES = {"unity/findReferences": word_names.references, "unity/rename": word_names.renamed}


def errors_in(path: str, text: str) -> list[dict[str, Any]]:
    return [
        {
            "path": path,
            "line": number,
            "column": 1,
            "code": "CS1029",
            "message": f"#error: '{line.removeprefix('#error').strip()}'",
            "assembly": Path(path).parts[1],
        }
        for number, line in enumerate(text.split("\n"), 1)
        if line.startswith("#error")
    ]


def checked(params: dict[str, Any]) -> dict[str, Any]:
    named, within = params.get("assemblies"), params.get("paths")
    scripts = [
        path.as_posix()
        for path in sorted(Path("Assets").rglob("*.cs"))
        if named is None or path.parts[1] in named
    ]
    shown = [
        each
        for each in scripts
        if within is None or any(each == path or each.startswith(f"{path}/") for path in within)
    ]
    errors = [each for path in shown for each in errors_in(path, Path(path).read_text())]
    assemblies = sorted({Path(path).parts[1] for path in shown})
    left = sorted(set(named or ()) - set(assemblies))
    return {
        "status": "errors" if errors else "unknown" if left else "clean",
        "errors": errors,
        "warnings": [{**each, "code": "CS1030"} for each in errors]
        if params.get("includeWarnings")
        else [],
        "checked": {"assemblies": assemblies, "files": len(shown)},
        "notChecked": [
            {"assembly": each, "reason": "unknown", "message": "There is no such assembly."}
            for each in left
        ],
        "confirmed": True,
        "boundAgain": "nothing",
        "durationMs": 1.5,
    }


def judged(params: dict[str, Any]) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    for change in params["changes"]:
        file = Path(change["path"])
        known = len(errors_in(change["path"], file.read_text())) if file.exists() else 0
        found += errors_in(change["path"], change["text"] or "")[known:]
    return {
        "errors": found,
        "notChecked": [{"assembly": "Tests", "reason": "blocked", "message": "It waits."}],
        "coverage": ["brackets", "syntax", "semantics"],
    }


def proved(fault: str, answer: dict[str, Any], answers: int) -> dict[str, Any]:
    """``answer`` as it is after so many, in a server that proves it in the background."""
    if fault == "confirms_never" or answers < ANSWERS_UNTIL_PROOF:
        return {**answer, "confirmed": False}
    if fault == "corrects_late":
        errors = errors_in("Assets/A/A.cs", "#error found by the proof")
        corrected = ["A: an error was missing"] if answers == ANSWERS_UNTIL_PROOF else []
        return {**answer, "status": "errors", "errors": errors, "corrected": corrected}
    return answer


def progress(params: dict[str, Any]) -> None:
    token = params.get("workDoneToken")
    if token is None:
        return
    for kind, more in (
        ("begin", {"title": "Checking", "percentage": 0}),
        ("report", {"message": "Game", "percentage": 40}),
        ("end", {}),
    ):
        value = {"kind": kind, **more}
        send({"jsonrpc": "2.0", "method": "$/progress", "params": {"token": token, "value": value}})


def is_first_time() -> bool:
    mark = Path(os.environ["UNITY_SNIPPET_ONCE"]) / "once"
    if mark.exists():
        return False
    mark.touch()
    return True


def hang() -> None:
    while True:
        sys.stdin.buffer.read1(1) or os._exit(0)


def misbehave(fault: str, message: dict[str, Any], answer: dict[str, Any]) -> None:
    if fault in ("dies", "dies_once"):
        os._exit(7)
    elif fault in ("hangs", "hangs_once"):
        hang()
    elif fault == "answers_nothing":
        result(message, {})
    elif fault == "says_clean_with_errors":
        result(
            message, {**answer, "status": "clean", "errors": errors_in("Assets/A/A.cs", "#error")}
        )
    elif fault == "says_errors_without_any":
        result(message, {**answer, "status": "errors", "errors": []})
    elif fault == "says_no_count":
        result(message, {**answer, "checked": None})
    elif fault == "refuses":
        error(message, -32803, "no toolchain")


def main(fault: str) -> None:
    answers = 0
    endless: dict[str, Any] | None = None
    while (message := read()) is not None:
        method, params = message.get("method"), message.get("params") or {}
        if method == "initialize":
            result(message, {"capabilities": {"textDocumentSync": 1}})
        elif (
            method in ("unity/checkProject", "unity/judgeChanges") and fault != "knows_no_projects"
        ):
            answer = checked(params) if method == "unity/checkProject" else judged(params)
            if fault in ("confirms_late", "confirms_never", "corrects_late"):
                result(message, proved(fault, answer, answers))
                answers += 1
            elif fault == "never_ends" or (fault == "never_ends_once" and is_first_time()):
                progress(params)
                endless = message
            elif fault in ("none", "never_ends_once") or (
                fault.endswith("_once") and not is_first_time()
            ):
                progress(params)
                result(message, answer)
            else:
                misbehave(fault, message, answer)
        elif method in NAMES and fault != "knows_no_projects":
            found = NAMES[method](params)
            if fault == "answers_nothing":
                result(message, {})
            elif fault == "dies":
                os._exit(7)
            elif fault == "refuses":
                error(message, -32803, "no toolchain")
            elif found is None:
                error(message, -32602, word_names.NO_SYMBOL)
            else:
                result(message, found)
        elif method == "unity/codeFixes" and fault == "answers_nothing":
            result(message, {"fixes": [{"choices": [{"what": "using A"}]}]})
        elif method == "unity/status":
            result(message, {"memoryBytes": 7 * 2**20, "memoryLimitBytes": 900 * 2**20})
        elif method == "shutdown":
            if endless is not None:  # as pygls does
                error(endless, -32800, f'Request with id "{endless["id"]}" is canceled')
            result(message, None)
        elif method == "exit":
            return
        elif "id" in message and method is not None:
            error(message, -32601, f"no {method} here")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "none")
