"""A change beside a mistake: where what the file has otherwise goes, or that nobody can tell."""

from __future__ import annotations

import pytest

from snippet_engine.fixes.merge.three_way_merge import merged_text


@pytest.mark.parametrize(
    ("sent", "wanted", "standing", "meant"),
    [
        # A bracket was forgotten, and the new text lacks it as well.
        ("Set(For(e, e);", "Set(Id(For(e), e);", "Set(For(e), e);", None),
        # An operator is no bracket.
        ("if (n = most)", "if (n  most)", "if (n >= most)", None),
        # What was forgotten is in what is put in there, too, or may be before or behind that.
        (
            "return .position;",
            "return _eye == null ? zero : .position;",
            "return _eye.position;",
            None,
        ),
        (
            "Run(id, string to)",
            "Run(name, string id, string to)",
            "Run(string id, string to)",
            None,
        ),
        (
            "Close(ptr, int at);",
            "Close(ctx, IntPtr ptr, int at);",
            "Close(IntPtr ptr, int at);",
            None,
        ),
        ('Add(c == null"X");', 'Add(c == null || d"X");', 'Add(c == null, "X");', None),
        ("Make(path, true,", "Make(path, true, false,", "Make(path, true),", None),
        # Of two equal things one goes.
        ("Find(all: true)\n;", "Find(all: true)", "Find(all: true);\n;", None),
        # What is put in goes before what was forgotten.
    ],
)
def test_what_was_forgotten_beside_a_change(
    sent: str, wanted: str, standing: str, meant: str | None
) -> None:
    assert merged_text(sent, wanted, standing) == meant


@pytest.mark.parametrize(
    ("sent", "wanted", "standing", "meant"),
    [
        # Blanks in a line: between which words are those of the file?
        (
            "if (box.Title== x)",
            "var title = box.Title;\nif (title== x)",
            "if (box.Title == x)",
            None,
        ),
        (
            "if (a != b) {\n  b= a;",
            "if (a != b.c) {\n  b.c= a;",
            "if (a != b) {\n  b = a;",
            None,
        ),
        # What was sent in two ways says nothing of what is new.
        (
            "Post (string url, string data,string key, Back back)",
            "Post (string url, string data,string key, Action<string,string> back)",
            "Post (string url, string data, string key, Back back)",
            "Post (string url, string data, string key, Action<string,string> back)",
        ),
        # No sign has the blanks of another one before it that has none.
        ("a=b;", "a=c;", "a = b;", "a = c;"),
        # In a string, a blank that isn't there may be wanted.
        ('name + ": ";', 'name + ": #";', 'name + ":";', None),
        # Empty lines: as many as it says, or as many more, or fewer?
        ("}\n\n catch", "}\n\n\n case", "}\n catch", None),
        ("}\n\n\n void A()\n {", "}\n\n else\n {", "}\n\n void A()\n {", None),
        # The file breaks the line behind one of two that are alike, and not behind the other.
        # The blanks of an empty line are on one side of what is put in.
        (
            "\t}\n\n\tgo();",
            "\t}\n\n\tcome();\n\n\tgo();",
            "\t}\n\t\n\tgo();",
            None,
        ),
        # It is put into a line of a comment, which has another marker there.
        (
            "/// <a>\n//\n/// </a>\nx",
            "/// <a>\n//Gets it.\n/// </a>\nx",
            "/// <a>\n/// \n/// </a>\nx",
            None,
        ),
        # The marker of a line stays with what stands there.
        # A first line that has a line of its own now is as deep as it was.
        (
            "        go();",
            "\n        come();\n        go();",
            "        go();",
            "\n        come();\n        go();",
        ),
    ],
)
def test_white_space_beside_a_change(
    sent: str, wanted: str, standing: str, meant: str | None
) -> None:
    assert merged_text(sent, wanted, standing) == meant


@pytest.mark.parametrize(
    ("sent", "wanted", "standing", "meant"),
    [
        # An empty line of its own keeps its blanks.
        (
            "class A\t\n{",
            "class A\t\n{\n\tint a;\n\t\n\tint b;",
            "class A\n{",
            "class A\n{\n\tint a;\n\t\n\tint b;",
        ),
        # So has a line of a comment that says nothing.
    ],
)
def test_blanks_at_the_ends_of_lines(
    sent: str, wanted: str, standing: str, meant: str | None
) -> None:
    assert merged_text(sent, wanted, standing) == meant


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ("        go();\n        come();    // later", None),
        ("        // go();\n        //     come();", None),
    ],
)
def test_blanks_for_tabs_that_are_no_indentation(wanted: str, meant: str | None) -> None:
    """At the end of a line, or in an empty one, they are tabs as well; within one, who knows."""
    assert merged_text("        go();", wanted, "\t\tgo();") == meant
