"""What a run of tests is told, and what it must not meet: as the test framework has it."""

from __future__ import annotations

from typing import Any

import pytest
from stage import Stage

from tests.bench.editor import BenchEditor
from tests.bench.installation import Installation

pytestmark = pytest.mark.anyio


def names(stage: Stage, event: str) -> list[str]:
    return [each["name"] for each in stage.editor.events if each["event"] == event]


async def ended(stage: Stage, **arguments: Any) -> dict[str, Any]:
    """A run from its submission to its end, told by the server and by the Editor."""
    job = (await stage.result("run_tests", **arguments))["job_id"]
    done = await stage.job(job, "succeeded", "failed")
    if done["state"] == "succeeded":
        await stage.wait("run_finished")
    return done


async def test_a_filter_runs_what_it_says_and_nothing_else(stage: Stage) -> None:
    """The tests' assemblies are called Bench.EditTests.dll and Bench.PlayTests.dll."""
    await stage.do(
        "test edit Game.Ui.PanelTests.Opens passed 1",
        "test edit Game.Ui.PanelTests.Closes passed 1",
        "test edit Game.Inventory.Adds passed 1",
        "test play Game.Player.Jumps passed 1",
    )
    for filter_, expected in (
        ("EditTests", []),
        ("Bench", []),
        (".dll", []),
        ("!Adds", []),
        ("O.ens", []),
        ("opens", []),
        ("Tests", ["Game.Ui.PanelTests.Opens", "Game.Ui.PanelTests.Closes"]),
        ("Game.Inventory", ["Game.Inventory.Adds"]),
        ("s.Adds", []),
        ("Adds", ["Game.Inventory.Adds"]),
    ):
        before = len(names(stage, "test_finished"))
        done = await ended(stage, mode="edit", filter=filter_)
        assert names(stage, "test_finished")[before:] == expected, filter_
        if expected:
            assert done["result"]["summary"]["total"] == len(expected)
        else:
            result = done["result"]
            assert (done["state"], result["code"]) == ("failed", "ERR_UNITY_EXECUTION")
            assert result["message"] == f"0 tests matched the filter '{filter_}'."
    assert not any(event["event"] == "play_mode" for event in stage.editor.events)


async def test_a_filter_in_both_modes_enters_play_mode_for_its_tests_only(stage: Stage) -> None:
    await stage.do(
        "test edit Game.A.One passed 1",
        "test play Game.B.One passed 1",
        "test play Game.B.Two passed 1",
    )
    done = await ended(stage, filter="Two")
    assert done["result"]["summary"]["total"] == 1
    assert names(stage, "test_finished") == ["Game.B.Two"]


async def test_progress_counts_what_will_run(stage: Stage) -> None:
    """The framework announces all tests of the project, whatever it will run of them."""
    await stage.do(
        "test edit Game.A.One passed 1",
        "test edit Game.B.Slow passed 3000",
        "test edit Game.B.Late passed 1",
    )
    job = (await stage.result("run_tests", mode="edit", filter="Game.B"))["job_id"]
    await stage.wait("test_started", name="Game.B.Slow")
    # The Editor has started the test; its message may still be on its way to the server.
    running = await stage.result("get_job_status", job_id=job)
    while "current" not in running["progress"]:
        running = await stage.result("get_job_status", job_id=job)
    assert running["progress"] == {"completed": 0, "total": 2, "current": "Game.B.Slow"}
    await stage.job(job, "succeeded")


@pytest.mark.sampled(one_in=1_000_000)
async def test_files_edited_outside_are_imported_first(anywhere: Stage) -> None:
    """An Editor without focus has not seen them: the tests of the new code run."""
    stage = anywhere
    await stage.do("test edit Game.A.One passed 1", "unfocus", "edited")
    done = await ended(stage, mode="edit")
    assert done["state"] == "succeeded"
    order = [e["event"] for e in stage.editor.events if e["event"] in ("reloaded", "run_started")]
    assert order == ["reloaded", "run_started"]


async def test_old_code_is_tested_only_if_that_is_wanted(stage: Stage) -> None:
    await stage.do("test edit Game.A.One passed 1", "edited Assets/A.cs(3,4): CS1002: ; expected")
    done = await ended(stage, mode="edit", compile_first=False)
    assert done["state"] == "succeeded"
    assert not any(event["event"] == "compiling" for event in stage.editor.events)


async def test_edits_that_break_the_code_fail_the_job_and_mended_code_is_run(stage: Stage) -> None:
    await stage.do("test edit Game.A.One passed 1", "edited Assets/A.cs(3,4): CS1002: ; expected")
    done = await ended(stage, mode="edit")
    assert (done["state"], done["result"]["code"]) == ("failed", "ERR_COMPILE_ERRORS")
    (error,) = done["result"]["details"]["errors"]
    assert (error["path"], error["line"], error["column"]) == ("Assets/A.cs", 3, 4)
    # Broken as the Editor knows it, and nothing new: refused at once.
    refused = await stage.error("run_tests", mode="edit")
    assert refused["details"]["plugin_error_code"] == "ERR_COMPILE_ERRORS"
    assert refused["details"]["errors"] == [error]
    # Mended outside: what the Editor knows is old.
    await stage.do("edited")
    assert (await ended(stage, mode="edit"))["state"] == "succeeded"
    assert names(stage, "test_finished") == ["Game.A.One"]


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("scene Assets/Main.unity dirty", "Assets/Main.unity"),
        ("scene dirty", "Untitled"),
        ("prefab Assets/Door.prefab dirty", "Assets/Door.prefab"),
    ],
)
async def test_unsaved_scenes_are_refused_by_name(stage: Stage, command: str, named: str) -> None:
    """Unity would ask with a dialog, and nobody would be told how it went."""
    await stage.do("test edit Game.A.One passed 1", command)
    refused = await stage.error("run_tests", mode="edit")
    assert refused["details"]["plugin_error_code"] == "ERR_UNSAVED_SCENES"
    assert named in refused["details"]["plugin_message"]
    await stage.do(command.replace("dirty", "saved"))
    assert (await ended(stage, mode="edit"))["state"] == "succeeded"
    assert not any(event["event"] == "dialog" for event in stage.editor.events)


async def test_a_scene_changed_while_a_job_waits_ends_it(stage: Stage) -> None:
    await stage.do("test edit Game.A.Slow passed 700")
    first = (await stage.result("run_tests", mode="edit"))["job_id"]
    second = (await stage.result("run_tests", mode="edit"))["job_id"]
    await stage.wait("test_started")
    await stage.do("scene Assets/Main.unity dirty")
    assert (await stage.job(first, "succeeded", "failed"))["state"] == "succeeded"
    done = await stage.job(second, "succeeded", "failed")
    assert (done["state"], done["result"]["code"]) == ("failed", "ERR_UNSAVED_SCENES")


async def test_a_scene_changed_between_two_runs_keeps_what_has_run(stage: Stage) -> None:
    await stage.do(
        "test edit Game.A.Slow passed 700",
        "test edit Game.A.Wrong failed 1 no",
        "test play Game.P.Jumps passed 1",
    )
    job = (await stage.result("run_tests", mode="all"))["job_id"]
    await stage.wait("test_started")
    await stage.do("scene Assets/Main.unity dirty")
    done = await stage.job(job, "succeeded", "failed")
    result = done["result"]
    assert (done["state"], result["code"]) == ("failed", "ERR_UNSAVED_SCENES")
    assert result["message"].startswith("The EditMode tests have run, the PlayMode tests have not.")
    assert (result["summary"]["total"], result["summary"]["failed"]) == (2, 1)
    assert [each["name"] for each in result["failed_tests"]] == ["Game.A.Wrong"]
    assert "Game.P.Jumps" not in names(stage, "test_started")


def test_the_bench_asks_about_unsaved_scenes_as_unity_does(
    probe: Installation, tmp_path: Any
) -> None:
    with BenchEditor(probe, tmp_path) as editor:
        editor.do("test edit Game.A.One passed 1")
        editor.do("scene Assets/Main.unity dirty")
        editor.tell("run-tests edit")
        assert editor.wait("dialog")["unsaved"] == ["Assets/Main.unity"]
        editor.do("scene Assets/Main.unity saved")
        editor.tell("run-tests edit")
        assert editor.wait("run_started")["tests"] == 1
        assert editor.quit() == 0


def test_the_bench_fails_tests_for_what_is_logged_meanwhile(
    probe: Installation, tmp_path: Any
) -> None:
    with BenchEditor(probe, tmp_path) as editor:
        for outcome in ("passed", "strict"):
            for level, expected in (("error", "Failed"), ("warning", "Passed")):
                name = f"Game.{outcome}.{level}"
                editor.do("tests-clear")
                editor.do(f"test edit {name} {outcome} 300")
                editor.tell("run-tests edit")
                editor.wait("test_started", name=name)
                editor.tell(f"log {level} Oh")
                finished = editor.wait("test_finished", name=name)
                assert finished["outcome"] == ("Failed" if outcome == "strict" else expected)


async def test_a_job_outlives_a_reload_whatever_its_tests_are_called(stage: Stage) -> None:
    """What is kept over a reload ends at a NUL, as all of Unity's own strings do."""
    await stage.do("test edit Game.A.Case(\0) passed 60000")
    job = (await stage.result("run_tests", mode="edit"))["job_id"]
    await stage.wait("test_started")
    stage.editor.tell("reload")
    await stage.wait("reloaded")
    await stage.ready()
    running = await stage.result("get_job_status", job_id=job)
    assert (running["state"], running["progress"]["total"]) == ("running", 1)
    assert (await stage.result("cancel_job", job_id=job))["status"] == "cancel_requested"
    assert (await stage.job(job, "cancelled"))["state"] == "cancelled"
