"""Values that are none, for every option and argument that takes a path or a number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from transcript import run_here

from mcp_server.cli.entry import cli

NO_NUMBERS = ("inf", "-inf", "nan", "1e300", "1e10", "0", "-1", "five", "")


def parameters(
    command: click.Command = cli, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Parameter]]:
    """Every parameter of every command, with the words that lead to it."""
    for parameter in command.params:
        yield words, parameter
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from parameters(inner, (*words, name))


def given(words: tuple[str, ...], parameter: click.Parameter, value: str) -> tuple[str, ...]:
    if isinstance(parameter, click.Option):
        return (*words, f"{parameter.opts[0]}={value}")
    return (*words, value)


PATHS = [each for each in parameters() if isinstance(each[1].type, click.Path)]
NUMBERS = [
    each for each in parameters() if isinstance(each[1].type, click.types.FloatParamType)
] + [each for each in parameters() if isinstance(each[1].type, click.types.IntParamType)]


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
