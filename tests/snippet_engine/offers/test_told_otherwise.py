"""What one way of looking finds and another one speaks against is no offer."""

from __future__ import annotations

import pytest
from planning import on_symbol
from unity_project import UnityProject, replace

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


def test_a_name_of_the_context_beside_another_place_speaks_for_that(project: UnityProject) -> None:
    asked = replace(
        "    {\n        this.logger = logger;",
        "    {",
        before="    public FrozenBroker(ILogger<FrozenBroker<TKey>> logger)\n",
    )
    taken = "    {\n        this.logger = logger;\n"
    first, second = BROKERS.find(taken), BROKERS.rfind(taken)
    written = project.written_by_offers(BROKERS, asked)
    assert BROKERS[:first] + "    {\n" + BROKERS[first + len(taken) :] not in written
    assert written in ([], [BROKERS[:second] + "    {\n" + BROKERS[second + len(taken) :]])


def test_new_lines_that_are_not_told_by_all_white_space_are_not_told_by_some_of_it(
    project: UnityProject,
) -> None:
    asked = replace(
        "            if (id == wanted)",
        "            var name = names[id];\n        if (name == wanted)",
        before="        var count = 0;\n    foreach (var id in ids.Values.Reverse())\n    {\n",
    )
    written = project.written_by_offers(STACK, asked)
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
    assert project.written_by_offers(FIELD, asked) == []


HEARERS = """\
sealed class Hearer<TMessage>(Action<TMessage> next) : Subscriber<TMessage>
{
    public override void Next(TMessageCached message)
    {
        next(message);
    }
}

sealed class Hearer<TMessage, TEnd>(Action<TMessage> next) : Subscriber<TMessage, TEnd>
{
    public override void Next(TMessage message)
    {
        next(message);
    }
}
"""


def test_another_types_member_is_not_meant_where_the_named_type_is_there(
    project: UnityProject,
) -> None:
    line = "    public override void Next(TMessage message)"
    asked = on_symbol(
        "Hearer<TMessage>.Next(TMessage)", "replace", line.replace("Next", "NextCore"), target=line
    )
    assert project.written_by_offers(HEARERS, asked) == [HEARERS.replace("Next(", "NextCore(", 1)]


TABLES = """\
class Tables
{
    void Fill()
    {
        if (isDeep)
        {
            var one = new Table
            {
                { "path", resultCached.Assets },
                { "full", result.Full },
            };
        }
        var two = new Table
        {
            { "path", result.Assets },
            { "size", result.Size },
        };
    }
}
"""


CHARGE = """\
class Charge
{
    public override void Cancel(Character parent)
    {
        Stop(parent);
    }

    public override void End(Character character)
    {
        Stop(parent);
    }

    void Hit()
    {
        Stop(parent);
        hit = true;
    }
}
"""


BRACES = """\
class Reader
{
    void Read()
    {
        if (isOpen)
        {
            while (Next())
            {
                Take();
            }
        }
    }
}
"""
