"""Judge a text that another program writes to a script, without one of our requests."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from snippet_engine.answer.unified_diff import LineDiff, lines_of
from snippet_engine.csharp.document import Document
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import SnippetError
from snippet_engine.single_edit.judging import ScriptJudging
from snippet_engine.source_text import decode
from snippet_engine.storage.paths.project import ScriptPath
from snippet_engine.validation.judge import WholeFile
from snippet_engine.validation.validator import Validator, Verdict


def judge_text(
    judging: ScriptJudging,
    validator: Validator,
    script: ScriptPath,
    before: bytes | None,
    after: bytes,
) -> Verdict | SnippetError:
    """Return the verdict on the errors that ``after`` has and ``before`` doesn't.

    ``before`` is ``None`` for a new file. If it can't be read, the file counts as new. Return an
    error if ``after`` can't be read as C#.
    """
    old = None if before is None else judging.document_of(before, script)
    if not isinstance(old, Document):
        # An unreadable text has no errors to compare with.
        new = judging.document_of(after, script)
        whole = WholeFile(validator)
        return new if isinstance(new, SnippetError) else whole.diagnose(script.relative, new)
    found = compared(judging, old, after)
    if isinstance(found, SnippetError):
        return found
    return validator.validate(script.relative, old, *found)


def compared(
    judging: ScriptJudging, old: Document, after: bytes
) -> tuple[Document, EditSet] | SnippetError:
    """Return ``after`` as C#, and the edits that turn ``old`` into it."""
    source = decode(after)
    if isinstance(source, SnippetError):
        return source
    edits = EditSet(tuple(_differences(old.source.view, source.view)))
    edited = judging.rewritten(old, source, edits)
    return edited if isinstance(edited, SnippetError) else (edited, edits)


def _differences(before: str, after: str) -> Iterator[TextEdit]:
    """Yield the edits that turn ``before`` into ``after``, with as few lines as possible."""
    old, new = lines_of(before), lines_of(after)
    starts = [0, *accumulate(map(len, old))]
    for start, end, new_start, new_end in LineDiff().changes(old, new):
        yield TextEdit(starts[start], starts[end], "".join(new[new_start:new_end]))
