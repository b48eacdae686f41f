"""The laws of writing change sets, of any sets: docs/design/engine.md §10."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from answered import success
from change_sets import Scene, Tree, contents, state_files, tree
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from snippet_engine.errors import SnippetError
from snippet_engine.storage.change_sets.change_plan import FileChange

NAMES = ("Assets/A.cs", "Assets/B.cs", "Assets/In/C.cs", "Assets/In/Deep/D.cs", "Packages/p/E.cs")
KINDS = ("edit", "delete", "move", "move and edit", "same", "create")

texts = st.binary(max_size=40).map(lambda data: data.replace(b"\r", b"\n"))


@dataclass(frozen=True)
class Wish:
    """What is to become of the file at a path; what doesn't fit the project is left out."""

    path: str
    kind: str
    target: str
    text: bytes


wishes = st.builds(
    Wish, st.sampled_from(NAMES), st.sampled_from(KINDS), st.sampled_from(NAMES), texts
)
sets = st.lists(wishes, min_size=1, max_size=5, unique_by=lambda wish: wish.path)


@dataclass(frozen=True)
class Start:
    """What the project is at first: contents and modes of scripts, and which have a .meta."""

    files: dict[str, tuple[bytes, int]]
    metas: dict[str, bytes]

    def write(self, root: Path) -> None:
        for folder in ("Assets", "Packages"):
            (root / folder).mkdir(parents=True)
        for name, (content, mode) in self.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(mode)
        for name, content in self.metas.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / f"{name}.meta").write_bytes(content)


starts = st.builds(
    Start,
    st.dictionaries(
        st.sampled_from(NAMES), st.tuples(texts, st.sampled_from([0o644, 0o600, 0o755]))
    ),
    # Some of them without their script.
    st.dictionaries(st.sampled_from(NAMES), texts),
)


def changes_of(scene: Scene, wished: list[Wish]) -> Iterator[FileChange]:
    """The wishes that fit what is there, each path named once."""
    now = contents(scene.root)
    named = {wish.path for wish in wished}
    for wish in wished:
        if wish.path not in now:
            if wish.kind == "create":
                yield scene.create(wish.path, wish.text)
            continue
        is_free = wish.target not in now and wish.target not in named
        if wish.kind == "edit":
            yield scene.edit(wish.path, wish.text)
        elif wish.kind == "same":
            yield scene.edit(wish.path, now[wish.path])
        elif wish.kind == "delete":
            yield scene.delete(wish.path)
        elif wish.kind.startswith("move") and is_free:
            named.add(wish.target)
            after = wish.text or b"x" if wish.kind == "move and edit" else None
            yield scene.move(wish.path, wish.target, after)


def expected_of(now: dict[str, bytes], changes: list[FileChange]) -> dict[str, bytes]:
    """What the files are after the changes, by the words of the contract."""
    new = dict(now)
    for change in changes:
        path, target = change.script.canonical, change.place.canonical
        if change.after is None or path != target:
            new.pop(path, None)
            meta = new.pop(f"{path}.meta", None)
            if change.after is not None and meta is not None:
                new[f"{target}.meta"] = meta
        if change.after is not None:
            new[target] = change.after
    return new


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("laws")


def scenes(folder: Path, start: Start, count: int) -> list[Scene]:
    """That many projects that begin alike."""
    made = []
    for number in range(count):
        root = folder / f"Game{number}"
        shutil.rmtree(root, ignore_errors=True)
        start.write(root)
        made.append(Scene.of(root))
    return made


several = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@several
@given(start=starts, wished=st.lists(sets, min_size=1, max_size=3), data=st.data())
def test_any_sets_in_any_order_and_all_of_them_undone(
    folder: Path, start: Start, wished: list[list[Wish]], data: st.DataObject
) -> None:
    one, other = scenes(folder, start, 2)
    before: list[tuple[str, Tree]] = []
    for each in wished:
        changes = list(changes_of(one, each))
        order = data.draw(st.permutations(range(len(changes))))
        others = list(changes_of(other, each))
        now, present = contents(one.root), tree(one.root)
        if not changes:
            continue
        answer = one.store.apply(changes, client=None)
        permuted = other.store.apply([others[index] for index in order], client=None)
        assert isinstance(answer, SnippetError) == isinstance(permuted, SnippetError)
        assert tree(one.root) == tree(other.root)
        assert state_files(one.root) == []
        if isinstance(answer, SnippetError):
            # Of all that fits only a .meta can be in the way.
            assert ".meta" in answer.message
            assert tree(one.root) == present
        else:
            assert contents(one.root) == expected_of(now, changes)
            if any(change.before != change.after or change.target for change in changes):
                before.append((answer, present))
    for change_id, present in reversed(before):
        success(one.store.undo(change_id))
        assert tree(one.root) == present
    assert state_files(one.root) == []


@several
@given(start=starts, wished=sets, data=st.data())
def test_what_somebody_else_changed_is_refused_and_nothing_else_is_touched(
    folder: Path, start: Start, wished: list[Wish], data: st.DataObject
) -> None:
    (scene,) = scenes(folder, start, 1)
    changes = list(changes_of(scene, wished))
    if not changes:
        return
    theirs = data.draw(st.sampled_from(changes))
    path = scene.root / (theirs.script if theirs.target is None else theirs.target).canonical
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"// theirs, and no other content is this long: " + b"x" * 40)
    before = tree(scene.root)
    answer = scene.refused(*changes)
    assert answer.file is not None
    assert tree(scene.root) == before
    assert state_files(scene.root) == []


@several
@given(start=starts, wished=sets, data=st.data())
def test_an_undo_that_would_lose_something_does_nothing(
    folder: Path, start: Start, wished: list[Wish], data: st.DataObject
) -> None:
    (scene,) = scenes(folder, start, 1)
    changes = list(changes_of(scene, wished))
    answer = scene.store.apply(changes, client=None) if changes else None
    if not isinstance(answer, str) or answer is None:
        return
    theirs = data.draw(st.sampled_from(changes))
    path = scene.root / theirs.place.canonical
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"// theirs, and no other content is this long: " + b"x" * 40)
    before = tree(scene.root)
    scene.not_undone(answer)
    assert tree(scene.root) == before
