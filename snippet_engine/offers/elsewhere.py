"""The same request for another script: ``file_not_found`` of docs/design/engine.md §8."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from snippet_engine import work
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import MAX_SEARCHED, Plan, make_plan
from snippet_engine.errors import MAX_OFFERS, Offer
from snippet_engine.request import EditRequest


def same_name(request: EditRequest, paths: Iterable[str]) -> list[str]:
    """Those of ``paths`` whose file has the name that was asked for, whatever the case."""
    name = request.path.replace("\\", "/").rpartition("/")[2].casefold()
    return [path for path in paths if path.rpartition("/")[2].casefold() == name]


def elsewhere(request: EditRequest, scripts: Iterable[tuple[str, Document]]) -> tuple[Offer, ...]:
    """The request for each of ``scripts`` (path and text) that every anchor of it fits."""
    with work.sharing(MAX_SEARCHED):
        fitting = [
            path
            for path, document in scripts
            if isinstance(make_plan(document, request.instructions, request.limits), Plan)
        ]
    return tuple(
        Offer(f"path {path}", replace(request, path=path).to_json())
        for path in fitting[:MAX_OFFERS]
    )
