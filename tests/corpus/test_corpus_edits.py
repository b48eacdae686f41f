"""Small edits of real files: applied exactly, undone exactly, refused when they break the file.

The expected bytes are worked out here on the raw bytes, without the engine's text model.
"""

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from corpus_documents import decoded, number_in_code, opening, statement

from benchmarks.unity_packages import CSharpFile
from snippet_engine.csharp.document import Document
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import BREAKS_CODE, SnippetError

_SAMPLE = 100
"""Files per package."""


@dataclass(frozen=True)
class OnDisk:
    """A corpus file as a script of a project."""

    label: str
    path: str
    script: Path
    document: Document
    rng: Random


@dataclass(frozen=True)
class Sample:
    """Some of a package's files in a project, and an engine on it."""

    engine: SnippetEngine
    scripts: list[OnDisk]


@pytest.fixture
def sample(files: list[CSharpFile], tmp_path: Path) -> Sample:
    utf8 = [file for file in files if decoded(file).encoding.codec == "utf-8"]
    chosen = Random(len(files)).sample(utf8, min(_SAMPLE, len(utf8)))
    scripts = []
    for number, file in enumerate(chosen):
        path = f"Assets/Corpus/{number}/{Path(file.label).name}"
        script = tmp_path / path
        script.parent.mkdir(parents=True)
        script.write_bytes(file.data)
        document = DocumentCache().get(decoded(file))
        scripts.append(OnDisk(file.label, path, script, document, Random(file.label)))
    engine = SnippetEngine.open(tmp_path)
    assert isinstance(engine, SnippetEngine)
    return Sample(engine, scripts)


def replace(target: str, new_text: str) -> dict[str, Any]:
    anchor = {"type": "text", "target": target}
    return {"operation": "replace", "anchor": anchor, "newText": new_text}


def check_applied_and_undone(
    engine: SnippetEngine, on_disk: OnDisk, instruction: dict[str, Any], expected: bytes
) -> None:
    before = on_disk.script.read_bytes()
    request = {"path": on_disk.path, "instructions": [instruction]}

    preview = engine.edit_snippet({**request, "mode": "preview"})
    assert not isinstance(preview, SnippetError), (on_disk.label, instruction, preview)
    assert preview["status"] == "previewed"
    assert on_disk.script.read_bytes() == before, on_disk.label

    applied = engine.edit_snippet({**request, "mode": "apply"})
    assert not isinstance(applied, SnippetError), (on_disk.label, instruction, applied)
    assert on_disk.script.read_bytes() == expected, (on_disk.label, instruction)
    assert applied["hashAfter"] == preview["hashAfter"]

    undone = engine.undo_snippet({"path": on_disk.path, "hashAfter": applied["hashAfter"]})
    assert not isinstance(undone, SnippetError), (on_disk.label, undone)
    assert on_disk.script.read_bytes() == before, on_disk.label


def test_changed_numbers_are_applied_and_undone(sample: Sample) -> None:
    edited = 0
    for each in sample.scripts:
        found = number_in_code(each.document, each.rng)
        if found is None:
            continue
        edited += 1
        line, number = found
        within = number.start - line.start
        changed = line.text[:within] + "4077" + line.text[within + len(number.text) :]
        before = each.script.read_bytes()
        expected = before.replace(line.text.encode(), changed.encode())
        check_applied_and_undone(sample.engine, each, replace(line.text, changed), expected)
    assert edited > 0


def goes_on(above: bytes, indentation: bytes) -> bool:
    """Whether a line so indented belongs to what began above: what follows has another level."""
    last = above.rstrip().rpartition(b"\n")[2]
    outer = last[: len(last) - len(last.lstrip())]
    return len(outer) < len(indentation) and not last.endswith((b"{", b":"))


def test_inserted_lines_are_applied_and_undone(sample: Sample) -> None:
    edited = 0
    for each in sample.scripts:
        place = statement(each.document, each.rng)
        if place is None:
            continue
        before = each.script.read_bytes()
        start = before.index(place.text.encode())
        end = before.index(b"\n", start) + 1
        ending = b"\r\n" if before[end - 2 : end] == b"\r\n" else b"\n"
        indentation = before[before.rindex(b"\n", 0, start) + 1 : start]
        if goes_on(before[: start - len(indentation)], indentation):
            continue
        edited += 1
        inserted = indentation + b"// inserted" + ending
        expected = before[:end] + inserted + before[end:]
        instruction = {
            "operation": "insert",
            "anchor": {"type": "text", "target": place.text, "position": "line_after"},
            "newText": "// inserted",
        }
        check_applied_and_undone(sample.engine, each, instruction, expected)
    assert edited > 0


def test_an_opening_brace_cannot_be_taken_out(sample: Sample) -> None:
    refused = 0
    for each in sample.scripts:
        found = opening(each.document, each.rng)
        if found is None:
            continue
        refused += 1
        place, without_brace = found
        before = each.script.read_bytes()
        instruction = replace(place.text, without_brace)
        answer = sample.engine.edit_snippet(
            {"path": each.path, "mode": "apply", "instructions": [instruction]}
        )
        assert isinstance(answer, SnippetError), (each.label, place.text)
        assert answer.code in BREAKS_CODE, (each.label, place.text, answer)
        assert each.script.read_bytes() == before, each.label
    assert refused > 0
