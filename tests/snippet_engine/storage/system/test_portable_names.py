"""Names that Windows can't have: docs/design/systems.md "Names"."""

from __future__ import annotations

import sys

import pytest
from answered import refusal

from snippet_engine.errors import SnippetError
from snippet_engine.storage.paths.request_path import parse_request_path
from snippet_engine.storage.system.names import why_not_on_windows


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("CON", "for a device (CON)"),
        ("con.cs", "for a device (con)"),
        ("NUL.Player.cs", "for a device (NUL)"),
        ("aux .cs", "for a device (aux)"),
        ("COM1.cs", "for a device"),
        ("lpt².cs", "for a device"),
        ("CONIN$", "for a device"),
        ("Old.", "ends in a dot"),
        ("...", "ends in a dot"),
        ("Old ", "ends in a space"),
        ("Player.cs:stream.cs", "has : in a name"),
        ("List<T>.cs", "has < in a name"),
        ("Why?.cs", "has ? in a name"),
    ],
)
def test_what_windows_can_t_name(name: str, why: str) -> None:
    assert why in (why_not_on_windows(name) or "")


@pytest.mark.parametrize(
    "name", ["Console.cs", "Nullable.cs", "COM.cs", "COM10.cs", "Aux_.cs", ".hidden", "a b.cs", "ä"]
)
def test_what_it_can(name: str) -> None:
    assert why_not_on_windows(name) is None


def test_on_windows_itself_such_a_path_is_refused_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = ["Assets/NUL.cs", "Assets/Old./A.cs", "Assets/A.cs:b.cs", "Packages/com1/A.cs"]
    monkeypatch.setattr(sys, "platform", "linux")
    assert not [path for path in paths if isinstance(parse_request_path(path, "/"), SnippetError)]
    monkeypatch.setattr(sys, "platform", "win32")
    for path in paths:
        refused = refusal(parse_request_path(path, "C:\\Game"))
        assert "Windows" in refused.message
    assert parse_request_path("Assets/A.cs", "C:\\Game") == ("Assets", "A.cs")
