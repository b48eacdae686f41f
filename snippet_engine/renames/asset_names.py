"""Find a symbol's name in a project's assets (docs/design/rename.md §4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import copy_context
from math import inf
from pathlib import Path
from threading import Lock, Thread
from time import monotonic
from typing import Any, Literal

from snippet_engine import budget
from unity_assets import Assets, Found, Renamed
from unity_assets import StoppedError as AssetsStoppedError

CACHE = ("Library", "SnippetEngine", "assets")
"""The folder of the assets' index. It may be deleted at any time."""

_FACTS = frozenset(
    {
        *("name", "kind", "type", "renamedTypes", "key", "holders", "targets", "parameters"),
        *("keepsKey", "overloads", "sameName", "isVisualElement", "managed"),
    }
)
"""The facts about a symbol that a search in assets needs."""

_NOT_SEARCHED = ("Assets", "the language server doesn't report how Unity stores the symbol")

AssetsMode = Literal["keep", "rewrite", "code"]


class AssetNames:
    """The assets of one project. Thread-safe. Calls may raise :class:`.budget.StoppedError`.

    All calls share one index, so they take turns.
    """

    def __init__(self, root: Path) -> None:
        library = root / CACHE[0]
        self._assets = Assets(root, root.joinpath(*CACHE) if library.is_dir() else None)
        self._asking = Lock()

    def look(self) -> float:
        """Start to read changed assets; return the present time, for :meth:`find`.

        They are read in a thread, because this takes as long as the language server's answer.
        """
        now = monotonic()
        Thread(target=copy_context().run, args=(self._look,), daemon=True).start()
        return now

    def _look(self) -> None:
        # If this was stopped, the next search looks again.
        with suppress(budget.StoppedError), self._turn() as should_stop:
            self._assets.refresh(should_stop=should_stop)

    def find(
        self, facts: Mapping[str, Any], *, since: float = inf, until: float | None = None
    ) -> Found:
        """Return the places where the name of a symbol occurs, given the facts about the symbol.

        Assets that changed after ``since`` are read again first. The search stops at ``until``.
        Both are times of ``time.monotonic``.
        """
        if not facts.keys() >= _FACTS:
            return Found([], [_NOT_SEARCHED])
        with self._turn(until) as should_stop:
            return self._assets.find(dict(facts), should_stop=should_stop, since=since)

    def rename(
        self, facts: Mapping[str, Any], new_name: str, mode: AssetsMode, since: float
    ) -> Renamed:
        """Return the assets that the rename changes, and the places that stay."""
        if not facts.keys() >= _FACTS:
            return Renamed([], [], [], [_NOT_SEARCHED], [])
        with self._turn() as should_stop:
            return self._assets.rename(
                dict(facts), new_name, mode, should_stop=should_stop, since=since
            )

    @contextmanager
    def _turn(self, until: float | None = None) -> Iterator[Callable[[], bool]]:
        def is_over() -> bool:
            if until is not None and monotonic() >= until:
                return True
            try:
                budget.check()
            except budget.StoppedError:
                return True
            return False

        while not self._asking.acquire(timeout=_LOOK_S):
            if is_over():
                raise budget.StoppedError
        try:
            yield is_over
        except AssetsStoppedError as error:
            raise budget.StoppedError from error
        finally:
            self._asking.release()


_LOOK_S = 0.1
"""How often to check whether the caller still waits, in seconds."""
