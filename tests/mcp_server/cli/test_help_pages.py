"""Every help page: what it says, and that its examples are commands that exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click
import pytest
from transcript import hold_against, run_here

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
def test_the_page(
    path: tuple[str, ...], command: click.Command, capsys: pytest.CaptureFixture[str]
) -> None:
    code, page, errors = run_here(capsys, *path, "--help")
    assert (code, errors) == (0, "")
    assert max(map(len, page.splitlines())) <= 80
    hold_against(f"help/{'-'.join(path) or 'unity-cli'}.txt", page)


@pytest.mark.parametrize(("path", "command"), PAGES)
def test_every_page_has_examples_that_can_be_typed(
    path: tuple[str, ...], command: click.Command
) -> None:
    assert command.help is not None
    examples = re.findall(r"^ +unity-cli (.*)$", command.help, re.MULTILINE)
    assert examples, f"{' '.join(path)}: no example"
    for example in examples:
        words = shlex.split(re.split(r" (?:<|>|2>|\||&&) ", example)[0])
        _parse(words)


def _parse(words: list[str]) -> None:
    """Let click read the words of a command without running it."""
    context = cli.make_context("unity-cli", words)
    while isinstance(context.command, click.Group):
        name, command, rest = context.command.resolve_command(
            context, [*context._protected_args, *context.args]
        )
        assert command is not None
        context = command.make_context(name, rest, parent=context)
