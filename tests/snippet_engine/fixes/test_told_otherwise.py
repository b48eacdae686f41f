"""What one way of looking finds and another one speaks against is no offer."""

from __future__ import annotations

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
    assert project.written_by_offers(HEARERS, asked) == []


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
