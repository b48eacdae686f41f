"""What ``serve`` prints for clients can be typed as it is, token and project included."""

from __future__ import annotations

from pathlib import Path

from running_server import RunningServer


def test_a_servers_token_and_project_are_in_the_commands(project: Path, tmp_path: Path) -> None:
    token = tmp_path / "its token"
    with RunningServer("--token-file", str(token), cwd=project) as server:
        assert server.process.stdout is not None
        cursor = next(line for line in server.process.stdout if line.startswith("Cursor"))
    assert "unity-cli client install cursor" in cursor
    assert f"--token-file '{token}'" in cursor
    assert f"--project {project}" in cursor


def test_a_token_from_the_environment_is_referred_to(project: Path) -> None:
    with RunningServer(cwd=project, UNITY_CLI_TOKEN="s3cret") as server:
        assert server.process.stdout is not None
        cursor = next(line for line in server.process.stdout if line.startswith("Cursor"))
    assert "--token-env" in cursor
    assert "s3cret" not in cursor
