"""The tests under Wine, with a CPython for Windows: what Linux can really run of Windows' rules.

    python tests/windows/run_windows.py FOLDER [PYTEST ARGUMENTS]

Makes, below FOLDER and once, a Windows Python with the project's dependencies and a Wine prefix of
its own. Needs Wine, and Maven for the Python (or ``UNITY_SNIPPET_WINDOWS_PYTHON``: the folder of a
CPython for Windows, which is copied). What Wine enforces, and what it can't show, is in
docs/design/systems.md.
Exit code: pytest's; 77 if the tools are missing or could not be fetched, so that nothing was run.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from forwarding_dll import exported_names, forwarding_dll

ROOT = Path(__file__).resolve().parents[2]
PYTHON_ARTIFACT = "org.bytedeco:cpython:3.13.5-1.5.12:jar:windows-x86_64"
PYTHON_VERSION = "3.13"
NOT_RUN = 77
"""The exit code by which test runners know what could not be tried; none of pytest's."""

OWN_PYTHON = "UNITY_SNIPPET_WINDOWS_PYTHON"

TESTS = (
    "tests/snippet_engine",
    "tests/mcp_server",
    "tests/lsp_client",
    "tests/unity_bridge",
    "tests/windows",
)
"""What is run unless something else is asked for. The rest needs Mono or programs of Linux."""

TEST_TOOLS = ("pytest", "pytest-timeout", "pytest-xdist", "hypothesis", "jsonschema", "pyyaml")


WITHOUT_COPY_FILE_2 = """import _winapi
if hasattr(_winapi, "CopyFile2"):
    del _winapi.CopyFile2
"""
"""Wine 8 lacks that function and ends the process that calls it; ``shutil`` copies without, too."""


class MissingError(Exception):
    """A tool isn't there; the message says which, and how to get it."""


def main(arguments: Sequence[str]) -> int:
    """Make what is missing, run pytest under Wine; its exit code."""
    folder = Path(arguments[0]).absolute()
    try:
        wine = _tool("wine", "On Debian or Ubuntu: apt-get install --no-install-recommends wine")
        python = _python(folder)
    except MissingError as missing:
        print(missing, file=sys.stderr)
        return NOT_RUN
    except (subprocess.CalledProcessError, OSError, zipfile.BadZipFile) as failure:
        print(f"The Python for Windows could not be made: {failure}", file=sys.stderr)
        return NOT_RUN
    environment = {
        **os.environ,
        "WINEPREFIX": str(folder / "prefix"),
        "WINEDEBUG": "-all",
        # Neither asks whether to download a browser engine or a .NET of Wine's own.
        "WINEDLLOVERRIDES": "mscoree,mshtml=;winedbg.exe=d",
        # Kept, and outside the source: else each process of a test compiles all that it imports.
        "PYTHONPYCACHEPREFIX": _for_wine(folder / "bytecode"),
        "PYTHONUNBUFFERED": "1",  # a pipe would show nothing before the end
        # Programs that a test starts are looked for in Windows' PATH, which Wine makes.
        "VIRTUAL_ENV": "",
    }
    for name in ("XDG_STATE_HOME", "PYTHONDONTWRITEBYTECODE"):
        environment.pop(name, None)
    if not (folder / "prefix" / "system.reg").is_file():
        print("Making a Wine prefix", flush=True)
        made = subprocess.run(
            [wine, "wineboot", "-i"], env=environment, check=False, capture_output=True
        )
        if made.returncode:
            print(f"The Wine prefix could not be made: {made.stderr!r}", file=sys.stderr)
            return NOT_RUN
    command = [wine, python, "-m", "pytest", "-p", "no:cacheprovider", *(arguments[1:] or TESTS)]
    try:
        # Pipes: of a redirected file, or the null device, Wine makes a handle that Python refuses.
        with subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as ran:
            assert ran.stdin is not None
            assert ran.stdout is not None
            ran.stdin.close()
            try:
                for line in ran.stdout:
                    sys.stdout.buffer.write(line.replace(b"\r\n", b"\n"))
                    sys.stdout.buffer.flush()
            except BaseException:
                _end_all(environment)  # else it would be waited for
                raise
        return ran.returncode
    finally:
        _end_all(environment)


def _end_all(environment: Mapping[str, str]) -> None:
    """End what runs in this prefix: the tests, and servers that a failed one left."""
    subprocess.run(["wineserver", "-k"], env=environment, check=False)


def _python(folder: Path) -> Path:
    """The Windows Python below ``folder``, made if it isn't there or is an older one."""
    python = folder / "python"
    stamp = folder / "python.stamp"
    made_of = f"{PYTHON_ARTIFACT}\n{(ROOT / 'pyproject.toml').read_text(encoding='utf-8')}"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != made_of:
        shutil.rmtree(python, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copytree(_cpython(folder), python)
        _complete(python)
        _install(python)
        stamp.write_text(made_of, encoding="utf-8")
    return python / "python.exe"


def _cpython(folder: Path) -> Path:
    own = os.environ.get(OWN_PYTHON)
    if own:
        return Path(own)
    hint = f"or set {OWN_PYTHON} to the folder of a CPython {PYTHON_VERSION} for Windows"
    maven = _tool("mvn", f"On Debian or Ubuntu: apt-get install maven; {hint}")
    print(f"Fetching {PYTHON_ARTIFACT}", flush=True)
    copy = [maven, "-q", "-B", "dependency:copy", f"-Dartifact={PYTHON_ARTIFACT}"]
    subprocess.run([*copy, f"-DoutputDirectory={folder}"], check=True, cwd=folder)
    jar = next(folder.glob("cpython-*.jar"))
    with zipfile.ZipFile(jar) as opened:
        opened.extractall(folder / "unpacked")
    return folder / "unpacked" / "org" / "bytedeco" / "cpython" / "windows-x86_64"


def _complete(python: Path) -> None:
    """What that build lacks, and what Wine lacks for it."""
    library = next(python.glob("python3??.dll"))
    if not (python / "python3.dll").is_file():
        names = exported_names(library.read_bytes())
        forwards = {name: f"{library.stem}.{name}" for name in names}
        (python / "python3.dll").write_bytes(forwarding_dll("python3.dll", forwards))
    # What is written in Rust asks it for random bytes; Wine has it since 9.0. The other function,
    # RtlGenRandom by its name in the DLL, takes and returns the same.
    random = forwarding_dll("bcryptprimitives.dll", {"ProcessPrng": "advapi32.SystemFunction036"})
    (python / "bcryptprimitives.dll").write_bytes(random)
    for runtime in (python / "lib").glob("vcruntime*.dll"):
        shutil.copy(runtime, python)
    # Wine's WMI ends the process that asks; without the module ``platform`` asks in another way.
    for module in python.rglob("_wmi.pyd"):
        module.unlink()


def _install(python: Path) -> None:
    """The dependencies, the project as it lies here, and its command."""
    site = (
        next(each for each in (python / "lib", python / "Lib") if each.is_dir()) / "site-packages"
    )
    site.mkdir(exist_ok=True)
    print("Installing the dependencies for Windows", flush=True)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pip = [sys.executable, "-m", "pip", "install", "-q", "--target", site, "--upgrade"]
    only = ["--platform", "win_amd64", "--python-version", PYTHON_VERSION, "--only-binary=:all:"]
    # pip takes the markers of the system it runs on: these are for Windows alone.
    needed = [*project["dependencies"], *TEST_TOOLS, "colorama", "pywin32"]
    subprocess.run([*pip, *only, *needed], check=True)
    subprocess.run([*pip, "--no-deps", ROOT], check=True)
    for package in (
        "snippet_engine",
        "mcp_server",
        "lsp_client",
        "unity_bridge",
        "roslyn_server",
        "unity_assets",
    ):
        shutil.rmtree(site / package)
    (site / "unity_snippet_here.pth").write_text(f"{_for_wine(ROOT)}\n", encoding="utf-8")
    (site / "sitecustomize.py").write_text(WITHOUT_COPY_FILE_2, encoding="utf-8")
    _make_command(python)


def _make_command(python: Path) -> None:
    """``Scripts/unity-cli.exe``, as pip makes it on Windows: a launcher, a line, a zip file."""
    import pip._vendor.distlib

    launcher = (Path(pip._vendor.distlib.__file__).parent / "t64.exe").read_bytes()
    line = f'#!"{_for_wine(python)}\\python.exe"\n'.encode()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("__main__.py", "from mcp_server.cli import main\nmain()\n")
    scripts = python / "Scripts"
    scripts.mkdir(exist_ok=True)
    (scripts / "unity-cli.exe").write_bytes(launcher + line + archive.getvalue())


def _for_wine(path: Path) -> str:
    """How Windows programs see ``path``: Wine's drive Z is the root."""
    return "Z:" + str(path).replace("/", "\\")


def _tool(name: str, how: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise MissingError(f"There is no {name} on PATH. {how}.")
    return found


def _end(number: int, _frame: object) -> NoReturn:
    sys.exit(128 + number)


if __name__ == "__main__":
    # Whoever has no more time for it isn't left with Wine's processes.
    signal.signal(signal.SIGTERM, _end)
    sys.exit(main(sys.argv[1:]))
