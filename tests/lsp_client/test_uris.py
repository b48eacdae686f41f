"""File URIs are compared by what they name, not by how they are spelled."""

from __future__ import annotations

from pathlib import Path

import pytest
from this_system import needs_posix

from lsp_client.protocol.uris import canonical


@pytest.mark.parametrize(
    "spellings",
    [
        ["file:///c%3A/Game/A.cs", "file:///C:/Game/A.cs", "file:///c:/Game/A.cs"],
        ["file:///C%3a/a%20b.cs", "file:///c:/a b.cs"],
        ["file:///p/%C3%A4.cs", "file:///p/ä.cs", "FILE:///p/%c3%a4.cs"],
        ["file://localhost/p/A.cs", "file:///p/A.cs"],
        ["file:///p/a%28b%29+c.cs", "file:///p/a(b)+c.cs"],
        ["file://SERVER/share/A.cs", "file://server/share/A.cs"],
    ],
)
def test_spellings_of_one_file(spellings: list[str]) -> None:
    assert len({canonical(each) for each in spellings}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:///p/A.cs", "file:///p/a.cs"),
        ("file:///p/a%23b.cs", "file:///p/a.cs"),
        ("file:///p/a%25.cs", "file:///p/a.cs"),
        ("untitled:A", "untitled:a"),
    ],
)
def test_different_files_stay_different(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)


@pytest.mark.parametrize(
    "name", ["A.cs", "a b#c%d?.cs", "ä𝕊.cs", pytest.param("C:x.cs", marks=needs_posix)]
)
def test_what_is_canonical_stays_so(tmp_path: Path, name: str) -> None:
    uri = canonical((tmp_path / name).as_uri())
    assert canonical(uri) == uri == canonical(uri.replace("file:///", "file://localhost/"))
