"""What a script held before: read once for a request, however often it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

import pytest
from answered import success
from unity_project import UnityProject, insert

from snippet_engine.engine import SnippetEngine
from snippet_engine.single_edit.versions import EarlierVersions
from snippet_engine.storage.records.history import History
from snippet_engine.storage.records.history_entry import HistoryEntry


def test_each_version_is_read_once_and_only_as_far_as_it_is_asked_for() -> None:
    read: list[bytes] = []

    def contents() -> Iterator[bytes]:
        for data in (b"newest", b"\xff\xfe\x00", b"older", b"oldest"):
            read.append(data)
            yield data

    earlier = EarlierVersions(contents)
    assert read == []
    first, second = earlier(), earlier()
    assert next(first).view == "newest"
    assert read == [b"newest"]
    assert [next(second).view, next(second).view] == ["newest", "older"]
    assert [each.view for each in first] == ["older", "oldest"]
    assert [each.view for each in earlier()] == ["newest", "older", "oldest"]
    assert len(read) == 4


def with_history(project: UnityProject) -> None:
    """A script of which three versions are kept."""
    project.write("class C\n{\n    int a;\n    int b;\n    void Update() { }\n}\n")
    for name in ("one", "two", "three"):
        project.done(insert("int b;", f"int {name};", position="line_after"))


def test_previews_in_a_row_read_a_version_once(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    whole = History.image

    def counting(history: History, entry: HistoryEntry, path: str) -> bytes | None:
        read.append(entry.name)
        return whole(history, entry, path)

    with_history(project)
    monkeypatch.setattr(History, "image", counting)
    # Another engine, which has written none of it.
    opened = success(SnippetEngine.open(project.root))
    other = copy(project)
    other.engine = opened
    for name in ("four", "five"):
        other.done(insert("int three;", f"int {name};"), mode="preview")
    assert len(read) == len(set(read)) == 3
    # What it replaces itself, it knows.
    other.done(insert("int three;", "int six;"))
    other.done(insert("int three;", "int seven;"), mode="preview")
    assert len(read) == 3
    # The first one knows what it wrote, and not what the other one did.
    project.done(insert("int three;", "int eight;"), mode="preview")
    assert len(read) == len(set(read)) == 4
