"""A change set killed at any step is all old or all new: docs/design/engine.md §5.

This file is also the program whose forked children are killed: see ``killed_processes``.
"""

from __future__ import annotations

import shutil
import sys
from base64 import b64encode
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from change_sets import (
    AFTER_EVERYTHING,
    FILES,
    Scene,
    Tree,
    contents,
    new_project,
    state_files,
    tree,
)
from killed_processes import killed_runs, main

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.storage.recovery.unfinished import FolderAwayError
from snippet_engine.storage.stores.change_store import UndoneChange
from snippet_engine.storage.stores.request_log import Claim, Replay, RequestLog
from snippet_engine.storage.stores.script_locks import Recovery
from snippet_engine.storage.stores.script_store import ScriptStore
from snippet_engine.storage.system.folder import Folder

CHANGE = "0123456789abcdef"
THEIRS = b"// saved by somebody else\n"
PLAYER = "Assets/Player.cs"


def apply(root: Path) -> None:
    scene = Scene.of(root)
    assert scene.store.apply(scene.everything(), client="x", ticket=CHANGE) == CHANGE


def undo(root: Path) -> None:
    Scene.of(root).undone(CHANGE)


def recover(root: Path) -> None:
    Scene.of(root).store.recover()


MOVED = {"Assets/Core/Deep/Util.cs": "Assets/Util.cs"}


def taking_everything_back() -> dict[str, Any]:
    """What takes back :meth:`.Scene.everything`, which moves, creates, deletes and edits."""
    files: list[dict[str, Any]] = []
    for path, now in AFTER_EVERYTHING.items():
        then_path = MOVED.get(path, path)
        then = FILES.get(then_path)
        if then == now or path.endswith(".cs.meta"):
            continue
        file: dict[str, Any] = {"path": path, "expectedHash": content_hash(now)}
        if then_path != path:
            file["moveTo"] = then_path
        if then is not None:
            file["content"] = b64encode(then).decode()
        files.append(file)
    old = FILES["Assets/Old.cs"]
    content, removed = b64encode(old).decode(), content_hash(old)
    files.append({"path": "Assets/Old.cs", "content": content, "removedHash": removed})
    return {"mode": "apply", "validation": "none", "files": files}


def take_back(root: Path) -> None:
    engine = Scene.of(root).engine()
    done = engine.put_texts(taking_everything_back())
    assert isinstance(done, dict), done
    assert done["status"] == "applied"


def send(root: Path) -> object:
    """The set as a request with an id: what an earlier run of it led to, or ``None``."""
    scene = Scene.of(root)
    claim = RequestLog(scene.project, ScriptStore(scene.project)).begin("id", "digest")
    if isinstance(claim, Replay):
        return claim
    assert isinstance(claim, Claim), claim
    with claim:
        changes = scene.everything()
        assert claim.committing_change(changes, {"changeId": claim.ticket}) is None
        assert scene.store.apply(changes, client="x", ticket=claim.ticket) == claim.ticket
        claim.finish({"changeId": claim.ticket})
    return None


def send_undo(root: Path) -> object:
    """The undo of the set, likewise."""
    scene = Scene.of(root)
    claim = RequestLog(scene.project, ScriptStore(scene.project)).begin("id", "digest")
    if isinstance(claim, Replay):
        return claim
    assert isinstance(claim, Claim), claim

    def announce(coming: UndoneChange, takes_back: str) -> SnippetError | None:
        return claim.committing_change(coming.files, {"changeId": CHANGE}, takes_back)

    with claim:
        undone = scene.store.undo(CHANGE, ticket=claim.ticket, announce=announce)
        assert isinstance(undone, UndoneChange), undone
        claim.finish({"changeId": CHANGE})
    return None


ACTIONS: dict[str, Callable[[Path], object]] = {
    action.__name__: action for action in (apply, undo, recover, take_back, send, send_undo)
}


OneIn = Callable[[int], int]
"""How many of the steps a sample has one of: the fixture."""


def killed(action: str, template: Path, base: Path, every: int = 1, one_in: int = 1) -> list[Path]:
    return killed_runs(__file__, action, template, base, every, one_in)


def is_whole_everywhere(root: Path) -> bool:
    """Whether every script and .meta that is there has one of its contents, whole."""
    known: dict[str, set[bytes]] = {}
    for files in (FILES, AFTER_EVERYTHING):
        for name, content in files.items():
            known.setdefault(name, set()).add(content)
    return all(content in known[name] for name, content in contents(root).items() if name in known)


def all_one_or_the_other(root: Path, one: Tree, other: Tree) -> bool:
    """Assert that the project is ``one`` or ``other``, and nothing is left over: which it is."""
    now = tree(root)
    assert now in (one, other), root
    assert state_files(root) == []
    return now == other


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_project(tmp_path_factory.mktemp("old") / "Game")


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = new_project(tmp_path_factory.mktemp("new") / "Game")
    apply(root)
    return root


@pytest.fixture(scope="module")
def killed_applies(
    old: Path, tmp_path_factory: pytest.TempPathFactory, one_in: OneIn
) -> list[Path]:
    return killed("apply", old, tmp_path_factory.mktemp("applies"), one_in=one_in(2))


def copied(root: Path, to: Path) -> Path:
    return Path(shutil.copytree(root, to, symlinks=True))


def test_the_history_tells_what_a_dead_process_began_and_writes_nothing(
    old: Path, new: Path, killed_applies: list[Path], tmp_path: Path, one_in: OneIn
) -> None:
    """It is newer than all that is listed: an undo of the last change ends it first."""
    landed = told = seen = 0
    for killed_root in killed_applies[:: one_in(3)]:
        root = copied(killed_root, tmp_path / killed_root.name)
        engine = Scene.of(root).engine()
        before = everything(root)
        listed = engine.get_history({})
        assert not isinstance(listed, SnippetError)
        assert everything(root) == before
        unfinished = [{"changeId": each["changeId"]} for each in listed.get("unfinished", ())]
        engine.recover(again=True)
        is_new = all_one_or_the_other(root, tree(old), tree(new))
        known = [*unfinished, *(each["undo"] for each in listed["changes"])]
        assert known == [{"changeId": CHANGE}] * is_new
        ended = engine.get_history({})
        assert not isinstance(ended, SnippetError)
        assert "unfinished" not in ended
        assert [each["undo"] for each in ended["changes"]] == known
        landed += is_new
        told += len(unfinished)
        seen += 1
    assert 0 < landed < seen
    assert 0 < told <= landed


def everything(root: Path) -> dict[str, bytes | None]:
    found = sorted(root.rglob("*"))
    return {str(each): each.read_bytes() if each.is_file() else None for each in found}


def test_apply(
    old: Path, new: Path, killed_applies: list[Path], tmp_path: Path, one_in: OneIn
) -> None:
    landed = []
    for killed_root in killed_applies:
        assert is_whole_everywhere(killed_root)
        root = copied(killed_root, tmp_path / killed_root.name)
        scene = Scene.of(root)
        scene.store.recover()
        landed.append(all_one_or_the_other(root, tree(old), tree(new)))
        assert scene.store.recover() == Recovery()
        if landed[-1]:
            scene.undone(CHANGE)
            assert tree(root) == tree(old)
        else:
            apply(root)
            assert tree(root) == tree(new)
    # Nothing before the commit, everything after it.
    assert landed == sorted(landed)
    assert set(landed) == {False, True}
    assert len(landed) > 60 // one_in(2)


@pytest.mark.parametrize("path", [PLAYER, "Assets/Enemies/Enemy.cs", "Assets/Old.cs"])
def test_the_next_write_of_any_of_its_files_settles_it(
    old: Path, new: Path, killed_applies: list[Path], tmp_path: Path, path: str, one_in: OneIn
) -> None:
    for killed_root in killed_applies[:: 3 * one_in(3)]:
        root = copied(killed_root, tmp_path / killed_root.name)
        scene = Scene.of(root)
        # Looking up a write takes the lock of its file, and changes nothing.
        script = scene.project.named(path)
        assert script is not None
        ScriptStore(scene.project).have_landed({script: ""}, "0" * 16)
        assert tree(root) in (tree(old), tree(new)), root


@pytest.mark.sampled(one_in=1_000_000)
@pytest.mark.parametrize("meta", [None, "Assets/Core/Deep/Util.cs.meta"])
def test_undo(old: Path, new: Path, tmp_path: Path, meta: str | None, one_in: OneIn) -> None:
    new = copied(new, tmp_path / "new")
    if meta is not None:
        (new / meta).unlink()
    went_back = []
    for root in killed("undo", new, tmp_path / "runs", one_in=one_in(6)):
        assert is_whole_everywhere(root)
        scene = Scene.of(root)
        scene.store.recover()
        went_back.append(all_one_or_the_other(root, tree(new), tree(old)))
        history = list((root / "Library/SnippetEngine/history").iterdir())
        assert len(history) == (0 if went_back[-1] else 1)
        if not went_back[-1]:
            undo(root)
            assert tree(root) == tree(old)
    assert went_back == sorted(went_back)
    assert set(went_back) == {False, True}


def test_recovery_itself(
    old: Path, new: Path, killed_applies: list[Path], tmp_path: Path, one_in: OneIn
) -> None:
    """The recovery of what a killed apply leaves is killed at every step."""
    states = {str(sorted(tree(root).items())): root for root in killed_applies}
    assert len(states) > 15 // one_in(2)
    # Every third one has each kind of file before its step, in between and after it.
    for number, state in enumerate(list(states.values())[1 :: 2 * one_in(3)]):
        outcomes = set()
        for root in killed("recover", state, tmp_path / str(number), one_in=one_in(8)):
            assert is_whole_everywhere(root)
            Scene.of(root).store.recover()
            outcomes.add(all_one_or_the_other(root, tree(old), tree(new)))
        # Where it is killed changes nothing about where the set goes.
        assert len(outcomes) == 1


SAVES: Mapping[str, tuple[str, bytes | None]] = {
    "edited": (PLAYER, THEIRS),
    "moved": ("Assets/Util.cs", THEIRS),
    "created": ("Assets/Health/Health.cs", THEIRS),
    "deleted": ("Assets/Old.cs", THEIRS),
    "arrived": ("Assets/Core/Deep/Util.cs", THEIRS),
    "removed": ("Assets/Enemies/Enemy.cs", None),
}


@pytest.mark.parametrize("kind", SAVES)
def test_a_file_that_somebody_else_changed_before_recovery(
    old: Path, new: Path, killed_applies: list[Path], tmp_path: Path, kind: str, one_in: OneIn
) -> None:
    """It is left as it is; the others go back, unless the set had come to its end."""
    name, theirs = SAVES[kind]
    told = set()
    for killed_root in killed_applies[:: 2 * one_in(2)]:
        root = copied(killed_root, tmp_path / killed_root.name)
        if theirs is None:
            (root / name).unlink()
        elif (root / name).parent.is_dir():
            (root / name).write_bytes(theirs)
        else:
            continue
        history = root / "Library/SnippetEngine/history"
        had_ended = history.is_dir() and any(history.iterdir())
        settled = Scene.of(root).store.recover().settled
        went_forward = had_ended or any(each.went_forward for each in settled)
        expected = dict(AFTER_EVERYTHING if went_forward else FILES)
        if theirs is None:
            del expected[name]
        else:
            expected[name] = theirs
        assert contents(root) == expected, root
        assert state_files(root) == []
        told.update(each.left_alone for each in settled if not each.went_forward)
    assert (name,) in told


def test_a_folder_that_somebody_deleted_before_recovery(
    killed_applies: list[Path], tmp_path: Path
) -> None:
    for killed_root in killed_applies[::2]:
        root = copied(killed_root, tmp_path / killed_root.name)
        shutil.rmtree(root / "Assets/Enemies")
        for each in Scene.of(root).store.recover().waiting:
            assert isinstance(each, FolderAwayError), each
            assert each.folders == ("Assets/Enemies",)
        # Whether it comes back nobody knows, until it is made anew.
        (root / "Assets/Enemies").mkdir()
        assert Scene.of(root).store.recover().waiting == []
        now = contents(root)
        assert [name for name in now if name.startswith("Assets/Enemies/")] == []
        without = [
            {name: text for name, text in files.items() if "Enemies/" not in name}
            for files in (FILES, AFTER_EVERYTHING)
        ]
        assert now in without, root
        assert state_files(root) == []


def gone(folder: Path, place: Path) -> None:
    folder.rename(place)


def linked_to_outside(folder: Path, place: Path) -> None:
    folder.rename(place)
    folder.symlink_to(place, target_is_directory=True)


def back(folder: Path, place: Path) -> None:
    if folder.is_symlink():
        folder.unlink()
    place.rename(folder)


AWAY = ("Assets/Enemies", "Assets/Health", "Assets/Core", "Assets/Core/Deep")


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("leave", [gone, linked_to_outside])
@pytest.mark.parametrize("action", ["apply", "undo"])
def test_a_folder_that_is_away_at_one_recovery_and_back_at_the_next(
    old: Path,
    new: Path,
    tmp_path: Path,
    action: str,
    leave: Callable[[Path, Path], None],
    one_in: OneIn,
) -> None:
    one, other = (old, new) if action == "apply" else (new, old)
    waited = dict.fromkeys(AWAY, 0)
    runs = killed(action, one, tmp_path / "runs", one_in=one_in(8))
    for number, killed_root in enumerate(runs):
        # One that is gone with new files alone, or files to be removed, is not waited for.
        for name in AWAY if leave is linked_to_outside else AWAY[:1]:
            # A folder that moves is there at every third step: enough for each kind of step.
            if (name != AWAY[0] and number % 3) or not (killed_root / name).is_dir():
                continue
            root = copied(killed_root, tmp_path / f"{killed_root.name}-{name.replace('/', '-')}")
            place = tmp_path / f"away-{root.name}"
            leave(root / name, place)
            was = contents(root), {each.name: each.read_bytes() for each in place.rglob("*.*")}
            found = Scene.of(root).store.recover()
            if found.waiting:
                assert was == (
                    contents(root),
                    {each.name: each.read_bytes() for each in place.rglob("*.*")},
                )
                (waiting,) = found.waiting
                assert isinstance(waiting, FolderAwayError), waiting
                assert all(folder.startswith(name) for folder in waiting.folders)
                assert all(file.startswith(name) for file in waiting.files)
                Scene.of(root).refused(Scene.of(root).edit(PLAYER, THEIRS))
                waited[name] += 1
            elif name != AWAY[0]:
                # The set makes that folder, or removes it: nothing in it is anybody else's, and by
                # then nothing of the set.
                assert not list(place.rglob(".*.tmp")), root
                continue
            back(root / name, place)
            assert Scene.of(root).store.recover().waiting == []
            all_one_or_the_other(root, tree(one), tree(other))
    assert waited["Assets/Enemies"] > 10 / one_in(8)
    assert leave is gone or min(waited.values()) > 0


def without(files: Mapping[str, bytes], folder: str) -> dict[str, bytes]:
    return {name: text for name, text in files.items() if not name.startswith(f"{folder}/")}


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("name", AWAY[1:])
@pytest.mark.parametrize("action", ["apply", "undo"])
def test_a_folder_of_its_own_that_somebody_deleted(
    old: Path, new: Path, tmp_path: Path, action: str, name: str, one_in: OneIn
) -> None:
    """What a set takes away is as good as taken away; of what it brings, the others go back."""
    ended = told = 0
    one = old if action == "apply" else new
    for killed_root in killed(action, one, tmp_path / "runs", every=2, one_in=one_in(7)):
        if not (killed_root / name).is_dir():
            continue
        root = copied(killed_root, tmp_path / f"{killed_root.name}-gone")
        shutil.rmtree(root / name)
        found = Scene.of(root).store.recover()
        assert found.waiting == []
        now = contents(root)
        assert now in (dict(FILES), without(AFTER_EVERYTHING, name)), root
        assert state_files(root) == []
        assert Scene.of(root).store.recover() == Recovery()
        for each in found.settled:
            ended += now == dict(FILES)
            told += any(file.startswith(f"{name}/") for file in each.gone)
            assert each.left_alone == ()
    assert ended > 0
    assert told > 0


def test_who_is_killed_while_folders_are_gone_changes_nothing_about_it(
    killed_applies: list[Path], tmp_path: Path, one_in: OneIn
) -> None:
    for number, state in enumerate(killed_applies[-30::6]):
        theirs = copied(state, tmp_path / f"{number}-theirs")
        shutil.rmtree(theirs / "Assets/Core")
        outcomes = set()
        folder = tmp_path / str(number)
        for root in killed("recover", theirs, folder, every=2, one_in=one_in(9)):
            assert Scene.of(root).store.recover().waiting == []
            assert contents(root) in (dict(FILES), without(AFTER_EVERYTHING, "Assets/Core")), root
            assert state_files(root) == []
            outcomes.add(contents(root) == dict(FILES))
        assert len(outcomes) == 1


def test_the_folder_that_a_script_leaves_may_be_gone(tmp_path: Path) -> None:
    """The set goes forward; where it has to go back, it waits for the folder."""
    root = new_project(tmp_path / "Game")
    scene = Scene.of(root)
    changes = [scene.move("Assets/Enemies/Enemy.cs", "Assets/Enemy.cs"), scene.delete(PLAYER)]
    scene.died(changes, CHANGE)
    backwards = copied(root, tmp_path / "Backwards")
    for each in (root, backwards):
        shutil.rmtree(each / "Assets/Enemies")
    (settled,) = Scene.of(root).store.recover().settled
    assert settled.went_forward
    assert "2 had gone with their folders: Assets/Enemies/Enemy.cs, " in settled.note
    assert (root / "Assets/Enemy.cs").read_bytes() == FILES["Assets/Enemies/Enemy.cs"]
    (backwards / PLAYER).write_bytes(THEIRS)
    for found in (Scene.of(backwards).store.look(), Scene.of(backwards).store.recover()):
        (waiting,) = found.waiting
        assert isinstance(waiting, FolderAwayError)
        assert waiting.folders == ("Assets/Enemies",)
    (backwards / "Assets/Enemies").mkdir()
    (settled,) = Scene.of(backwards).store.recover().settled
    assert not settled.went_forward
    assert settled.left_alone == ("Assets/Enemies/Enemy.cs", "Assets/Enemies/Enemy.cs.meta", PLAYER)
    assert not (backwards / "Assets/Enemy.cs").exists()
    assert state_files(root) == state_files(backwards) == []


def test_a_recovery_that_was_killed_waits_too(
    old: Path, new: Path, killed_applies: list[Path], tmp_path: Path, one_in: OneIn
) -> None:
    """Also one that goes back."""
    waited = 0
    for number, state in enumerate(killed_applies[-30::5]):
        theirs = copied(state, tmp_path / f"{number}-theirs")
        (theirs / PLAYER).write_bytes(THEIRS)
        for root in killed("recover", theirs, tmp_path / str(number), 4, one_in(3)):
            place = tmp_path / f"{number}-away-{root.name}"
            gone(root / "Assets/Enemies", place)
            waited += len(Scene.of(root).store.recover().waiting)
            back(root / "Assets/Enemies", place)
            Scene.of(root).store.recover()
            now = contents(root)
            assert now.pop(PLAYER) == THEIRS
            expected = [dict(FILES), dict(AFTER_EVERYTHING)]
            for each in expected:
                del each[PLAYER]
            assert now in expected, root
            assert state_files(root) == []
    assert waited


def rename_by_case(root: Path) -> None:
    scene = Scene.of(root)
    change = scene.move("Assets/Util.cs", "Assets/UTIL.cs")
    assert scene.store.apply([change], client="x", ticket=CHANGE) == CHANGE


ACTIONS["rename_by_case"] = rename_by_case


@pytest.mark.parametrize("is_case_ignored", [False, True])
def test_a_name_that_changes_in_case_only(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_case_ignored: bool, one_in: OneIn
) -> None:
    """Recovered also where a file system finds one name by the other."""

    def found_by_any_case(self: Folder, name: str) -> str:
        matching = [each for each in self.names() if each.casefold() == name.casefold()]
        return name if name in matching or not matching else matching[0]

    outcomes = set()
    for root in killed("rename_by_case", old, tmp_path / "runs", one_in=one_in(2)):
        with monkeypatch.context() as patch:
            if is_case_ignored:
                patch.setattr(Folder, "_name", found_by_any_case)
            Scene.of(root).store.recover()
        assert state_files(root) == []
        now = contents(root)
        names = {name for name in now if "util" in name.casefold()}
        assert names in (
            {"Assets/Util.cs", "Assets/Util.cs.meta"},
            {"Assets/UTIL.cs", "Assets/UTIL.cs.meta"},
        )
        assert {now[name] for name in names} == {FILES["Assets/Util.cs"], b"guid: 5\n"}
        outcomes.add(min(names))
    assert len(outcomes) == 2


def test_taking_back(old: Path, new: Path, tmp_path: Path, one_in: Callable[[int], int]) -> None:
    first, changed = tree(old), tree(new)
    landed = []
    for root in killed("take_back", new, tmp_path / "runs", one_in=one_in(12)):
        engine = Scene.of(root).engine()
        engine.recover()
        assert tree(root) in (first, changed), root
        assert state_files(root) == []
        landed.append(tree(root) == first)
        if not landed[-1]:
            take_back(root)
            assert tree(root) == first
        listed = engine.get_history({})
        assert isinstance(listed, dict)
        undone = engine.undo_snippet(listed["changes"][0]["undo"])
        assert isinstance(undone, dict), undone
        assert contents(root) == contents(new)
    # Nothing before the commit, everything after it.
    assert landed == sorted(landed)
    assert set(landed) == {False, True}


def test_a_request_is_applied_once(old: Path, new: Path, tmp_path: Path, one_in: OneIn) -> None:
    replayed = 0
    for root in killed("send", old, tmp_path / "runs", 3, one_in(3)):
        answer = send(root)
        replayed += answer is not None
        assert tree(root) == tree(new)
        again = send(root)
        assert isinstance(again, Replay)
        assert tree(root) == tree(new)
        # The change's name is that of the write that landed.
        Scene.of(root).undone(again.result["changeId"])
        assert tree(root) == tree(old)
    assert replayed > 4 / one_in(3)


def test_an_undo_is_done_once(old: Path, new: Path, tmp_path: Path, one_in: OneIn) -> None:
    replayed = 0
    for root in killed("send_undo", new, tmp_path / "runs", 3, one_in(3)):
        answer = send_undo(root)
        replayed += answer is not None
        assert tree(root) == tree(old)
        assert send_undo(root) == Replay({"changeId": CHANGE})
        assert tree(root) == tree(old)
    assert replayed > 4 / one_in(3)


if __name__ == "__main__":
    main(ACTIONS, *sys.argv[1:])
