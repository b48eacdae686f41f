"""The single checks, and that none of them keeps the others from being told."""

from __future__ import annotations

import json
import os
import socket
import sys
import sysconfig
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import project_server
import pytest
from file_rights import binds_rights, without_roots_rights
from running_server import UNITY_CLI, RunningServer, run_cli, run_process
from this_system import command_line, needs_posix

from mcp_server.doctor.check import Check
from mcp_server.doctor.examination import REQUIRED, run_probes
from mcp_server.doctor.installation import check_packages
from mcp_server.doctor.running_server import check_server, memory_words
from mcp_server.doctor.unity_project import check_package, check_project, connected_from_elsewhere
from mcp_server.plugin.installation import InstallPlan, carry_out, plan_install
from mcp_server.plugin.package_manifest import PACKAGE_NAME

FINE = Check("fine", True, "all is well")


def test_a_probe_that_hangs_or_crashes_does_not_hide_the_others() -> None:
    never = threading.Event()

    def hangs() -> list[Check]:
        never.wait()
        return []

    def crashes() -> list[Check]:
        raise RuntimeError("oh")

    found = run_probes({"hangs": hangs, "fine": lambda: [FINE], "crashes": crashes}, limit_s=0.3)
    never.set()
    assert [(check.name, check.ok) for check in found] == [
        ("hangs", False),
        ("fine", True),
        ("crashes", False),
    ]
    assert "0.3 s" in found[0].summary
    assert "RuntimeError: oh" in found[2].summary


@pytest.mark.parametrize("name", sorted(REQUIRED))
def test_what_nothing_works_without_is_not_taken_to_be_there_unseen(name: str) -> None:
    release = threading.Event()

    def hangs() -> list[Check]:
        release.wait()
        return [FINE]

    def crashes() -> list[Check]:
        raise RuntimeError

    for probe in (hangs, crashes):
        (check,) = run_probes({name: probe}, limit_s=0.01)
        assert (check.ok, check.required) == (False, True)
    release.set()
    (other,) = run_probes({"server": crashes}, limit_s=10)
    assert not other.required


def test_the_packages_of_this_environment_fit() -> None:
    (check,) = check_packages()
    assert check.ok, check
    assert check.required


def test_something_that_listens_and_never_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        server, editor = check_server(url, None, None, limit_s=0.4)
    assert not server.ok
    assert "no answer within 0.2 s" in server.summary
    assert not editor.ok


def test_no_project_and_a_folder_that_is_none(tmp_path: Path) -> None:
    (missing,) = check_project(None)
    assert (missing.ok, missing.required) == (False, True)
    (wrong,) = check_project(tmp_path)
    assert not wrong.ok
    assert "Assets" in wrong.summary


def test_the_package_in_the_project(project: Path) -> None:
    (absent,) = check_package(project)
    assert not absent.ok
    assert "plugin install" in absent.advice
    plan = plan_install(project)
    assert isinstance(plan, InstallPlan)
    assert carry_out(plan) is None
    (present,) = check_package(project)
    assert present.ok
    assert PACKAGE_NAME in present.summary
    manifest = project / "Packages" / PACKAGE_NAME / "package.json"
    manifest.write_text(json.dumps({"name": PACKAGE_NAME, "version": "0.0.1"}))
    (old,) = check_package(project)
    assert not old.ok
    assert "0.0.1 is installed" in old.summary
    manifest.write_text("{")
    (damaged,) = check_package(project)
    assert not damaged.ok
    assert "package.json is not JSON (line 1, column 2)" in damaged.summary
    assert "plugin install" in damaged.advice


def test_a_server_that_was_started_for_stdio_clients_tells_where_its_log_is(
    project: Path, tmp_path: Path
) -> None:
    with RunningServer("--ends-with-clients", cwd=project) as running:
        server, _ = check_server(running.url, None, project, limit_s=60)
    assert server.ok
    assert f"serve-{running.port}.log" in server.details[0]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells it")
def test_what_the_compiler_of_a_running_server_takes(project: Path) -> None:
    (project / "Library").mkdir()
    command = command_line([sys.executable, "-S", str(project_server.__file__)])
    with RunningServer("--lsp", command, cwd=project) as server:
        before, *_ = check_server(server.url, None, project, 30.0)
        run_cli("check", "--lsp", command, cwd=project)
        after, *_ = check_server(server.url, None, project, 30.0)
    assert not any("memory" in each for each in before.details)
    (told,) = [each for each in after.details if "its C# language server uses" in each]
    assert told.endswith("limit of its compiler: 900 MB (UNITY_SNIPPET_ROSLYN_MEMORY_MB)")


@pytest.mark.parametrize(
    ("megabytes", "told"), [(900, "900 MB"), (9_999, "9,999 MB"), (18_079, "18 GB")]
)
def test_memory_is_told_in_a_unit_that_is_read(megabytes: int, told: str) -> None:
    assert memory_words(megabytes) == told


def test_a_project_whose_scripts_are_all_read_only_can_not_be_edited(project: Path) -> None:
    scripts = sorted((project / "Assets").rglob("*.cs"))
    for each in scripts:
        each.chmod(0o444)
    (check,) = check_project(project)
    assert (check.ok, check.required) == (False, True)
    assert "can't be edited" in check.summary
    assert scripts[0].name in check.advice
    done = run_cli("doctor", cwd=project)
    assert done.returncode == 1
    assert "Edits, previews and undo work" not in done.stdout
    # One that is locked is that script's own matter.
    (project / "Assets" / "Free.cs").write_text("class Free { }")
    (check,) = check_project(project)
    assert check.ok


def bound_doctor(project: Path) -> dict[str, Any]:
    """What ``doctor`` says of the project, where the rights of files bind it."""
    done = run_process(
        [UNITY_CLI, "doctor", "--lsp", "off", "--timeout", "60", "--output", "json"],
        project,
        preexec_fn=without_roots_rights,
    )
    found = json.loads(done.stdout)
    assert done.returncode == (0 if found["ok"] else 1)
    check = next(each for each in found["checks"] if each["name"] == "Unity project")
    assert found["ok"] or not check["ok"]
    return dict(check)


@contextmanager
def with_rights(folder: Path, mode: int) -> Iterator[None]:
    folder.chmod(mode)
    try:
        yield
    finally:
        folder.chmod(0o755)


@binds_rights
@needs_posix
def test_a_folder_that_may_not_be_written_in(project: Path) -> None:
    with with_rights(project / "Assets", 0o555):
        check = bound_doctor(project)
    assert not check["ok"]
    assert str(project / "Assets") in check["advice"]


@pytest.mark.parametrize("name", ["Assets", "Library", "Library/SnippetEngine/history", "."])
def test_where_the_system_refuses_a_folder_edits_are_not_promised(
    project: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    refused = project / name
    refused.mkdir(parents=True, exist_ok=True)
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != refused)
    check, *_ = check_project(project)
    assert not check.ok
    assert f"may not write in {refused}" in check.advice


@pytest.mark.parametrize(
    "name", ["", "/SnippetEngine", "/SnippetEngine/pending", "/SnippetEngine/history"]
)
def test_what_edits_keep_can_not_be_kept_where_a_file_is(project: Path, name: str) -> None:
    file = project / f"Library{name}"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("")
    told, *writes = check_project(project)
    assert (told.ok, told.required) == (False, True)
    assert f"{file} is not a folder" in told.advice
    assert all(each.required for each in writes)


@binds_rights
@needs_posix
def test_folders_of_scripts_that_may_not_be_written_in(project: Path) -> None:
    folder = project / "Assets" / "Scripts"
    assert {each.parent for each in (project / "Assets").rglob("*.cs")} == {folder}
    with with_rights(folder, 0o555):
        check = bound_doctor(project)
        assert not check["ok"]
        assert f"may not write in {folder} (" in check["advice"]
        # One that can be edited is enough.
        free = project / "Assets" / "Free.cs"
        free.write_text("class Free { }")
        assert bound_doctor(project)["ok"]
        # But not one that is read-only.
        free.chmod(0o444)
        check = bound_doctor(project)
        assert not check["ok"]
        assert "Assets/Free.cs" in check["advice"]
        assert str(folder) in check["advice"]


def test_what_was_changed_in_the_package_is_no_step_that_an_install_refuses(project: Path) -> None:
    assert run_cli("plugin", "install", cwd=project).returncode == 0
    manifest = project / "Packages/com.unitysnippet.mcp/README.md"
    manifest.write_text("mine")
    (package,) = check_package(project)
    assert package.command == package.advice
    assert package.command.endswith(f"plugin status --project {project}")
    told = run_cli("plugin", "status", cwd=project).stdout
    assert "to restore them: unity-cli plugin install --force\nchanged here: README.md" in told


def test_what_probes_share_is_made_before_they_run(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(sysconfig, "get_config_vars", lambda: made.append("made"))
    (found,) = run_probes({"one": lambda: [Check("one", bool(made), "")]}, 60)
    assert found.ok


@pytest.mark.parametrize(
    ("editor", "fine"),
    [
        (Check("Unity Editor", True, "Unity 6000.0.1f1, ready, plugin 0.1.0"), True),
        (Check("Unity Editor", True, "Unity 6000.0.1f1, ready, by com.unity.pipeline"), False),
        (Check("Unity Editor", False, "none is connected"), False),
    ],
)
def test_a_package_that_an_editor_has_is_no_fault(project: Path, editor: Check, fine: bool) -> None:
    (package,) = check_package(project)
    assert not package.ok
    told = connected_from_elsewhere([editor, package])
    assert told[0] is editor
    assert told[1].ok is fine
