"""All of ten places in one error's text, however long what tells them apart is."""

from __future__ import annotations

import json

from unity_project import UnityProject, replace

from snippet_engine.text_form import MAX_ERROR_LENGTH, text_form

METHODS = "".join(
    f"""
    public void {name}(IEnumerable<KeyValuePair<string, object>> values)
    {{
        var writer = new ByteWriter();
        Assert.That(writer.ToArray().SequenceEqual(ConcatTimestamp(TimeStamp, {name}Bytes)));
    }}
"""
    for name in ("One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
)
SCRIPT = f"class BatcherTests\n{{{METHODS}}}\n"
TARGET = ".SequenceEqual(ConcatTimestamp(TimeStamp,"
NEW = ".SequenceEqual(MakeBatch(TimeStamp,"


def test_ten_places_are_one_offer(project: UnityProject) -> None:
    project.write(SCRIPT)
    asked = replace(TARGET, NEW) | {"metadata": {"why": "everywhere"}}
    error = project.refused(asked)
    assert error.offers[0].what == "all 10 places"
    text = text_form("edit_snippet", error)
    assert len(text) <= MAX_ERROR_LENGTH
    (line,) = [each for each in text.split("\n") if each.startswith("offer 1 (all 10 places")]
    project.engine.edit_snippet(json.loads(line[line.index("{") :]))
    assert project.read().decode() == SCRIPT.replace(TARGET, NEW)


def test_what_is_short_is_told_in_whole_lines(project: UnityProject) -> None:
    project.write("class C\n{\n    int a = 1;\n    int b = 1;\n}\n")
    error = project.refused(replace(" = 1;", " = 2;") | {"metadata": {"why": "everywhere"}})
    first = error.offers[0].arguments["instructions"][0]
    assert (first["anchor"]["target"], first["newText"]) == (" = 1;", " = 2;")
