"""Real Unity scripts as they stand: nothing in them is taken for an error."""

import os
from collections.abc import Iterator
from pathlib import Path

import laid_out
import pytest
from server_session import ServerOn

from benchmarks.unity_packages import PACKAGES, CSharpFile, csharp_files
from roslyn_server.toolchains.packages import FetchError
from roslyn_server.toolchains.pairing import Toolchain
from snippet_engine.source_text import SourceText, decode

pytestmark = pytest.mark.anyio

_SCRIPT = "Assets/Script.cs"


def _scripts() -> Iterator[CSharpFile]:
    for package in PACKAGES:
        try:
            yield from csharp_files(package)
        except FetchError as error:
            if os.environ.get("CI"):
                raise
            pytest.skip(str(error))


async def test_unchanged_scripts_have_no_errors_without_references(
    server_on: ServerOn, tmp_path: Path, roslyn_4_8: Toolchain
) -> None:
    layout = laid_out.unity_6_5(tmp_path / "home", roslyn_4_8)
    root = laid_out.project(tmp_path / "project", layout.editor)
    told: list[str] = []
    async with server_on(layout, root) as session:
        for file in _scripts():
            text = decode(file.data)
            if isinstance(text, SourceText):
                session.set(_SCRIPT, text.view)
                report = await session.pull(_SCRIPT, "syntax")
                told += [
                    f"{file.label}: {each.code}" for each in report.items if each.severity == 1
                ]
    assert told == []
