"""Change sets against a small Unity project, in few words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unity_project import UnityProject

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import content_hash


def edit(path: str, *instructions: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"path": path, "instructions": list(instructions), **more}


def create(path: str, text: str) -> dict[str, Any]:
    return {"path": path, "create": text}


def move(path: str, to: str, *instructions: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    edited = {"instructions": list(instructions)} if instructions else {}
    return {"path": path, "moveTo": to, **edited, **more}


def delete_file(project: UnityProject, path: str) -> dict[str, Any]:
    return {"path": path, "delete": True, "expectedHash": content_hash(project.read(path))}


def change(
    project: UnityProject, *changes: Mapping[str, Any], mode: str = "apply", **more: Any
) -> dict[str, Any] | SnippetError:
    return project.engine.edit_scripts({"mode": mode, "changes": list(changes), **more})


def changed(project: UnityProject, *changes: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """The result of a set that must not be refused."""
    outcome = change(project, *changes, **more)
    assert not isinstance(outcome, SnippetError), outcome
    return outcome


def previewed(project: UnityProject, *changes: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """The result of a preview that must not be refused, with every byte as before."""
    before = project.tree()
    outcome = changed(project, *changes, mode="preview", **more)
    assert project.tree() == before
    return outcome


def refused(project: UnityProject, *changes: Mapping[str, Any], **more: Any) -> SnippetError:
    """The error of a set that must be refused, in both modes, with every byte as before."""
    before = project.tree()
    first = change(project, *changes, mode="preview", **more)
    assert isinstance(first, SnippetError), first
    assert project.tree() == before
    if more.get("mode") != "preview":
        outcome = change(project, *changes, mode="apply", **more)
        assert isinstance(outcome, SnippetError), outcome
        assert (outcome.code, outcome.file) == (first.code, first.file)
        assert scripts(project.tree()) == scripts(before)
    return first


def scripts(tree: Mapping[str, bytes]) -> dict[str, bytes]:
    """What of a project isn't the engine's own state."""
    own = ("Library/", ".unity-snippet/")
    return {path: data for path, data in tree.items() if not path.startswith(own)}
