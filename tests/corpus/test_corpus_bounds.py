"""Real files stay far below what bounds the work on a file, whatever is asked of them."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from corpus_documents import documents

from benchmarks.unity_packages import CSharpFile
from snippet_engine import budget
from snippet_engine.csharp.declarations.symbols import are_readable, outline
from snippet_engine.csharp.document import Document
from snippet_engine.csharp.tree.syntax_tree import MAX_WORK
from snippet_engine.errors import SnippetError
from snippet_engine.fixes.explain.plan_or_explain import plan_or_explain
from snippet_engine.fixes.whole_request import offers_for
from snippet_engine.request import EditRequest, parse

_LARGEST = 5
"""Files per package that are asked for: the largest, and as many others."""

_AROUND = 8
"""Lines of context on either side: more than most send."""


@pytest.fixture
def chosen(files: list[CSharpFile]) -> list[CSharpFile]:
    by_size = sorted(files, key=lambda file: (-len(file.data), file.label))
    others = by_size[_LARGEST:]
    return by_size[:_LARGEST] + Random(len(files)).sample(others, min(_LARGEST, len(others)))


def test_no_request_runs_out_of_steps(
    chosen: list[CSharpFile], monkeypatch: pytest.MonkeyPatch, one_in: Callable[[int], int]
) -> None:
    """The largest file of each package, and with --all each chosen one."""
    refused: list[int] = []
    spend = budget.spend

    def watched(steps: int = 1) -> None:
        try:
            spend(steps)
        except budget.OutOfStepsError:
            refused.append(steps)
            raise

    monkeypatch.setattr(budget, "spend", watched)
    for label, document in documents(chosen[:: one_in(10)]):
        for request in _requests(document, Random(label)):
            plan = plan_or_explain(document, request.instructions)
            if isinstance(plan, SnippetError):
                offers_for(document, request, plan, tuple)
            assert not refused, label


def test_trees_and_symbols_of_real_files_are_told(chosen: list[CSharpFile]) -> None:
    for label, document in documents(chosen):
        assert not document.has_too_many_conditions, label
        assert document.is_parsed, label
        assert are_readable(document), label
        outline(document)
        analysis = document.under(document.symbol_sets[0])
        assert 2 * analysis._allowance.left > MAX_WORK, label


def _requests(document: Document, rng: Random) -> Iterator[EditRequest]:
    """Ten edits each: of what stands everywhere, of what stands nowhere, and of both in context."""
    lines = [line for line in document.source.view.split("\n") if line.strip()] or ["class"]
    often = ["}", ";", "(", " ", "{", ")", ",", "\n", "=", "."]
    yield _request([(target, "", "") for target in often])
    some = [rng.randrange(len(lines)) for _ in range(10)]
    around = [
        ("\n".join(lines[max(at - _AROUND, 0) : at]), "\n".join(lines[at + 1 : at + 1 + _AROUND]))
        for at in some
    ]
    yield _request([(lines[at].strip() + "?", "", "") for at in some])
    yield _request([("}", before, f"{after}\n?") for before, after in around])
    sent = zip(some, around, strict=True)
    yield _request([(lines[at].strip(), before, after) for at, (before, after) in sent])


def _request(sent: list[tuple[str, str, str]]) -> EditRequest:
    anchors: list[dict[str, Any]] = [
        {
            "type": "text",
            "target": target[:1500],
            **({"before": before[-3000:]} if before.strip() else {}),
            **({"after": after[:3000]} if after.strip() else {}),
        }
        for target, before, after in sent
    ]
    instructions = [{"operation": "replace", "anchor": each, "newText": "a"} for each in anchors]
    request = parse({"path": "Assets/A.cs", "mode": "preview", "instructions": instructions})
    assert isinstance(request, EditRequest), request
    return request
