"""``doctor`` says why Unity's Pipeline package can't be used, or that it can."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pipeline_editor import PipelineEditor

from mcp_server.doctor.check import Check
from mcp_server.doctor.running_server import check_pipeline


@pytest.fixture
def manifest(project: Path) -> Path:
    """The project says that it has the package."""
    path = project / "Packages" / "manifest.json"
    path.write_text('{"dependencies": {"com.unity.pipeline": "0.8.1"}}')
    return path


def check(project: Path) -> Check:
    (found,) = check_pipeline(project)
    return found


def test_it_answers(project: Path, manifest: Path) -> None:
    with PipelineEditor(project) as unity:
        found = check(project)
        assert found.ok
        assert "com.unity.pipeline 0.8.1" in found.summary
        assert f"port {unity.port}" in found.summary
        assert unity.token not in str(found)


def test_it_is_not_in_the_project(project: Path) -> None:
    found = check(project)
    assert not found.ok
    assert not found.required
    assert "not in the project" in found.summary


def safe_mode(unity: PipelineEditor) -> None:
    unity.stop()
    unity.enter_safe_mode()


FAULTS: dict[str, tuple[Callable[[PipelineEditor], object], str]] = {
    "closed": (PipelineEditor.stop, "no descriptor"),
    "Safe Mode": (safe_mode, "Safe Mode"),
    "crashed": (PipelineEditor.crash, "left over"),
    "others can read it": (lambda unity: unity.write_descriptor(mode=0o644), "chmod 600"),
    "another token": (lambda unity: setattr(unity, "token", "another"), "token"),
    "a dialog": (
        lambda unity: setattr(unity, "dialog", {"title": "Save?", "message": "", "buttons": []}),
        "Save?",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_why_it_can_t_be_used(project: Path, manifest: Path, fault: str) -> None:
    break_it, told = FAULTS[fault]
    with PipelineEditor(project) as unity:
        break_it(unity)
        found = check(project)
    assert not found.ok
    assert told in found.summary
    assert fault != "closed" or "Open the project" in found.advice


def test_a_folder_in_a_project_is_none(project: Path) -> None:
    for folder in (None, project / "Assets" / "Scripts"):
        (found,) = check_pipeline(folder)
        assert not found.ok
    assert found.summary == "no Unity project"
