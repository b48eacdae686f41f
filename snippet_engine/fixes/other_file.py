"""Offer the same call for another path: ``file_not_found`` and ``path_not_allowed``."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from snippet_engine import budget
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import MAX_SEARCHED, Plan
from snippet_engine.errors import MAX_OFFERS, Offer, SnippetError
from snippet_engine.fixes.explain.planning import make_plan
from snippet_engine.request import EditRequest

_UNLESS = "another script has taken that path"


def same_name(known: Iterable[str], paths: Iterable[str]) -> list[str]:
    """Those of ``paths`` whose file has the name of a ``known`` path, in whatever spelling."""
    names = {_name(each) for each in known}
    return [path for path in paths if _name(path) in names]


def _name(path: str) -> str:
    name = path.replace("\\", "/").rpartition("/")[2]
    return unicodedata.normalize("NFC", name).casefold()


def elsewhere(
    request: EditRequest, scripts: Iterable[tuple[str, Document]], doubted: str = ""
) -> tuple[Offer, ...]:
    """The request for each of ``scripts`` (path and text) that every anchor of it fits.

    ``doubted`` is the path of one that may be another script than the one that was asked for.
    """
    with budget.sharing(MAX_SEARCHED):
        fitting = [
            path
            for path, document in scripts
            if isinstance(make_plan(document, request.instructions, request.limits), Plan)
        ]
    return tuple(
        Offer(
            f"path {path}",
            replace(request, path=path).to_json(),
            unless=_UNLESS if path == doubted else "",
        )
        for path in fitting[:MAX_OFFERS]
    )


def with_path_offered(
    error: SnippetError, params: Mapping[str, Any], key: str = "path"
) -> SnippetError:
    """``error`` with ``params`` in which ``key`` is the path that it suggests, if it does."""
    path = error.details.get("suggestion")
    if path is None:
        return error
    return replace(error, offers=(Offer(f"{key} {path}", {**params, key: path}),))
