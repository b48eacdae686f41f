"""Where a place begins and ends that was found by its likeness: at a comment's marker, at a word
before one that was forgotten, on a line of its own."""

from __future__ import annotations

from typing import Any

from planning import on_symbol
from unity_project import UnityProject, replace

from snippet_engine.errors import SnippetError

SCRIPT = """\
class Compensator
{
    Table keyCache;

    // for example, if A fires at B, then call B.Sample(viewer, point, tolerance).
    // this is super simple and fast.
    [Server]
    public virtual bool Check(Viewer viewer, int colliders)
    {
        var index = keys.FindIndex(each => each.Id == viewer.Id);
        if (index < 0)
            index = keys.FindIndex(each => each.Id == viewer.Id);
        var added = table.Add(viewer, index);
        var known = table.Add(colliders, index);
        table.Sort(index, viewer);
        return added;
    }

    Cache Key { get { return keyCache; } }
}
"""


def lands(project: UnityProject, instruction: dict[str, Any], old: str, new: str) -> None:
    """The only offer changes ``old``, which stands once, into ``new``."""
    assert SCRIPT.count(old) == 1
    project.write(SCRIPT)
    (offer,) = project.refused(instruction).offers
    outcome = project.engine.edit_snippet(offer.arguments)
    assert not isinstance(outcome, SnippetError), outcome
    assert project.read().decode() == SCRIPT.replace(old, new)


def test_so_may_a_context(project: UnityProject) -> None:
    sent = replace("[Server]", "[Remote]", before="    // this is super simpl and fast.\n    ")
    lands(project, sent, "[Server]", "[Remote]")
    other = "    // is this more simple?\n    [Server]\n    void Other() { }\n\n    Cache"
    project.write(SCRIPT.replace("    Cache", other))
    (offer,) = project.refused(sent).offers
    assert offer.what == "line 7, the before context differs"


def test_one_without_may_begin_within_one(project: UnityProject) -> None:
    project.write(SCRIPT)
    sent = replace("index = keys?.FindIndex(each => each.Id == viewer.Id);", "index = 0;")
    error = project.refused(sent)
    assert [offer.basis for offer in error.offers] in ([], ["", ""])


def test_a_part_of_a_longer_name_is_no_twin(project: UnityProject) -> None:
    project.write(SCRIPT.replace("keyCache", "m_Cache"))
    target = "```csharp\n Cache\n```"
    sent = on_symbol("Compensator.Key", "replace", "```csharp\n Table\n```", target=target)
    (offer,) = project.refused(sent).offers
    assert offer.what.startswith("line 19, ")
