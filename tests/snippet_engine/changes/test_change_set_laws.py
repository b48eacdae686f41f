"""The laws of docs/design/engine.md §10, over random change sets."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from answered import success
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from script_changes import create, edit, move, scripts
from unity_project import UnityProject, delete, insert, replace

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import content_hash

NAMES = ("A", "B", "C", "D")
STANDING = ("A", "B", "C")
BODY = "class {0}\n{{\n    int x{0} = 1;\n    void M() {{ Go(); }}\n}}\n"


def path_of(name: str, folder: str = "") -> str:
    return f"Assets/{folder}{name}.cs"


def text_of(name: str) -> str:
    return BODY.format(name)


_instructions = st.lists(
    st.sampled_from(
        [
            replace("= 1", "= 2"),
            replace("Go()", "Stop()"),
            insert("Go();", "Run();", position="line_after"),
            delete("Go();"),
            replace("{ Go", "Go"),  # breaks it
            replace("nowhere", "x"),  # fits no place
            replace("int x", "int y"),
        ]
    ),
    min_size=1,
    max_size=3,
    unique_by=str,
)


@st.composite
def _change(draw: st.DrawFn, name: str) -> dict[str, Any]:
    kind = draw(st.sampled_from(["edit", "edit", "create", "delete", "move", "move and edit"]))
    path = path_of(name)
    if kind == "edit":
        return edit(path, *draw(_instructions))
    if kind == "create":
        return create(path, draw(st.sampled_from(["class N { }", "class N {", ""])))
    if kind == "delete":
        right = content_hash(text_of(name).encode())
        hashes = st.sampled_from([right, right, content_hash(b"")])
        return {"path": path, "delete": True, "expectedHash": draw(hashes)}
    to = path_of(name, draw(st.sampled_from(["", "Deep/Down/", "Core/"])))
    return move(path, to, *(draw(_instructions) if kind == "move and edit" else []))


_sets = st.permutations(NAMES).flatmap(
    lambda names: st.integers(1, len(names)).flatmap(
        lambda count: st.tuples(*(_change(name) for name in names[:count]))
    )
)


@contextmanager
def _projects(count: int) -> Iterator[list[UnityProject]]:
    """Equal projects, each with three scripts, of which two have a ``.meta``."""
    with tempfile.TemporaryDirectory() as folder:
        made = [UnityProject(Path(folder) / str(number)) for number in range(count)]
        for project in made:
            for name in STANDING:
                project.write(text_of(name), path_of(name))
            for name in STANDING[:2]:
                project.write(f"guid: {name}", path_of(name) + ".meta")
        yield made


def _folders(project: UnityProject) -> set[str]:
    assets = project.root / "Assets"
    return {each.relative_to(assets).as_posix() for each in assets.rglob("*") if each.is_dir()}


def _state(project: UnityProject) -> tuple[dict[str, bytes], set[str]]:
    return scripts(project.tree()), _folders(project)


_SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@_SETTINGS
@given(_sets)
def test_previewed_applied_and_undone(changes: tuple[dict[str, Any], ...]) -> None:
    with _projects(1) as (project,):
        before = project.tree()
        standing = _state(project)
        said = project.engine.edit_scripts({"mode": "preview", "changes": list(changes)})
        assert project.tree() == before  # whatever the request
        done = project.engine.edit_scripts({"mode": "apply", "changes": list(changes)})
        assert isinstance(said, SnippetError) == isinstance(done, SnippetError)
        if isinstance(done, SnippetError) or isinstance(said, SnippetError):
            assert isinstance(said, SnippetError)
            assert isinstance(done, SnippetError)
            assert (said.code, said.message, said.file) == (done.code, done.message, done.file)
            assert _state(project) == standing
            return
        for one, other in zip(said["files"], done["files"], strict=True):
            same = {key: value for key, value in one.items() if key != "results"}
            assert same == {key: value for key, value in other.items() if key != "results"}
            place = project.root / other.get("movedTo", other["path"])
            if "hashAfter" in other:
                assert content_hash(place.read_bytes()) == other["hashAfter"]
            else:
                assert not place.exists()
        if not done["applied"]:
            assert _state(project) == standing
            return
        success(project.engine.undo_snippet({"changeId": done["changeId"]}))
        assert _state(project) == standing


@_SETTINGS
@given(_sets, st.randoms(use_true_random=False))
def test_the_order_of_files_and_instructions_means_nothing(
    changes: tuple[dict[str, Any], ...], random: Any
) -> None:
    shuffled = [dict(each) for each in changes]
    random.shuffle(shuffled)
    for each in shuffled:
        if "instructions" in each:
            each["instructions"] = random.sample(each["instructions"], len(each["instructions"]))
    with _projects(2) as (one, other):
        first = one.engine.edit_scripts({"mode": "apply", "changes": list(changes)})
        second = other.engine.edit_scripts({"mode": "apply", "changes": shuffled})
        assert isinstance(first, SnippetError) == isinstance(second, SnippetError)
        assert scripts(one.tree()) == scripts(other.tree())


@_SETTINGS
@given(_instructions)
def test_one_file_with_small_edits_is_what_the_small_tool_makes_of_it(
    instructions: list[dict[str, Any]],
) -> None:
    with _projects(2) as (one, other):
        small = one.edit(*instructions, path=path_of("A"))
        large = other.engine.edit_scripts(
            {"mode": "apply", "changes": [edit(path_of("A"), *instructions)]}
        )
        assert scripts(one.tree()) == scripts(other.tree())
        if isinstance(small, SnippetError):
            assert isinstance(large, SnippetError)
            assert (small.code, small.instruction) == (large.code, large.instruction)
