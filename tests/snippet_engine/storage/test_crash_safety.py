"""A write killed at any step leaves the script whole, and nothing behind: docs/design/engine.md §5.

This file is also the program whose forked children are killed: see ``killed_processes``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from killed_processes import killed_runs, main

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.stores.request_log import Claim, Replay, RequestLog
from snippet_engine.storage.stores.script_store import ScriptStore, Undone

OLD = b"class A {\r\n}\r\n" * 50
NEW = OLD + b"// one more\n"
OLDER = b"// the first\n"
SCRIPT = "Assets/Scripts/A.cs"


def parts(root: Path) -> tuple[ScriptStore, RequestLog, ScriptPath]:
    project = Project.open(root)
    assert isinstance(project, Project)
    script = project.locate(SCRIPT, for_writing=True)
    assert isinstance(script, ScriptPath)
    store = ScriptStore(project)
    return store, RequestLog(project, store), script


def send(root: Path) -> Replay | None:
    """The request that adds one line, as a client repeats it until it gets an answer."""
    store, log, script = parts(root)
    claim = log.begin("request-1", "digest")
    if isinstance(claim, Replay):
        return claim
    assert isinstance(claim, Claim), claim
    with claim:
        old = script.real.read_bytes()
        new = old + b"// one more\n"
        result = {"hashAfter": content_hash(new)}
        assert claim.committing(script, content_hash(new), result) is None
        assert store.apply(script, old, new, ticket=claim.ticket) is None
        claim.finish(result)
    return None


def send_undo(root: Path) -> object:
    """Undo under an id, as the engine does; returns what an earlier run of it led to."""
    store, log, script = parts(root)
    claim = log.begin("id", "digest")
    if isinstance(claim, Replay):
        return claim
    assert isinstance(claim, Claim), claim

    def announce(coming: Undone, takes_back: str) -> SnippetError | None:
        hash_after = content_hash(coming.restored)
        return claim.committing(script, hash_after, {"hashAfter": hash_after}, takes_back)

    with claim:
        undone = store.undo(script, content_hash(OLD), ticket=claim.ticket, announce=announce)
        assert isinstance(undone, Undone)
        claim.finish({"hashAfter": content_hash(undone.restored)})
    return None


def apply(root: Path) -> None:
    store, _, script = parts(root)
    assert store.apply(script, OLD, NEW) is None


def undo(root: Path) -> None:
    store, _, script = parts(root)
    assert isinstance(store.undo(script, content_hash(OLD)), Undone)


def recover(root: Path) -> None:
    parts(root)[0].recover()


def two_applies(root: Path) -> None:
    store, _, script = parts(root)
    assert store.apply(script, OLDER, OLD) is None
    assert store.apply(script, OLD, NEW) is None


ACTIONS: dict[str, Callable[[Path], object]] = {
    action.__name__: action for action in (apply, undo, recover, send, send_undo, two_applies)
}


# -- the tests ------------------------------------------------------------------------------


def new_project(root: Path, content: bytes) -> Path:
    (root / SCRIPT).parent.mkdir(parents=True)
    (root / SCRIPT).write_bytes(content)
    return root


def killed(action: str, template: Path, base: Path, one_in: int = 1) -> list[Path]:
    return killed_runs(__file__, action, template, base, one_in=one_in)


def leftovers(root: Path) -> list[str]:
    """Everything in the project that is neither the script nor meant to stay."""
    kept = ("Library/SnippetEngine/history/", "Library/SnippetEngine/locks/", ".unity-snippet/")
    names = [p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()]
    return [name for name in names if name != SCRIPT and not name.startswith(kept)]


def test_apply(tmp_path: Path) -> None:
    template = new_project(tmp_path / "template", OLD)
    seen = set()
    with_temporary_file = 0
    for root in killed("apply", template, tmp_path / "runs"):
        content = (root / SCRIPT).read_bytes()
        assert content in (OLD, NEW)
        seen.add(content)
        store, _, script = parts(root)
        with_temporary_file += len(store.recover())
        assert leftovers(root) == []
        assert (root / SCRIPT).read_bytes() == content
        if content == OLD:
            assert store.apply(script, OLD, NEW) is None
        assert store.undo(script, content_hash(NEW)) == Undone(NEW, OLD)
    assert seen == {OLD, NEW}
    assert with_temporary_file > 2


def test_apply_then_work_goes_on_without_recovery(
    tmp_path: Path, one_in: Callable[[int], int]
) -> None:
    """The next write of the same file cleans up by itself."""
    template = new_project(tmp_path / "template", OLD)
    for root in killed("apply", template, tmp_path / "runs", one_in(2)):
        store, _, script = parts(root)
        content = (root / SCRIPT).read_bytes()
        assert store.apply(script, content, b"third") is None
        assert leftovers(root) == []
        assert store.undo(script, content_hash(b"third")) == Undone(b"third", content)
        if content == NEW:
            assert store.undo(script, content_hash(NEW)) == Undone(NEW, OLD)


def test_undo(tmp_path: Path) -> None:
    template = new_project(tmp_path / "template", OLDER)
    two_applies(template)
    (template / SCRIPT).write_bytes(OLD)
    seen = set()
    for root in killed("undo", template, tmp_path / "runs"):
        content = (root / SCRIPT).read_bytes()
        assert content in (OLD, OLDER)
        seen.add(content)
        store, _, script = parts(root)
        store.recover()
        assert leftovers(root) == []
        if content == OLD:
            assert store.undo(script, content_hash(OLD)) == Undone(OLD, OLDER)
        # The entry was taken back, once; the other one is still there.
        history = list((root / "Library/SnippetEngine/history").iterdir())
        assert [content_hash(NEW)[7:] in entry.name for entry in history] == [True]
    assert seen == {OLD, OLDER}


def test_recovery_itself(tmp_path: Path, one_in: Callable[[int], int]) -> None:
    """The recovery of what a killed apply leaves is killed at every step."""
    template = new_project(tmp_path / "template", OLD)
    states: dict[tuple[bytes, object], Path] = {}
    for root in killed("apply", template, tmp_path / "runs"):
        left = [(Path(name).parent, (root / name).stat().st_size) for name in leftovers(root)]
        if left:
            states[(root / SCRIPT).read_bytes(), tuple(sorted(left))] = root
    assert len(states) > 5
    for (content, _), state in [*states.items()][:: one_in(3)]:
        for root in killed("recover", state, tmp_path / f"again-{state.name}"):
            store, _, script = parts(root)
            assert (root / SCRIPT).read_bytes() == content
            store.recover()
            assert leftovers(root) == []
            assert (root / SCRIPT).read_bytes() == content
            if content == NEW:
                assert store.undo(script, content_hash(NEW)) == Undone(NEW, OLD)


def test_a_request_is_applied_once(tmp_path: Path, one_in: Callable[[int], int]) -> None:
    """Sent again after the kill, and again after that: one line was added, not two."""
    template = new_project(tmp_path / "template", OLD)
    replayed = 0
    for root in killed("send", template, tmp_path / "runs", one_in(2)):
        landed = (root / SCRIPT).read_bytes() == NEW
        answer = send(root)
        assert (answer is not None) == landed
        replayed += landed
        assert (root / SCRIPT).read_bytes() == NEW
        answer = send(root)
        assert answer == Replay({"hashAfter": content_hash(NEW)})
        assert (root / SCRIPT).read_bytes() == NEW
    assert replayed > 2


def test_a_request_is_applied_once_though_the_file_changed_since(
    tmp_path: Path, one_in: Callable[[int], int]
) -> None:
    """Another edit after the kill: the file's hash no longer tells, the history does."""
    template = new_project(tmp_path / "template", OLD)
    for root in killed("send", template, tmp_path / "runs", one_in(2)):
        store, _, script = parts(root)
        content = (root / SCRIPT).read_bytes()
        assert store.apply(script, content, b"// on top\n" + content) is None
        send(root)
        assert (root / SCRIPT).read_bytes() == b"// on top\n" + NEW


@pytest.mark.parametrize("since", ["nothing", "applied again"])
def test_an_undo_is_done_once(tmp_path: Path, since: str, one_in: Callable[[int], int]) -> None:
    """Sent again after the kill, also when the file has by then again what it was to take back."""
    template = new_project(tmp_path / "template", OLDER)
    two_applies(template)
    (template / SCRIPT).write_bytes(OLD)
    replayed = 0
    for root in killed("send_undo", template, tmp_path / "runs", one_in(2)):
        store, _, script = parts(root)
        landed = (root / SCRIPT).read_bytes() == OLDER
        if landed and since == "applied again":
            assert store.apply(script, OLDER, OLD) is None
        answer = send_undo(root)
        assert answer == (Replay({"hashAfter": content_hash(OLDER)}) if landed else None)
        replayed += landed
        expected = OLD if landed and since == "applied again" else OLDER
        assert (root / SCRIPT).read_bytes() == expected
        assert send_undo(root) == Replay({"hashAfter": content_hash(OLDER)})
        assert (root / SCRIPT).read_bytes() == expected
    assert replayed > 2


if __name__ == "__main__":
    main(ACTIONS, *sys.argv[1:])
