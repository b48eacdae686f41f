"""Attempts: true edits, put into words and spoiled, drawn by class and kind from a seed.

An attempt's number and the seed settle all of it, so that a run gives the same however it is
divided, and a miss can be looked at again by its number.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeVar

from benchmarks.landing.intent import Intent
from benchmarks.landing.kinds import (
    APART,
    DISPLAY,
    MALFORMED,
    NOT_UNIQUE,
    OF_CLASS,
    OF_ONE,
    RETYPED,
    STALE,
    TOO_LARGE,
    WHITE_SPACE,
    Kind,
)
from benchmarks.landing.malformed import LINE, says_more
from benchmarks.landing.phrasing import word
from benchmarks.landing.plain import Plain, plain
from benchmarks.landing.stale import earlier_request, text_hash
from benchmarks.landing.true_edits import SMALL, Splice, TrueEdit, applied
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.edit_plan.plan import Plan
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import SnippetError
from snippet_engine.fixes.explain.plan_or_explain import plan_or_explain
from snippet_engine.request import parse
from snippet_engine.source_text import SourceText, decode
from snippet_engine.validation.embedded.embedded_validator import EmbeddedValidator
from snippet_engine.validation.validator import Verdict

_TRIES = 600
_TRIES_OF_A_KIND = 15
"""So many edits are looked at before another kind is drawn."""

_SECOND_KIND = 0.12
"""How often a request goes wrong in two ways at once."""

_VALIDATOR = EmbeddedValidator()
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request for a file, and the intended result.

    The file holds ``first`` until ``earlier``, a request, has been applied; then ``standing``,
    which it may also hold without that. ``right`` are the bytes that the request is to make of it.
    ``clean`` is the request as it should have been. ``may_land`` is whether it can land at the
    first try without a guess: its shape has one reading, and what it says fits exactly the place
    that is meant, or is done.
    """

    number: int
    of_class: str
    kinds: tuple[str, ...]
    told: bool
    package: str
    path: str
    first: bytes
    earlier: Mapping[str, Any] | None
    standing: bytes
    right: bytes
    arguments: Mapping[str, Any]
    clean: Mapping[str, Any]
    plain: Plain
    newline: str
    others_take: bool
    may_land: bool

    @property
    def done(self) -> bool:
        """Return whether the file is as wanted before the request comes."""
        return self.standing == self.right


class Attempts:
    """All attempts of a run."""

    def __init__(self, edits: Sequence[TrueEdit], weights: Mapping[str, float], seed: int) -> None:
        """Take the ``weights`` of a profile in :data:`kinds.PROFILES`."""
        self._weights = weights
        self._seed = seed
        self._small = _by_package(edit for edit in edits if edit.size <= SMALL)
        self._large = _by_package(edit for edit in edits if edit.size > SMALL)

    def attempt(self, number: int, of_class: str | None = None) -> Attempt:
        """Return the attempt of that number; ``of_class`` for one that is weighed apart.

        Raises ``LookupError`` where no edit can be spoiled so.
        """
        rng = Random(f"{self._seed}:{number}:{of_class or ''}")
        chosen = of_class or _weighted(rng, self._weights)
        kinds: tuple[Kind, ...] = ()
        for turn in range(_TRIES):
            if turn % _TRIES_OF_A_KIND == 0:
                kinds = self._kinds(rng, chosen)
            edit = self._edit(rng, large=chosen == TOO_LARGE)
            made = _attempt(number, chosen, kinds, edit, rng)
            if made is not None:
                return made
        raise LookupError(f"no edit for {chosen}, {number}")

    def _edit(self, rng: Random, *, large: bool) -> TrueEdit:
        packages = self._large if large else self._small
        return rng.choice(packages[rng.choice(sorted(packages))])

    def _kinds(self, rng: Random, chosen: str) -> tuple[Kind, ...]:
        if chosen in APART:
            return ()
        first = _weighted(rng, {kind: kind.weight for kind in OF_CLASS[chosen]})
        if rng.random() >= _SECOND_KIND:
            return (first,)
        other = _weighted(rng, self._weights)
        misquoted = (RETYPED, WHITE_SPACE, DISPLAY)
        fits = (
            (other == MALFORMED and chosen != MALFORMED)
            or (chosen == MALFORMED and other in misquoted)
            or (chosen == STALE and other in misquoted)
        )
        if not fits:
            return (first,)
        second = _weighted(rng, {kind: kind.weight for kind in OF_CLASS[other]})
        if chosen == NOT_UNIQUE and second.name in OF_ONE:
            return (first,)
        return first, second


def _attempt(
    number: int, of_class: str, kinds: Sequence[Kind], edit: TrueEdit, rng: Random
) -> Attempt | None:
    wording = word(edit, rng)
    if wording is None:
        return None
    intent: Intent | None = Intent.of(edit, wording)
    script, path = edit.script, _path(edit)
    assert intent is not None
    if kinds and _made_of(intent, path) != intent.right:
        return None  # Said so, it is another edit before anything is spoiled.
    for kind in kinds:
        if kind.intent is not None and intent is not None:
            intent = kind.intent(intent, rng)
    if intent is None:
        return None
    if intent.everywhere and not _accepted(intent.text, intent.right):
        return None  # Nobody wants that everywhere.
    arguments: dict[str, Any] | None = intent.wording.to_arguments(path)
    assert arguments is not None
    if intent.everywhere and any(kind.name == "sweep by replace all" for kind in kinds):
        arguments["instructions"][0]["replace_all"] = True
    if intent.old_hash:
        arguments["expectedHash"] = text_hash(script.to_bytes(intent.text))
    line = intent.standing.count("\n", 0, intent.seen.splice.start) + 1
    for kind in kinds:
        if kind.shape is not None and arguments is not None:
            arguments = kind.shape({**arguments, LINE: line}, rng)
    if arguments is None:
        return None
    arguments = {key: value for key, value in arguments.items() if key != LINE}
    arguments = _without_line(arguments)
    if not _stands_alone(edit):
        return None
    own = intent.earlier and not intent.outside
    earlier = earlier_request(path, intent.text, intent.earlier) if own else None
    if own and (earlier is None or not _accepted(intent.text, intent.standing)):
        return None  # What is refused isn't what the agent has done.
    said = plain(intent.wording, intent.seen, intent.text)
    made = _made_of(intent, path)
    fits_elsewhere = made not in (None, intent.right)
    is_lossless = all(kind.lossless for kind in kinds) and not says_more(arguments)
    is_exact = made == intent.right and not intent.old_hash
    return Attempt(
        number=number,
        of_class=of_class,
        kinds=tuple(kind.name for kind in kinds) or (of_class,),
        told=intent.told and all(kind.told for kind in kinds) and not fits_elsewhere,
        package=script.package,
        path=path,
        first=script.to_bytes(intent.standing if earlier is None else intent.text),
        earlier=earlier,
        standing=script.to_bytes(intent.standing),
        right=script.to_bytes(intent.right),
        arguments=arguments,
        clean=intent.seen.to_arguments(path),
        plain=replace(said, everywhere=intent.everywhere),
        newline=script.newline,
        others_take=all(kind.others_take or kind.shape is None for kind in kinds),
        may_land=is_lossless and (intent.done or is_exact),
    )


def _made_of(intent: Intent, path: str) -> str | None:
    """Return the attempt that a wording makes, if it fits exactly one place as it is.

    That may be another one than is meant: the file has changed so that it fits there, or a word was
    cut so that it fits the rest of itself. Nothing in the request tells.
    """
    text = intent.standing
    request = parse(intent.wording.to_arguments(path))
    if isinstance(request, SnippetError):
        return None
    source = decode(text.encode())
    assert isinstance(source, SourceText)
    plan = plan_or_explain(DocumentCache().get(source), request.instructions)
    return plan.edits.apply(text) if isinstance(plan, Plan) and plan.edits else None


def _without_line(value: Any) -> Any:
    """Return the request without the line number that only :func:`malformed.start_line` needs."""
    if isinstance(value, dict):
        return {key: _without_line(each) for key, each in value.items() if key != LINE}
    if isinstance(value, list):
        return [_without_line(each) for each in value]
    return value


def _path(edit: TrueEdit) -> str:
    """Return the script's path in a project: its path in the package, below ``Assets``."""
    inside = re.sub(r"^(?:.*/)?Assets/", "", edit.script.path)
    return f"Assets/{edit.script.package.partition('/')[2]}/{inside}"


def _stands_alone(edit: TrueEdit) -> bool:
    """Return whether the edit makes sense without the rest of its change.

    It isn't where it is refused by itself and the whole change is not. What is refused both ways
    stays: that may be the fault of who refuses.
    """
    text = edit.script.text
    if _accepted(text, applied(text, [edit.hunk])):
        return True
    return not _accepted(text, applied(text, [edit.hunk, *edit.siblings]))


def _accepted(old: str, new: str) -> bool:
    before, after = decode(old.encode()), decode(new.encode())
    if not isinstance(before, SourceText) or not isinstance(after, SourceText):
        return False
    splice = Splice(0, len(old), new).trimmed(old)
    edits = EditSet((TextEdit(splice.start, splice.end, splice.new),))
    documents = DocumentCache()
    known = documents.get(before)
    verdict = _VALIDATOR.validate(
        "Assets/A.cs", known, documents.edited(known, after, edits), edits
    )
    return isinstance(verdict, Verdict) and not verdict.diagnostics


def _by_package(edits: Any) -> dict[str, list[TrueEdit]]:
    found: defaultdict[str, list[TrueEdit]] = defaultdict(list)
    for edit in edits:
        found[edit.script.package].append(edit)
    return dict(found)


def _weighted(rng: Random, weights: Mapping[T, float]) -> T:
    return rng.choices(list(weights), list(weights.values()))[0]
