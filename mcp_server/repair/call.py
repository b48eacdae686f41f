"""Read a tool's call, or refuse it with requests to send instead.

Implements docs/design/server-and-bridge.md §2 "Repair". Arguments that satisfy the schema are
passed on unchanged. Others are read by the table of other names. If exactly one valid request
results, it runs, and its answer says how each key was read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import Outcome, ToolResult
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.repair.offers.nearest_requests import (
    asks_for_all,
    lines_named,
    nearest_requests,
    not_taken,
)
from mcp_server.repair.offers.other_tool import as_change_set
from mcp_server.repair.offers.refusal import MAX_TEXT_LENGTH, Refusal
from mcp_server.repair.reading.reader import read
from mcp_server.repair.reading.reading import Alternative, Question, Reading
from mcp_server.repair.reading.script_paths import UnsurePath, anything_inside, project_relative
from mcp_server.repair.reading.set_reading import SET_TOOL, SINGLE_TOOL, read_set
from mcp_server.repair.sent_call import ReadCall, absolute_paths_of, is_project_relative, paths_of
from mcp_server.repair.words.table import Level
from mcp_server.repair.words.vocabulary import vocabulary
from snippet_engine.answer.text_form import cut_at_line
from snippet_engine.errors import Offer, shortened
from snippet_engine.schemas.checked_params import (
    CheckedParams,
    Problem,
    checked,
    render_path,
    request_problems,
)
from snippet_engine.schemas.schema_findings import JsonPath, quoted, unknown_key

MAX_NOTES = 40
"""Most notes in an answer. One more says how many were left out."""

MAX_NOTES_TEXT = 300
"""The longest line of notes in an answer's text, in code points."""

_TEXT_LENGTH = 1000
"""The longest text of an answer with notes, unless the text alone was longer."""

_UNREADABLE = "has no meaning next to the other keys; leave it out"


def read_call(spec: ToolSpec, arguments: object, project: Path | None) -> ReadCall | Refusal:
    """Return the call that ``arguments`` describe, or a refusal with requests to send instead.

    ``project`` is the Unity project's folder, if there is one. Looks at the disk if a path isn't
    written as the contract writes it.
    """
    strict = checked(spec.name, spec.input_schema, arguments)
    if isinstance(strict, CheckedParams):
        as_read = _with_paths(Reading(dict(strict), (), (), (), {}), project)
        if as_read.questions:
            return _refused(spec, dict(strict), as_read, project)
        if not as_read.notes:
            return ReadCall(strict)
        return ReadCall(strict.with_known(**as_read.request), _bounded(as_read.notes))
    reading = _read(spec.name, arguments) if isinstance(arguments, Mapping) else None
    if reading is None or not isinstance(arguments, Mapping):
        return Refusal(spec.name, arguments, tuple(strict))
    reading = _with_paths(reading, project)
    if not reading.questions and not reading.unread:
        params = checked(spec.name, spec.input_schema, reading.request)
        if isinstance(params, CheckedParams):
            return ReadCall(params, _bounded(reading.notes))
    return _refused(spec, arguments, reading, project)


def with_notes(outcome: Outcome, notes: Sequence[str]) -> Outcome:
    """Return ``outcome`` with notes on how its arguments were read."""
    if not notes:
        return outcome
    line = shortened(f"repaired: {'; '.join(notes)}", MAX_NOTES_TEXT)
    text = outcome.text
    if isinstance(outcome, ToolError):
        if len(text) + len(line) < MAX_TEXT_LENGTH:
            text = f"{text}\n{line}"
        return replace(outcome, details={**outcome.details, "repaired": list(notes)}, text=text)
    if len(text) <= _TEXT_LENGTH:
        text = cut_at_line(text, _TEXT_LENGTH - len(line) - 1)
    return ToolResult({**outcome.structured, "repaired": list(notes)}, f"{text}\n{line}")


def _read(tool: str, arguments: Mapping[str, Any]) -> Reading | None:
    return read_set(arguments) if tool == SET_TOOL else read(tool, arguments)


def _with_paths(reading: Reading, project: Path | None) -> Reading:
    """Return ``reading`` with the contract's paths, and a question for each unsure path."""
    if project is None:
        return reading
    for at, sent in paths_of(reading.request):
        if is_project_relative(sent):
            continue
        path = project_relative(sent, project)
        if isinstance(path, UnsurePath):
            reading = _ask_for_path(reading, at, path)
        elif path is not None and path != sent:
            note = _path_note(at, sent, path)
            request = _with_value(reading.request, at, path)
            reading = replace(reading, request=request, notes=(*reading.notes, note))
    for index, sent in absolute_paths_of(reading.request):
        path = anything_inside(sent, project)
        if path is not None:
            paths = [*reading.request["paths"]]
            paths[index] = path
            note = _path_note(("paths", index), sent, path)
            request = {**reading.request, "paths": paths}
            reading = replace(reading, request=request, notes=(*reading.notes, note))
    return reading


def _with_value(request: dict[str, Any], at: JsonPath, value: Any) -> dict[str, Any]:
    if len(at) == 1:
        return {**request, str(at[0]): value}
    _, index, key = at
    changes = [
        {**each, str(key): value} if number == index else each
        for number, each in enumerate(request["changes"])
    ]
    return {**request, "changes": changes}


def _path_note(at: JsonPath, sent: str, path: str) -> str:
    # Answers never contain an absolute path.
    shown = quoted(sent) if sent[:1] not in ("/", "\\") and ":" not in sent else "absolute"
    return f"{render_path(at)}: {shown} → {quoted(path)}"


def _ask_for_path(reading: Reading, at: JsonPath, unsure: UnsurePath) -> Reading:
    ways = tuple(
        Alternative(f"path {path}", ((at, path),), keeps_mode=unsure.certain)
        for path in unsure.choices
    )
    question = Question(reading.place_sent(at), unsure.problem, ways)
    return replace(reading, questions=(question, *reading.questions))


def _refused(
    spec: ToolSpec, arguments: Mapping[str, Any], reading: Reading, project: Path | None
) -> Refusal:
    as_set = as_change_set(spec.name, arguments)
    if as_set is not None:
        problem, offer = as_set
        ready = () if offer is None else _in_project(offer, project)
        return Refusal(spec.name, arguments, (problem,), ready)
    problems = _problems(spec, arguments, reading)
    offers = nearest_requests(spec, reading)
    return Refusal(
        spec.name,
        arguments,
        tuple(problems),
        tuple(offers),
        asks_for_all(reading),
        lines_named(reading),
    )


def _in_project(offer: Offer, project: Path | None) -> tuple[Offer, ...]:
    """Return the offer with paths as the contract has them; nothing if one is unsure."""
    read = _with_paths(Reading(dict(offer.arguments), (), (), (), {}), project)
    return () if read.questions else (replace(offer, arguments=read.request),)


def _problems(spec: ToolSpec, arguments: object, reading: Reading) -> list[Problem]:
    if reading.notes:
        found = [
            replace(problem, steps=reading.place_sent(problem.steps))
            for problem in request_problems(spec.input_schema, reading.request)
        ]
    else:
        found = request_problems(spec.input_schema, arguments)
    found += [
        Problem(question.sent_at, question.problem)
        for question in reading.questions
        if question.problem is not None
    ]
    why_not = {**_unknown_beside_an_edit(reading), **not_taken(reading)}
    found = [
        replace(problem, message=why_not.get(problem.steps, problem.message)) for problem in found
    ]
    known = {problem.steps for problem in found}
    found += [
        Problem(place, why_not.get(place, _UNREADABLE), about_key=True)
        for unread in reading.unread
        if (place := reading.place_sent(unread.at)) not in known
    ]
    return list(dict.fromkeys(found)) or request_problems(spec.input_schema, arguments)


def _unknown_beside_an_edit(reading: Reading) -> dict[JsonPath, str]:
    """Return, by place, a message for each unknown key of an edit sent outside "instructions".

    Each message lists the keys of an instruction as well as the request's.
    """
    flat = {
        reading.place_sent(at): at
        for at in reading.sent_at
        if at[-2:-1] == ("instructions",) and isinstance(at[-1], int)
    }
    found: dict[JsonPath, str] = {}
    for unread in reading.unread:
        place = reading.place_sent(unread.at)
        edit = flat.get(place[:-1])
        if edit is None or edit == unread.at[:-1]:
            continue
        words = vocabulary(SINGLE_TOOL).schemas
        outside = [key for key in words[Level.REQUEST] if key != "instructions"]
        known = [*words[Level.INSTRUCTION], *(("path",) if edit[0] == "changes" else outside)]
        found[place] = unknown_key(unread.key, known)
    return found


def _bounded(notes: tuple[str, ...]) -> tuple[str, ...]:
    if len(notes) <= MAX_NOTES:
        return notes
    return (*notes[:MAX_NOTES], f"… and {len(notes) - MAX_NOTES} more")
