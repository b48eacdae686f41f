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
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
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

from dev_demo import run_demo  # noqa: E402
from dev_environment import (  # noqa: E402
    BIN,
    PYTHON,
    ROOT,
    Command,
    StepError,
    as_typed,
    captured,
    pip,
    prepare_environment,
    prepare_npm,
    run,
    say,
    shown_path,
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
        compile_modules()
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


def compile_modules() -> None:
    """Compile the project's modules, also where Python is not to: tests start it very often."""
    folders = [
        "snippet_engine",
        "lsp_client",
        "unity_bridge",
        "roslyn_server",
        "mcp_server",
        "unity_assets",
    ]
    doubles = ["benchmarks", ROOT / "tests" / "doubles"]
    captured([PYTHON, "-m", "compileall", "-q", *folders, *doubles], cwd=ROOT)


def _does(command: str) -> str:
    """What ``command`` does: the first line of what its function says of itself."""
    does = prepare_environment if command == "setup" else globals()[command]
    return str(does.__doc__).partition("\n")[0]


# -- test and check ------------------------------------------------------------------------


def test(arguments: list[str]) -> int:
    """Run pytest over the whole suite, or with ``arguments``; its exit code."""
    if "--quick" not in arguments:
        prepare_npm()
        prepare_suite(whole=set(arguments) <= {"--all"})
    # Keep bytecode even if it is switched off: rewriting asserts is half of a worker's start.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # Twice as many as there are cores where many tests wait for processes.
    per_core = 1 if "--quick" in arguments else 2
    workers = ["-n", str(per_core * (os.cpu_count() or 1)), "--dist", "worksteal"]
    if any(a.startswith(("-n", "--pdb")) for a in arguments):
        workers = []
    return run([PYTHON, "-m", "tests", *workers, *arguments], cwd=ROOT)


def prepare_suite(*, whole: bool) -> None:
    """Do once what otherwise every worker does: build the bench, compile the tests' modules."""
    most = "tests/snippet_engine"
    parts = ([most], ["tests", f"--ignore={most}"]) if whole else ()
    commands = [["tests.bench.build_all"], *(["tests.compile_tests", *part] for part in parts)]
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda command: captured([PYTHON, "-m", *command], cwd=ROOT), commands))


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


def demo() -> int:
    """Preview, apply, verify and undo one small edit in a real Unity package's source."""
    prepare_environment(MINIMUM_PYTHON, dev=False)
    prepare_npm()
    return run_demo()


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
