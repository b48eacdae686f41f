"""What each client's hook sends is read, and what it gets satisfies that client's schema.

The samples are our own, in the shapes that the clients document. No client was run.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_server.guard.clients.adapter import MAX_ID, MAX_TEXT, Adapter, parse_payload, posix_command
from mcp_server.guard.clients.table import ADAPTERS, adapter_named
from mcp_server.guard.events import (
    SILENT,
    GuardAnswer,
    GuardEvent,
    Moment,
    Patch,
    Replace,
    Replacement,
    Reply,
    Touched,
    Whole,
)

ROOT = Path(__file__).parents[4]
SAMPLES = sorted((ROOT / "tests/fixtures/guard").glob("*/*.json"))
NAMES = [f"{each.parent.name}/{each.stem}" for each in SAMPLES]
EXIT_2 = {("windsurf", Moment.BEFORE), ("kiro", Moment.BEFORE)}
UNHEARD = {"cursor/after-file-edit", "windsurf/after-write", "windsurf/after-shell"}

REPLACED = Replacement("hp = 1", "hp = 2")
EVERYWHERE = Replacement("hp = 1", "hp = 2", everywhere=True)
WRITTEN = {  # by the sample's name; a plain edit otherwise
    "before-edit-everywhere": [Replace("Player.cs", (EVERYWHERE,))],
    "before-replace-everywhere": [Replace("Player.cs", (EVERYWHERE,))],
    "before-multi-edit": [
        Replace("Player.cs", (Replacement("a", "b"), Replacement("c", "d", everywhere=True)))
    ],
    "before-replace-in-several": [
        Replace("Player.cs", (REPLACED,)),
        Replace("Enemy.cs", (REPLACED,)),
    ],
    "before-insert": [Touched("Player.cs")],
    "before-append": [Touched("Player.cs")],
    "before-delete": [Touched("Player.cs")],
    "before-files": [Touched("Player.cs")],
}
OF_OPENCODE = {"after-edit": [Replace("Player.cs", (EVERYWHERE,))]}


def sample(name: str) -> dict[str, Any]:
    text = (ROOT / f"tests/fixtures/guard/{name}.json").read_text(encoding="utf-8")
    payload: dict[str, Any] = json.loads(text)
    return payload


def read(name: str) -> tuple[Adapter, GuardEvent]:
    adapter = ADAPTERS[name.partition("/")[0]]
    event = adapter.read(sample(name))
    assert event is not None
    return adapter, event


def expected_writes(client: str, stem: str) -> list[Any]:
    if stem.endswith(("shell", "bash", "read")) or stem.startswith(("stop", "start")):
        return []
    if client == "opencode" and stem in OF_OPENCODE:
        return OF_OPENCODE[stem]
    if stem in WRITTEN:
        return WRITTEN[stem]
    if "patch" in stem:
        return [Patch]
    if stem.endswith(("write", "create", "windows")) and client != "windsurf":
        return [Whole("Player.cs", "class Player {}\n")]
    edit = Replacement("hp = 1\n", "hp = 2\n") if client == "cline" else REPLACED
    return [Replace("Player.cs", (edit,))]


def by_name(write: Any) -> Any:
    """The write, with the last part of its path."""
    if isinstance(write, Patch):
        assert "*** Update File: Assets/Player.cs" in write.text
        return Patch
    last = write.path.rpartition("/")[2]
    if isinstance(write, Replace):
        return Replace(last, write.edits)
    return Whole(last, write.text) if isinstance(write, Whole) else Touched(last)


def test_every_client_has_samples_of_all_its_moments() -> None:
    assert {each.parent.name for each in SAMPLES} == set(ADAPTERS)
    for name, adapter in ADAPTERS.items():
        seen = {read(each)[1].moment for each in NAMES if each.startswith(f"{name}/")}
        assert seen == set(adapter.events.values()), name


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_read(name: str) -> None:
    client, _, stem = name.partition("/")
    _, event = read(name)
    assert event.client == client
    assert event.moment.value == stem.partition("-")[0]
    assert event.session == "s1"
    assert event.cwd == (
        "" if client == "windsurf" else "c:/game" if "windows" in stem else "/game"
    )
    assert [by_name(each) for each in event.writes] == expected_writes(client, stem)
    assert all(
        not each.path.startswith("/c:") for each in event.writes if not isinstance(each, Patch)
    )
    assert event.may_write_anything == stem.endswith(("shell", "bash"))
    assert event.stopped_before == stem.startswith("stop-a")
    assert event.is_answer_read == (name not in UNHEARD)


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_sent_in_the_name_of_another_client_is_left_alone(name: str) -> None:
    own, imports = name.partition("/")[0], {"claude-code": {"cursor", "vscode", "copilot-cli"}}
    imports |= {"copilot-cli": {"vscode"}, "vscode": {"copilot-cli"}}
    for other, senders in imports.items():
        if own in senders and not (name == "copilot-cli/start" and other == "vscode"):
            assert ADAPTERS[other].read(sample(name)) is None, other


@pytest.mark.parametrize("text", ["x", "a\nb \"c\" 'd' \\ é 漢 \ud800 \x00", "y" * 20_000])
@pytest.mark.parametrize("name", NAMES)
def test_what_goes_out_satisfies_the_schema_of_the_client(name: str, text: str) -> None:
    adapter, event = read(name)
    schema = json.loads(
        (ROOT / f"contracts/guard/{adapter.name}.answer.schema.json").read_text(encoding="utf-8")
    )
    jsonschema.Draft202012Validator.check_schema(schema)
    for kind in ("refuse", "tell", "block"):
        answer = GuardAnswer(**{kind: text})
        reply = adapter.reply(event, answer)
        moment = event.moment.value
        if reply == Reply():
            assert not event.is_answer_read or (event.moment, kind) not in adapter.replies
            assert adapter.body(event, answer) == "{}"
            continue
        assert reply.exit_code == (2 if (adapter.name, event.moment) in EXIT_2 else 0)
        assert bool(reply.stdout) != bool(reply.stderr)
        assert bool(reply.stderr) == (reply.exit_code == 2)
        said: Any = reply.stderr or reply.stdout
        said.encode()
        if adapter.name not in ("windsurf", "kiro"):
            said = json.loads(said)
            assert json.loads(adapter.body(event, answer)) == said
        jsonschema.validate(said, {**schema, "$ref": f"#/$defs/{moment}"})
        assert text[:8_000].replace("\ud800", "?").rstrip("\n") in _texts(said)
    assert adapter.reply(event, SILENT) == adapter.reply(None, GuardAnswer(refuse="x")) == Reply()


def _texts(said: Any) -> str:
    if isinstance(said, dict):
        return "\n".join(map(_texts, said.values()))
    return str(said)


def test_every_refusal_blocks_and_every_stop_goes_on_where_the_client_can() -> None:
    can_stop = {name for name, each in ADAPTERS.items() if (Moment.STOP, "block") in each.replies}
    assert can_stop == {"claude-code", "codex", "cursor", "gemini-cli", "copilot-cli", "vscode"}
    assert all((Moment.BEFORE, "refuse") in each.replies for each in ADAPTERS.values())


def test_an_id_is_kept_in_bounded_length_and_stays_its_own() -> None:
    def session(name: str) -> str:
        payload = {"hook_event_name": "Stop", "session_id": name, "cwd": "/game"}
        event = ADAPTERS["claude-code"].read(payload)
        assert event is not None
        return event.session

    assert session("s1") == "s1"
    long, other = session("x" * 3_000_000), session("x" * 2_999_999 + "y")
    assert max(len(long), len(other)) <= MAX_ID
    assert long != other


def test_a_long_text_is_cut() -> None:
    adapter, event = read("kiro/after-replace")
    assert len(adapter.reply(event, GuardAnswer(tell="y" * 20_000)).stdout) == MAX_TEXT + 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_broken_payload_is_never_an_exception(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(NAMES))
    payload: Any = sample(name)
    for _ in range(data.draw(st.integers(1, 3))):
        place = payload
        while isinstance(place, dict) and place:
            key = data.draw(st.sampled_from(sorted(place)))
            if not isinstance(place[key], dict) or data.draw(st.booleans()):
                place[key] = data.draw(JSON)
                break
            place = place[key]
    for adapter in ADAPTERS.values():
        event = adapter.read(payload)
        assert event is None or isinstance(event, GuardEvent)
        adapter.reply(event, GuardAnswer(refuse="no"))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60) | JSON.map(lambda each: json.dumps(each).encode()))
def test_any_bytes_get_the_empty_answer(data: bytes) -> None:
    for adapter in ADAPTERS.values():
        event = adapter.read(parse_payload(data))
        assert event is None or event.writes == ()
        assert adapter.reply(event, SILENT) == Reply()


@pytest.mark.parametrize("data", [b"[" * 100_000, b"\xff\xfe", b"", b"\xef\xbb\xbf{}", b'{"a": 1'])
def test_bytes_that_are_no_event(data: bytes) -> None:
    assert all(each.read(parse_payload(data)) is None for each in ADAPTERS.values())


def test_raw_control_characters_are_read() -> None:
    data = json.dumps(sample("windsurf/before-write")).replace("hp = 1", "hp\t=\n1").encode()
    event = ADAPTERS["windsurf"].read(parse_payload(data))
    assert event is not None
    assert event.writes == (
        Replace("/game/Assets/Player.cs", (Replacement("hp\t=\n1", "hp = 2"),)),
    )


def test_a_client_has_two_names() -> None:
    assert adapter_named("gemini") is ADAPTERS["gemini-cli"]
    assert adapter_named("copilot") is ADAPTERS["copilot-cli"]
    assert adapter_named("nobody") is None


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell runs it")
@pytest.mark.parametrize("name", ["codex", "cursor", "kiro", "windsurf"])
def test_a_missing_program_harms_nothing_and_a_refusal_gets_through(
    name: str, tmp_path: Path
) -> None:
    installed = json.dumps(ADAPTERS[name].files[0].content)
    assert json.dumps(posix_command(name)) in installed
    shell = ["/bin/sh", "-c", posix_command(name)]
    tools = {"PATH": str(tmp_path)}
    (tmp_path / "sh").symlink_to("/bin/sh")
    done = subprocess.run(shell, env=tools, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    program = tmp_path / "unity-cli"
    program.write_text('#!/bin/sh\necho "$*"\necho why >&2\nexit 2\n')
    program.chmod(0o755)
    done = subprocess.run(shell, env=tools, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, f"hook {name}\n".encode(), b"why\n")


def test_a_command_that_is_no_text_is_none() -> None:
    payload: Any = sample("kiro/before-write")
    payload["tool_input"]["command"] = []
    event = ADAPTERS["kiro"].read(payload)
    assert event is not None
    assert len(event.writes) == 1
