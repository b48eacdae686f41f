"""Real commits, written as an agent with its own tool would write them.

Each commit's scripts are laid out as they were before, and written one by one with the hooks around
each write. Roslyn says of each refusal and each reported error whether it is right: some commits
don't compile, or need a newer C# than Unity's. Into some commits an error is seeded: it has to be
refused, reported once when it is written anyway, and taken back byte for byte.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.guard.agent import Agent, serving
from benchmarks.real_commits import Commit, scripts_of
from snippet_engine.changes.between import ScriptChange

BROKEN_ONE_IN = 10
"""In one of so many commits an error is seeded."""

MAX_BYTES = 400_000
_TOP_LEVEL = "CS8805"
"""Statements outside of types: Roslyn reports them for a library, which a script belongs to."""

_OWN = " since this change:"
"""How errors of the agent's own change are reported."""

_BY_AGENT = re.compile(" since (this change|your earlier Write)")
_MAX_LATE = 100
_LATE_S = 0.1
_UNDO = re.compile(r"undo_snippet (\{.*\})")


@dataclass(frozen=True)
class Claim:
    """What the guard says of a text."""

    kind: str
    what: str
    old: str
    new: str


@dataclass
class Replayed:
    """What happened. ``claims`` are to be compared with Roslyn, ``wrong`` are failures."""

    counts: Counter[str] = field(default_factory=Counter)
    claims: list[Claim] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def claim(self, kind: str, where: str, said: str, old: bytes | None, new: bytes) -> None:
        """Note what the guard says of a text; ``kind``: ``refused``, ``told`` or ``silent``."""
        self.claims.append(Claim(kind, f"{where}: {said}", _text(old), _text(new)))


def replay(commits: list[Commit], wanted: int, seed: int) -> Replayed:
    """Write as many suited commits as are ``wanted``."""
    rng = random.Random(seed)
    found = Replayed()
    with TemporaryDirectory(prefix="guard-replay-") as folder:
        root = Path(folder).resolve() / "project"
        for each in ("Assets", "Packages", "ProjectSettings"):
            (root / each).mkdir(parents=True)
        with serving(root, "off") as port:
            agent = Agent(root, port, "replay")
            found.seconds = agent.seconds
            for commit in commits:
                if found.counts["commits"] == wanted:
                    break
                changes = _suited(commit)
                if changes:
                    found.counts["commits"] += 1
                    _write_commit(agent, commit, changes, rng, found)
            agent.close()
    return found


def compare(found: Replayed) -> list[str]:
    """Count what is right by Roslyn; return the false alarms. Raises ``FetchError``."""
    from benchmarks.agreement.oracle import Oracle, Truth

    oracle = Oracle()
    false = []
    for each in found.claims:
        (verdict,) = oracle.judge(each.old, [each.new])
        found.counts[f"{each.kind}: {verdict.truth.value} by Roslyn"] += 1
        if each.kind != "silent" and verdict.truth is Truth.VALID and _TOP_LEVEL not in each.what:
            false.append(f"{each.kind} {each.what}")
    return false


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")


def _suited(commit: Commit) -> list[ScriptChange]:
    try:
        changes = scripts_of(commit) or []
    except subprocess.CalledProcessError:
        return []
    # An agent's tool sends text.
    texts = [each for change in changes for each in (change.old, change.new) if each is not None]
    is_text = all(len(each) < MAX_BYTES and _is_utf8(each) for each in texts)
    return [each for each in changes if each.new is not None] if is_text else []


def _is_utf8(data: bytes) -> bool:
    try:
        return data.decode().encode() == data
    except UnicodeDecodeError:
        return False


def _write_commit(
    agent: Agent, commit: Commit, changes: list[ScriptChange], rng: random.Random, found: Replayed
) -> None:
    about = f"{commit.repository.parent.name} {commit.name[:12]}"
    for each in changes:
        if each.old is not None:
            _put(agent.root / each.place, each.old)
    for each in changes:
        assert each.new is not None
        found.counts["writes"] += 1
        call = agent.call(each.place, each.new)
        refused = agent.before(call)
        where = f"{about} {each.place}"
        if refused:
            found.claim("refused", where, refused.splitlines()[0], each.old, each.new)
        _put(agent.root / each.place, each.new)
        told = agent.after(call)
        if _OWN in told:  # there may be news of how the scripts were laid out, too
            line = told.partition(_OWN)[2].splitlines()[1]
            found.claim("told", where, line, each.old, each.new)
    if rng.randrange(BROKEN_ONE_IN) == 0:
        _seed_error(agent, about, rng.choice(changes), rng, found)
    shutil.rmtree(agent.root / "Assets")
    (agent.root / "Assets").mkdir()


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _seed_error(
    agent: Agent, about: str, change: ScriptChange, rng: random.Random, found: Replayed
) -> None:
    assert change.new is not None
    places = [match.start() for match in re.finditer(rb"[;{}()]", _code(change.new))]
    if not places:
        return
    at = rng.choice(places)
    broken = change.new[:at] + change.new[at + 1 :]
    place = agent.root / change.place
    where = f"{about} {change.place} without byte {at}"
    first = agent.call(change.place, broken)
    if not agent.before(first):
        found.claim("silent", where, "not refused", change.new, broken)
        return
    found.counts["seeded errors refused"] += 1
    call = agent.call(change.place, broken)
    if agent.before(call):
        found.wrong.append(f"refused twice: {where}")
    _put(place, broken)
    told = agent.after(call)
    for _ in range(_MAX_LATE):
        if _BY_AGENT.search(told):
            break
        time.sleep(_LATE_S)
        told = agent.fire_after_nothing()
        found.counts["hooks until a late error was told"] += 1
    else:
        found.wrong.append(f"not told: {where}")
        return
    found.counts["seeded errors told"] += 1
    undo = _UNDO.search(told)
    if undo is None:
        found.counts["without an undo"] += 1
        again = agent.after(call)
    else:
        status = agent.undo(json.loads(undo[1]))
        if status != "undone" or place.read_bytes() != change.new:
            found.wrong.append(f"not undone ({status}): {where}")
        else:
            found.counts["undone byte for byte"] += 1
        again = agent.after(agent.call(change.place, change.new))
    if _BY_AGENT.search(again):
        found.wrong.append(f"told twice: {where}")


def _code(text: bytes) -> bytes:
    """Return the text with comments, strings and directives blanked, as far as is simple."""
    pattern = rb"//[^\n]*|/\*.*?\*/|@?\$?\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#[^\n]*"
    return re.sub(pattern, lambda m: b" " * len(m[0]), text, flags=re.MULTILINE | re.DOTALL)
