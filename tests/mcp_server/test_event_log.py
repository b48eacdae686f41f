"""Log lines: one an event, readable by people or machines."""

from __future__ import annotations

import json
import logging
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_server.event_log import LogFormat, configure_logging, log_event


@pytest.fixture(autouse=True)
def _restore_logging() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("mcp_server")
    before = (root.handlers[:], root.level, ours.level)
    yield
    root.handlers[:], level, our_level = before
    root.setLevel(level)
    ours.setLevel(our_level)


def test_json_lines(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(LogFormat.JSON)
    log_event("request_done", tool="edit_snippet", duration_ms=1.5, error=None)
    line = json.loads(capsys.readouterr().err)
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "info",
        "logger": "mcp_server",
        "event": "request_done",
        "tool": "edit_snippet",
        "duration_ms": 1.5,
    }


def test_text_lines_keep_each_value_one_word(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(LogFormat.TEXT)
    log_event("refused", level=logging.WARNING, status=403, reason='a "b"\nc', empty="")
    line = capsys.readouterr().err
    assert line.endswith(' WARNING refused status=403 reason="a \\"b\\"\\nc" empty=""\n')
    assert line.count("\n") == 1


def test_an_event_has_all_that_a_handler_of_others_may_ask_for() -> None:
    told: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.append(self.format(record))

    handler = Handler()
    usual = logging.makeLogRecord({})
    asked = [name for name in vars(usual) if name not in ("msg", "args")]
    handler.setFormatter(
        logging.Formatter("%(asctime)s %(message)s " + " ".join(f"%({name})s" for name in asked))
    )
    ours = logging.getLogger("mcp_server")
    ours.setLevel(logging.INFO)  # A server of another test, that is still there, wants all.
    ours.addHandler(handler)
    try:
        log_event("refused", level=logging.WARNING, status=403)
        log_event("chatter", level=logging.DEBUG)
    finally:
        ours.removeHandler(handler)
    (line,) = told
    assert " refused mcp_server WARNING 30 " in f"{line} "


def test_a_traceback_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(LogFormat.JSON)
    logging.getLogger("mcp_server.x").error("crashed", exc_info=ValueError("why"))
    line = json.loads(capsys.readouterr().err)
    assert line["event"] == "crashed"
    assert "ValueError: why" in line["traceback"]
    configure_logging(LogFormat.TEXT)
    logging.getLogger("mcp_server.x").error("crashed", exc_info=ValueError("why"))
    assert "\nValueError: why\n" in capsys.readouterr().err


def test_libraries_are_heard_only_when_they_warn(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(LogFormat.JSON)
    library = logging.getLogger("some.library")
    library.info("chatter")
    library.warning("trouble with\ntwo lines")
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["event"] == "trouble with\ntwo lines"


def test_a_log_file_stays_short_and_its_users_own(tmp_path: Path) -> None:
    """In a process of its own: its stderr is the file, as of a server in the background."""
    log = tmp_path / "serve.log"
    program = (
        "import os, sys; from pathlib import Path; from mcp_server import event_log;"
        "event_log.MAX_LOG_BYTES = 10_000;"
        "event_log.configure_logging(event_log.LogFormat.TEXT, Path(sys.argv[1]));"
        "[event_log.log_event('event', number=number) for number in range(1_000)];"
        "os.write(2, b'the last words\\n')"
    )
    with log.open("ab") as opened:
        subprocess.run([sys.executable, "-c", program, str(log)], stderr=opened, check=True)
    aside = log.with_name("serve.log.1")
    assert 0 < log.stat().st_size <= 10_200
    assert 10_000 < aside.stat().st_size <= 10_200
    if os.name == "posix":  # on Windows rights are the folder's
        assert stat.S_IMODE(aside.stat().st_mode) == 0o600
    lines = aside.read_text().splitlines() + log.read_text().splitlines()
    assert lines.pop() == "the last words"
    numbers = [int(line.rpartition("=")[2]) for line in lines]
    assert numbers == list(range(numbers[0], 1_000))
