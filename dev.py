#!/usr/bin/env python3
"""Start here: one command each for people who have just cloned the project.

    python3 dev.py demo            edit a real Unity script, check the bytes, take it back
    python3 dev.py test [ARGS]     run the test suite (ARGS go to pytest)
    python3 dev.py test --quick    run the pure cores and one test of each seam, two minutes
    python3 dev.py test --all      run every case of the tests that run a sample of their cases
    python3 dev.py check           lint, format, types, dependency rules, contracts
    python3 dev.py generate        write anew what is made from the code: contracts, pages, pictures
    python3 dev.py conformance     the official MCP conformance suite, and the MCP Inspector
    python3 dev.py chaos           10,000 calls over each road to an Editor that misbehaves
    python3 dev.py reloads         500 domain reloads of the Unity package, at random moments
    python3 dev.py windows [ARGS]  tests with a Python for Windows, under Wine (ARGS go to pytest)
    python3 dev.py mutants         mutation tests of the pure cores and the seams (half an hour)
    python3 dev.py setup           only make the environment

Each command first makes a virtual environment (``.venv`` in this checkout, or the folder that
``UNITY_SNIPPET_VENV`` names) and installs the project into it; later runs reuse it until
``pyproject.toml`` changes. An environment that is there and works is installed into, but never
deleted unless it was made here; a folder that holds anything else is left as it is. Needs Python
3.11.5 or newer and nothing else.
"""

import argparse
import hashlib
import itertools
import json
import os
import re
import shutil
import sys
import tempfile
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

sys.path.insert(0, str(Path(__file__).resolve().parent))  # which PYTHONSAFEPATH leaves out

from dev_environment import (  # noqa: E402
    BIN,
    NETWORK_HINT,
    PYTHON,
    ROOT,
    Command,
    StepError,
    as_typed,
    captured,
    heading,
    pip,
    prepare_environment,
    prepare_npm,
    run,
    say,
    shown_path,
    tail,
)

COMMANDS = (
    "demo",
    "test",
    "check",
    "generate",
    "conformance",
    "chaos",
    "reloads",
    "windows",
    "mutants",
    "setup",
)

MUTATION_REQUIREMENT = "mutmut>=3.8,<4"


def main(arguments: list[str]) -> int:
    """Run one command; returns the process's exit code."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False,
        prog="dev.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument(
        "arguments", nargs=argparse.REMAINDER, help="for test and windows: pytest's"
    )
    if not arguments:
        listed = ", ".join(COMMANDS)
        parser.error(f"say which command (--help tells what each does): {listed}")
    chosen = parser.parse_args(arguments)
    if chosen.command not in ("test", "windows") and {"-h", "--help"} & {*chosen.arguments}:
        print(f"usage: dev.py {chosen.command}\n\n{_does(chosen.command)}")
        return 0
    if chosen.arguments and chosen.command not in ("test", "windows"):
        parser.error(f"{chosen.command} takes no arguments")
    try:
        if chosen.command == "demo":
            return demo()
        prepare_environment(MINIMUM_PYTHON, dev=True)
        if chosen.command == "test":
            return test(chosen.arguments)
        if chosen.command == "windows":
            return windows(chosen.arguments)
        more = {
            "check": check,
            "generate": generate,
            "conformance": conformance,
            "chaos": chaos,
            "reloads": reloads,
            "mutants": mutants,
        }
        return more[chosen.command]() if chosen.command in more else 0
    except StepError as failure:
        print(f"\nFailed: {failure}", file=sys.stderr, flush=True)
        return 1
    except BrokenPipeError:
        raise
    except OSError as error:
        where = f"{shown_path(Path(error.filename))}: " if error.filename else ""
        print(f"\nFailed: {where}{error.strerror}.", file=sys.stderr, flush=True)
        return 1
    except KeyboardInterrupt:
        return 130


def _does(command: str) -> str:
    """What ``command`` does: the first line of what its function says of itself."""
    does = prepare_environment if command == "setup" else globals()[command]
    return str(does.__doc__).partition("\n")[0]


# -- test and check ------------------------------------------------------------------------


def test(arguments: list[str]) -> int:
    """Run pytest over the whole suite, or with ``arguments``; its exit code."""
    if "--quick" not in arguments:
        prepare_npm()
        captured([PYTHON, "-m", "tests.bench.build_all"], cwd=ROOT)  # else each test builds its own
    # Half as many again as there are cores: many tests wait for processes.
    cores = os.cpu_count() or 2
    workers = ["-n", str(max(2, cores * 3 // 2)), "--dist", "worksteal"]
    if any(a.startswith(("-n", "--pdb")) for a in arguments):
        workers = []
    return run([PYTHON, "-m", "tests", *workers, *arguments], cwd=ROOT)


def check() -> int:
    """Run every static check, all of them even when one fails; 1 if any did."""
    commands: tuple[Command, ...] = (
        [BIN / "ruff", "check", "."],
        [BIN / "ruff", "format", "--check", "."],
        [BIN / "mypy"],
        [BIN / "lint-imports"],
        [BIN / "unity-cli", "contracts", "check"],
        [PYTHON, "-m", "channels.manifests", "--check"],
        [PYTHON, ROOT / "tests" / "roslyn_server" / "compiler" / "compile_csharp.py"],
        [PYTHON, "-m", "docs.generator", "--check"],
        [BIN / "mkdocs", "build", "--strict"],
    )
    result = _run_all(commands)
    if result == 0:
        say("All checks passed.")
    return result


def generate() -> int:
    """Write all that is made from the code; 1 if a part of it failed. ``git diff`` shows it."""
    os.environ["WRITE_TRANSCRIPTS"] = "1"
    written_by_tests = ("help_pages", "transcripts", "work_transcripts")
    tests = [ROOT / "tests" / "mcp_server" / "cli" / f"test_{name}.py" for name in written_by_tests]
    commands: tuple[Command, ...] = (
        [BIN / "unity-cli", "contracts", "export", "--quiet"],
        [PYTHON, "-m", "channels.manifests"],
        [PYTHON, "-m", "pytest", "-q", *tests],
        [PYTHON, "-m", "docs.generator"],
        [PYTHON, "-m", "tests.pictures"],
    )
    return _run_all(commands)


def _run_all(commands: tuple[Command, ...]) -> int:
    """Run every command, even when one fails; 1 if any did."""
    failed = [command for command in commands if run(command, cwd=ROOT) != 0]
    for command in failed:
        print(f"Failed: {as_typed(command)}", file=sys.stderr)
    return 1 if failed else 0


def conformance() -> int:
    """Hold the server against MCP's own conformance suite and Inspector; 1 if either objects."""
    prepare_npm(newest=True)
    folder = ROOT / "build" / "conformance"
    runner = ROOT / "tests" / "conformance" / "run_conformance.py"
    return run([PYTHON, runner, folder], cwd=ROOT)


def chaos() -> int:
    """The whole chaos run, over one road and then the other; 1 if any promise was not kept."""
    command: Command = [PYTHON, ROOT / "tests" / "chaos" / "chaos_run.py", "--road"]
    return max(run([*command, road], cwd=ROOT) for road in ("plugin", "pipeline"))


def reloads() -> int:
    """500 reloads on the bench; 1 if any hung or left something behind. Needs Mono."""
    return run([PYTHON, ROOT / "tests" / "bench_scenarios" / "reload_storm.py"], cwd=ROOT)


def windows(arguments: list[str]) -> int:
    """Tests under Wine, with a CPython for Windows; pytest's exit code, 77 if none ran."""
    runner = ROOT / "tests" / "windows" / "run_windows.py"
    return run([PYTHON, runner, ROOT / "build" / "windows", *arguments], cwd=ROOT)


def mutants() -> int:
    """Change the code a little, thousands of times, and see whether a test notices."""
    pip(MUTATION_REQUIREMENT)
    folder = ROOT / "mutants"
    shutil.rmtree(folder, ignore_errors=True)
    run([BIN / "mutmut", "run"], cwd=ROOT)
    return run([PYTHON, ROOT / "tests" / "mutation" / "mutation_table.py", folder], cwd=ROOT)


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
    prepare_environment(MINIMUM_PYTHON, dev=False)
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
    unity_cli = as_typed([BIN / "unity-cli"])
    heading("Done. To go on")
    say(
        f"The project is in {shown_path(project)}: try other edits on it, or on your own project's."
    )
    say(f"  {unity_cli} symbols {as_typed([project / SCRIPT])}")
    say(f"  {unity_cli} --help\n  {unity_cli} doctor --project {as_typed([project])}")
    activate = as_typed([BIN / ("Activate.ps1" if os.name == "nt" else "activate")])
    say(f"unity-cli can be typed without its folder after `. {activate}`.")
    return 0


def _lay_out_project(project: Path) -> None:
    """A small Unity project with a real package's source as its plugin, as nobody has edited it.

    One that is there and was edited is moved aside: the demo itself asks for edits of it.
    """
    say(f"Laying out a Unity project in {shown_path(project)}, with {PACKAGE} got by npm")
    try:
        project.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="demo-", dir=project.parent) as scratch:
            fresh = Path(scratch) / "demo"
            _fill_project(fresh)
            aside = _put_in_place(fresh, project)
    except OSError as error:
        where = shown_path(Path(error.filename or project))
        raise StepError(
            f"{where}: {error.strerror}. See to it that {shown_path(project.parent)} is a folder "
            "that you may write in, then run this again."
        ) from None
    if aside is not None:
        say(f"What was there before was edited, and is in {shown_path(aside)} now")


def _put_in_place(fresh: Path, project: Path) -> Path | None:
    """Make ``fresh`` the project, unless that has the same; where what it had is now, if moved."""
    aside = None
    if os.path.lexists(project):
        if not project.is_symlink() and _readable_contents(project) == _contents(fresh):
            return None
        aside = _free_name(project)
        project.rename(aside)
    fresh.rename(project)
    return aside


def _fill_project(project: Path) -> None:
    """Make the project's files. Raises :class:`StepError`."""
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
    done = captured([PYTHON, fetch, PACKAGE, project / "Assets" / "Plugins" / "UniRx"])
    if done.returncode != 0:
        raise StepError(f"{tail(done).strip()}\n{NETWORK_HINT}")


def _readable_contents(project: Path) -> dict[str, str]:
    """:func:`_contents`. Raises :class:`StepError` for a file that can't be read."""
    try:
        return _contents(project)
    except OSError as error:
        where = shown_path(Path(error.filename or project))
        raise StepError(
            f"{where} can't be read: {error.strerror}. Make it readable, or move "
            f"{shown_path(project)} away, then run this again."
        ) from None


def _contents(project: Path) -> dict[str, str]:
    """The files below ``project`` with their hashes, and what is neither file nor folder; not what
    edits keep of themselves."""
    kept = {project / "Library" / "SnippetEngine", project / ".unity-snippet"}
    return {
        str(each.relative_to(project)): _sha256(each) if each.is_file() else ""
        for each in (project, *project.rglob("*"))
        if not each.is_dir() and kept.isdisjoint(each.parents)
    }


def _free_name(project: Path) -> Path:
    """A name beside ``project`` that nothing has yet."""
    names = (project.with_name(f"{project.name}-{number}") for number in itertools.count(1))
    return next(name for name in names if not os.path.lexists(name))


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
        "--verbose",
        "--json",
        shown,
    ]
    print(f"$ {as_typed(command)}", flush=True)
    done = captured(command)
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
        say(f"SHA-256 of {shown_path(file)}: {found}")
        return found
    print(f"$ {as_typed(['sha256sum', file])}", flush=True)
    done = captured([program, file])
    print(done.stdout, end="", flush=True)
    digest: str = done.stdout.lstrip("\\").split(" ", 1)[0]
    return digest


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise StepError(f"This must not happen: {otherwise}. Please report it.")


def _told(arguments: list[str]) -> int:
    """:func:`main`, quiet where nobody reads any more what it prints (``| head``)."""
    try:
        try:
            return main(arguments)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):  # which Python flushes once more at its end
            os.dup2(nowhere, stream.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(_told(sys.argv[1:]))
