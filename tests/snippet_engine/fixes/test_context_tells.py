"""Where the context tells the place, a target without a name, or with a slip, is no riddle."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, delete, insert, replace

from snippet_engine.errors import SnippetError

SCRIPT = """\
class Toolbox : Editor
{
    string m_Texts = { "16 bit", "8 bit" };
    int m_SelectedDepth = 0;

    GameObject[] m_Joints = new GameObject[Count];
    bool m_IsTracked;

    static Vector3[] s_Points = new Vector3[2];

    string Folder(string path)
    {
        if (n == 0)
            return null;
        var folder = Path.GetFolder(path);
        if (folder == null)
            return null;

        if (n > 1)
            return folder;
        return path;
    }

    internal int MaxCount
    {
        set { Read(); }
    }

    void Process(Command command)
    {
        Make(command.Type, command.Name, command.Args);
        if (builder.Length != 0)
            Import();
        Import2.Enabled = true;
        Import2.Checked = true;
        m_LowIndicator.gameObject.Enable(false);
        m_TopIndicator.gameObject.Enable(false);
    }

    void Tracked()
    {
        if (m_IsTracked)
            Draw(EditorGUI.isProSkin);
        Hide();
    }

    private void OnChanged(ChangeEvent<Object> change)
    {
        m_Tree = change.Value as Tree;
        Clone();
    }

    void Show()
    {
        if (m_Settings.ShowSplat)
        {
            ShowReplaceSplatmapGUI();
        }
    }
}
"""


@pytest.mark.parametrize(
    ("sent", "old", "new"),
    [
        # A word is missing, or made up, and no name is left in the target.
        # What is declared has another ending, and all of the context around it.
        (
            delete(
                "bool m_IsTracke;",
                before="    GameObject[] m_Joints = new GameObject[Count];\n    ",
                after="\n\n    static Vector3[] s_Points = new Vector3[2];",
            ),
            "    bool m_IsTracked;\n",
            "",
        ),
        (
            replace(
                "bool m_IsTracke;\n\n    static",
                "static",
                before="    GameObject[] m_Joints = new GameObject[Count];\n    ",
                after=" Vector3[] s_Points = new Vector3[2];",
            ),
            "bool m_IsTracked;\n\n    static",
            "static",
        ),
        # The new name has the part of the old one that was misspelled, spelled as it stands.
        (
            replace(
                "ShowReplaceSplatmaGUI()",
                "ShowSplatmapImportGUI()",
                before="        if (m_Settings.ShowSplat)\n        {\n            ",
                after=";\n        }\n",
            ),
            "ShowReplaceSplatmapGUI()",
            "ShowSplatmapImportGUI()",
        ),
        # A name that is put in is one that the sender has elsewhere on the line.
        (
            replace(
                "        Make(.Type, command.Name, command.Args);",
                "        Make(.Type, command.Name, command.Id, command.Args);",
            ),
            "command.Name,",
            "command.Name, command.Id,",
        ),
        # What was made up before the first word of a line stands for nothing there.
        # A name of the file is no slip of the pen where it stands beside a wrong sign.
        (
            replace(
                "        m_TopIndicator?.gameObject.Enable(false);",
                "        m_TopIndicator?.gameObject.Enable(true);",
            ),
            "m_TopIndicator.gameObject.Enable(false)",
            "m_TopIndicator.gameObject.Enable(true)",
        ),
        # A slip of the pen for this name, and not for the one on the line above.
        (
            replace("        Import2.Checkd = true;", "        Import2.Checkd = false;"),
            "Import2.Checked = true",
            "Import2.Checked = false",
        ),
        # A line of the context is made up, and all that is left of it is short.
        # A line of the context is another one, near which nothing is as the target is to become.
        (
            replace(
                "private void OnChanged(ChangeEvent<Object> change)",
                "void OnChanged(ChangeEvent<Object> change)",
                before="\n    ",
                after="\n    {\n            Draw(EditorGUI.isProSkin);\n        Clone();",
            ),
            "private void OnChanged",
            "void OnChanged",
        ),
    ],
)
def test_the_place_is_the_only_offer(
    project: UnityProject, sent: dict[str, Any], old: str, new: str
) -> None:
    project.write(SCRIPT)
    (offer,) = project.refused(sent).offers
    assert not offer.unless
    outcome = project.engine.edit_snippet(offer.arguments)
    assert not isinstance(outcome, SnippetError), outcome
    assert SCRIPT.count(old) == 1
    assert project.read().decode() == SCRIPT.replace(old, new)


@pytest.mark.parametrize(
    "sent",
    [
        # Without a context, any line may have been like that.
        replace("    int = 0;", "    internal int = 0;"),
        # Another number stands there: it has changed since, perhaps.
        replace("= 1;", "= 2;", before="    int m_SelectedDepth "),
        insert("int MaxCounts", " { get; }", before="    // Nothing else is to be done here.\n"),
    ],
)
def test_without_that_nothing_is_offered(project: UnityProject, sent: dict[str, Any]) -> None:
    project.write(SCRIPT)
    assert project.refused(sent).offers == ()
