"""What an edit broke is told where it is, however little of the tree was looked at."""

import pytest
from validating import new_errors, source_of

from snippet_engine.csharp.document import Document
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.validation.embedded.embedded_validator import EmbeddedValidator

TEXT = """class C
{
    void M()
    {
        if (a)
            Go();
        Stop();
    }

    int first;

    void N()
    {
        do
            Go();
        while (a);
        var x = new B { C = 1 };
    }
}
"""

BREAKING = [
    ("Stop();", "Stop()"),
    ("Go();\n        Stop", "Go()\n        Stop"),
    ("int first;", "int first = ;"),
    ("int first;", "Stop() int first;"),
    ("{ C = 1 };", "{ C = };"),
    ("        while (a);\n", ""),
    ("void N()", "void N"),
    ("class C", "class C :"),
]


@pytest.mark.parametrize(("old", "new"), BREAKING)
def test_it_is_told_near_the_edit(old: str, new: str) -> None:
    found = new_errors(TEXT, TEXT.replace(old, new, 1))
    assert found
    line = TEXT[: TEXT.index(old)].count("\n")
    assert abs(found[0].position.line - line) <= 2, found


@pytest.mark.parametrize(("old", "new"), BREAKING)
def test_it_is_the_same_when_nothing_is_known(old: str, new: str) -> None:
    edited = TEXT.replace(old, new, 1)
    edits = EditSet((TextEdit(0, len(TEXT), edited).trimmed(TEXT),))
    anew = Document(source_of(TEXT)), Document(source_of(edited))
    cold = EmbeddedValidator().validate("Assets/C.cs", *anew, edits)
    assert cold.diagnostics == new_errors(TEXT, edited)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("            Go();\n        Stop", "        Stop"),
        ("        Stop();\n", "        else\n            Stop();\n"),
        ("        if (a)\n", "        if (a)\n            if (b)\n"),
        ("int first;", "[A]"),
    ],
)
def test_what_its_neighbours_make_whole_is_taken(old: str, new: str) -> None:
    assert not new_errors(TEXT, TEXT.replace(old, new, 1))
