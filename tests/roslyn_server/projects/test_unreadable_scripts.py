"""Scripts that are there and can't be read: links that lead to themselves, which nobody can."""

from __future__ import annotations

from pathlib import Path

import pytest
from this_system import needs_posix

from roslyn_server.projects.build import Build, Composition, Unknown
from roslyn_server.projects.scripts.unreadable import UnreadableScripts

pytestmark = needs_posix


def composed(name: str, *sources: str, refers_to: str = "") -> Composition:
    references = frozenset([refers_to] if refers_to else [])
    here = Path("/")
    return Composition(Build(name, here, (), here, (), references, False, (), sources, 0), sources)


@pytest.fixture
def known(tmp_path: Path) -> dict[str, Composition | Unknown]:
    (tmp_path / "Bad.cs").symlink_to("Bad.cs")
    (tmp_path / "Folder.cs").mkdir()
    (tmp_path / "Good.cs").touch()
    return {
        "Core": composed("Core", "Good.cs", "Bad.cs"),
        "Game": composed("Game", "Good.cs", refers_to="Core"),
        "Tests": composed("Tests", "Gone.cs", "Folder.cs", refers_to="Game"),
        "Alone": composed("Alone", "Good.cs"),
        "Unbuilt": Unknown("not_in_last_build", "never built"),
    }


def test_what_refers_to_them_is_left_out_too(
    tmp_path: Path, known: dict[str, Composition | Unknown]
) -> None:
    unreadable = UnreadableScripts(tmp_path)
    every = {"Good.cs", "Bad.cs", "Gone.cs", "Folder.cs"}
    assert unreadable.mark_unknown(known) is known
    assert unreadable.search(every)
    assert not unreadable.search(every)
    left = unreadable.mark_unknown(known)
    assert left is unreadable.mark_unknown(known)
    why = {name: each.message for name, each in left.items() if isinstance(each, Unknown)}
    assert why.keys() == {"Core", "Game", "Tests", "Unbuilt"}
    assert "Bad.cs can't be read (" in why["Core"]
    assert why["Game"].endswith(": it refers to Core, which was not checked either.")
    assert left["Alone"] is known["Alone"]
    core = known["Core"]
    assert isinstance(core, Composition)
    assert unreadable.readable(core).sources == ("Good.cs",)


def test_what_can_be_read_again_is_judged_again(
    tmp_path: Path, known: dict[str, Composition | Unknown]
) -> None:
    unreadable = UnreadableScripts(tmp_path)
    unreadable.search({"Bad.cs"})
    (tmp_path / "Bad.cs").unlink()
    assert unreadable.mark_unknown(known) is known
    assert unreadable.reason_for(["Bad.cs"]) is None
