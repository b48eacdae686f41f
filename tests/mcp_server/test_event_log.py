"""Log lines: one an event, readable by people or machines."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

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
