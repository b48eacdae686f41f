"""What a script held when it was read is learnt, and forgotten."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from watched_scripts import SCRIPT, TEXT

from mcp_server.watcher.known_texts import KnownTexts
from mcp_server.watcher.read_texts import ReadTexts, ScriptFiles
from snippet_engine.errors import SnippetError
from snippet_engine.storage.paths.project import Project
from snippet_engine.storage.stores.outside_changes import OutsideChanges

NEW = TEXT.replace(b"1", b"22")


@pytest.fixture
def texts(root: Path) -> KnownTexts:
    return KnownTexts(root)


@pytest.fixture
def read(root: Path, texts: KnownTexts) -> ReadTexts:
    project = Project.open(root)
    assert not isinstance(project, SnippetError)
    return ReadTexts(project, texts, ScriptFiles(project.root), OutsideChanges(project))


def test_a_hook_that_read_a_script_first_has_its_text(read: ReadTexts, texts: KnownTexts) -> None:
    before_s = time.time() - 10
    read.read_first(SCRIPT)
    read.learn_noted(SCRIPT, NEW, time.time() + 10)
    assert texts.text(SCRIPT) == TEXT, "the hook read it later"
    read.learn_noted(SCRIPT, NEW, before_s)
    assert texts.text(SCRIPT) == NEW
    assert read.differs(SCRIPT)


def test_a_script_that_has_changed_since_is_not_what_a_hook_read(
    read: ReadTexts, texts: KnownTexts
) -> None:
    before_s = time.time() - 10
    read.read_first(SCRIPT)
    read.no_longer_first(SCRIPT)
    read.learn_noted(SCRIPT, NEW, before_s)
    assert texts.text(SCRIPT) == TEXT


def test_a_script_that_is_gone_is_forgotten(root: Path, read: ReadTexts, texts: KnownTexts) -> None:
    read.read_first(SCRIPT)
    (root / SCRIPT).unlink()
    assert read.differs(SCRIPT)
    read.forget(SCRIPT, 5.0)
    assert (texts.get(SCRIPT), read.seen_at(SCRIPT)) == (None, 5.0)
    assert not read.differs(SCRIPT)
