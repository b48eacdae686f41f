"""Combine the errors of single files into one of the set (docs/design/change-sets.md §4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from snippet_engine.change_request import ChangeRequest, change_of
from snippet_engine.errors import ALREADY_APPLIED, MAX_OFFERS, Offer, SnippetError


def all_already_applied(request: ChangeRequest, made: Sequence[SnippetError]) -> SnippetError:
    """Return the error for a set whose changes are all applied already, as ``made`` says."""
    first = min(made, key=_place)
    if len(request.changes) == 1 and ALREADY_APPLIED in first.details:
        return _with_path(request, first)
    count = len(request.changes)
    whole = f"All {count} changes of this set are" if count > 1 else "All of this change is"
    message = f"{whole} already applied: nothing is left to send."
    return SnippetError(first.code, message, details={ALREADY_APPLIED: True})


def for_set(
    request: ChangeRequest, errors: Sequence[SnippetError], made: Sequence[SnippetError] = ()
) -> SnippetError:
    """Return one error for all ``errors``, each of which names its ``file``.

    Offers for single files become offers of whole requests. ``made`` are the errors of files whose
    changes are already applied; the offers omit these changes.
    """
    at_fault = [_with_path(request, error) for error in sorted(errors, key=_place)]
    left_out = [_already_applied(request, error) for error in sorted(made, key=_place)]
    offers = _offers(
        request, at_fault, [error.file for error in left_out if error.file is not None]
    )
    first, *others = [*at_fault, *left_out]
    alone, *inner = _flatten(first)
    rest = [*inner, *(each for error in others for each in _flatten(error))]
    if rest:
        first = replace(first, details={**alone["details"], "otherErrors": rest})
    return replace(first, offers=offers)


def _already_applied(request: ChangeRequest, error: SnippetError) -> SnippetError:
    assert error.file is not None
    path = request.changes[error.file].path
    advice = "Everything that it asks for is already applied: leave it out."
    return replace(error, message=advice, details={"path": path, ALREADY_APPLIED: True}, offers=())


def _flatten(error: SnippetError) -> Iterator[dict[str, Any]]:
    """Yield the error of one file and those of its other instructions, each with its file."""
    details = dict(error.details)
    inner = details.pop("otherErrors", ())
    yield replace(error, details=details, offers=()).to_json()
    of_file = {} if error.file is None else {"file": error.file}
    yield from ({**of_file, **each} for each in inner)


def _place(error: SnippetError) -> tuple[int, int]:
    return error.file or 0, error.instruction or 0


def _with_path(request: ChangeRequest, error: SnippetError) -> SnippetError:
    if error.file is None:
        return error
    return replace(error, details={"path": request.changes[error.file].path, **error.details})


def _offers(
    request: ChangeRequest, errors: Sequence[SnippetError], made: Sequence[int]
) -> tuple[Offer, ...]:
    found = _with_all(request, errors)
    if not made:
        return found
    if not errors:
        found = (Offer("", request.to_json()),)
    return tuple(_without(each, made) for each in found)


def _without(offer: Offer, made: Sequence[int]) -> Offer:
    kept = [each for at, each in enumerate(offer.arguments["changes"]) if at not in made]
    files = f"file {made[0]} is" if len(made) == 1 else f"files {', '.join(map(str, made))} are"
    left_out = f"{files} already applied, so left out"
    what = f"{offer.what}; {left_out}" if offer.what else left_out
    return replace(offer, what=what, arguments={**offer.arguments, "changes": kept})


def _with_all(request: ChangeRequest, errors: Sequence[SnippetError]) -> tuple[Offer, ...]:
    by_file = {error.file: error.offers for error in errors if error.file is not None}
    left = [file for file, offers in by_file.items() if not offers]
    open_files = [
        file for file, offers in by_file.items() if len(offers) > 1 and not offers[0].basis
    ]
    if len(open_files) > 1:
        # The first place in one file has nothing to do with the first place in another file.
        everywhere = {
            file: next((each for each in by_file[file] if each.takes_all), None)
            for file in open_files
        }
        chosen = {file: offers[0] for file, offers in by_file.items() if offers}
        chosen |= {file: offer for file, offer in everywhere.items() if offer is not None}
        return (_joined(request, chosen, by_file, left),) if all(everywhere.values()) else ()
    ranks = max((len(offers) for offers in by_file.values()), default=0)
    found: list[Offer] = []
    for rank in range(min(ranks, MAX_OFFERS)):
        chosen = {
            file: offers[min(rank, len(offers) - 1)] for file, offers in by_file.items() if offers
        }
        found.append(_joined(request, chosen, by_file, left))
    return tuple(each for each in found if _names_each_once(each.arguments["changes"]))


def _names_each_once(changes: Sequence[Mapping[str, Any]]) -> bool:
    paths = [each[key] for each in changes for key in ("path", "moveTo") if key in each]
    return len(set(paths)) == len(paths)


def _joined(
    request: ChangeRequest,
    chosen: Mapping[int, Offer],
    by_file: Mapping[int, Sequence[Offer]],
    left: Sequence[int],
) -> Offer:
    changes = list(request.changes)
    whats: list[str] = []
    lacking = {file: f"file {file}" for file in left}
    for file, offer in sorted(chosen.items()):
        sent = changes[file].to_json()
        kept: dict[str, Any] = {key: sent[key] for key in ("moveTo", "delete") if key in sent}
        changes[file] = change_of({**kept, **_of_file(offer.arguments)})
        whats.append(f"file {file}: {offer.what}" if len(changes) > 1 else offer.what)
        if offer.lacks:
            lacking[file] = f"file {file} ({offer.lacks})"
    # If one file has a choice, the set's offer is a choice.
    is_certain = all(len(by_file[file]) == 1 or by_file[file][0].basis for file in chosen)
    bases = dict.fromkeys(each.basis for each in chosen.values() if each.basis and is_certain)
    is_preview = any(each.arguments.get("mode") == "preview" for each in chosen.values())
    offered = replace(request, changes=tuple(changes), apply=request.apply and not is_preview)
    return Offer(
        "; ".join(whats),
        offered.to_json(),
        "; ".join(bases),
        takes_all=any(each.takes_all for each in chosen.values()),
        unless="; ".join(dict.fromkeys(each.unless for each in chosen.values() if each.unless)),
        lacks=", ".join(each for _, each in sorted(lacking.items())),
    )


def _of_file(arguments: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("path", "expectedHash", "instructions", "create", "format", "moveTo")
    return {key: arguments[key] for key in kept if key in arguments}
