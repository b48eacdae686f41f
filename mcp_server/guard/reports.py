"""The texts that an agent gets from the guard: facts, in few lines. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from mcp_server.guard.events import CALLER
from mcp_server.news.findings import Finding, NewError
from mcp_server.news.reported_errors import StatedError, said
from mcp_server.watcher.outside_change import OutsideChange
from snippet_engine.errors import SnippetError, shortened
from snippet_engine.source_text import SourceText, decode

MAX_ERRORS = 5
OWN = "since this change"

NAMELESS = ("", "ERROR", "MISSING")
"""Codes of the parser that say no more than the message."""

_MAX_MESSAGE = 300
"""Most characters of one message. A compiler's message with two long names fits."""


def after(
    changes: Sequence[OutsideChange],
    findings: Sequence[Finding],
    caller: str,
    *,
    may_be_others: bool = False,
    is_command: bool = False,
) -> str | None:
    """Return the report to ``caller`` after a tool has run; ``None`` if there is nothing to report.

    Findings with the number 0 were caused by ``changes``. ``is_command`` says that the tool may
    have written anything. ``may_be_others`` says that others may have made the changes.
    """
    own = "in scripts that changed while this command ran" if is_command else OWN
    lines: list[str] = []
    room = MAX_ERRORS
    by_origin = _by_origin(findings, caller, own, may_be_others=may_be_others)
    for since, same in by_origin.items():
        if room <= 0:
            more = sum(1 + each.and_more for each in same)
            lines.append(f"{_errors(more)} {since}; check_project lists all.")
            continue
        is_own = same[0].origin.caller == caller
        lines += _listed(same, since, room)
        lines += _undo(same[:room], () if same[0].number else changes) if is_own else ()
        room -= len(same)
    unjudged = (each for each in findings if each.is_unknown and each.origin.caller == caller)
    lines += dict.fromkeys(_unjudged(each) for each in unjudged)
    lines += filter(None, map(format_change, changes))
    return "\n".join(lines) if lines else None


def many(count: int, reformatted: int) -> str:
    """Return the text for ``count`` scripts that changed at once.

    In ``reformatted`` of them, the line endings or the byte order mark changed.
    """
    scripts = "1 script" if count == 1 else f"{count} scripts"
    formats = f" Line endings or byte order marks changed in {reformatted}." if reformatted else ""
    return (
        f"{scripts} changed since your last command, by git or too many at once to judge each. "
        "Whether they compile is unknown: run check_project. undo_snippet can't take them "
        f"back.{formats}"
    )


def _by_origin(
    findings: Sequence[Finding], caller: str, own: str, *, may_be_others: bool
) -> dict[str, list[Finding]]:
    """Return the errors grouped by a text about their cause, the caller's own first."""
    found: dict[str, list[Finding]] = {own: []}
    for each in sorted(findings, key=lambda each: each.origin.caller != caller):
        what = each.origin.what
        if each.number == 0:
            since = own
        elif each.origin.caller == caller:
            since = f"since your earlier {what}"
        else:
            # A caller without hooks may be this agent's own connection to the tools.
            is_hooks = (each.origin.caller or "").startswith(CALLER)
            since = f"since another session's {what}" if is_hooks else f"since {what}"
            if may_be_others and each.origin.caller is None and not each.origin.is_compile:
                since += ", perhaps not by this command"
        if not each.is_unknown:
            found.setdefault(since, []).append(each)
    return {since: same for since, same in found.items() if same}


def _listed(findings: Sequence[Finding], since: str, most: int) -> list[str]:
    """Return the lines for at most ``most`` errors, and how many more there are."""
    count = sum(1 + each.and_more for each in findings)
    shown = findings[:most]
    lines = [f"{_errors(count)} {since}:", *(_line(each.error) for each in shown)]
    if count > len(shown):
        lines.append(f"{count - len(shown)} more; check_project lists all.")
    return lines


def _undo(shown: Sequence[Finding], changes: Sequence[OutsideChange]) -> list[str]:
    """Return the requests that undo the agent's own changes behind the shown errors."""
    undone = [each.origin.undo for each in shown if each.origin.undo]
    files = {each.error.file for each in shown}
    undone = undone or [each.undo for each in changes if each.undo and each.path in files]
    undone = undone or [each.undo for each in changes if each.undo]
    if changes and not undone:
        return ["undo_snippet can't take this back: the earlier text is unknown."]
    paths = {compact(each.undo): each.path for each in changes if each.undo}
    requests = list(dict.fromkeys(map(compact, undone)))
    return [
        f"To take {'it back' if len(requests) == 1 else f'back {paths.get(each, each)}'}: "
        f"undo_snippet {each}"
        for each in requests[:MAX_ERRORS]
    ]


def _unjudged(finding: Finding) -> str:
    return f"{finding.origin.what}: {shortened(finding.error.message, _MAX_MESSAGE)}"


def reports_in_full(text: str | None, error: NewError) -> bool:
    """Return whether a text of :func:`after` contains the error in full."""
    return text is not None and _line(error) in text.splitlines()


def not_judged(many: int, not_kept: int, why: str) -> str:
    """Return how many of the scripts that commands changed at once were not judged, and why.

    Returns an empty text if all were judged.
    """
    if not many or not (not_kept or why):
        return ""
    which = f"{not_kept} of {many}" if not_kept else f"{many}"
    why = "their earlier texts are not known" if not_kept else shortened(why, _MAX_MESSAGE)
    noun = "script" if which == "1" else "scripts"
    what = f"{which} {noun} that git or many writes changed while your commands ran"
    return f"Not judged: {what} ({why}). Run check_project."


def settings(paths: Sequence[str], why: str) -> str:
    """Return why it isn't known whether the project compiles with the changed settings.

    ``paths`` are the assembly definitions and similar files.
    """
    named = ", ".join(paths[:MAX_ERRORS])
    more = f" and {len(paths) - MAX_ERRORS} more" if len(paths) > MAX_ERRORS else ""
    return f"After the change of {named}{more}: {shortened(why, 2 * _MAX_MESSAGE)}."


def stop(
    errors: Sequence[NewError],
    known: Collection[StatedError],
    left: str = "",
    undo: Mapping[str, Any] | None = None,
) -> str:
    """Return why the agent should go on. Errors that it already knows are only named.

    ``undo`` has the arguments that undo the one change behind all the other errors.
    """
    new = [each for each in errors if said(each) not in known]
    standing = [each for each in errors if said(each) in known]
    lines = []
    if new:
        lines.append(
            f"The project has {_errors(len(new))} that it did not have before this session:"
        )
        lines += [_line(each) for each in new[:MAX_ERRORS]]
        if len(new) > MAX_ERRORS:
            lines.append(f"{len(new) - MAX_ERRORS} more; check_project lists all.")
        if undo:
            lines.append(f"To take back the change that led there: undo_snippet {compact(undo)}")
    if standing:
        count = "1 error" if len(standing) == 1 else f"{len(standing)} errors"
        named = ", ".join(map(_place, standing[:MAX_ERRORS]))
        more = f", and {len(standing) - MAX_ERRORS} more" if len(standing) > MAX_ERRORS else ""
        lines.append(f"Still there: {count} ({named}{more}).")
    if left:
        lines.append(left)
    if errors:
        lines.append("Each error blocks the end of a turn only once.")
    return "\n".join(lines)


def start(project: str, standing: str, *, checks_names: bool) -> str:
    """Return a session's first context, in two lines."""
    found = (
        "new errors are reported after the change"
        if checks_names
        else "new syntax errors are reported after the change (names are not checked without a "
        "compiler; `unity-cli roslyn install` fetches one)"
    )
    return (
        f"Unity project {project}: {standing}.\n"
        "Changes of its C# scripts by any tool are checked and recorded by unity-snippet: "
        f"{found}, and undo_snippet takes it back."
    )


def _errors(count: int) -> str:
    return "1 new error" if count == 1 else f"{count} new errors"


def _line(error: NewError) -> str:
    return f"{_place(error)}: {shortened(error.message, _MAX_MESSAGE)}"


def _place(error: NewError) -> str:
    place = f"{error.file}:{error.line}" if error.line else error.file
    return f"{place} {error.code}" if error.code not in NAMELESS else place


def compact(value: object) -> str:
    """Return a request as one line of JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_NAMES = {"\r\n": "CRLF", "\n": "LF", "\r": "CR"}


def format_change(change: OutsideChange) -> str | None:
    """Return how a script's line endings or byte order mark changed; ``None`` if they didn't.

    Line endings count only if the script had a single kind before.
    """
    if change.before is None or change.after is None:
        return None
    before, after = decode(change.before), decode(change.after)
    if isinstance(before, SnippetError) or isinstance(after, SnippetError):
        return None
    found = list(filter(None, (_endings_change(before, after), _encoding_change(before, after))))
    if not found:
        return None
    said = f"{change.path}: its {', and its '.join(found)}."
    if change.undo is None:
        return said
    repair = json.dumps({**change.undo, "part": "format"}, separators=(",", ":"))
    return f"{said} To repair only that: undo_snippet {repair}"


def _endings_change(before: SourceText, after: SourceText) -> str | None:
    old, new = _counts(before), _counts(after)
    if len(old) != 1:
        return None
    (usual,) = old
    others = {each: count for each, count in new.items() if each != usual}
    if not others:
        return None
    found = " and ".join(f"{_NAMES[each]} in {count}" for each, count in others.items())
    return f"line endings changed from {_NAMES[usual]} to {found} of {new.total()} lines"


def _counts(source: SourceText) -> Counter[str]:
    return Counter(source.line_endings)


def _encoding_change(before: SourceText, after: SourceText) -> str | None:
    if before.encoding == after.encoding:
        return None
    if before.encoding.codec != after.encoding.codec:
        return f"encoding changed from {before.encoding.codec} to {after.encoding.codec}"
    return f"byte order mark is {'gone' if before.encoding.bom else 'new'}"
