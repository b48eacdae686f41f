"""A watcher of a small real project, without a server around it."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mcp_server.watcher.outside_change import BulkChange, OutsideChange, Seen
from mcp_server.watcher.watcher import Watcher
from snippet_engine.engine import SnippetEngine
from snippet_engine.storage.paths.project import Project
from snippet_engine.storage.stores.outside_changes import Maker

WAIT_S = 60
SCRIPT = "Assets/Scripts/A.cs"
TEXT = b"\xef\xbb\xbfclass A\r\n{\r\n    int x = 1;\r\n}\r\n"


class Watched:
    """A project and its watcher."""

    def __init__(self, root: Path, max_bytes: int) -> None:
        opened = Project.open(root)
        assert isinstance(opened, Project)
        engine = SnippetEngine.open(root)
        assert isinstance(engine, SnippetEngine)
        self.root, self.engine = root, engine
        self.seen: queue.Queue[Seen] = queue.Queue()
        self.watcher = Watcher(opened, self.seen.put, max_bytes)

    def write(self, path: str, data: bytes) -> None:
        """Write a script as another program does."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)

    def next_changes(self) -> tuple[OutsideChange, ...]:
        """Wait for what is seen next, one by one."""
        seen = self.seen.get(timeout=WAIT_S)
        assert seen.bulk is None, seen.bulk
        return seen.changes

    def change_of(self, path: str) -> OutsideChange:
        """Wait for a change of one script."""
        while True:
            for each in self.next_changes():
                if each.path == path:
                    return each

    def next_bulk(self) -> BulkChange:
        """Wait for many changes at once."""
        while True:
            seen = self.seen.get(timeout=WAIT_S)
            if seen.bulk is not None:
                return seen.bulk

    def ask(self, work: Callable[[], Any]) -> Any:
        """Run something on the watcher's thread."""
        return self.watcher.submit(work).result(WAIT_S)

    def look(self, paths: list[str] | None, source: str = "client/Edit") -> Any:
        """Look, as a hook does."""
        return self.ask(lambda: self.watcher.look(paths, Maker(source, "s1")))

    @property
    def changes(self) -> list[dict[str, Any]]:
        """The history, newest first."""
        found = self.engine.get_history({"limit": 100})
        assert isinstance(found, dict)
        return found["changes"]

    def undo(self, arguments: Any) -> dict[str, Any]:
        """Take a change back."""
        done = self.engine.undo_snippet(dict(arguments))
        assert isinstance(done, dict), done
        return done

    def until_ready(self) -> None:
        """Wait until every script is known."""
        while self.ask(lambda: self.watcher._is_first):
            pass

    def known_text(self, path: str) -> bytes | None:
        """Return the text of a script that the watcher knows."""
        return self.ask(lambda: self.watcher._texts.text(path))  # type: ignore[no-any-return]


@contextmanager
def watching(root: Path, max_bytes: int = 200 * 2**20) -> Iterator[Watched]:
    """Watch a project."""
    watched = Watched(root, max_bytes)
    watched.watcher.start()
    try:
        watched.until_ready()
        yield watched
    finally:
        watched.watcher.stop(WAIT_S)
