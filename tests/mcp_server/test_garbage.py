"""When garbage is looked for: not while a server loads, seldom in a command, and then as usual."""

from __future__ import annotations

from pathlib import Path

from running_server import free_port, run_python

_COUNTED = """
import gc, sys
looked = []
gc.callbacks.append(lambda phase, _: looked.append(phase))
"""


def told_by(program: str, *arguments: str, cwd: Path) -> str:
    """What ``program`` prints, in a process of its own: what is frozen in this one would stay."""
    done = run_python(_COUNTED + program, *arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def test_a_server_looks_for_none_while_it_loads(no_project: Path) -> None:
    program = """
import signal
from mcp_server import garbage
from mcp_server.cli import main
from mcp_server.cli.commands import serve_command

def later(done=garbage.pause_collection):
    looked.clear()
    done()

def from_here(done=garbage.resume_collection):
    said.append(len(looked))
    done()

def announced(config, *_args, **_more):
    usual = gc.isenabled() and gc.get_threshold()[0] < 10_000
    print(said[0], usual, gc.get_freeze_count() > 10_000)
    signal.raise_signal(signal.SIGTERM)

said = []
serve_command.pause_collection, garbage.resume_collection = later, from_here
serve_command._announce = announced
main(["serve", "--lsp", "off", "--port", sys.argv[1]])
"""
    told = told_by(program, str(free_port()), cwd=no_project)
    assert told == "0 True True"


def test_a_command_hardly_looks_for_any(no_project: Path) -> None:
    program = """
from mcp_server.cli import main
looked.clear()
try:
    main(["tool", "list"])
finally:
    print(len(looked))
"""
    assert told_by(program, cwd=no_project) == "0"
