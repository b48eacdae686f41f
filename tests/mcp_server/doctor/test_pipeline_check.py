"""``doctor`` says why Unity's Pipeline package can't be used, or that it can."""

from __future__ import annotations

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


def test_the_editor_is_closed(project: Path, manifest: Path) -> None:
    found = check(project)
    assert "no descriptor" in found.summary
    assert "Open the project" in found.advice


def test_safe_mode(project: Path, manifest: Path) -> None:
    PipelineEditor(project).enter_safe_mode()
    assert "Safe Mode" in check(project).summary


def test_a_descriptor_left_behind(project: Path, manifest: Path) -> None:
    PipelineEditor(project).start().crash()
    assert "left over" in check(project).summary


def test_a_descriptor_that_others_can_read(project: Path, manifest: Path) -> None:
    with PipelineEditor(project) as unity:
        unity.write_descriptor(mode=0o644)
        assert "chmod 600" in check(project).summary


def test_a_token_that_is_not_taken(project: Path, manifest: Path) -> None:
    with PipelineEditor(project) as unity:
        unity.token = "another"
        assert "token" in check(project).summary


def test_a_dialog(project: Path, manifest: Path) -> None:
    with PipelineEditor(project) as unity:
        unity.dialog = {"title": "Save?", "message": "", "buttons": []}
        found = check(project)
    assert "Save?" in found.summary
    assert not found.ok


def test_no_project() -> None:
    (found,) = check_pipeline(None)
    assert not found.ok


def test_a_folder_in_a_project_is_none(project: Path) -> None:
    (found,) = check_pipeline(project / "Assets" / "Scripts")
    assert not found.ok
    assert found.summary == "no Unity project"
