"""Places beside the offers, in an error's text: what stands behind them is an anchor to send."""

from __future__ import annotations

from unity_project import UnityProject, replace

from snippet_engine.answer.error_text import error_text

TEXT = (
    "class C\n{\n    void M()\n    {\n        Go();\n        Stop();\n    }\n\n"
    "    void N()\n    {\n        Go();\n        Stop();\n    }\n\n"
    "    void O()\n    {\n        Go();\n    }\n\n    void P()\n    {\n        Go();\n    }\n}\n"
)


def test_the_anchor_of_a_place_is_called_so(project: UnityProject) -> None:
    project.write(TEXT)
    text = error_text(project.refused(replace("Go();", "Wait();")))
    first, *_ = text.split("\n")
    assert ', anchor: {"type": "text", "' in first


def test_where_it_is_made_already_no_anchor_is_told(project: UnityProject) -> None:
    project.write(TEXT.replace("void M()", "void Main()"))
    sent = replace("void M()", "void Main()", before="class C\n{", after="{\n        Go();")
    text = error_text(project.refused(sent))
    assert "This edit is already done: leave it out" in text
    assert "already_applied" not in text


def test_blanks_at_the_ends_of_lines_are_no_indentation(project: UnityProject) -> None:
    project.write(TEXT)
    sent = replace("void M() \n    {\n        Go();", "void M()\n    {\n        Wait();")
    assert "which differs in white space at the ends of lines." in project.refused(sent).message
