"""An ``edit_scripts`` request as values (docs/design/change-sets.md §1), with the rules beyond its
schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from snippet_engine.errors import Offer, SnippetError, without_none
from snippet_engine.limits import CHANGE_SET, IN_SEVERAL_SETS, MAX_SET_INSTRUCTIONS, Limits
from snippet_engine.request import EditRequest, Instruction, check_edit, instruction_of
from snippet_engine.schemas.checked_params import Problem, refusal
from snippet_engine.schemas.schema_findings import quoted

_ONE = ("expectedHash", "moveTo")
"""Keys that must be equal in all changes of one file before these can be joined."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change set's change of one file."""

    path: str
    instructions: tuple[Instruction, ...] = ()
    expected_hash: str | None = None
    create: str | None = None
    deletes: bool = False
    move_to: str | None = None
    as_given: bool = False
    """Whether a new file keeps the line endings and the byte order mark of ``create``."""

    @property
    def new_path(self) -> str | None:
        """Return the new path of a file, which must be free; ``None`` if the change makes none."""
        return self.path if self.create is not None else self.move_to

    def to_json(self) -> dict[str, Any]:
        """Return the change as it is in a request."""
        return without_none(
            {
                "path": self.path,
                "expectedHash": self.expected_hash,
                "instructions": [each.to_json() for each in self.instructions] or None,
                "create": self.create,
                "format": "asGiven" if self.as_given else None,
                "delete": True if self.deletes else None,
                "moveTo": self.move_to,
            }
        )


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """A whole request."""

    apply: bool
    changes: tuple[Change, ...]
    validation: str = "auto"
    client_request_id: str | None = None
    timeout_ms: int | None = None
    include: tuple[str, ...] = ()

    @property
    def leaves(self) -> dict[str, str | None]:
        """Return each path that the set frees, with the file's new path; ``None`` if deleted."""
        return {
            _plain(each.path): None if each.move_to is None else _plain(each.move_to)
            for each in self.changes
            if each.deletes or each.move_to is not None
        }

    @property
    def expects_hashes(self) -> bool:
        """Return whether the request has an expected hash for one of its files."""
        return any(each.expected_hash is not None for each in self.changes)

    def edit_of(self, index: int) -> EditRequest:
        """Return the edits of the file at ``index`` as a request for only that file."""
        change = self.changes[index]
        others = sum(len(each.instructions) for each in self.changes) - len(change.instructions)
        return EditRequest(
            path=change.path,
            apply=self.apply,
            instructions=change.instructions,
            expected_hash=change.expected_hash,
            validation=self.validation,
            timeout_ms=self.timeout_ms,
            limits=Limits(CHANGE_SET.changed, MAX_SET_INSTRUCTIONS - others),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the whole request as it is sent, without keys that have their default value."""
        return without_none(
            {
                "mode": "apply" if self.apply else "preview",
                "changes": [each.to_json() for each in self.changes],
                "validation": None if self.validation == "auto" else self.validation,
                "include": list(self.include) or None,
                "client_request_id": self.client_request_id,
                "timeout_ms": self.timeout_ms,
            }
        )


def parse(params: Mapping[str, Any]) -> ChangeRequest | SnippetError:
    """Turn the parameters of ``edit_scripts`` into a :class:`ChangeRequest`.

    Error: ``invalid_request``.
    """
    params_or_error = check_edit("edit_scripts", params)
    if isinstance(params_or_error, SnippetError):
        return params_or_error
    params = params_or_error
    problems = list(_problems(params["changes"]))
    if problems:
        refused = refusal(problems)
        joined = _joined(params["changes"])
        if joined is None or next(_problems(joined), None) is not None:
            return refused
        offer = Offer("the changes of each file as one", {**params, "changes": joined})
        return replace(refused, offers=(offer,))
    return ChangeRequest(
        apply=params["mode"] == "apply",
        changes=tuple(map(change_of, params["changes"])),
        validation=params.get("validation", "auto"),
        client_request_id=params.get("client_request_id"),
        timeout_ms=params.get("timeout_ms"),
        include=tuple(params.get("include", ())),
    )


def change_of(item: Mapping[str, Any]) -> Change:
    """Return the value of a change object in a request or an error."""
    return Change(
        path=item["path"],
        instructions=tuple(map(instruction_of, item.get("instructions", ()))),
        expected_hash=item.get("expectedHash"),
        create=item.get("create"),
        deletes="delete" in item,
        move_to=item.get("moveTo"),
        as_given="format" in item,
    )


def _problems(changes: list[Mapping[str, Any]]) -> Iterator[Problem]:
    count = 0
    known: dict[str, str] = {}
    left = {_plain(each["path"]) for each in changes if "moveTo" in each or "delete" in each}
    taken = {_plain(each["moveTo"]) for each in changes if "moveTo" in each}
    for index, change in enumerate(changes):
        for key in ("path", "moveTo"):
            if key not in change:
                continue
            path = _plain(change[key])
            if key == "moveTo" and path == _plain(change["path"]):
                told = "is already its path; leave moveTo out, or send another path"
                yield Problem(("changes", index, key), told)
            elif path in known:
                told = f"is already at $.changes{known[path]}"
                if path in left and path in taken:
                    told += (
                        ": one set can't both free a path and use it again. Send a set that "
                        "frees it, then one that uses it (to swap two, use a third name)"
                    )
                else:
                    told += f"; each path once (got {quoted(path)})"
                    if "create" in change or "delete" in change:
                        told += ". To rewrite a file, send one change with instructions for it"
                yield Problem(("changes", index, key), told)
            known.setdefault(path, f"[{index}].{key}")
        count += len(change.get("instructions", ()))
    if count > MAX_SET_INSTRUCTIONS:
        told = f"have {count} instructions; send at most {MAX_SET_INSTRUCTIONS} in all"
        told = f"{told}. For more, {IN_SEVERAL_SETS}"
        yield Problem(("changes",), told)


def _joined(changes: list[Mapping[str, Any]]) -> list[Mapping[str, Any]] | None:
    """Join the changes of each file into one; ``None`` if they differ in a key of ``_ONE``."""
    by_path: dict[str, dict[str, Any]] = {}
    for change in changes:
        first = by_path.setdefault(_plain(change["path"]), {**change, "instructions": []})
        alike = all(first.get(key, value) == value for key, value in change.items() if key in _ONE)
        if not alike or "create" in change or "delete" in change:
            return None
        first |= {key: change[key] for key in _ONE if key in change}
        said = first["instructions"]
        more = [each for each in change.get("instructions", ()) if each not in said]
        first["instructions"] = [*said, *more]
    return [
        each if each["instructions"] else {k: v for k, v in each.items() if k != "instructions"}
        for each in by_path.values()
    ]


def _plain(path: str) -> str:
    return path.replace("\\", "/")
