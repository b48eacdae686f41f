"""What is too large for ``edit_snippet`` is offered as a change set: docs/design/engine.md §8."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from planning import on_symbol
from unity_project import SCRIPT, UnityProject, replace

from snippet_engine.answer.error_text import error_text
from snippet_engine.answer.text_form import text_form
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.schemas.result_schema import ERROR_SCHEMA
from snippet_engine.schemas.schema import EDIT_SNIPPET_INPUT
from snippet_engine.schemas.tool_schemas import EDIT_SCRIPTS_INPUT

SOURCE = "class A\n{\n    void N() { Run(); }\n    void M()\n    {\n        Go();\n    }\n}\n"
LONG = "\n".join(f"int field{number:02} = {number};" for number in range(10))


@pytest.fixture
def project(tmp_path: Path) -> UnityProject:
    project = UnityProject(tmp_path / "project")
    project.write(SOURCE)
    return project


def sent_as_set(project: UnityProject, error: SnippetError) -> bytes:
    """The script after the first offer was sent to the tool that it names."""
    jsonschema.validate(error.to_json(), ERROR_SCHEMA)
    offer = error.offers[0]
    assert offer.tool == "edit_scripts"
    done = project.engine.edit_scripts(offer.arguments)
    assert not isinstance(done, SnippetError), done
    return project.read(SCRIPT)


def test_a_new_member_is_offered_as_it_was_sent(project: UnityProject) -> None:
    member = on_symbol("A", "insert", LONG, position="body_end")
    error = project.refused(member, replace("Go()", "Stop()"), expectedHash=current(project))
    assert error.code is ErrorCode.DIFF_TOO_LARGE
    assert error.offers[0].arguments == {
        "mode": "apply",
        "changes": [
            {
                "path": SCRIPT,
                "expectedHash": current(project),
                "instructions": [member, replace("Go()", "Stop()")],
            }
        ],
    }
    written = sent_as_set(project, error).decode()
    assert "    int field09 = 9;\n}" in written
    assert "Stop();" in written


def current(project: UnityProject) -> str:
    result = project.engine.get_symbols({"path": SCRIPT})
    assert not isinstance(result, SnippetError)
    return str(result["hash"])


def test_what_else_is_wrong_is_put_right(project: UnityProject) -> None:
    body = on_symbol("A.M", "replace", "\n".join(["Go();"] * 20), part="body")
    error = project.refused(replace("Run ()", "Walk()"), body)
    assert "as a change set; " in error.offers[0].what
    assert b"        Go();\n" * 20 in sent_as_set(project, error)


def test_a_set_that_would_not_compile_is_no_offer(project: UnityProject) -> None:
    """Its new error is told at once, not only when the set is sent."""
    error = project.refused(on_symbol("A", "insert", f"{LONG}\nvoid X() {{", position="body_end"))
    assert error.code is ErrorCode.DIFF_TOO_LARGE
    assert [each["code"] for each in error.details["otherErrors"]] == ["syntax_error"]
    assert error.offers == ()
    assert "| also instruction 0: syntax_error: The edited file would not compile" in error_text(
        error
    )


def test_a_set_that_would_not_compile_is_offered_as_it_would(project: UnityProject) -> None:
    body = "```csharp\n" + "Go();\n" * 20 + "```"
    error = project.refused(on_symbol("A.M", "replace", body, part="body"))
    assert error.code is ErrorCode.DIFF_TOO_LARGE
    assert "as a change set; " in error.offers[0].what
    assert b"        Go();\n" * 20 in sent_as_set(project, error)


def test_what_splits_is_still_offered_in_parts(project: UnityProject) -> None:
    project.write("class A { int aaaa = 1; /* " + "x" * 100 + " */ int bbbb = 2; }")
    text = "int aaaa = 1; /* " + "x" * 100 + " */ int bbbb = 2;"
    new = text.replace("aaaa", "c" * 50).replace("bbbb", "d" * 50)
    error = project.refused(replace(text, new))
    assert [offer.tool for offer in error.offers] == [""]


def test_the_text_says_which_tool_it_goes_to(project: UnityProject) -> None:
    error = project.refused(on_symbol("A", "insert", LONG, position="body_end"))
    line = text_form("edit_snippet", error).splitlines()[1]
    head = "offer 1 (send to edit_scripts: as a change set): "
    assert line.startswith(head)
    assert json.loads(line.removeprefix(head)) == error.offers[0].arguments


def test_a_change_beyond_the_larger_limit_is_not_offered(project: UnityProject) -> None:
    instruction: dict[str, Any] = on_symbol("A", "insert", "/" * 8001, position="body_end")
    assert project.refused(instruction).offers == ()


HOW = "        if (index < 0)\n        {\n            return;\n        }\n"
BODIES = {
    "all new": "\n".join(f"Step{number}(index);" for number in range(20)),
    "a little": HOW.replace("return", f"Log({'x' * 60});\n            return"),
    "two places": HOW.replace("index < 0", "x" * 60).replace("return", f"Log({'y' * 60})"),
    "at the margin": "\n".join(f"if (a{number})\n    Go();" for number in range(8)),
}


@pytest.mark.parametrize("operation", ["replace", "delete"])
@pytest.mark.parametrize(
    "part", ["declaration", "body", "signature", "attributes", "documentation"]
)
@pytest.mark.parametrize("body", BODIES)
def test_every_offer_is_a_request_that_is_valid_and_does_what_was_sent(
    project: UnityProject, operation: str, part: str, body: str
) -> None:
    lead = "    /// <summary>" + "s" * 90 + '</summary>\n    [Tooltip("' + "t" * 90 + '")]\n'
    steps = "".join(f"        Old{number}(index);\n" for number in range(9))
    method = f"{lead}    void M(int index)\n    {{\n{HOW}{steps}    }}\n"
    project.write("class A\n{\n" + method + "}\n")
    texts = {
        "declaration": f"void M(int index)\n{{\n{BODIES[body]}\n}}",
        "body": BODIES[body],
        "signature": "void M(int index,\n    int " + "b" * 90 + ")",
        "attributes": '[Tooltip("' + "u" * 90 + '")]\n[B]',
        "documentation": "/// <summary>\n/// " + "u" * 90 + "\n/// </summary>",
    }
    if operation == "delete" and part in ("body", "signature"):
        return
    new = {"replace": texts[part], "delete": ""}[operation]
    sent = on_symbol("A.M", operation, new, part=part)
    outcome = project.edit(sent, mode="preview")
    if not isinstance(outcome, SnippetError):
        return  # It is small.
    assert outcome.offers
    for offer in outcome.offers:
        schema = EDIT_SCRIPTS_INPUT if offer.tool else EDIT_SNIPPET_INPUT
        jsonschema.validate(offer.arguments, schema)
        tool = getattr(project.engine, offer.tool or "edit_snippet")
        assert not isinstance(tool(offer.arguments), SnippetError)
    as_set = {"mode": "preview", "changes": [{"path": SCRIPT, "instructions": [sent]}]}
    whole = project.engine.edit_scripts(as_set)
    assert not isinstance(whole, SnippetError)
    if "keepsLead" not in outcome.details:
        again = tool(outcome.offers[0].arguments)
        after = again.get("hashAfter") or again["files"][0]["hashAfter"]
        assert after == whole["files"][0]["hashAfter"]
