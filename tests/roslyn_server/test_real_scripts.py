"""Real Unity scripts as they stand: nothing in them is taken for an error."""

import os
from pathlib import Path

import laid_out
import pytest
from server_session import ServerOn

from benchmarks.unity_packages import PACKAGES, CSharpFile, csharp_files
from roslyn_server.packages import FetchError, NpmPackage
from roslyn_server.toolchain import Toolchain
from snippet_engine.source_text import SourceText, decode

pytestmark = pytest.mark.anyio


def _files(package: NpmPackage) -> list[CSharpFile]:
    try:
        return list(csharp_files(package))
    except FetchError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
async def test_unchanged_scripts_have_no_errors_without_references(
    package: NpmPackage, server_on: ServerOn, tmp_path: Path, roslyn_4_8: Toolchain
) -> None:
    layout = laid_out.unity_6_5(tmp_path / "home", roslyn_4_8)
    root = laid_out.project(tmp_path / "project", layout.editor)
    told: dict[str, list[str]] = {}
    async with server_on(layout, root) as session:
        for file in _files(package):
            text = decode(file.data)
            if isinstance(text, SourceText):
                ids = await session.ids("Assets/Script.cs", text.view)
                told.update({file.label: ids} if ids else {})
    assert told == {}
