"""The whole command, on a history of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from landing_fixtures import NEW, OLD

from benchmarks.landing.__main__ import main
from benchmarks.landing.kinds import APART
from benchmarks.landing.packages import FOLDER_VARIABLE, TUNING_PACKAGES
from benchmarks.landing.run import APART_SHARE, Run, results, wanted

PACKAGE = TUNING_PACKAGES[0]


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A known package's name, with two versions of a script of ours."""
    folder = tmp_path / "histories" / PACKAGE.replace("/", "+")
    folder.mkdir(parents=True)
    git = ["git", "-c", "user.name=somebody", "-c", "user.email=somebody@example.com"]
    subprocess.run([*git, "init", "--quiet"], cwd=folder, check=True)
    for text in (OLD, NEW):
        (folder / "Player.cs").write_text(text, encoding="utf-8")
        subprocess.run([*git, "add", "--all"], cwd=folder, check=True)
        subprocess.run([*git, "commit", "--quiet", "-m", "next"], cwd=folder, check=True)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "histories"))


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.usefixtures("history")
def test_the_command_says_the_same_however_it_is_divided(tmp_path: Path) -> None:
    common = ["--packages", PACKAGE, "--requests", "15", "--json"]
    page = tmp_path / "page.md"
    page.write_text("<!-- figures: agent -->\n<!-- end of figures -->\n")
    files = ["--misses", str(tmp_path / "missed"), "--plot", str(tmp_path / "plot.svg")]
    files += ["--page", str(page), "--over-http", "5"]
    reports = []
    for more in (["--jobs", "1", *files], ["--jobs", "2"]):
        done = CliRunner().invoke(main, [*common, *more])
        assert done.exit_code == 0, done.output
        reports.append(json.loads(done.stdout))
    assert reports[0]["over_http"] == {"requests": 5, "differing": []}
    for varying in ("seconds", "over_http", "bytes_per_landed_edit"):
        for report in reports:
            del report[varying]
    kept = ("requests", "first", "second", "refused", "wrong", "packages", "profile", "seed")
    assert {key: reports[0][key] for key in kept} == {key: reports[1][key] for key in kept}
    assert (tmp_path / "missed").read_text(encoding="utf-8").startswith("# What misses")
    assert (tmp_path / "plot.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "15 requests" in page.read_text(encoding="utf-8")


def test_classes_that_are_weighed_apart_are_spread_over_the_run() -> None:
    every = wanted(Run((PACKAGE,), "agent", 1, 3 * APART_SHARE))
    assert [number for number, name in every if name is None] == list(range(3 * APART_SHARE))
    for name in APART:
        assert [number for number, other in every if other == name] == [0, 1, 2]
    assert every.index((0, APART[0])) == APART_SHARE


def test_when_its_time_is_over_a_run_begins_no_more() -> None:
    assert list(results(Run((PACKAGE,), "agent", 1, 1_000), [], 1, 0)) == []


def test_an_unknown_package_is_refused_with_those_that_are_known() -> None:
    done = CliRunner().invoke(main, ["--packages", "no/such"])
    assert done.exit_code == 2
    assert PACKAGE in done.output
