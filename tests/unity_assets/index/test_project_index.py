"""The index: files by word and GUID, what can't be searched, and what is kept on disk."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from assets_project import HEADER, SmallProject, component, guid, holder

from unity_assets import Assets, StoppedError
from unity_assets.index.contents import CHUNK
from unity_assets.index.project_index import ProjectIndex


def index_of(project: SmallProject, cache: Path | None = None) -> ProjectIndex:
    index = ProjectIndex(project.root, cache, later)
    index.refresh()
    return index


def later() -> int:
    """A time at which no file is new."""
    return time.time_ns() + 10_000_000_000


def test_words_stand_between_other_signs(project: SmallProject) -> None:
    project.asset("Assets/a.asset", "--- !u!114 &1\nM:\n  speedy: <Speed>k__BackingField\n")
    index = index_of(project)
    assert index.with_word(b"Speed") == index.with_word(b"speedy") == {"Assets/a.asset"}
    assert index.with_word(b"speed") == index.with_word(b"Spe") == set()


@pytest.mark.parametrize("at", [CHUNK - 3, CHUNK, CHUNK + 3])
def test_a_word_across_two_pieces_is_found(project: SmallProject, at: int) -> None:
    text = HEADER + "--- !u!114 &1\nM:\n  a: "
    project.write("Assets/a.asset", text + "0" * (at - len(text) - 3) + " needle: 1\n")
    assert index_of(project).with_word(b"needle") == {"Assets/a.asset"}


def test_guids(project: SmallProject) -> None:
    number = 0xFEED0ABC
    project.script("Assets/Player.cs", number)
    project.asset("Assets/a.asset", component(number, 11, ""))
    project.asset("Assets/b.asset", component(number + 0x111, 11, ""))
    index = index_of(project)
    assert index.paths_by_guid == {guid(number): ["Assets/Player.cs"]}
    assert index.with_guid(guid(number)) == {"Assets/a.asset"}


def test_digits_make_no_difference(project: SmallProject) -> None:
    project.asset("Assets/a.asset", "--- !u!114 &1\nM:\n  hp2: 1\n")
    index = index_of(project)
    assert index.with_word(b"hp2") == index.with_word(b"hp3") == {"Assets/a.asset"}
    assert index.with_word(b"2") == {"Assets/a.asset"}


def test_what_unity_leaves_out_is_left_out(project: SmallProject) -> None:
    for path in ("Assets/Old~/a.asset", "Assets/.b/a.asset", "Assets/cvs/a.asset", "a.asset"):
        project.asset(path, component(1, 11, "  speed: 1\n"))
    project.asset("Packages/own/a.asset", component(1, 11, "  speed: 1\n"))
    assert index_of(project).paths() == ["Packages/own/a.asset"]


def test_what_cannot_be_searched_is_named(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 1)
    project.write("Assets/a.asset", "version https://git-lfs.github.com/spec/v1\noid sha256:1\n")
    project.write("Assets/b.unity", b"\0\0\0\x16binary")
    broken = f"{HEADER}--- !u!114 &1\nMonoBehaviour:\n  m_Name: 'x\n<<<<<<< HEAD\n  speed: 1\n"
    project.write("Assets/c.asset", broken)
    facts = project.field("speed", holder("Player"))
    found = project.find(facts).not_searched
    assert [path for path, _ in found] == ["Assets/a.asset", "Assets/b.unity", "Assets/c.asset"]
    assert "LFS" in found[0][1]
    assert "binary" in found[1][1]
    assert "line 6" in found[2][1]


def test_settings_in_json_are_named_only_if_they_have_the_name(project: SmallProject) -> None:
    """Every project has ``XRSettings.asset``, which is JSON."""
    project.script("Assets/Player.cs", 1)
    path = "ProjectSettings/XRSettings.asset"
    project.write(path, '{\n    "m_SettingKeys": [\n        "VR Device Disabled"\n    ]\n}')
    assert project.find(project.field("speed", holder("Player"))).not_searched == []
    ((named, reason),) = project.find(project.field("Device", holder("Player"))).not_searched
    assert (named, "JSON" in reason) == (path, True)


def test_packages_elsewhere_are_named(project: SmallProject) -> None:
    """Outside of the project, or in another of its folders."""
    manifest = '{"dependencies": {"a": "file:../../ext", "b": "1.0.0", "c": "file:../Local/c"}}'
    project.write("Packages/manifest.json", manifest)
    project.asset("Local/c/c.prefab", component(1, 11, "  speed: 1\n"))
    (local, _), (outer, reason) = sorted(project.find(project.method("Fire")).not_searched)[::-1]
    assert (local, Path(outer)) == ("Local/c", project.root.resolve().parent / "ext")
    assert "outside of Assets and Packages" in reason


def test_a_fetched_package_is_named_for_its_own_symbols(project: SmallProject) -> None:
    script = "Library/PackageCache/com.a@1.0/Runtime/Player.cs"
    project.script(script, 1)
    own = project.find(project.field("speed", holder("Player", scripts=(script,))))
    assert [path for path, _ in own.not_searched] == ["Library/PackageCache/com.a@1.0"]


def test_a_folder_that_cannot_be_read_is_named(
    project: SmallProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.asset("Assets/Closed/a.asset", component(1, 11, "  speed: 1\n"))
    scandir = os.scandir

    def refusing(path: str) -> Any:
        """Refuse as a system does that has users; the tests' user may read everything."""
        if path.endswith("/Closed"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert project.find(project.method("Fire")).not_searched == [
        ("Assets/Closed", "it can't be read")
    ]


def test_settings_of_one_user_are_searched_and_stay(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 1)
    project.asset("UserSettings/View.asset", component(1, 11, "  speed: 1\n"))
    facts = project.field("speed", holder("Player"))
    assert [each.path for each in project.find(facts).hits] == ["UserSettings/View.asset"]
    kept, rewritten = project.rename(facts, "pace"), project.rename(facts, "pace", "rewrite")
    assert (kept.files, rewritten.files) == ([], [])
    assert [[each.lost for each in found.left] for found in (kept, rewritten)] == [[False], [True]]


@pytest.mark.parametrize(
    "content",
    ['{"dependencies": {"a": "file:own"}}', "[]", '{"dependencies": [1]}', "{", "[" * 100_000],
)
def test_other_manifests_name_nothing(project: SmallProject, content: str) -> None:
    project.write("Packages/manifest.json", content)
    assert project.find(project.method("Fire")).not_searched == []


def test_a_symbol_that_is_in_no_asset_opens_none(project: SmallProject) -> None:
    project.write("Assets/b.unity", b"\0\0\0\x16binary")
    found = project.find(project.facts("index", "local"))
    assert (found.hits, found.not_searched) == ([], [])


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid"), reason="POSIX permissions")
def test_a_folder_that_links_to_above_ends(project: SmallProject) -> None:
    (project.root / "Assets" / "loop").symlink_to(project.root / "Assets")
    project.asset("Assets/a.asset", component(1, 11, ""))
    assert index_of(project).paths() == ["Assets/a.asset"]


def test_what_was_found_is_kept(project: SmallProject, tmp_path: Path) -> None:
    project.asset("Assets/a.asset", component(1, 11, "  speed: 1\n"))
    reads: list[int] = []
    cache = tmp_path / "Library" / "SnippetEngine"
    ProjectIndex(project.root, cache, later).refresh(lambda _done, total: reads.append(total))
    again = ProjectIndex(project.root, cache, later)
    again.refresh(lambda _done, total: reads.append(total))
    assert len(reads) == 1
    assert again.with_word(b"speed") == {"Assets/a.asset"}
    assert [each.name for each in cache.iterdir()] == ["assets.index"]


def test_a_change_of_the_same_size_is_seen(project: SmallProject, tmp_path: Path) -> None:
    project.asset("Assets/a.asset", component(1, 11, "  speed: 1\n"))
    index = ProjectIndex(project.root, tmp_path)
    index.refresh()
    # The size is the same, and on a coarse clock the times, too.
    project.asset("Assets/a.asset", component(1, 11, "  pacex: 1\n"))
    index.refresh()
    assert (index.with_word(b"speed"), index.with_word(b"pacex")) == (set(), {"Assets/a.asset"})
    (project.root / "Assets/a.asset").unlink()
    index.refresh()
    assert index.paths() == []


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "text", "other version"])
def test_a_damaged_index_is_as_none(project: SmallProject, tmp_path: Path, damage: str) -> None:
    project.asset("Assets/a.asset", component(1, 11, "  speed: 1\n"))
    index_of(project, tmp_path)
    file = tmp_path / "assets.index"
    data = file.read_bytes()
    file.write_bytes(
        {
            "cut": data[:-10],
            "changed": data[:-5] + b"x" + data[-4:],
            "empty": b"",
            "text": b"unity-assets 2\nnothing",
            "other version": b"unity-assets 0\n" + data[15:],
        }[damage]
    )
    assert index_of(project, tmp_path).with_word(b"speed") == {"Assets/a.asset"}
    assert file.read_bytes() == data


def test_a_folder_that_cannot_be_written_costs_only_time(
    project: SmallProject, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert index_of(project, tmp_path / "file" / "below").paths() == []


def test_a_stop_leaves_what_was_read(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 1)
    project.asset("Assets/a.asset", component(1, 11, "  speed: 1\n"))
    assets = Assets(project.root, None)
    with pytest.raises(StoppedError):
        assets.refresh(should_stop=lambda: True)
    assert len(assets.find(project.field("speed", holder("Player"))).hits) == 1


def test_a_look_that_began_after_the_question_is_enough(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 7)
    assets = Assets(project.root, None)
    facts = project.field("speed", holder("Player"))
    before = time.monotonic()
    assets.refresh()
    asked = time.monotonic()
    project.asset("Assets/a.asset", component(7, 11, "  speed: 1\n"))
    assert assets.find(facts, since=before).hits == []
    assert [each.path for each in assets.find(facts, since=asked).hits] == ["Assets/a.asset"]
