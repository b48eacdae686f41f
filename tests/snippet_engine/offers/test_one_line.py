"""Of several places of a target, the one in whose context a single line is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, insert, replace

from snippet_engine.errors import SnippetError

TWICE = """\
class Delays
{
    void Frames(int count)
    {
        result.delayFrameCount = count;
        result.token = token;
        result.initialFrame = Time.frameCount;

        Track(result, 3);
    }

    void Seconds(float seconds)
    {
        result.delaySpan = seconds;
        result.token = token;
        result.initialFrame = Time.frameCount;

        Track(result, 3);
    }
}
"""
TARGET = "result.initialFrame = Time.frameCount;"
NEW = "result.initialFrame = Main ? Time.frameCount : -1;"
ABOVE = "        result.delayFrameCount = count;\n        result.token = token;\n        "


def line_offered(project: UnityProject, instruction: dict[str, Any]) -> str | None:
    project.write(TWICE)
    offers = project.refused(instruction).offers
    if len(offers) != 1:
        return None
    project.engine.edit_snippet(offers[0].arguments)
    changed = project.read().decode().splitlines()
    rows = [row for row, line in enumerate(changed, 1) if NEW in line]
    assert len(rows) == 1
    return f"line {rows[0]}"


@pytest.mark.parametrize(
    "before",
    [
        ABOVE.replace("token;\n", "token;\n        Debug.Assert(enabled);\n", 1),
        ABOVE.replace("        result.token = token;\n", ""),
    ],
    ids=["made up", "forgotten"],
)
def test_one_wrong_line_of_the_context_leaves_one_place(project: UnityProject, before: str) -> None:
    asked = replace(TARGET, NEW, before=before, after="\n\n        Track(result, 3);")
    assert line_offered(project, asked) == "line 7"


@pytest.mark.parametrize(
    "before",
    [
        "        result.token = token;\n        Debug.Assert(enabled);\n        ",
        "        result.delayLength = length;\n        result.token = token;\n        ",
        "        Foo();\n        Bar();\n        Baz();\n        ",
    ],
    ids=["it fits both places", "it is like both lines", "nothing is right"],
)
def test_where_two_places_are_as_near_none_is_offered(project: UnityProject, before: str) -> None:
    project.write(TWICE)
    offers = project.refused(replace(TARGET, NEW, before=before)).offers
    assert len(offers) != 1


LIGHTS = """\
class LightTests
{
    void Inside()
    {
        var light = host.AddComponent<Light>();
        light.position = camera.position;
        Light.SetupCulling(context, camera);
        Check(light);
    }

    void Outside()
    {
        var light = host.AddComponent<Light>();
        light.position = camera.position + new Vector3(9999.0f, 0.0f, 0.0f);
        Light.SetupCulling(context, camera);
        Check(light);
    }
}
"""
CULLING = "        Light.SetupCulling(context, camera);"


def test_how_long_a_forgotten_line_is_tells_nothing(project: UnityProject) -> None:
    project.write(LIGHTS)
    before = "        var light = host.AddComponent<Light>();\n"
    error = project.refused(replace(CULLING, "        light.UpdateMesh();", before=before))
    assert [each.what for each in error.offers] == [
        "line 7, context differs",
        "line 15, context differs",
    ]
    assert not any(each.basis for each in error.offers)


def test_nor_does_a_blank_line_where_another_place_lacks_a_line(project: UnityProject) -> None:
    reset = "        light.Reset();\n"
    text = LIGHTS.replace("        light.position = camera.position;\n", "\n")
    project.write(text.replace(CULLING, reset + CULLING))
    before = "        var light = host.AddComponent<Light>();\n" + reset
    error = project.refused(replace(CULLING, "        light.UpdateMesh();", before=before))
    assert len(error.offers) == 2
    assert not error.offers[0].basis


def test_another_indentation_alone_is_likelier_than_a_place_that_lacks_a_line(
    project: UnityProject,
) -> None:
    reset = "        light.Reset();\n"
    text = LIGHTS.replace("        light.position = camera.position;\n", "")
    project.write(text.replace(CULLING, reset + CULLING))
    before = f"    {{\n            var light = host.AddComponent<Light>();\n    {reset}    "
    (offer,) = project.refused(
        replace(CULLING, "        light.UpdateMesh();", before=before)
    ).offers
    assert offer.what == "line 7, indentation differs"


def test_many_places_that_lack_a_line_are_told_to_be_many(project: UnityProject) -> None:
    inside = LIGHTS.split("\n\n", maxsplit=1)[0].split("{\n", 1)[1]
    methods = [inside.replace("camera.position;", f"camera{at}.position * 2;") for at in range(5)]
    project.write("class LightTests\n{\n" + "\n\n".join(methods) + "\n}\n")
    before = "        var light = host.AddComponent<Light>();\n"
    error = project.refused(replace(CULLING, "        light.UpdateMesh();", before=before))
    assert len(error.offers) != 1


def test_a_context_that_ends_with_a_line_is_of_a_target_that_begins_one(
    project: UnityProject,
) -> None:
    text = TWICE.replace(TARGET, f"if (on) {TARGET}", 1)
    project.write(text)
    before = ABOVE.replace("token;\n", "token;\n        Debug.Assert(enabled);\n", 1)
    for offer in project.refused(replace(TARGET, NEW, before=before)).offers:
        project.write(text)
        project.engine.edit_snippet(offer.arguments)
        assert f"if (on) {TARGET}" in project.read().decode()


def test_too_many_lines_to_compare_leave_a_choice(project: UnityProject) -> None:
    """A choice that was found otherwise isn't lost for want of steps."""
    lines = [f"        result.value{at:02} = compute(value{at:02}, other);" for at in range(12)]
    methods = "".join(
        f"    void M{at}()\n    {{\n"
        + "\n".join(lines)
        + f"\n        {TARGET}\n        Done({at});\n    }}\n"
        for at in range(15)
    )
    project.write(f"class C\n{{\n{methods}}}\n")
    before = "\n".join([*lines[:6], "        Debug.Assert(enabled);", *lines[6:]]) + "\n        "
    error = project.refused(replace(TARGET, NEW, before=before))
    assert len(error.offers) != 1
    assert error.details.get("searched") is not False


def test_a_place_whose_own_line_was_changed_may_be_the_one(project: UnityProject) -> None:
    body = "        return one != null &&\n            one.parent != null &&\n            "
    text = (
        "class C\n{\n"
        f"    private bool Is(Clip one, Director two)\n    {{\n{body}Any(one > two);\n    }}\n\n"
        f"    private bool Is(Clip one, DirectorNow two)\n    {{\n{body}Any(one < two);\n    }}\n"
        "}\n"
    )
    project.write(text)
    asked = replace(
        "private ",
        "public ",
        after=f"bool Is(Clip one, Director two)\n    {{\n{body}Any(one < two);",
    )
    assert len(project.refused(asked).offers) != 1


def test_a_name_that_has_got_longer_where_all_of_the_context_stands_may_be_meant(
    project: UnityProject,
) -> None:
    text = (
        "class C\n{\n    void Draw()\n    {\n        {\n        }\n\n"
        "        using (var check = new ChangeCheckScope())\n        {\n"
        "            var values = Fields(reward.seconds, reward.units);\n        }\n\n"
        "        using (var checkCached = new ChangeCheckScope())\n        {\n"
        "            var has = reward.expirationSeconds > 0;\n        }\n    }\n\n"
        "    void Other() { Go(); using (var check = new ChangeCheckScope()) { } }\n}\n"
    )
    project.write(text)
    asked = insert(
        "using (var check = new ChangeCheckScope())",
        "\n        using (new DisabledScope(!has))",
        before="        }\n\n        ",
        after="\n        {\n            var has = reward.expirationSeconds > 0;",
    )
    assert len(project.refused(asked).offers) != 1


def test_one_side_of_the_context_that_stands_elsewhere_as_it_was_sent_leaves_none(
    project: UnityProject,
) -> None:
    project.write(
        "class C\n{\n    const int Count = 1;\n\n    void A(Old context)\n    {\n"
        '        context.Add<int>(Count, "Port Count");\n    }\n\n'
        "    const int Count = 1;\n    const int Type = 2;\n\n    void A(Old context)\n    {\n"
        '        context.Add<int>(Count,"Port Count");\n    }\n}\n'
    )
    asked = replace(
        "Old ",
        "New ",
        before="    const int Count = 1;\n\n    void A(",
        after='context)\n    {\n        context.Add<int>(Count,"Port Count"',
    )
    assert len(project.refused(asked).offers) != 1


def test_a_word_of_the_context_that_is_beside_another_place_alone_leaves_none(
    project: UnityProject,
) -> None:
    def block(reference: str, key: str, check: str) -> str:
        return (
            f"        if (!known.TryGet(name))\n        {{\n"
            f'            missing.AppendLine($"{{{reference}}}({{{key}}})");\n        }}\n'
            f"        else\n        {{\n            inUse.Add(name);\n        }}\n\n"
            f"        {check}(missing);\n"
        )

    body = block("reference", "name", "Manifest") + block("precompiled.name", "id", "Others")
    project.write(f"class C\n{{\n    void M()\n    {{\n{body}    }}\n}}\n")
    asked = replace(
        "inUse.Add(name);",
        "inUse.Add(id);",
        before='            missing.AppendLine($"{precompiled}({name})");\n        }\n'
        "        else\n        {\n            ",
        after="\n        }\n",
    )
    assert len(project.refused(asked).offers) != 1


def test_a_target_within_a_sign_is_told_by_a_context_that_is_indented_otherwise(
    project: UnityProject,
) -> None:
    notes = "    /// <summary>\n    /// {} the parts\n    /// </summary>\n    int {};\n\n"
    text = f"class A\n{{\n{notes.format('holds', 'a')}{notes.format('has', 'b')}}}\n"
    project.write(text)
    asked = replace(
        "// holds the",
        "// Holds the",
        before="class A\n{\n  /// <summary>\n  /",
        after=" parts\n  /// </summary>\n  int a;",
    )
    asked["anchor"]["in"] = "comment"
    (offer,) = project.refused(asked).offers
    assert offer.what == "line 4, context differs"
    outcome = project.engine.edit_snippet({**offer.arguments, "mode": "apply"})
    assert not isinstance(outcome, SnippetError), outcome
    assert project.read().decode() == text.replace("holds", "Holds")


def test_not_where_two_places_have_that_context(project: UnityProject) -> None:
    note = "    /// <summary>\n    /// \n    /// </summary>\n    int {};\n\n"
    text = f"class A\n{{\n{note.format('a')}{note.format('b')}}}\n"
    project.write(text)
    asked = replace("/// ", "/// It.", before="\n  /// <summary>\n  ", after="\n  /// </summary>")
    asked["anchor"]["in"] = "comment"
    assert len(project.refused(asked).offers) != 1
