"""What a request says of a place in two ways is held against both: the white space of its context
and of its new text, its context on each side, and what stood where before an edit."""

from __future__ import annotations

import pytest
from unity_project import UnityProject, replace

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


def test_a_place_that_was_liker_elsewhere_is_not_offered(project: UnityProject) -> None:
    project.write(VARIABLES)
    one, other = MOVED.split("\n")
    asked = replace(
        f"        GetServer.Dispose();\n{MOVED}", f"        GetServer.ResetDirty();\n{MOVED}"
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
def test_documentation_below_other_lines_is_as_near(project: UnityProject, above: str) -> None:
    project.write(SEE_ALSO)
    asked = replace(
        f'{above}/// <seealso static cref="FixedUpdate"/>\n/// <seealso cref="Update"/>',
        f'{above}/// <seealso static cref="Mono.FixedUpdate"/>\n/// <seealso cref="Mono.Update"/>',
        **{"in": "comment"},
    )
    error = project.refused(asked)
    assert len(error.offers) == 2
    assert not any("/summary" in str(each.arguments) for each in error.offers)
