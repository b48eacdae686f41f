"""Places that are told by one thing alone, which nothing else has: they are offered."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, insert, replace

from snippet_engine.errors import SnippetError

SCRIPT = """\
class Console : Window
{
    // stays open when another scene is loaded
    [Header("Properties")]
    [SerializeField]
    bool single = true;

    [SerializeField]
    bool small = true;

    // what is typed is cleared
    [SerializeField]
    bool clear = true;

    void OnDrop(PointerEventData eventData)
    {
        Set(eventData);
    }

    int First(short token)
    {
        Validate(token);
        if (count == 0)
        {
            throw new Exception("not yet");
        }
        return token;
    }

    int Second()
    {
        if (last)
        {
            return 1;
        }
        else
        {
            throw new Exception("not yet");
        }
    }

    void Stop()
    {
        Manager.single.StartServer();
        Manager.single.StartClient();
        Manager.single.StopServer();
        Manager.single.StopClient();
    }

    Binder Bind(Contract contract)
    {
        Check(!disposed);
        return new Binder(contract);
    }

    Binder Bound(Contract contract)
    {
        Check(!disposed);
        return binder;
    }

    void Dispose()
    {
        Check(!disposed);
        disposed = true;
    }
}
"""


@pytest.mark.parametrize(
    ("sent", "old", "new"),
    [
        # Another line than the one that was sent, below one that stands once.
        # A whole line that stands once, beside braces.
        (
            replace(
                "void OnDrop(PointerEventData eventData)",
                "void IDrop.OnDrop(PointerEventData eventData)",
                after="\n    {\n    }",
            ),
            "void OnDrop",
            "void IDrop.OnDrop",
        ),
        # A line is missing, and every other place has none of that context.
        # A slip of the pen is nearer to one word than to another one that is like it, too.
        # A word of the context is misspelled, and there is no more context.
        (
            replace(
                "    {\n        Check(!disposed);\n",
                "    {",
                before="\n    Bindr Bind(Contract contract)\n",
            ),
            "Bind(Contract contract)\n    {\n        Check(!disposed);\n",
            "Bind(Contract contract)\n    {",
        ),
        # A line number or a mark before the first line of the symbol that is named.
        (
            {
                **replace("> class Console : Window", "> class Console : LargeWindow"),
                "anchor": {
                    "type": "symbol",
                    "symbolPath": "Console",
                    "target": "  1\t    class Console : Window",
                },
                "newText": "  1\t    class Console : LargeWindow",
            },
            "Console : Window",
            "Console : LargeWindow",
        ),
        (
            {
                **replace("", ">     void IDisposable.Dispose()"),
                "anchor": {
                    "type": "symbol",
                    "symbolPath": "Console.Dispose()",
                    "target": ">     void Dispose()",
                },
            },
            "void Dispose()",
            "void IDisposable.Dispose()",
        ),
    ],
)
def test_the_place_is_offered(
    project: UnityProject, sent: dict[str, Any], old: str, new: str
) -> None:
    project.write(SCRIPT)
    (offer,) = project.refused(sent).offers
    outcome = project.engine.edit_snippet(offer.arguments)
    assert not isinstance(outcome, SnippetError), outcome
    assert SCRIPT.count(old) == 1
    assert project.read().decode() == SCRIPT.replace(old, new)


RENAMED = """\
class State
{
    List<Text> instancesCached;
    int visibleInstances;
}
"""


@pytest.mark.parametrize(
    "sent",
    [
        # Two places have as much of the context.
        insert("[SerializeField]", "\n    [Hide]", before="    // never\n    // anywhere\n    "),
        # Two words are as like it.
        replace("Manager.single.StoServer();", "manager.StoServer();"),
        replace("Manager.single.Srver();", "manager.Srver();"),
        # Another line, below one that stands at several places.
        replace("return token;", "return 0;", before="        }\n        Never(token);\n        "),
    ],
)
def test_what_several_places_have_tells_none(project: UnityProject, sent: dict[str, Any]) -> None:
    project.write(SCRIPT)
    error = project.refused(sent)
    assert len(error.offers) != 1 or error.offers[0].basis, error.offers


def test_a_part_of_a_line_is_not_held_against_whole_lines(project: UnityProject) -> None:
    """A shorter line is more like the target than the long one that has it, but for a letter."""
    text = (
        "class A\n{\n    internal struct PoseData { }\n"
        "    static internal bool TryGetNodePoseData(Node node, out Pose pose, Flags flags)\n"
        "    {\n        return Try(node, out pose, flags);\n    }\n}\n"
    )
    project.write(text)
    sent = replace("interna bool TryGetNodePoseData(", "interna Found TryGetNodePoseData(")
    (offer,) = project.refused(sent).offers
    assert offer.what == "line 4, wording differs: internal for interna"
    outcome = project.engine.edit_snippet({**offer.arguments, "mode": "apply"})
    assert not isinstance(outcome, SnippetError), outcome
    assert project.read().decode() == text.replace("internal bool", "internal Found")
