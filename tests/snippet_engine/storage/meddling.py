"""What happens in the middle of a write: it is noted, others act, or its writer dies."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from snippet_engine.storage import files, state_folder
from snippet_engine.storage.change_sets import change_journal
from snippet_engine.storage.stores import change_store
from snippet_engine.storage.system import folder

exchange = folder.exchange_names


def before_each_exchange(
    monkeypatch: pytest.MonkeyPatch, *actions: Callable[[], object] | None
) -> None:
    """Do the actions one after the other, each right before an exchange of names."""
    coming = list(actions)

    def exchanged(folder_fd: int, one: str, other: str) -> bool:
        action = coming.pop(0) if coming else None
        if action is not None:
            action()
        return exchange(folder_fd, one, other)

    monkeypatch.setattr(folder, "exchange_names", exchanged)


class DiedError(BaseException):
    """The writer's process is gone."""


@contextmanager
def dying_at(*places: tuple[object, str]) -> Iterator[None]:
    """The writer dies where it comes to any of these functions."""

    def dies(*_: object) -> None:
        raise DiedError

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in places:
            patch.setattr(owner, name, dies)
        with pytest.raises(DiedError):
            yield


def disk_steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is on its way to the disk from now on, what is waited for, and which names change."""
    names: dict[int, str] = {}
    steps: list[str] = []
    open_, exchange, rename_ = os.open, folder.exchange_names, os.replace

    def noted_open(path: str | Path, *args: int, **options: int | None) -> int:
        fd = open_(path, *args, **options)
        names[fd] = Path(path).name
        return fd

    def noted_exchange(folder_fd: int, one: str, other: str) -> bool:
        steps.append(f"rename {one}")
        return exchange(folder_fd, one, other)

    def noted_rename(source: str | Path, target: str | Path, **options: int | None) -> None:
        steps.append(f"rename {Path(source).name}")
        rename_(source, target, **options)

    def noting(step: str) -> Callable[[int], None]:
        return lambda fd: steps.append(f"{step} {names[fd]}")

    monkeypatch.setattr(os, "open", noted_open)
    monkeypatch.setattr(os, "replace", noted_rename)
    monkeypatch.setattr(folder, "exchange_names", noted_exchange)
    monkeypatch.setattr(change_store, "begin_write_out", noting("begin"))
    for module in (change_journal, files, state_folder, folder):
        monkeypatch.setattr(module, "make_durable", noting("wait for"))
    return steps


def waits_for_folder(name: str) -> list[str]:
    """The step of a folder that is brought to the disk; Windows can't."""
    return [f"wait for {name}"] if os.name == "posix" else []
