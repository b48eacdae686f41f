"""A small Unity project on disk, and requests against it in few words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import SnippetError

SCRIPT = "Assets/Scripts/Player.cs"


class UnityProject:
    """A Unity project in a temporary folder, with one engine that works in it."""

    engine: SnippetEngine

    def __init__(self, root: Path) -> None:
        self.root = root
        for folder in ("Assets/Scripts", "Packages", "ProjectSettings"):
            (root / folder).mkdir(parents=True)
        self.reopen()

    def reopen(self) -> None:
        """Go on as another process would, which knows nothing of the requests before."""
        opened = SnippetEngine.open(self.root)
        assert not isinstance(opened, SnippetError)
        self.engine = opened

    def write(self, content: str | bytes, path: str = SCRIPT) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def read(self, path: str = SCRIPT) -> bytes:
        return (self.root / path).read_bytes()

    def tree(self) -> dict[str, bytes]:
        """Every file of the project and its bytes."""
        return {
            file.relative_to(self.root).as_posix(): file.read_bytes()
            for file in sorted(self.root.rglob("*"))
            if file.is_file()
        }

    def edit(
        self, *instructions: Mapping[str, Any], mode: str = "apply", path: str = SCRIPT, **more: Any
    ) -> dict[str, Any] | SnippetError:
        request = {"path": path, "mode": mode, "instructions": list(instructions), **more}
        return self.engine.edit_snippet(request)

    def done(self, *instructions: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        """The result of a request that must succeed."""
        outcome = self.edit(*instructions, **more)
        assert not isinstance(outcome, SnippetError), outcome
        return outcome

    def refused(self, *instructions: Mapping[str, Any], **more: Any) -> SnippetError:
        """The error of a request that must be refused, with every byte as before."""
        before = self.tree()
        outcome = self.edit(*instructions, **more)
        assert isinstance(outcome, SnippetError), outcome
        assert self.tree() == before
        return outcome

    def written_by_offers(
        self, text: str, *instructions: Mapping[str, Any], since: Sequence[Mapping[str, Any]] = ()
    ) -> list[str]:
        """What each offer makes of the script, for instructions that are refused.

        ``since`` are edits of ``text`` that are made before, one after the other.
        """
        self.write(text)
        for each in since:
            self.done(each)
        standing = self.read()
        found: list[str] = []
        for offer in self.refused(*instructions).offers:
            self.write(standing)
            tool = getattr(self.engine, offer.tool or "edit_snippet")
            outcome = tool({**offer.arguments, "mode": "apply"})
            assert not isinstance(outcome, SnippetError), outcome
            found.append(self.read().decode())
        self.write(standing)
        return found


def replace(target: str, new_text: str, **anchor: Any) -> dict[str, Any]:
    return {
        "operation": "replace",
        "anchor": {"type": "text", "target": target, **anchor},
        "newText": new_text,
    }


def insert(target: str, new_text: str, **anchor: Any) -> dict[str, Any]:
    return {
        "operation": "insert",
        "anchor": {"type": "text", "target": target, **anchor},
        "newText": new_text,
    }


def delete(target: str, **anchor: Any) -> dict[str, Any]:
    return {"operation": "delete", "anchor": {"type": "text", "target": target, **anchor}}


def in_class(*lines: str) -> str:
    """A script of a class ``C`` that has these lines, indented for it."""
    return "class C\n{\n" + "".join(f"    {each}\n" if each else "\n" for each in lines) + "}\n"


def in_method(*lines: str) -> str:
    """A script of a class ``C`` whose method ``M`` has these lines, indented for it."""
    return in_class("void M()", "{", *(f"    {each}" if each else "" for each in lines), "}")
