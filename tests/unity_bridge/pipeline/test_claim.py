"""What speaks against a descriptor before its token is shown."""

from __future__ import annotations

import json
import os
import socket
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from unity_bridge.pipeline.claim import CLOCKS_DIFFER_S, Claim, Holder, Seen, doubt
from unity_bridge.pipeline.project_files import Descriptor, NoDescriptor, parse_descriptor

SAID_S = 1_000_000.0
DESCRIPTOR = Descriptor(7801, "secret", 42, "/project", started_s=SAID_S)


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (Seen(True, Holder.ANOTHER), "another process"),
        (Seen(True, Holder.NOBODY), "nothing listens"),
        (Seen(False, Holder.UNKNOWN), "left over"),
        (Seen(False, Holder.PROCESS), "left over"),
        (Seen(True, Holder.UNKNOWN, SAID_S + CLOCKS_DIFFER_S + 1), "newer"),
    ],
)
def test_what_speaks_against_it(seen: Seen, words: str) -> None:
    found = doubt(DESCRIPTOR, seen, ours=True)
    assert found is not None
    assert words in found.reason
    assert found.passing == (seen.holder is Holder.NOBODY)


@pytest.mark.parametrize(
    "seen",
    [
        Seen(True, Holder.PROCESS),
        Seen(None, Holder.UNKNOWN),
        Seen(True, Holder.UNKNOWN, SAID_S - 5),
        # Who listens is known: the clock may have been set since.
        Seen(True, Holder.PROCESS, SAID_S + 7200),
    ],
)
def test_nothing_speaks_against_it(seen: Seen) -> None:
    assert doubt(DESCRIPTOR, seen, ours=True) is None


def test_another_project_s() -> None:
    found = doubt(DESCRIPTOR, Seen(True, Holder.PROCESS), ours=False)
    assert found is not None
    assert "another project" in found.reason


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_process_that_listens_anew(tmp_path: Path) -> None:
    """A reload that was over between two looks."""
    with socket.create_server(("127.0.0.1", 0)) as first:
        port = first.getsockname()[1]
        claim = Claim(Descriptor(port, "secret", os.getpid(), str(tmp_path)), tmp_path)
        assert claim.doubt() is None
        assert claim.holds()
        assert claim.moves == 0
    assert not claim.holds()
    with socket.create_server(("127.0.0.1", port)):
        assert claim.doubt() is None
    claim = Claim(Descriptor(port, "secret", os.getpid(), str(tmp_path)), tmp_path)
    before = socket.create_server(("127.0.0.1", port))
    assert claim.doubt() is None
    before.close()
    with socket.create_server(("127.0.0.1", port)):
        assert claim.holds()
        assert claim.moves == 1


def document(**changed: object) -> bytes:
    whole = {"port": 7800, "evalToken": "t", "pid": 1, "projectPath": "/p", **changed}
    return json.dumps(whole).encode()


@pytest.mark.parametrize("port", [22, 7799, 7850, 8080, True, "7800", None])
def test_a_port_that_is_not_the_package_s(port: object) -> None:
    found = parse_descriptor(document(port=port))
    assert isinstance(found, NoDescriptor)
    assert "7800 to 7849" in found.reason


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ("2026-10-01T08:00:00Z", datetime(2026, 10, 1, 8, tzinfo=UTC).timestamp()),
        ("2026-10-01T10:00:00.5+02:00", datetime(2026, 10, 1, 8, tzinfo=UTC).timestamp() + 0.5),
        ("2026-10-01T08:00:00", None),
        ("yesterday", None),
        (5, None),
        (None, None),
    ],
)
def test_when_it_was_started(told: object, seconds: float | None) -> None:
    found = parse_descriptor(document(startedAt=told))
    assert isinstance(found, Descriptor)
    assert found.started_s == seconds
