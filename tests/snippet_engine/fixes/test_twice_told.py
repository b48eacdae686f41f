"""What a request says of a place in two ways is held against both: the white space of its context
and of its new text, its context on each side, and what stood where before an edit."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, delete, insert, replace

from snippet_engine.errors import SnippetError
from snippet_engine.fixes.merge.indentation import Indents
from snippet_engine.fixes.merge.three_way_merge import merged_text

LABELS = """\
class Labels
{
    public bool Validate(HashSet<string> labels)
    {
        foreach (var each in allowed)
            if (labels.Contains(each))
                return true;
        return false;
    }

    /// <summary>
    /// Draws the header.
    /// </summary>
    internal class Header<T> : Editor where T : Drawer
    {
    }
}
"""


def lands(project: UnityProject, text: str, sent: dict[str, Any], right: str) -> None:
    project.write(text)
    (offer,) = project.refused(sent).offers
    outcome = project.engine.edit_snippet(offer.arguments)
    assert not isinstance(outcome, SnippetError), outcome
    assert project.read().decode() == right


@pytest.mark.parametrize(
    ("pairs", "sent", "meant"),
    [
        # No whole number of tabs.
        ([("    ", "\t"), ("\t\t", "\t\t")], "          ", None),
        # Two widths.
        ([("\t", "    "), ("\t\t", "            "), ("  ", "  ")], "\t\t\t", None),
    ],
)
def test_a_mixed_indentation_is_as_wide_as_it_was_sent(
    pairs: list[tuple[str, str]], sent: str, meant: str | None
) -> None:
    gaps = [(f"\n{one}", f"\n{other}") for one, other in pairs]
    found = Indents(gaps).translated(f"\n{sent}")
    assert found == (None if meant is None else f"\n{meant}")


@pytest.mark.parametrize(
    ("sent", "wanted", "standing", "meant"),
    [
        # Some of those that aren't there go, and one that is?
        ("else   \n  Go();", "else if (a) \n  Go();", "else \n  Go();", None),
    ],
)
def test_blanks_at_the_end_of_a_changed_line_are_the_file_s(
    sent: str, wanted: str, standing: str, meant: str | None
) -> None:
    assert merged_text(sent, wanted, standing) == meant


SPAWNS = """\
class Spawner
{
    void Spawn()
    {
        if (host)
        {
            objectToSpawnCached.SpawnWithOwnership(owner.Id);
        }
        objectToSpawn.SpawnWithOwnership(owner.Id);
    }
}
"""


LOADS = """\
class Provider
{
    void LoadLocal()
    {
        if (local)
            Begin();
        else
            CompleteOperation(null, false,
                new LoadError(string.Format("Invalid path in Provider: '{0}'.", id), location));
        completed = true;
    }

    void LoadLocalBundle()
    {
        completed = true;
    }

    void LoadRemote()
    {
        if (remote)
            Begin();
        else
            handle.Complete<Bundle>(null, false,
                new LoadError(string.Format("Invalid path in Provider: '{0}'.", id), location));
        completed = true;
    }

    void Completed(Operation operation)
    {
    }
}
"""


VARIABLES = """\
class Tests
{
    void Arrays()
    {
        server.Dispose();
        server.Value = changed;
        IsFalse(Of<NativeArray<T>>(server));
    }

    void Lists()
    {
        server.Dispose();
        server.Value = changed;
        IsFalse(Of<NativeList<T>>(server));
    }
}
"""
MOVED = "        server.Value = changed;\n        IsFalse(Of<NativeArray<T>>(server));"


def test_what_was_liker_elsewhere_before_an_own_edit_is_not_offered_here(
    project: UnityProject,
) -> None:
    project.write(VARIABLES)
    one, other = MOVED.split("\n")
    asked = replace(
        f"        GetServer.Dispose();\n{MOVED}",
        f"        GetServer.ResetDirty();\n{MOVED}",
    )
    project.done(replace(MOVED, f"{other}\n{one}"))
    error = project.refused(asked)
    assert not any("NativeList" in str(each.arguments) for each in error.offers)


SEE_ALSO = """\
/// <summary>
/// When updates run.
/// </summary>
/// <seealso cref="InputUpdateType"/>
/// <seealso cref="FixedUpdate"/>
/// <seealso cref="Update"/>
public enum UpdateMode
{
    /// <summary>
    /// Both.
    /// </summary>
    /// <seealso cref="FixedUpdate"/>
    /// <seealso cref="Update"/>
    Both,
}
"""


@pytest.mark.parametrize("above", ["", "\n"])
def test_documentation_that_begins_below_other_lines_is_no_farther_away(
    project: UnityProject, above: str
) -> None:
    project.write(SEE_ALSO)
    asked = replace(
        f'{above}/// <seealso static cref="FixedUpdate"/>\n/// <seealso cref="Update"/>',
        f'{above}/// <seealso static cref="Mono.FixedUpdate"/>\n/// <seealso cref="Mono.Update"/>',
        **{"in": "comment"},
    )
    error = project.refused(asked)
    assert len(error.offers) == 2
    assert not any("/summary" in str(each.arguments) for each in error.offers)


def test_an_attribute_is_not_written_twice(project: UnityProject) -> None:
    text = "[Serializable]\nclass A\n{\n    [SerializeField]\n    int a;\n}\n"
    project.write(text)
    again = project.done(insert("[Serializable]", "\n[Serializable]"))
    assert again["results"][0]["reason"] == "duplicate_insert"
    project.done(insert("    [SerializeField]", "\n    [HideInInspector]"))
    again = project.done(insert("    [SerializeField]", "\n    [HideInInspector]"))
    assert again["results"][0]["reason"] == "duplicate_insert"
    assert project.read().decode() == text.replace("Field]\n", "Field]\n    [HideInInspector]\n")


def test_a_line_that_is_there_in_other_blanks_is_not_written_again(project: UnityProject) -> None:
    text = "class A\n{\n    void B()\n    {\n        if (!shown.active)\n            Show(true);\n"
    text += "    }\n}\n"
    project.write(text)
    asked = replace("        Show(true);", "\n        if (!shown.active)\n            Show(true);")
    again = project.done(asked)
    assert again["results"][0]["reason"] == "duplicate_insert"
    assert project.read().decode() == text
    other = replace("        Show(true);", "\n        if (!shown.ready)\n            Show(true);")
    assert project.done(other)["status"] == "applied"


HANDLER = """\
using System;
using System.Threading;

class Handler
{
    void Begin()
    {
        crashed += OnCrashed;
    }

    void End()
    {
        bus.Unsubscribe<CrashedSignal>(OnCrashed, all: true);
    }
}
"""


@pytest.mark.parametrize(
    "asked",
    [
        # What would go is something else.
        replace("using System;\nusing System.Collections;", "using System;"),
        delete("using System;\nusing System.Collections;"),
    ],
)
def test_nothing_is_offered_of_what_is_done_or_names_something_else(
    project: UnityProject, asked: dict[str, Any]
) -> None:
    project.write(HANDLER)
    assert not project.refused(asked).offers


@pytest.mark.parametrize(
    ("sent", "wanted", "standing", "meant"),
    [
        # Blanks that change before a word that has another one in its stead.
        ("// a\n  b = c;", "// A\n    b = c;", "// a\n  bCached = c;", "// A\n    bCached = c;"),
        # The sign before a member of what may be null, whichever it is.
        # A name of what goes is another one.
        ("a();\nb.Go(c);", "a();", "a();\nb.Stop(c);", None),
        ("a();\nb.Go(c);", "a();", "a();\nb.GoCached(c);", "a();"),
    ],
)
def test_a_change_beside_a_mistake(
    sent: str, wanted: str, standing: str, meant: str | None
) -> None:
    assert merged_text(sent, wanted, standing) == meant


def test_a_line_may_be_wanted_again_beyond_a_blank_one(project: UnityProject) -> None:
    text = (
        "class A\n{\n    void B()\n    {\n        x.Is(1);\n\n        subject.Done();\n    }\n}\n"
    )
    project.write(text)
    project.done(insert("x.Is(1);", "\n        subject.Done();"))
    assert project.read().decode() == text.replace("(1);", "(1);\n        subject.Done();")
    again = project.done(insert("x.Is(1);", "\n      subject.Done();"))
    assert again["results"][0]["reason"] == "duplicate_insert"
