"""Sets of 2 to 20 files, killed at random moments: all old or all new, every time.

This file is also the program that does it. ``CHANGE_KILLS`` says how often, ``CHANGE_SEED`` with
which numbers; what is drawn is the same for the same seed, when the kill comes is not.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from change_sets import Scene, contents, state_files

from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.stores.change_store import UndoneChange

CAN_FORK = hasattr(os, "fork")
KILLS = int(os.environ.get("CHANGE_KILLS", "24" if CAN_FORK else "8"))
SEED = int(os.environ.get("CHANGE_SEED", "1"))
FOLDERS = ("Assets", "Assets/A", "Assets/A/Deep", "Packages/com.x")
NAMES = [f"{folder}/F{n}.cs" for folder in FOLDERS for n in range(8)]
LONGEST_S = 0.25
"""How long a writer may live once it has begun; it writes some dozen sets in that time."""
LONGEST_START_S = 60
"""How long it is waited for to begin."""

Files = dict[str, bytes]


def text_of(files: Files) -> str:
    """One hash of all names and contents."""
    whole = hashlib.sha256()
    for name in sorted(files):
        whole.update(name.encode() + b"\0" + hashlib.sha256(files[name]).digest())
    return whole.hexdigest()


def drawn(scene: Scene, now: Files, chance: random.Random) -> tuple[list[FileChange], Files]:
    """A set of 2 to 20 files, and what the project has after it."""
    new = dict(now)
    free = [name for name in NAMES if name not in now]
    chance.shuffle(free)
    changes: list[FileChange] = []
    names = chance.sample(NAMES, chance.randint(2, 20))
    for name in names:
        content = b"// %016x\n" % chance.getrandbits(64) * chance.randint(1, 300)
        if name not in now:
            if name in free:
                free.remove(name)
                changes.append(scene.create(name, content))
                new[name] = content
            continue
        kind = chance.choice(["edit", "edit", "delete", "move"])
        targets = [each for each in free if each not in names]
        if kind == "move" and targets:
            free.remove(targets[0])
            changes.append(scene.move(name, targets[0], content))
            del new[name]
            new[targets[0]] = content
            if f"{name}.meta" in new:
                new[f"{targets[0]}.meta"] = new.pop(f"{name}.meta")
        elif kind == "delete":
            changes.append(scene.delete(name))
            del new[name]
            new.pop(f"{name}.meta", None)
        else:
            changes.append(scene.edit(name, content))
            new[name] = content
    return changes, new


def write_sets(root: Path, log: Path, seed: int) -> None:
    """Apply and undo sets until killed; each is announced in ``log`` with what it leads to."""
    chance = random.Random(seed)
    scene = Scene.of(root)
    scene.store.recover()
    made: list[tuple[str, Files]] = []
    now = contents(root)
    with log.open("a") as announced:
        while True:
            old = now
            if made and chance.random() < 0.35:
                change_id, now = made.pop()
                print(json.dumps([text_of(old), text_of(now)]), file=announced, flush=True)
                undone = scene.store.undo(change_id)
                assert isinstance(undone, UndoneChange), undone
            else:
                changes, now = drawn(scene, old, chance)
                if len(changes) < 2:
                    now = old
                    continue
                print(json.dumps([text_of(old), text_of(now)]), file=announced, flush=True)
                change_id = scene.store.apply(changes, client=None)
                assert isinstance(change_id, str), change_id
                made.append((change_id, old))


def forked_writer(root: Path, log: Path, seed: int) -> Callable[[], bool]:
    """A writer that has begun; what is given kills it, and tells whether it lived until then."""
    child = os.fork()
    if child == 0:
        try:
            write_sets(root, log, seed)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
        os._exit(1)

    def kill() -> bool:
        os.kill(child, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL

    return kill


def started_writer(root: Path, log: Path, seed: int) -> Callable[[], bool]:
    """Likewise where processes can't fork: a new one, which is in the middle of a set."""
    child = subprocess.Popen([sys.executable, __file__, str(root), str(log), str(seed), "write"])
    while not state_files(root) and child.poll() is None:
        time.sleep(0.001)

    def kill() -> bool:
        lived = child.poll() is None
        child.kill()
        child.wait()
        return lived

    return kill


def main(base: str, kills: str) -> None:
    """Kill a writer that often; prints how often a set was old and new afterwards."""
    import filelock  # noqa: F401 - so that no child dies in the middle of an import

    chance = random.Random(SEED)
    root, log = Path(base) / "Game", Path(base) / "log"
    seen = {"old": 0, "new": 0, "between": 0}
    for name in NAMES[::2]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"// first\n")
        (root / f"{name}.meta").write_bytes(f"guid: {name}\n".encode())
    for number in range(int(kills)):
        log.write_text("")
        writer = forked_writer if CAN_FORK else started_writer
        kill = writer(root, log, chance.getrandbits(32) + number)
        # However slow the machine: a set has begun.
        gives_up = time.monotonic() + LONGEST_START_S
        while not log.stat().st_size and time.monotonic() < gives_up:
            time.sleep(0.001)
        time.sleep(chance.uniform(0, LONGEST_S))
        assert kill(), f"kill {number}: it had ended"
        torn = bool(state_files(root))
        Scene.of(root).store.recover()
        assert state_files(root) == [], f"kill {number}"
        now = contents(root)
        assert not [name for name in now if name.endswith(".tmp")], f"kill {number}"
        lines = log.read_text().splitlines()
        assert lines, f"kill {number}: no set was begun"
        old, new = json.loads(lines[-1])
        assert text_of(now) in (old, new), f"kill {number}"
        seen["new" if text_of(now) == new else "old"] += torn
        seen["between"] += not torn
        if number % 50 == 49:
            # The history is as long as the run; what it is about is tested elsewhere.
            shutil.rmtree(root / "Library")
    print(json.dumps(seen))


def test_killed_at_random(tmp_path: Path) -> None:
    command = [sys.executable, __file__, str(tmp_path), str(KILLS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["old"] + seen["new"] > KILLS // 8, seen


if __name__ == "__main__":
    if sys.argv[-1] == "write":
        write_sets(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main(*sys.argv[1:])
