"""Which scripts the project files list, for servers that load these files."""

from __future__ import annotations

import os
from pathlib import Path

from this_system import needs_fifo

from lsp_client.validator import ProjectFiles

_LISTED = '<Project><ItemGroup><Compile Include="Assets\\A.cs" /></ItemGroup></Project>'


@needs_fifo
def test_a_pipe_in_the_place_of_a_project_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "A.csproj")
    (tmp_path / "B.csproj").write_text(_LISTED, encoding="utf-8")
    files = ProjectFiles(tmp_path)
    assert files.list("Assets/A.cs")
    assert not files.list("Assets/B.cs")


def test_a_project_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "A.csproj"
    files = ProjectFiles(tmp_path)
    for number, text in enumerate(("", "<Project", _LISTED)):
        file.write_text(text, encoding="utf-8")
        os.utime(file, (number, number))
        assert files.list("Assets/A.cs") is (text == _LISTED)
