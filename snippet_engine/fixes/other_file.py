"""Offer the same call for another path, after ``file_not_found`` or ``path_not_allowed``."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from snippet_engine import budget
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import MAX_SEARCHED, Plan
from snippet_engine.errors import MAX_OFFERS, Offer, SnippetError
from snippet_engine.fixes.explain.planning import plan_or_explain
from snippet_engine.request import EditRequest

_UNLESS = "another script has taken that path"


def same_name(known: Iterable[str], paths: Iterable[str]) -> list[str]:
    """Return those of ``paths`` whose file name is that of a ``known`` path, in any case."""
    names = {_name(each) for each in known}
    return [path for path in paths if _name(path) in names]


def _name(path: str) -> str:
    name = path.replace("\\", "/").rpartition("/")[2]
    return unicodedata.normalize("NFC", name).casefold()


def elsewhere(
    request: EditRequest, scripts: Iterable[tuple[str, Document]], doubted: str = ""
) -> tuple[Offer, ...]:
    """Offer the request for each of ``scripts`` (path and text) that all its anchors fit.

    ``doubted`` is the path of a script that may be another one than asked for. At most
    ``MAX_OFFERS``.
    """
    with budget.sharing(MAX_SEARCHED):
        fitting = [
            path
            for path, document in scripts
            if isinstance(plan_or_explain(document, request.instructions, request.limits), Plan)
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
    """Add to ``error`` the same ``params`` with the path that it suggests as ``key``."""
    path = error.details.get("suggestion")
    if path is None:
        return error
    return replace(error, offers=(Offer(f"{key} {path}", {**params, key: path}),))
