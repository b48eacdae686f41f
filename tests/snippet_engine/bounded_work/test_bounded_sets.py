"""What the files of a change set may take together.

Bounds are counted in steps, errors, places and characters, never in time.
"""

from __future__ import annotations

import pytest
from long_code import CODE
from planning import document_of
from script_changes import create, edit, previewed, refused
from unity_project import SCRIPT, UnityProject, replace

from benchmarks.generated_csharp import csharp_of_bytes
from snippet_engine import budget
from snippet_engine.changes import planning
from snippet_engine.csharp import document as documents
from snippet_engine.csharp import document_cache
from snippet_engine.edit_plan import plan
from snippet_engine.errors import ErrorCode
from snippet_engine.single_edit import new_errors
from snippet_engine.source_text import SourceText, decode
from snippet_engine.validation import validator


def test_the_size_of_a_set_is_bound(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many trees as there are files would be made else, each as large as one may be."""
    project.write("class A { int a; }\n")
    small = edit(SCRIPT, replace("int a;", "int b;"))
    most = len(project.read()) + 10
    monkeypatch.setattr(planning, "MAX_SET_BYTES", most)
    previewed(project, small, create("Assets/B.cs", "class B{}\n"))
    error = refused(project, small, create("Assets/B.cs", "class B { }\n"))
    assert error.code is ErrorCode.FILE_TOO_LARGE
    assert error.file == 1
    assert error.details["limit"] == most
    assert "together" in error.message
    monkeypatch.setattr(planning, "MAX_SET_BYTES", 5)
    previewed(project, small)


def test_causes_in_long_texts(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten edits of eight megabytes would be ten verdicts else, and fifty in a change set."""
    project.write("class A { int a; int b; int c; }\n")
    edits = [replace("int a;", "int a"), replace("int b;", "int z;"), replace("int c;", "int c")]
    told = project.refused(*edits)
    assert {each["instruction"] for each in told.details["diagnostics"]} == {0, 2}
    assert new_errors.NOT_ATTRIBUTED not in told.details["validation"]["notChecked"]
    monkeypatch.setattr(new_errors, "MAX_JUDGED", 3 * len(project.read()) - 1)
    error = project.refused(*edits)
    assert [each["line"] for each in error.details["diagnostics"]] == [1, 1]
    assert not any("instruction" in each for each in error.details["diagnostics"])
    assert new_errors.NOT_ATTRIBUTED in error.details["validation"]["notChecked"]
    # Who causes all of them isn't in doubt where there is but one edit.
    assert project.refused(edits[0]).details["diagnostics"][0]["instruction"] == 0


def test_the_files_of_a_set_share_what_one_may_take() -> None:
    sizes = [400_000, 10, 0, 3_000_000]
    parts = planning.parts_of(sizes)
    assert sum(parts) == pytest.approx(1)
    assert sorted(parts) == [parts[2], parts[1], parts[0], parts[3]]
    assert parts[2] == pytest.approx(1 / 8)
    assert planning.parts_of(sizes[::-1]) == parts[::-1]
    assert planning.parts_of([7]) == [1]
    assert planning.parts_of([0, 0]) == [1 / 2, 1 / 2]


def test_offers_are_looked_for_as_long_as_for_one_file() -> None:
    large, small = 3 * plan.SHORT, plan.SHORT // 4
    assert planning.part_for_offers([small], 0, 1) == 1
    assert planning.part_for_offers([small, small], 1, 2) == 1 / 2
    assert planning.part_for_offers([large], 0, 1) == 1
    assert planning.part_for_offers([large, plan.SHORT], 1, 1) == 1 / 4


def test_trees_of_a_set_share_a_cost(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each alone the tree is made. In any order, and asked before or not, the answer is one."""
    for module in (documents, document_cache):
        monkeypatch.setattr(module, "MAX_WORK", 4_000)
    text = CODE.decode()[:30_000].rsplit("\n", 1)[0] + "\n}\n"
    paths = [f"Assets/N{number}.cs" for number in range(20)]
    for number, path in enumerate(paths):
        (project.root / path).write_text(f"// {number}\n{text}", "utf-8")
    one = replace("class C {", "class D {")
    several = [edit(path, one) for path in paths]
    answers = []
    for changes in (several, several[::-1], several[:1], several, several[:2]):
        told = previewed(project, *changes)["validation"]
        answers.append((sorted(told["notChecked"]), told["coverage"]))
    assert answers[0] == answers[1] == answers[3]
    assert validator.NOT_PARSED_IN_SET in answers[0][0]
    assert answers[0][1] == ["brackets"]
    for alone in (answers[2], answers[4]):
        assert alone == (["semantics"], ["brackets", "syntax"])


@pytest.mark.parametrize("is_new", [True, False])
def test_what_the_parser_misreads_is_no_error_of_a_set_without_steps_to_read_it_again(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch, is_new: bool
) -> None:
    """``*((T*)p) = x;`` breaks the tree, and is whole where it is read a second time."""
    for module in (documents, document_cache):
        monkeypatch.setattr(module, "MAX_WORK", 4_000)
    lines = "".join(f"        *((Report*)e->state) = {number};\n" for number in range(30))
    methods = "".join(f"    void M{number}(E* e)\n    {{\n{lines}    }}\n" for number in range(40))
    text = f"unsafe class A\n{{\n{methods}}}\n"
    paths = [f"Assets/N{number}.cs" for number in range(3)]
    changes = [create(path, text) for path in paths]
    if not is_new:
        for path in paths:
            (project.root / path).write_text(text.replace("*((", "Set(("), "utf-8")
        anchor = {"type": "symbol", "symbolPath": "A.M0", "part": "body"}
        one = {"operation": "replace", "anchor": anchor, "newText": lines}
        changes = [edit(path, one) for path in paths]
    alone = previewed(project, changes[0])["validation"]
    assert (alone["notChecked"], alone["coverage"]) == (["semantics"], ["brackets", "syntax"])
    together = previewed(project, *changes)["validation"]
    assert together["notChecked"] == ["semantics", validator.NOT_PARSED_IN_SET]
    assert together["coverage"] == ["brackets"]


@pytest.mark.parametrize("behind", ["", "}"])
def test_a_part_takes_over_what_it_would_make_itself(behind: str) -> None:
    source = decode((csharp_of_bytes(40_000) + behind).encode())
    assert isinstance(source, SourceText)
    alone, known = document_cache.DocumentCache(), document_cache.DocumentCache()
    whole = known.get(source)
    assert whole.is_parsed
    with budget.in_part(1 / 5):
        made, taken = alone.get(source), known.get(source)
    # Only what is whole: how much of the rest is read depends on what it may cost.
    assert (taken.tree() is whole.tree()) == (not behind)
    assert taken is not whole
    assert str(taken.tree().root_node) == str(made.tree().root_node)
    assert taken.scan_errors_under(taken.base) == made.scan_errors_under(made.symbol_sets[0])
    base = made.symbol_sets[0]
    left = made.under(base)._allowance.left
    assert taken.under(base)._allowance.left == left < made.most_work


def test_a_part_makes_no_tree_that_costs_more_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (documents, document_cache):
        monkeypatch.setattr(module, "MAX_WORK", 2_000)
    cache = document_cache.DocumentCache()
    source = document_of(CODE.decode()[:30_000]).source
    assert cache.get(source).is_parsed
    with budget.in_part(1 / 20):
        assert not cache.get(source).is_parsed


def test_a_part_and_the_whole_have_their_own_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (documents, document_cache):
        monkeypatch.setattr(module, "MAX_WORK", 2_000)
    source = document_of(CODE.decode()[:30_000]).source
    cache = document_cache.DocumentCache()
    whole = cache.get(source)
    assert whole.is_parsed
    with budget.in_part(1 / 20):
        part = cache.get(source)
        assert not part.is_parsed
        assert part.most_errors == 100
        assert cache.get(source) is part
    assert cache.get(source) is whole
    small = decode(b"class C { }")
    assert isinstance(small, SourceText)
    with budget.in_part(1 / 20):
        # What it may cost by itself is less than that part.
        assert cache.get(small) is cache.get(small)
        kept = cache.get(small)
    assert cache.get(small) is kept


def test_steps_of_a_part_are_that_part_of_them() -> None:
    with budget.in_part(1 / 4), budget.in_part(1 / 2), budget.sharing(800):
        budget.spend(100)
        with pytest.raises(budget.OutOfStepsError):
            budget.spend()
    with budget.in_part(1 / 4), budget.sharing(800):
        with budget.at_most(400), pytest.raises(budget.OutOfStepsError):
            budget.spend(101)
        budget.spend(200)
    with budget.sharing(800):
        budget.spend(800)
