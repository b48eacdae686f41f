"""Which compiler judges, and whether Unity's own is known to be older."""

from __future__ import annotations

import pytest

from roslyn_server.toolchains.judging_compiler import JudgingCompiler


@pytest.mark.parametrize(
    ("version", "editor", "own", "older"),
    [
        ("4.8.0", "2021.3.14f1", "", 3),
        ("4.8.0", "2020.3.1f1", "", 2),
        ("4.8.0", "2022.3.62f1", "", None),
        ("5.9.0", "2022.3.62f1", "", 4),
        ("5.9.0", "6000.0.23f1", "", 4),
        ("5.9.0", "6000.7.0b4", "", None),
        ("5.9.0", "7000.1.0f1", "", None),
        ("3.9.0", "2021.3.14f1", "", None),
        ("4.8.0", "2021.3.14f1", "2021.3.14f1", None),  # somebody put another one in there
        ("4.8.0", "2021.3.14f1", "2022.3.62f1", 3),
        ("4.8.0", "", "", None),
        ("", "2021.3.14f1", "", None),
    ],
)
def test_unitys_own_is_older_where_that_is_known(
    version: str, editor: str, own: str, older: int | None
) -> None:
    assert JudgingCompiler(version, "", own).unitys_older(editor) == older
