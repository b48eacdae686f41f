"""Which bundles are checked, under which names, and how shards divide them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from bundle_files import request, write_bundle

from mcp_server.bundles.discovery import Found, Shard, find_bundles, projects_of, repository_root
from mcp_server.bundles.findings import Level


def found(*paths: Path, root: Path) -> Found:
    return find_bundles(paths, shown_from=root)


def names(*paths: Path, root: Path, shard: Shard | None = None) -> list[str]:
    bundles = found(*paths, root=root).bundles
    return [each.shown for each in bundles if shard is None or shard.holds(each, root)]


def test_folders_are_searched_and_files_taken_once_in_order(tmp_path: Path) -> None:
    for name in ("b/2", "b/1", "a/deep/er/3", ".hidden/4"):
        write_bundle(tmp_path, name, request())
    (tmp_path / "b" / "no.json").write_text("{}")
    (tmp_path / "b" / "folder.snippet.json").mkdir()
    (tmp_path / "link.snippet.json").symlink_to("b/1.snippet.json")
    named = tmp_path / "b" / "no.json"
    assert names(tmp_path, tmp_path / "b", named, root=tmp_path) == [
        ".hidden/4.snippet.json",
        "a/deep/er/3.snippet.json",
        "b/2.snippet.json",
        "b/no.json",
        "link.snippet.json",
    ]


def test_what_git_and_unity_make_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "game" / "ProjectSettings").mkdir(parents=True)
    for folder in (".git", "game/Library", "game/Temp", "game/Edits", "Library"):
        write_bundle(tmp_path, f"{folder}/a", request())
    assert names(tmp_path, root=tmp_path) == [
        "Library/a.snippet.json",
        "game/Edits/a.snippet.json",
    ]


def test_paths_are_shown_from_where_the_reader_stands(tmp_path: Path) -> None:
    inside = write_bundle(tmp_path, "here/a", request())
    outside = write_bundle(tmp_path, "there/b", request())
    shown = find_bundles([inside, outside], shown_from=tmp_path / "here").bundles
    assert [bundle.shown for bundle in shown] == [outside.as_posix(), "a.snippet.json"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux takes any bytes as a file's name")
def test_a_name_that_is_not_utf_8_can_be_shown(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.snippet.json")).write_text("{}")
    (name,) = names(tmp_path, root=tmp_path, shard=Shard(1, 1))
    assert name == "�.snippet.json"


def test_the_repositorys_root(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    assert repository_root(deep) == tmp_path


def test_what_is_no_shard() -> None:
    texts = ["", "/", "1", "1/", "/2", "0/2", "3/2", "-1/2", "1/0", "a/b", "1/2/3", "1.0/2"]
    for text in (*texts, "１/２", "9" * 10_000 + "/" + "9" * 10_000):
        assert Shard.parse(text) is None, text


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_shards_are_disjoint_complete_and_of_like_size(tmp_path: Path, count: int) -> None:
    for number in range(120):
        (tmp_path / f"{number}.snippet.json").touch()
    parts = [
        set(names(tmp_path, root=tmp_path, shard=Shard(i, count))) for i in range(1, count + 1)
    ]
    assert sum(map(len, parts)) == 120
    assert set[str]().union(*parts) == set(names(tmp_path, root=tmp_path))
    assert min(map(len, parts)) > 120 / count / 3


def test_a_shard_is_stable(tmp_path: Path) -> None:
    """Where the tree lies, how the paths are given and what else is there change nothing."""
    here, there = tmp_path / "here", tmp_path / "elsewhere" / "there"
    for root in (here, there):
        for number in range(40):
            write_bundle(root, f"edits/{number}", request())
    half = Shard(1, 2)
    first = names(here, root=here, shard=half)
    assert names(there / "edits", root=there, shard=half) == first
    write_bundle(there, "edits/more", request())
    (there / "edits" / "39.snippet.json").unlink()
    later = set(names(there, root=there, shard=half))
    assert later - {"edits/more.snippet.json"} == set(first) - {"edits/39.snippet.json"}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a.snipet.json", True),
        ("a.snippets.json", True),
        ("a.snippet.jsn", True),
        ("a.Snippet.JSON", True),
        ("a.snippet.json5", True),
        ("a.snippet.json.orig", False),
        ("a.json", False),
        ("a.spine.json", False),
        ("snippet.cs", False),
        ("package.lock.json", False),
    ],
)
def test_a_misspelt_name_beside_bundles_is_told(tmp_path: Path, name: str, told: bool) -> None:
    write_bundle(tmp_path, "good", request())
    (tmp_path / name).write_text("{}")
    found = find_bundles([tmp_path], shown_from=tmp_path)
    assert [bundle.shown for bundle in found.bundles] == ["good.snippet.json"]
    findings = [finding for report in found.reports for finding in report.findings]
    expected = [(name, "misspelt_name", Level.WARNING)] if told else []
    assert [(each.file, each.code, each.level) for each in findings] == expected


def test_a_folder_without_bundles_is_told_beside_one_that_has_some(tmp_path: Path) -> None:
    write_bundle(tmp_path / "full", "good", request())
    (tmp_path / "empty").mkdir()
    paths = [tmp_path / "full", tmp_path / "empty"]
    for allowed, level in ((False, Level.ERROR), (True, Level.WARNING)):
        found = find_bundles(paths, shown_from=tmp_path, allow_empty=allowed)
        (report,) = found.reports
        (finding,) = report.findings
        assert (finding.file, finding.code, finding.level) == ("empty", "no_bundles", level)


def test_as_named_the_order_of_the_paths_counts(tmp_path: Path) -> None:
    for name in ("z", "folder/b", "folder/a"):
        write_bundle(tmp_path, name, request())
    paths = [tmp_path / "z.snippet.json", tmp_path / "folder", tmp_path]
    found = find_bundles(paths, shown_from=tmp_path, as_named=True)
    assert [bundle.shown for bundle in found.bundles] == [
        "z.snippet.json",
        "folder/a.snippet.json",
        "folder/b.snippet.json",
    ]


def test_a_bundle_is_of_the_project_that_it_lies_in_or_else_of_the_one_here(tmp_path: Path) -> None:
    for name in ("one", "one/Packages/inner", "other"):
        for folder in ("Assets", "ProjectSettings"):
            (tmp_path / name / folder).mkdir(parents=True)
    for name in ("one/Edits/a", "one/Packages/inner/b", "other/c", "d"):
        write_bundle(tmp_path, name, request())
    bundles = find_bundles([tmp_path], shown_from=tmp_path).bundles

    def of(here: Path) -> dict[Path | None, list[str]]:
        return {
            project: [each.shown.removesuffix(".snippet.json") for each in found]
            for project, found in projects_of(bundles, here).items()
        }

    one, other = tmp_path / "one", tmp_path / "other"
    own = {one: ["one/Edits/a"], one / "Packages/inner": ["one/Packages/inner/b"]}
    assert of(tmp_path) == {**own, other: ["other/c"], None: ["d"]}
    assert of(other / "Assets") == {**own, other: ["d", "other/c"]}


def test_what_is_told_of_a_folder_that_is_named_twice_is_told_once(tmp_path: Path) -> None:
    for name in ("a.snippet.json", "b.snipet.json"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "empty").mkdir()
    once = find_bundles([tmp_path, tmp_path / "empty"], shown_from=tmp_path)
    twice = find_bundles(
        [tmp_path, tmp_path / "empty", tmp_path / "empty" / "..", tmp_path / "empty"],
        shown_from=tmp_path,
    )
    assert len(once.reports) == 2
    assert twice == once
