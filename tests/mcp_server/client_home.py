"""A user's home folder of a test's own, with the configuration of MCP clients in it."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from running_server import TIMEOUT_S, UNITY_CLI, environment, run_cli


class Home:
    """A home folder, and ``unity-cli client`` run with it in the folder ``cwd``."""

    def __init__(self, folder: Path, cwd: Path) -> None:
        self.folder = folder
        self._cwd = cwd

    @property
    def variables(self) -> dict[str, str]:
        """The environment of a program that has this home folder."""
        configuration = str(self.folder / ".config")
        windows = {"USERPROFILE": str(self.folder), "APPDATA": configuration}
        env = environment(HOME=str(self.folder), XDG_CONFIG_HOME=configuration, **windows)
        for variable in ("CODEX_HOME", "COPILOT_HOME", "CLAUDE_CONFIG_DIR"):
            env.pop(variable, None)
        return env

    def client(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run ``unity-cli client`` in this process."""
        return run_cli("client", *arguments, cwd=self._cwd, env=self.variables)

    def clients_at_once(self, *commands: Sequence[str]) -> list[tuple[int, str]]:
        """Run ``unity-cli client`` for each of ``commands``, in processes of their own, at once.

        Returns the exit code and standard error of each.
        """
        running = [
            subprocess.Popen(
                [UNITY_CLI, "client", *arguments],
                cwd=self._cwd,
                env=self.variables,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            for arguments in commands
        ]
        errors = [process.communicate(timeout=TIMEOUT_S)[1].decode() for process in running]
        return [(each.returncode, err) for each, err in zip(running, errors, strict=True)]

    def written(self, path: str, text: str) -> Path:
        """A file below it that holds ``text``."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        return file
