"""Change sets over a small project, for the tests of their writing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.files import temporary_name
from snippet_engine.storage.paths.project import FileSnapshot, Project, ScriptPath
from snippet_engine.storage.records.change_record import ChangeRecord, Mark
from snippet_engine.storage.stores.change_store import ChangeStore, UndoneChange

Tree = dict[str, tuple[int, bytes | None]]

PLAYER = b"class Player\r\n{\r\n}\r\n" * 20
ENEMY = b"class Enemy { }\n" * 20
OLD = b"class Old { }\n"
UTIL = b"static class Util { }\n"
SCENE = b"%YAML 1.1\r\n" + b"  speed: 5\r\n" * 8_000
"""Large enough to be packed in a record."""
FILES: Mapping[str, bytes] = {
    "Assets/Player.cs": PLAYER,
    "Assets/Player.cs.meta": b"guid: 1\n",
    "Assets/Enemies/Enemy.cs": ENEMY,
    "Assets/Enemies/Enemy.cs.meta": b"guid: 2\n",
    "Assets/Enemies.meta": b"guid: 3\n",
    "Assets/Old.cs": OLD,
    "Assets/Old.cs.meta": b"guid: 4\n",
    "Assets/Util.cs": UTIL,
    "Assets/Util.cs.meta": b"guid: 5\n",
    "Assets/Main.unity": SCENE,
    "Assets/Hero.fbx.meta": b"guid: 6\n  functionName: Fire\n",
    "Packages/manifest.json": b"{}\n",
    "ProjectSettings/TagManager.asset": b"%YAML 1.1\n",
}


def new_project(root: Path) -> Path:
    """Write the project's files below ``root``; one of them has a mode of its own."""
    for name, content in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (root / "Assets/Old.cs").chmod(0o640)
    return root


def _error(answer: object, code: ErrorCode | None) -> SnippetError:
    assert isinstance(answer, SnippetError), answer
    assert code is None or answer.code is code, answer
    return answer


@dataclass(frozen=True)
class Scene:
    """A project, and the store of its change sets."""

    project: Project
    store: ChangeStore

    @classmethod
    def of(cls, root: Path, **bounds: int) -> Scene:
        project = Project.open(root)
        assert isinstance(project, Project)
        return cls(project, ChangeStore(project, **bounds))

    @property
    def root(self) -> Path:
        return self.project.root

    def there(self, path: str) -> ScriptPath:
        script = self.project.locate(path, for_writing=True)
        assert isinstance(script, ScriptPath), script
        return script

    def new(self, path: str) -> ScriptPath:
        script = self.project.locate_new(path)
        assert isinstance(script, ScriptPath), script
        return script

    def bytes_of(self, path: str) -> bytes:
        now = self.there(path).read()
        assert isinstance(now, FileSnapshot), now
        return now.data

    def edit(self, path: str, after: bytes) -> FileChange:
        return FileChange(self.there(path), self.bytes_of(path), after)

    def create(self, path: str, text: bytes) -> FileChange:
        return FileChange(self.new(path), None, text)

    def delete(self, path: str) -> FileChange:
        return FileChange(self.there(path), self.bytes_of(path), None)

    def move(self, path: str, target: str, after: bytes | None = None) -> FileChange:
        before = self.bytes_of(path)
        return FileChange(self.there(path), before, after or before, self.new(target))

    def applied(self, *changes: FileChange, **more: Any) -> str:
        """The id of a set that must land."""
        made = self.store.apply(changes, **{"client": None, **more})
        assert isinstance(made, str), made
        return made

    def refused(self, *changes: FileChange, code: ErrorCode | None = None) -> SnippetError:
        """The error of a set that must be refused."""
        return _error(self.store.apply(changes, client=None), code)

    def undone(self, change_id: str) -> UndoneChange:
        """What an undo that must succeed has done."""
        done = self.store.undo(change_id)
        assert isinstance(done, UndoneChange), done
        return done

    def not_undone(self, change_id: str, code: ErrorCode | None = None) -> SnippetError:
        """The error of an undo that must be refused."""
        return _error(self.store.undo(change_id), code)

    def engine(self) -> SnippetEngine:
        """As another process opens the project."""
        opened = SnippetEngine.open(self.root)
        assert isinstance(opened, SnippetEngine)
        return opened

    def edit_file(self, path: str, after: bytes) -> FileChange:
        """An edit of a file that is no script."""
        found = self.project.locate_file(path)
        assert isinstance(found, ScriptPath), found
        now = found.read()
        assert isinstance(now, FileSnapshot), now
        return FileChange(found, now.data, after)

    def assets(self) -> list[FileChange]:
        """Edits of a scene, a ``.meta`` file and a setting."""
        names = ("Assets/Main.unity", "Assets/Hero.fbx.meta", "ProjectSettings/TagManager.asset")
        return [self.edit_file(name, AFTER_EVERYTHING[name]) for name in names]

    def died(
        self, changes: Sequence[FileChange], ticket: str, *, client: str | None = None
    ) -> Path:
        """The record of a set that is in place, but whose writer died after its last step."""
        state = self.root / "Library/SnippetEngine"
        assert self.store.apply(changes, client=client, ticket=ticket) == ticket
        (entry,) = (state / "history").iterdir()
        data = entry.read_bytes()
        entry.unlink()
        (self.root / ".unity-snippet/history" / entry.name).unlink()
        decoded = ChangeRecord.decode(data)
        assert decoded is not None
        for index, slot in enumerate(decoded[0].slots):
            if slot.image is not None:
                path = self.root / slot.name
                temporary = path.parent / temporary_name(path.name, f"{ticket}.{index}")
                temporary.write_bytes(slot.image)
        record = state / "pending" / f"{decoded[0].lock_keys[0]}-{ticket}.set"
        record.write_bytes(data[:-1] + Mark.NONE)
        return record

    def everything(self) -> list[FileChange]:
        """A set of every kind: edits, assets too, a file in a new folder, a deletion, a move."""
        return [
            self.edit("Assets/Player.cs", PLAYER + b"// more\n"),
            self.move("Assets/Util.cs", "Assets/Core/Deep/Util.cs", UTIL + b"// moved\n"),
            self.create("Assets/Health/Health.cs", b"class Health { }\n"),
            self.delete("Assets/Old.cs"),
            self.edit("Assets/Enemies/Enemy.cs", b"// all new\n"),
            *self.assets(),
        ]


AFTER_EVERYTHING: Mapping[str, bytes] = {
    "Assets/Player.cs": PLAYER + b"// more\n",
    "Assets/Player.cs.meta": b"guid: 1\n",
    "Assets/Enemies/Enemy.cs": b"// all new\n",
    "Assets/Enemies/Enemy.cs.meta": b"guid: 2\n",
    "Assets/Enemies.meta": b"guid: 3\n",
    "Assets/Health/Health.cs": b"class Health { }\n",
    "Assets/Core/Deep/Util.cs": UTIL + b"// moved\n",
    "Assets/Core/Deep/Util.cs.meta": b"guid: 5\n",
    "Assets/Main.unity": SCENE.replace(b"speed", b"pace"),
    "Assets/Hero.fbx.meta": b"guid: 6\n  functionName: Shoot\n",
    "Packages/manifest.json": b"{}\n",
    "ProjectSettings/TagManager.asset": b"%YAML 1.1\nm: 1\n",
}


def _entries(root: Path) -> Iterator[Path]:
    for top in ("Assets", "Packages", "ProjectSettings"):
        yield from (root / top).rglob("*")


def tree(root: Path) -> Tree:
    """Every name below Assets and Packages with its mode and content; ``None`` for a folder."""
    found: Tree = {}
    for path in _entries(root):
        content = path.read_bytes() if stat.S_ISREG(path.lstat().st_mode) else None
        found[path.relative_to(root).as_posix()] = (stat.S_IMODE(os.lstat(path).st_mode), content)
    return found


def contents(root: Path) -> dict[str, bytes]:
    """The files alone."""
    return {name: content for name, (_, content) in tree(root).items() if content is not None}


def state_files(root: Path) -> list[str]:
    """What lies in the state folder and is neither history nor lock."""
    base = root / "Library/SnippetEngine"
    names = [p.relative_to(base).as_posix() for p in base.rglob("*") if p.is_file()]
    return [name for name in names if not name.startswith(("history/", "locks/"))]
