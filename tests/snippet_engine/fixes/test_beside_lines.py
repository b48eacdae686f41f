"""What is put before or behind a target that was quoted with other white space, or wrongly."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, delete, insert, replace


@pytest.mark.parametrize(
    ("text", "target", "more"),
    [
        ("class A { }\n// end of file", "// end of file\n", {"in": "comment"}),
        ("class A\n{\n}\n// end of file", "}\n// end of file\n", {}),
        ("class A\n{\n}", "class A\n{\n}\n", {}),
    ],
)
@pytest.mark.parametrize("new_text", ["class B { }\n", "\nclass B { }\n"])
def test_what_is_put_behind_a_last_line_without_an_end_has_a_line_of_its_own(
    project: UnityProject, text: str, target: str, more: dict[str, Any], new_text: str
) -> None:
    asked = insert(target, new_text, position="after", **more)
    assert project.written_by_offers(text, asked) in ([], [f"{text}\n{new_text}"])


FIELDS = "class A\n{\n    int a;\n    int b;\n    int c;\n}\n"


@pytest.mark.parametrize("tabs", [False, True])
@pytest.mark.parametrize("blank", ["\n", "    \n"])
def test_a_blank_line_that_is_not_there_is_not_the_next_lines_indentation(
    project: UnityProject, blank: str, *, tabs: bool
) -> None:
    def kind(text: str) -> str:
        return text.replace("    ", "\t") if tabs else text

    text, target = kind(FIELDS), kind(f"    int b;\n{blank}")
    more = insert(target, kind("    int x;\n"), position="after")
    behind = text.replace(kind("    int c;"), kind("    int x;\n    int c;"))
    assert project.written_by_offers(text, more) in ([], [behind])
    gone = text.replace(kind("    int b;\n"), "")
    assert project.written_by_offers(text, delete(target)) in ([], [gone])


METHOD = """\
namespace N
{
    class A
    {
        void F()
        {
            G();
        }
    }
}
"""


@pytest.mark.parametrize("step", ["    ", "\t"])
def test_lines_put_before_others_are_indented_as_these_are(
    project: UnityProject, step: str
) -> None:
    asked = insert(f"{step}void F()\n{step}{{", f"{step}int x;\n\n", position="before")
    meant = METHOD.replace("        void F()", "        int x;\n\n        void F()")
    assert project.written_by_offers(METHOD, asked) == [meant]
    block = f"{step}void H()\n{step}{{\n{step}}}\n\n"
    asked = insert(f"{step}void F()\n{step}{{", block, position="before")
    lines = "        void H()\n        {\n        }\n\n        void F()"
    assert project.written_by_offers(METHOD, asked) == [METHOD.replace("        void F()", lines)]


@pytest.mark.parametrize("indentation", ["\t\t", "\t", "                "])
def test_a_line_put_behind_another_is_indented_as_that_is(
    project: UnityProject, indentation: str
) -> None:
    asked = insert(f"{indentation}G();\n", f"{indentation}H();\n", position="after")
    meant = METHOD.replace("G();\n", "G();\n            H();\n")
    assert project.written_by_offers(METHOD, asked) in ([], [meant])


@pytest.mark.parametrize(
    ("line", "target", "new_text"),
    [
        ("if (hp <= 0) Die();", "if (hp >= 0) Die();", "if (hp >= 0) return;\nDie();"),
    ],
)
def test_a_comparison_the_other_way_round_is_another_statement(
    project: UnityProject, line: str, target: str, new_text: str
) -> None:
    assert (
        project.written_by_offers(f"class A\n{{\n    {line}\n}}\n", replace(target, new_text)) == []
    )


@pytest.mark.parametrize(
    ("line", "target", "new_text"),
    [
        (
            "Add(Vector3.up * jump);",
            "Add(Vector3.up * jump, Mode.Force);",
            "Add(Vector3.up, Mode.Force);",
        ),
    ],
)
def test_what_was_made_up_right_beside_a_change_is_not_written(
    project: UnityProject, line: str, target: str, new_text: str
) -> None:
    assert (
        project.written_by_offers(f"class A\n{{\n    {line}\n}}\n", replace(target, new_text)) == []
    )


KINDS = "enum Kind\n{\n\tPhone\t\t= 1,\n\tTablet\t\t= 2,\n}\n"


def test_blanks_within_a_line_put_among_tabs_are_not_guessed_at(project: UnityProject) -> None:
    asked = insert(
        "Tablet        = 2,", "\n    Headset    = 3,", before="    Phone        = 1,\n    "
    )
    assert project.written_by_offers(KINDS, asked) == []
    asked = insert("Tablet        = 2,", "\n    Headset = 3,", before="    Phone        = 1,\n    ")
    meant = KINDS.replace("\t\t= 2,", "\t\t= 2,\n\tHeadset = 3,")
    assert project.written_by_offers(KINDS, asked) == [meant]
