from __future__ import annotations

from typing import Any

import pytest
from planning import edited, on_symbol
from unity_project import insert

from snippet_engine.edit_plan.indentation import indentation_of, indented, moved_to

PLAYER = """using UnityEngine;

class Player
{
    void Update()
    {
        var targets = all
            .Where(x => x)
            .ToList();
        Move(1,
             2);
        if (fast)
        {
            Go();
        }
        if (slow)
            Stop();
        switch (state) // now
        {
            case 1:
                Walk();
                break;
            default:
                break;
        }
    }

    int Speed()
        => 1;
}
"""


def inserted(text: str, target: str, new: str, position: str, **more: Any) -> str:
    """The lines that an insertion adds."""
    after = edited(text, insert(target, new, position=position, **more)).split("\n")
    before = text.split("\n")
    start = next(n for n in range(len(after)) if before[n : n + 1] != after[n : n + 1])
    count = len(after) - len(before)
    assert before == after[:start] + after[start + count :]
    return "\n".join(after[start : start + count])


BLOCK = "if (x)\n{\n    y();\n}"


@pytest.mark.parametrize(
    ("target", "position", "level"),
    [
        # After an opening brace, one level in; above a closing one, too.
        ("void Update()\n    {", "line_after", 8),
        ("{", "line_after", 12),
        ("}", "line_before", 12),
        ("switch (state) // now\n        {", "line_after", 12),
        # Beside a statement, its level, wherever its last line is indented.
        ("Go();", "line_after", 12),
        ("Go();", "line_before", 12),
        (".ToList();", "line_after", 8),
        ("2);", "line_after", 8),
        ("=> 1;", "line_after", 4),
        ("Walk();", "line_after", 16),
        # What an unbraced header governs, and what follows it.
        ("if (slow)", "line_after", 12),
        ("Stop();", "line_after", 8),
        # After a label, one level in.
        ("case 1:", "line_after", 16),
        ("default:", "line_after", 16),
    ],
)
def test_the_level_of_the_place(target: str, position: str, level: int) -> None:
    context = {"{": {"before": "if (fast)"}, "}": {"before": "Go();"}}.get(target, {})
    margin = " " * level
    assert inserted(PLAYER, target, "x();", position, **context) == f"{margin}x();"
    # Every line of a block, however it was indented when it was copied.
    for other in ("", "    ", "\t", " " * 8, " " * 24):
        if target == "if (slow)":
            break  # a brace goes where the header is
        new = "\n".join(other + line for line in ["while (x)", "    y();"])
        expected = f"{margin}while (x)\n{margin}    y();"
        assert inserted(PLAYER, target, new, position, **context) == expected


@pytest.mark.parametrize(
    ("target", "position", "new", "first"),
    [
        ("if (slow)", "line_after", "{\n    a();", "        {"),
        ("case 1:", "line_after", "case 2:", "            case 2:"),
        ("default:", "line_before", "case 2:\n    break;", "            case 2:"),
        ("void Update()\n    {", "line_after", "}\n\nvoid B()\n{", "    }"),
    ],
)
def test_what_goes_with_the_line_itself(target: str, position: str, new: str, first: str) -> None:
    assert inserted(PLAYER, target, new, position).split("\n")[0] == first


@pytest.mark.parametrize(
    "new",
    [
        BLOCK,
        BLOCK + "\n",
        "\n".join("        " + line for line in BLOCK.split("\n")),
        "\n".join("            " + line for line in BLOCK.split("\n")),
        # Copied from the file, but for the indentation of its first line.
        BLOCK.replace("\n", "\n            "),
        BLOCK.replace("\n", "\n        "),
        BLOCK.replace("    ", "\t"),
        "\n".join("\t\t" + line for line in BLOCK.replace("    ", "\t").split("\n")),
    ],
)
def test_a_block_keeps_its_own_indentation_only(new: str) -> None:
    expected = "\n".join("            " + line for line in BLOCK.split("\n"))
    assert inserted(PLAYER, "Go();", new, "line_after") == expected
    assert inserted(PLAYER, "Go();", new, "line_before") == expected
    method = on_symbol("Player.Update", "insert", new, position="body_end")
    lines = "\n".join("        " + line for line in BLOCK.split("\n"))
    assert edited(PLAYER, method) == PLAYER.replace(
        "\n    }\n\n    int", f"\n{lines}\n    }}\n\n    int"
    )


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ("a();\n            b();", "            a();\n            b();"),
        (
            "// why\n            b();\n            c();",
            "            // why\n            b();\n            c();",
        ),
        ("[A]\n    int b;", "            [A]\n            int b;"),
        ("if (a)\n    b();", "            if (a)\n                b();"),
        ("if (a) {\n    b();\n    }", "            if (a) {\n            b();\n            }"),
        ("foo(a,\n    b);", "            foo(a,\n                b);"),
        ("if (a)\n    each(x => {\n        y();\n    });", None),
        ("\na();\n\n    b();\n", "\n            a();\n\n            b();"),
    ],
)
def test_a_first_line_without_its_indentation(new: str, expected: str | None) -> None:
    if expected is None:
        expected = "\n".join("            " + line for line in new.split("\n"))
    assert inserted(PLAYER, "Go();", new, "line_after") == expected


def test_the_files_character_is_used() -> None:
    tabs = PLAYER.replace("    ", "\t")
    expected = "\n".join("\t\t\t" + line for line in BLOCK.replace("    ", "\t").split("\n"))
    for new in (BLOCK, BLOCK.replace("    ", "  "), BLOCK.replace("    ", "\t")):
        assert inserted(tabs, "Go();", new, "line_after") == expected


def test_the_text_of_a_literal_is_not_indented() -> None:
    new = 'var text = @"one\n  two\n""three""\n";\nGo();'
    margin = " " * 12
    expected = f'{margin}var text = @"one\n  two\n""three""\n";\n{margin}Go();'
    assert inserted(PLAYER, "Go();", new, "line_after") == expected


def test_directives_stand_where_they_were_sent() -> None:
    margin = " " * 12
    new = "#if A\n    a();\n#endif"
    assert inserted(PLAYER, "Go();", new, "line_after") == f"#if A\n{margin}a();\n#endif"
    new = "    #if A\n    a();\n    #endif"
    expected = f"{margin}#if A\n{margin}a();\n{margin}#endif"
    assert inserted(PLAYER, "Go();", new, "line_after") == expected


def test_beside_a_directive_the_code_around_it_counts() -> None:
    text = "class C\n{\n    void M()\n    {\n#if A\n        a();\n#endif\n    }\n}\n"
    assert inserted(text, "#if A", "x();", "line_after") == "        x();"
    assert inserted(text, "#endif", "x();", "line_after") == "        x();"
    assert inserted(text, "#endif", "#if B", "line_after") == "#if B"
    empty = "class C\n{\n    void M()\n    {\n#if A\n#endif\n    }\n}\n"
    assert inserted(empty, "#if A", "x();", "line_after") == "        x();"


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("class C {\n  int a;\n}\n", "class C {", "  x();"),
        ("class C { // why\n}\n", "class C", "    x();"),
        ("class C\n{ /* why */\n\tint a;\n}\n", "{", "\tx();"),
        ('class C {\n    string a = "http://x{";\n}\n', "http", "    x();"),
        ("class C\n{\n\n#if A\n    int a;\n#endif\n}\n", "{", "    x();"),
        (
            "class C\n{\n    void M(int a,\n           int b) {\n        y();\n    }\n}\n",
            "int b",
            "        x();",
        ),
    ],
)
def test_braces_of_all_kinds(text: str, target: str, expected: str) -> None:
    assert inserted(text, target, "x();", "line_after") == expected


def test_below_a_member_named_as_a_whole() -> None:
    below = on_symbol("Player.Speed", "insert", "int b;", position="line_after")
    assert edited(PLAYER, below) == PLAYER.replace("=> 1;\n", "=> 1;\n    int b;\n")


RAW = 'var s = {dollars}"""\n{i}{{\n{i}    a {hole}\n\n{i}}}\n{i}""";\nNext();'


def value(text: str) -> list[str]:
    """The lines of the raw string in ``text``, without the indentation of its last one."""
    lines = text[text.index('"""\n') + 4 :].split("\n")
    end = next(number for number, line in enumerate(lines) if line.lstrip().startswith('"""'))
    margin = indentation_of(lines[end])
    assert all(line.startswith(margin) for line in lines[:end] if line)
    return [line[len(margin) :] for line in lines[:end]]


@pytest.mark.parametrize("inside", ["", "    ", "\t", "  "])
@pytest.mark.parametrize("dollars", ["", "$$"])
@pytest.mark.parametrize("first", ["", "        ", "\t"])
@pytest.mark.parametrize("level", ["", "    ", "\t\t"])
@pytest.mark.parametrize("around", ["{raw}", "void F()\n{{\n{raw}\n}}", 'F(@"\n");\n{raw}'])
@pytest.mark.parametrize("way", ["indented", "moved_to"])
def test_a_raw_string_moves_as_one(
    inside: str, dollars: str, first: str, level: str, around: str, way: str
) -> None:
    raw = RAW.format(dollars=dollars, i=inside, hole="{{1}}" if dollars else "b")
    sent = around.format(raw=raw)
    sent = "\n".join(f"{first}{line}" if line else line for line in sent.split("\n"))
    unit = "\t" if "\t" in level else "    "
    if way == "indented":
        stands = "\n".join(indented(sent, level, unit))
    else:
        stands = level + moved_to(sent, level, unit)
    assert value(stands) == value(sent)
    shallowest = indentation_of(stands[stands.rindex('"""') :].split("\n")[1])
    assert shallowest.startswith(level)


@pytest.mark.parametrize(
    ("sent", "stands"),
    [
        # What was shifted is shifted with its first line; what stands further out stays.
        ('x = """\n    a\n    """;', '        x = """\n            a\n            """;'),
        ('    x = """\na\n""";', '        x = """\na\n""";'),
        ('x = @"a\n  b\n """"\n";', '        x = @"a\n  b\n """"\n";'),
        ('x = $@"a\n  b{\ny}\n c";', '        x = $@"a\n  b{\n        y}\n c";'),
        (
            'x = $"""\n  {\n  y}\n  """;',
            '        x = $"""\n          {\n          y}\n          """;',
        ),
        ("x = /* a\n b\n*/ 1;", "        x = /* a\n         b\n        */ 1;"),
    ],
)
def test_lines_in_literals(sent: str, stands: str) -> None:
    assert "\n".join(indented(sent, " " * 8, "    ")) == stands
