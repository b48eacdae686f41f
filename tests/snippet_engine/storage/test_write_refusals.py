"""What a refused write or undo is told, word for word: docs/design/engine.md §5 and §8."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from snippet_engine.errors import SnippetError
from snippet_engine.source_text import MAX_FILE_BYTES, content_hash
from snippet_engine.storage.os_failure import naming, reason_of, write_failed
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.state_folder import lock_key
from snippet_engine.storage.stores.script_store import ScriptStore, Undone
from snippet_engine.storage.system.file_lock import acquire

NAME = "Assets/Scripts/Player.cs"
TICKET = "0123456789abcdef"


def told(answer: object) -> tuple[str, str, dict[str, Any]]:
    """The code, message and details of a refusal."""
    assert isinstance(answer, SnippetError), answer
    return answer.code.value, answer.message, dict(answer.details)


def read_again(expected: bytes, current: bytes) -> tuple[str, str, dict[str, Any]]:
    message = (
        f"{NAME} changed since it was read; nothing was overwritten. "
        "Read it again, then send the edit for its present text."
    )
    hashes = {"expectedHash": content_hash(expected), "currentHash": content_hash(current)}
    return "stale_file", message, hashes


def apply_all(store: ScriptStore, script: ScriptPath, *contents: bytes) -> None:
    for content in contents:
        assert store.apply(script, script.real.read_bytes(), content) is None


# -- apply and undo ------------------------------------------------------------------------


def test_a_script_that_is_not_what_was_read(store: ScriptStore, player: ScriptPath) -> None:
    now = player.real.read_bytes()
    assert told(store.apply(player, b"something else", b"new")) == read_again(
        b"something else", now
    )


def test_a_script_that_would_be_too_large(store: ScriptStore, player: ScriptPath) -> None:
    size = MAX_FILE_BYTES + 1
    assert told(store.apply(player, b"", b" " * size)) == (
        "file_too_large",
        f"After the edit {NAME} would have {size:,} bytes; the limit is {MAX_FILE_BYTES:,}.",
        {"bytes": size, "limit": MAX_FILE_BYTES},
    )


def test_a_script_that_somebody_else_writes(project: Project, player: ScriptPath) -> None:
    store = ScriptStore(project, lock_timeout_ms=0)
    apply_all(store, player, b"B")
    busy = ("busy", f"{NAME} is being written by another request. Send this one again.", {})
    locks = project.root / "Library/SnippetEngine/locks"
    held = acquire(locks / f"{lock_key(player.canonical)}.lock", 0)
    assert held is not None
    with held:
        assert told(store.apply(player, b"B", b"C")) == busy
        assert told(store.undo(player, content_hash(b"B"))) == busy
        assert told(store.have_landed({player: content_hash(b"B")}, TICKET)) == busy
    assert isinstance(store.undo(player, content_hash(b"B")), Undone)


@pytest.mark.parametrize(
    ("number", "name", "reason"),
    [
        (errno.ENOSPC, "ENOSPC", "the disk is full; free some space"),
        (errno.EDQUOT, "EDQUOT", "the disk quota is used up; free some space"),
        (errno.EFBIG, "EFBIG", "the file would exceed the size that this process may write"),
        (errno.EACCES, "EACCES", "permission denied; check the rights of the folder"),
        (errno.EPERM, "EPERM", "the operation is not permitted; check the rights of the folder"),
        (errno.EROFS, "EROFS", "the file system is read-only"),
        (errno.EIO, "EIO", "the disk reported an input/output error"),
        (99_999, "99999", "x"),
        (None, "0", "no number"),
    ],
)
def test_the_systems_reasons(number: int | None, name: str, reason: str) -> None:
    error = OSError("no number") if number is None else OSError(number, "x", "/an/absolute/path")
    assert told(write_failed(error, "Writing A.cs")) == (
        "write_failed",
        f"Writing A.cs failed: {reason}. Nothing was changed.",
        {"errno": name, "reason": reason},
    )


@pytest.mark.parametrize(
    ("number", "winerror", "name"),
    [(13, 19, "EROFS"), (22, 39, "ENOSPC"), (28, 112, "ENOSPC"), (22, 1117, "EIO")],
)
def test_windows_numbers_tell_more_than_those_of_c(number: int, winerror: int, name: str) -> None:
    class WindowsError(OSError):
        pass

    error = WindowsError(number, "a sentence in some language")
    error.winerror = winerror
    assert write_failed(error, "Writing A.cs").details["errno"] == name
    assert "language" not in write_failed(error, "Writing A.cs").message


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(10061, "Es konnte keine Verbindung hergestellt werden"), "connection refused"),
        (OSError(10054, "Unknown error"), "connection reset by peer"),
        (OSError(10060, ""), "connection timed out"),
        (OSError(errno.ENOENT, "whatever"), os.strerror(errno.ENOENT)),
        (OSError(19999, "no such number"), "no such number"),
        (OSError("text only"), "text only"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_every_number_has_words(error: OSError, said: str) -> None:
    assert reason_of(error) == said


def test_what_was_never_applied_cannot_be_undone(store: ScriptStore, player: ScriptPath) -> None:
    now = content_hash(player.real.read_bytes())
    assert told(store.undo(player, now)) == (
        "invalid_request",
        f"{NAME} can't be undone: no before-image is kept for this hash; it was pruned, or the "
        "change was not made here. Nothing was changed.",
        {"undoable": []},
    )


def test_a_damaged_before_image_is_said_to_be_one(
    store: ScriptStore, player: ScriptPath, root: Path
) -> None:
    apply_all(store, player, b"B")
    (entry,) = (root / "Library/SnippetEngine/history").iterdir()
    entry.write_bytes(entry.read_bytes()[:-1])
    assert told(store.undo(player, content_hash(b"B"))) == (
        "invalid_request",
        f"{NAME} can't be undone: the entry is damaged: Library/SnippetEngine/history/"
        f"*-{entry.name[-16:]}. Nothing was changed.",
        {"undoable": []},
    )


def test_what_to_undo_first_is_named(store: ScriptStore, player: ScriptPath) -> None:
    def undone(hashed: bytes) -> tuple[str, str, list[str]]:
        code, message, details = told(store.undo(player, content_hash(hashed)))
        now = content_hash(player.real.read_bytes())
        undoable = details.pop("undoable")
        assert details == {"expectedHash": content_hash(hashed), "currentHash": now}
        return code, message, undoable

    apply_all(store, player, b"B", b"C", b"D")
    b, c, d = map(content_hash, (b"B", b"C", b"D"))
    again = f"{NAME} was edited again after that apply. Undo"
    order = "first, the newest one at the beginning. In this order:"
    assert undone(b"C") == ("stale_file", f"{again} the newer one {order}", [d, c])
    assert undone(b"B") == ("stale_file", f"{again} the 2 newer ones {order}", [d, c, b])
    unknown = (
        f"No apply to {NAME} with that hashAfter is recorded: it was already undone, pruned, or "
        "made elsewhere."
    )
    assert undone(b"never") == ("stale_file", f"{unknown} For its newest apply, see undoable.", [d])
    player.real.write_bytes(b"saved by hand")
    message = (
        f"{NAME} doesn't have that hash: something else than an apply changed it since, and undo "
        "would lose that. Read it, then revert the unwanted part with edit_snippet."
    )
    assert undone(b"D") == ("stale_file", message, [])
    nothing = f"{unknown} get_history lists what can be undone."
    assert undone(b"never") == ("stale_file", nothing, [])


def test_what_was_undone_is_not_said_to_be_changed_by_something_else(
    store: ScriptStore, player: ScriptPath
) -> None:
    apply_all(store, player, b"B")
    assert not isinstance(store.undo(player, content_hash(b"B")), SnippetError)
    code, message, details = told(store.undo(player, content_hash(b"B")))
    assert (code, details["undoable"]) == ("stale_file", [])
    assert "it was already undone, pruned, or made elsewhere" in message


def test_ten_hashes_are_listed_at_most(store: ScriptStore, player: ScriptPath) -> None:
    contents = [b"%d" % number for number in range(12)]
    apply_all(store, player, *contents)
    _, _, details = told(store.undo(player, content_hash(contents[2])))
    assert details["undoable"] == [content_hash(each) for each in contents[:1:-1]]


# -- whether a write happened --------------------------------------------------------------


def test_a_write_is_told_by_its_ticket_and_by_the_content(
    store: ScriptStore, player: ScriptPath, root: Path
) -> None:
    old = player.real.read_bytes()
    assert store.have_landed({player: content_hash(b"B")}, TICKET) is False
    assert store.apply(player, old, b"B", ticket=TICKET) is None
    assert store.have_landed({player: "another hash"}, TICKET) is True
    assert store.have_landed({player: "another hash"}, "f" * 16) is False
    # The entry may have been pruned since: then the content tells.
    for entry in (root / "Library/SnippetEngine/history").iterdir():
        entry.unlink()
    assert store.have_landed({player: content_hash(b"B")}, TICKET) is True
    player.real.unlink()
    assert store.have_landed({player: content_hash(b"B")}, TICKET) is False


def test_a_damaged_entry_ends_the_list_of_what_can_be_undone(
    store: ScriptStore, player: ScriptPath, root: Path
) -> None:
    apply_all(store, player, b"B", b"C", b"D")
    _, middle, _ = sorted((root / "Library/SnippetEngine/history").iterdir())
    middle.write_bytes(middle.read_bytes()[:-1])
    _, _, details = told(store.undo(player, content_hash(b"never")))
    assert details["undoable"] == [content_hash(b"D")]


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM])
def test_a_refusal_for_want_of_rights_names_the_folder(number: int, tmp_path: Path) -> None:
    error = OSError(number, "x", "/an/absolute/path")
    told_of = write_failed(error, "Writing Assets/Core/A.cs", "Assets/Core/A.cs")
    assert "check the rights of the file and its folder Assets/Core. Nothing" in told_of.message
    error = OSError(number, "x", str(tmp_path / "Library" / "SnippetEngine" / "locks" / "a"))
    told_of = write_failed(error, "Writing Assets/Core/A.cs", "Assets/Core/A.cs")
    assert "check the rights of the folder Library/SnippetEngine/locks. " in told_of.message
    with pytest.raises(PermissionError) as several, naming("Assets/B.cs"):
        raise PermissionError(number, "x")
    told_of = write_failed(several.value, "Writing the change set")
    assert "Assets/B.cs: " in told_of.message
    assert "check the rights of the file and its folder Assets. " in told_of.message
    with pytest.raises(PermissionError) as made, naming("Assets/New", is_folder=True):
        raise PermissionError(number, "x")
    told_of = write_failed(made.value, "Writing the change set")
    assert "Assets/New: " in told_of.message
    assert "check the rights of the folder Assets. " in told_of.message
