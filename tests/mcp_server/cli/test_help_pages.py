"""Every command: its help page, whose examples exist, and values that its options refuse."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from terminal import run_on_terminal
from this_system import needs_posix
from transcript import hold_against, run_here

from mcp_server.cli.command_table import COMMANDS
from mcp_server.cli.entry import cli


def commands(
    command: click.Command = cli, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command and group, with the words that lead to it."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands(inner, (*path, name))


PAGES = [
    pytest.param(path, command, id=" ".join(path) or "unity-cli") for path, command in commands()
]


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for variable in ("UNITY_CLI_URL", "UNITY_CLI_PORT", "UNITY_CLI_TOKEN", "UNITY_CLI_LSP"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize(("path", "command"), PAGES)
def test_the_page_and_its_examples_which_can_be_typed(
    path: tuple[str, ...], command: click.Command, capsys: pytest.CaptureFixture[str]
) -> None:
    code, page, errors = run_here(capsys, *path, "--help")
    assert (code, errors) == (0, "")
    assert max(map(len, page.splitlines())) <= 80
    hold_against(f"help/{'-'.join(path) or 'unity-cli'}.txt", page)
    assert command.help is not None
    examples = re.findall(r"^ +unity-cli (.*)$", command.help, re.MULTILINE)
    assert examples, f"{' '.join(path)}: no example"
    for example in examples:
        _parse(shlex.split(re.split(r" (?:<|>|2>|\||&&) ", example)[0]))


def _parse(words: list[str]) -> None:
    """Let click read the words of a command without running it."""
    context = cli.make_context("unity-cli", words)
    while isinstance(context.command, click.Group):
        name, command, rest = context.command.resolve_command(
            context, [*context._protected_args, *context.args]
        )
        assert command is not None
        context = command.make_context(name, rest, parent=context)


def test_the_overview_has_each_command_once_in_a_section(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, page, _ = run_here(capsys, "--help")
    listed = page.partition("\nOptions:")[0].partition("\nScripts:")[2]
    assert sorted(re.findall(r"^  (\w+) ", listed, re.MULTILINE)) == sorted(COMMANDS)


@needs_posix
@pytest.mark.parametrize("no_color", [{}, {"NO_COLOR": "1"}])
def test_on_a_terminal_a_page_is_coloured_and_as_wide(
    no_project: Path, no_color: dict[str, str]
) -> None:
    _, page, _ = run_on_terminal("edit", "--help", cwd=no_project, **no_color)  # of 120 columns
    assert ("\x1b[1mOptions\x1b[0m" in page) is (not no_color)
    assert ("\x1b[36m--apply" in page) is (not no_color)
    assert 100 < max(len(line) for line in re.sub(r"\x1b\[\d+m", "", page).splitlines()) <= 120


# -- values that are none --------------------------------------------------------------------------

NO_NUMBERS = ("inf", "-inf", "nan", "1e300", "1e10", "0", "-1", "five", "")


def given(words: tuple[str, ...], parameter: click.Parameter, value: str) -> tuple[str, ...]:
    if isinstance(parameter, click.Option):
        return (*words, f"{parameter.opts[0]}={value}")
    return (*words, value)


PARAMETERS = [(words, each) for words, command in commands() for each in command.params]
PATHS = [each for each in PARAMETERS if isinstance(each[1].type, click.Path)]
NUMBERS = [each for each in PARAMETERS if isinstance(each[1].type, click.types.FloatParamType)] + [
    each for each in PARAMETERS if isinstance(each[1].type, click.types.IntParamType)
]


def name_of(case: tuple[tuple[str, ...], click.Parameter]) -> str:
    return " ".join((*case[0], case[1].opts[0]))


@pytest.mark.parametrize("case", PATHS, ids=name_of)
def test_an_empty_path_is_not_the_working_folder(
    case: tuple[tuple[str, ...], click.Parameter],
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(project)
    before = sorted(project.rglob("*"))
    code, out, err = run_here(capsys, *given(*case, ""))
    assert (code, out) == (2, "")
    assert "it is empty (a variable that isn't set?)" in err
    assert sorted(project.rglob("*")) == before


@pytest.mark.parametrize("case", NUMBERS, ids=name_of)
def test_what_is_no_number_in_the_range_is_refused(
    case: tuple[tuple[str, ...], click.Parameter], capsys: pytest.CaptureFixture[str]
) -> None:
    for value in NO_NUMBERS:
        code, out, err = run_here(capsys, *given(*case, value))
        assert (code, out) == (2, ""), value
        assert case[1].opts[0] in err, value


def test_there_are_such_parameters() -> None:
    assert {name_of(each) for each in PATHS} >= {
        "--project",
        "apply paths",
        "lint paths",
        "batch source",
        "tool call --params-file",
        "client install --token-file",
        "plugin install --project",
    }
    assert {name_of(each) for each in NUMBERS} >= {"doctor --timeout", "lint --jobs"}
