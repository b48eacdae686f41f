"""What one way of looking finds and another one speaks against is no offer."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, insert, replace

from snippet_engine.errors import SnippetError

BROKERS = """\
class Broker
{
    public PlainBroker(ILogger<PlainBroker<TKey>> logger)
    {
        this.logger = logger;
        this.gate = new object();
    }
}

class FrozenBroker
{
    public FrozenBroker()
    {
        this.logger = logger;
        this.gate = new object();
    }
}
"""
BUILDER = """\
class Builder
{
    Data Built()
    {
        return new Data()
        {
            Ease = buffer.Ease,
            Delay = buffer.Delay,
            Loops = buffer.Loops,
        };
    }
}
"""
STACK = """\
class Stack
{
    int Count(string wanted)
    {
        var count = 0;
        foreach (var id in ids.Values.Reverse())
        {
            if (id == wanted)
                break;

            count++;
        }
        return count;
    }
}
"""
FIELD = """\
class Field
{
    void Submitted(string str)
    {
        if (isSet)
        {
            if (OnSubmitted(this, str))
                recentCached = str;
            else
                input.text = recent;
        }
        else if (isValid)
            recent = str;
        else
            input.text = recent;
    }
}
"""


def _written(project: UnityProject, text: str, instruction: dict[str, Any]) -> list[str]:
    """What each offer makes of the file."""
    project.write(text)
    found: list[str] = []
    for offer in project.refused(instruction).offers:
        project.write(text)
        outcome = project.engine.edit_snippet({**offer.arguments, "mode": "apply"})
        assert not isinstance(outcome, SnippetError), outcome
        found.append(project.read().decode())
    return found


def test_a_name_of_the_context_beside_another_place_speaks_for_that(project: UnityProject) -> None:
    asked = replace(
        "    {\n        this.logger = logger;",
        "    {",
        before="    public FrozenBroker(ILogger<FrozenBroker<TKey>> logger)\n",
    )
    taken = "    {\n        this.logger = logger;\n"
    first, second = BROKERS.find(taken), BROKERS.rfind(taken)
    written = _written(project, BROKERS, asked)
    assert BROKERS[:first] + "    {\n" + BROKERS[first + len(taken) :] not in written
    assert written in ([], [BROKERS[:second] + "    {\n" + BROKERS[second + len(taken) :]])


def test_a_target_ends_where_its_last_sign_stands_behind_a_forgotten_one(
    project: UnityProject,
) -> None:
    asked = insert(
        "Delay = bufferDelay,",
        "\n            Kind = buffer.Kind,",
        before="            Ease = buffer.Ease,\n            ",
    )
    meant = BUILDER.replace("buffer.Delay,", "buffer.Delay,\n            Kind = buffer.Kind,")
    assert _written(project, BUILDER, asked) == [meant]


def test_new_lines_that_are_not_told_by_all_white_space_are_not_told_by_some_of_it(
    project: UnityProject,
) -> None:
    asked = replace(
        "            if (id == wanted)",
        "            var name = names[id];\n        if (name == wanted)",
        before="        var count = 0;\n    foreach (var id in ids.Values.Reverse())\n    {\n",
    )
    written = _written(project, STACK, asked)
    deep = "            var name = names[id];\n            if (name == wanted)"
    assert written in ([], [STACK.replace("            if (id == wanted)", deep)])


@pytest.mark.parametrize("depth", [5, 6])
def test_all_of_a_target_at_another_depth_is_not_clearly_meant(
    project: UnityProject, depth: int
) -> None:
    lines = [
        f"{'    ' * depth}recent = str;",
        f"{'    ' * (depth - 1)}else",
        f"{'    ' * depth}input.text = recent;",
    ]
    asked = replace("\n".join(lines), lines[0])
    assert _written(project, FIELD, asked) == []
