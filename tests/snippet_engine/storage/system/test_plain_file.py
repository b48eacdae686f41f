"""What is read as a file: nothing that has to be waited for."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.plain_file import (
    NotARegularFileError,
    UnwrittenPipeError,
    read_given,
    read_plain,
)

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")


def test_a_file_is_read_to_its_end_or_limit(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"one\r\n\x1atwo")
    assert read_plain(file) == b"one\r\n\x1atwo"
    assert read_plain(str(file), 3) == b"one"
    assert read_given(file, 100)[0] == b"one\r\n\x1atwo"
    assert read_given(file, 3)[1].st_size == 9


def test_a_folder_and_nothing_at_all_are_told_as_the_system_does(tmp_path: Path) -> None:
    for read in (read_plain, lambda path: read_given(path, 10)):
        with pytest.raises(PermissionError if os.name == "nt" else IsADirectoryError) as told:
            read(tmp_path)
        assert told.value.filename == str(tmp_path)
        with pytest.raises(FileNotFoundError):
            read(tmp_path / "nothing")


@needs_pipes
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(NotARegularFileError) as told:
        read_plain(pipe)
    assert reason_of(told.value) == "not a regular file"
    with pytest.raises(UnwrittenPipeError) as unwritten:
        read_given(pipe, 10)
    assert reason_of(unwritten.value) == "a pipe without a writer"


@pytest.mark.skipif(os.name == "nt", reason="devices are no files there")
def test_a_device_is_no_file(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("/dev/zero")
    with pytest.raises(NotARegularFileError):
        read_plain(link)


@needs_pipes
def test_a_pipe_that_somebody_writes_to_is_read_to_its_end() -> None:
    """As a shell hands it over: ``<(...)``."""
    reading, writing = os.pipe()

    def write() -> None:
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(b"x" * 200_000)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        data, _ = read_given(f"/dev/fd/{reading}", 1_000_000)
    finally:
        writer.join()
        os.close(reading)
    assert len(data) == 200_000
