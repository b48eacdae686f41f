"""Malformed requests, as agents send them.

Each function takes a request that satisfies the schema and gives one that doesn't, or ``None``
where it doesn't apply. What was meant can be told from each, except where the table says not.
"""

from __future__ import annotations

import copy
import json
import re
from random import Random
from typing import Any

Arguments = dict[str, Any]

PROJECT = "<project>"
"""Stands for the project's absolute path, which only the road knows."""


def empty_key(arguments: Arguments, rng: Random) -> Arguments | None:
    """Add an unknown key without a meaning."""
    spoiled, instruction = _parted(arguments)
    where = rng.choice((spoiled, instruction, instruction["anchor"]))
    key, value = rng.choice(
        (("newText_unused", ""), ("note", ""), ("context", None), ("options", {}), ("tags", []))
    )
    where[key] = value
    return spoiled


def harmless_key(arguments: Arguments, rng: Random) -> Arguments | None:
    """Add an unknown key with an explanation."""
    spoiled, instruction = _parted(arguments)
    where = rng.choice((spoiled, instruction))
    key = rng.choice(("description", "explanation", "comment", "reason"))
    where[key] = rng.choice(("Update the value.", "Fix as discussed", "small change for the test"))
    return spoiled


def replace_all(arguments: Arguments, rng: Random) -> Arguments | None:
    """Add ``replace_all`` to an anchor that names one place."""
    spoiled, instruction = _parted(arguments)
    rng.choice((spoiled, instruction))["replace_all"] = rng.random() < 0.3
    return spoiled


def occurrence(arguments: Arguments, rng: Random) -> Arguments | None:
    """Add which occurrence is meant, though there is only one."""
    spoiled, instruction = _parted(arguments)
    where = rng.choice((instruction, instruction["anchor"]))
    where[rng.choice(("occurrence", "occurrence_index", "expected_replacements"))] = 1
    return spoiled


def start_line(arguments: Arguments, rng: Random) -> Arguments | None:
    """Add the line's number to an anchor that names the same line."""
    spoiled, instruction = _parted(arguments)
    line = spoiled.pop(LINE, None)
    if line is None:
        return None
    rng.choice((instruction, instruction["anchor"]))[rng.choice(("startLine", "line"))] = line
    return spoiled


def instructions_as_text(arguments: Arguments, _: Random) -> Arguments | None:
    """Send the list of instructions as JSON text."""
    return {**arguments, "instructions": json.dumps(arguments["instructions"], ensure_ascii=False)}


def anchor_as_text(arguments: Arguments, _: Random) -> Arguments | None:
    """Send the anchor as JSON text."""
    spoiled, instruction = _parted(arguments)
    instruction["anchor"] = json.dumps(instruction["anchor"], ensure_ascii=False)
    return spoiled


def metadata_as_text(arguments: Arguments, rng: Random) -> Arguments | None:
    """Send the metadata as JSON text."""
    spoiled, instruction = _parted(arguments)
    metadata = instruction.get("metadata", {"why": rng.choice(("asked for", "typo", "cleanup"))})
    instruction["metadata"] = json.dumps(metadata)
    return spoiled


def one_for_a_list(arguments: Arguments, rng: Random) -> Arguments | None:
    """Send one instruction in place of a list."""
    spoiled, instruction = _parted(arguments)
    spoiled["instructions"] = instruction
    if rng.random() < 0.3:
        spoiled["instruction"] = spoiled.pop("instructions")
    return spoiled


def flat_anchor(arguments: Arguments, _: Random) -> Arguments | None:
    """Send the anchor's fields next to the operation."""
    spoiled, instruction = _parted(arguments)
    instruction.update(instruction.pop("anchor"))
    return spoiled


def no_list(arguments: Arguments, rng: Random) -> Arguments | None:
    """Send the instruction's fields next to the path."""
    spoiled, instruction = _parted(arguments)
    del spoiled["instructions"]
    if rng.random() < 0.4:
        instruction.update(instruction.pop("anchor"))
    return {**spoiled, **instruction}


def wrapped(arguments: Arguments, rng: Random) -> Arguments | None:
    """Send the request in a wrapper, or in two."""
    wrapper = rng.choice(("request", "arguments", "params", "input", "edit_snippet"))
    inside = {wrapper: copy.deepcopy(arguments)}
    return {"arguments": inside} if rng.random() < 0.2 else inside


def other_names(arguments: Arguments, rng: Random) -> Arguments | None:
    """Use the keys that other tools have for the same things."""
    spoiled, instruction = _parted(arguments)
    anchor = instruction["anchor"]
    old, new = rng.choice(
        (
            ("old_string", "new_string"),
            ("oldText", "newText"),
            ("old_str", "new_str"),
            ("search", "replace"),
            ("find", "replace"),
            ("old_text", "new_text"),
        )
    )
    lone = set(anchor) <= {"type", "target"} and instruction["operation"] == "replace"
    if lone:
        del instruction["anchor"], instruction["operation"]
        instruction[old], instruction[new] = anchor["target"], instruction.pop("newText")
        if rng.random() < 0.4:
            del spoiled["instructions"]
            spoiled |= instruction
    else:
        anchor[old] = anchor.pop("target")
        if "newText" in instruction:
            instruction[new] = instruction.pop("newText")
    return spoiled


def other_spelling(arguments: Arguments, rng: Random) -> Arguments | None:
    """Use another spelling of a key, or a similar name."""
    spoiled, instruction = _parted(arguments)
    anchor = instruction["anchor"]
    found = [
        (where, key, other)
        for where, key, others in (
            (spoiled, "path", ("file_path", "filePath", "file", "filename")),
            (instruction, "newText", ("new_text", "newtext", "NewText")),
            (anchor, "symbolPath", ("symbol_path", "symbol")),
            (spoiled, "instructions", ("edits", "operations", "changes")),
        )
        if key in where
        for other in others
    ]
    where, key, other = rng.choice(found)
    where[other] = where.pop(key)
    return spoiled


def mode_by_another_name(arguments: Arguments, rng: Random) -> Arguments | None:
    """Send ``dryRun`` in place of the mode."""
    spoiled, _ = _parted(arguments)
    del spoiled["mode"]
    spoiled[rng.choice(("dryRun", "dry_run"))] = False
    return spoiled


def no_mode(arguments: Arguments, _: Random) -> Arguments | None:
    """Send no mode."""
    return {key: value for key, value in arguments.items() if key != "mode"}


def no_type(arguments: Arguments, _: Random) -> Arguments | None:
    """Send an anchor without its type."""
    spoiled, instruction = _parted(arguments)
    del instruction["anchor"]["type"]
    return spoiled


def no_operation(arguments: Arguments, _: Random) -> Arguments | None:
    """Send no operation, if the rest implies it."""
    spoiled, instruction = _parted(arguments)
    if instruction["operation"] != "replace":
        return None
    del instruction["operation"]
    return spoiled


def other_operation(arguments: Arguments, rng: Random) -> Arguments | None:
    """Send the operation by another name."""
    spoiled, instruction = _parted(arguments)
    anchor = instruction["anchor"]
    names = {"replace": ("update", "modify", "edit"), "delete": ("remove",), "insert": ("add",)}
    operation = instruction["operation"]
    if operation == "insert" and rng.random() < 0.7:
        position = anchor.pop("position", "after")
        instruction["operation"] = f"insert_{position}"
    else:
        instruction["operation"] = rng.choice(names[operation])
    return spoiled


def upper_case(arguments: Arguments, rng: Random) -> Arguments | None:
    """Send a word of the contract in other letter case."""
    spoiled, instruction = _parted(arguments)
    change = rng.choice((str.upper, str.capitalize))
    if rng.random() < 0.5:
        spoiled["mode"] = change(spoiled["mode"])
    else:
        instruction["operation"] = change(instruction["operation"])
    return spoiled


def null_for_absent(arguments: Arguments, rng: Random) -> Arguments | None:
    """Send ``null`` in place of nothing."""
    spoiled, instruction = _parted(arguments)
    anchor = instruction["anchor"]
    places = [(spoiled, "expectedHash"), (spoiled, "client_request_id"), (instruction, "metadata")]
    places += [(anchor, key) for key in ("before", "after", "position") if key not in anchor]
    where, key = rng.choice([each for each in places if each[1] not in each[0]])
    where[key] = None
    return spoiled


def number_for_text(arguments: Arguments, _: Random) -> Arguments | None:
    """Send a number or a boolean in place of text."""
    spoiled, instruction = _parted(arguments)
    new = instruction.get("newText", "")
    if new in ("true", "false"):
        instruction["newText"] = new == "true"
    elif re.fullmatch(r"0|[1-9]\d{0,8}", new):
        instruction["newText"] = int(new)
    else:
        return None
    return spoiled


def empty_text_for_absent(arguments: Arguments, _: Random) -> Arguments | None:
    """Send empty text in place of nothing."""
    spoiled, instruction = _parted(arguments)
    anchor = instruction["anchor"]
    if instruction["operation"] == "delete":
        instruction["newText"] = ""
    elif "symbolPath" not in anchor:
        anchor["symbolPath"] = ""
    else:
        spoiled["client_request_id"] = ""
    return spoiled


def empty_hash(arguments: Arguments, _: Random) -> Arguments | None:
    """Send an empty hash, which was to prevent a write to another text."""
    return {**arguments, "expectedHash": ""}


def replaced_by_nothing(arguments: Arguments, _: Random) -> Arguments | None:
    """Send a deletion as a replacement by no text."""
    spoiled, instruction = _parted(arguments)
    if instruction["operation"] != "delete":
        return None
    instruction.update({"operation": "replace", "newText": ""})
    return spoiled


def absolute_path(arguments: Arguments, _: Random) -> Arguments | None:
    """Send the file's absolute path, inside the project."""
    return {**arguments, "path": f"{PROJECT}/{arguments['path']}"}


def dotted_path(arguments: Arguments, _: Random) -> Arguments | None:
    """Send the path with ``./`` in front."""
    return {**arguments, "path": f"./{arguments['path']}"}


def backslashes(arguments: Arguments, _: Random) -> Arguments | None:
    r"""Send the path with ``\``."""
    return {**arguments, "path": arguments["path"].replace("/", "\\")}


def path_without_assets(arguments: Arguments, rng: Random) -> Arguments | None:
    """Send the path from below ``Assets``, with or without a slash."""
    path = arguments["path"].removeprefix("Assets/")
    return {**arguments, "path": rng.choice(("", "/")) + path}


def nothing(_: Arguments, __: Random) -> Arguments | None:
    """Send an empty object."""
    return {}


_MEANINGFUL = frozenset({"occurrence", "occurrence_index", "startLine", "line"})


def says_more(value: Any) -> bool:
    """Return whether a request has a key with a meaning that the contract doesn't know."""
    if isinstance(value, dict):
        return any(
            key in _MEANINGFUL or (key == "replace_all" and each is True) or says_more(each)
            for key, each in value.items()
            if key != "metadata"
        )
    return isinstance(value, list) and any(map(says_more, value))


LINE = "<line>"
"""Where the run leaves the one-based line for :func:`start_line`; taken out of every request."""


def _parted(arguments: Arguments) -> tuple[Arguments, Arguments]:
    """Return a copy, and its first instruction."""
    spoiled = copy.deepcopy(arguments)
    return spoiled, spoiled["instructions"][0]
