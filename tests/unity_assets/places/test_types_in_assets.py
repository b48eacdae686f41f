"""Rows 9, 12, 13, 18 to 20: types in UnityEvents, managed references, UXML and foreign data."""

from __future__ import annotations

import pytest
from assets_project import SmallProject, component, guid, instance, override, target, type_name

LONG = "Company.Product.Gameplay.Visualisation.DamageReceiver"


@pytest.fixture
def scene(project: SmallProject) -> SmallProject:
    project.script("Assets/Player.cs", 1)
    return project


def event(target_type: str, argument: str = "UnityEngine.Object, UnityEngine") -> str:
    return (
        "  onHit:\n    m_PersistentCalls:\n      m_Calls:\n      - m_Target: {fileID: 1100}\n"
        f"        m_TargetAssemblyTypeName: {target_type}\n        m_MethodName: Fire\n"
        "        m_Mode: 2\n        m_Arguments:\n"
        f"          m_ObjectArgumentAssemblyTypeName: {argument}\n"
    )


def test_both_type_names_of_a_call(scene: SmallProject) -> None:
    text = scene.asset(
        "Assets/a.unity", component(1, 1100, event("Demo.Player, Game", "Demo.Player, Game"))
    )
    facts = scene.type_named(type_name("Demo.Player"), type_name("Demo.Hero"))
    assert scene.renamed_text(facts, "Hero") == text.replace("Demo.Player,", "Demo.Hero,")


@pytest.mark.parametrize(
    ("named", "before", "after"),
    [
        ("Demo.Player, Game", "Demo.Player", "Demo.Hero"),
        ("Demo.PlayerInput, Game", "Demo.Player", None),
        ("Other.Demo.Player, Game", "Demo.Player", None),
        ("Demo.Player, Other", "Demo.Player", None),
        # A nested type has a plus.
        ("Demo.Player+Gun, Game", "Demo.Player/Gun", "Demo.Player/Rifle"),
        # Unity cuts a generic type's name in its brackets.
        ("Demo.Seq`1[[Demo.Cat, Game", "Demo.Seq`1", "Demo.Row`1"),
        ("Demo.Seq`1[[Demo.Seq`1[[Demo.Cat, Game", "Demo.Seq`1", "Demo.Row`1"),
        ("Other.Demo.Seq`1[[Demo.Cat, Game", "Demo.Seq`1", None),
        ("Demo.Seq`2[[Demo.Cat, Game", "Demo.Seq`1", None),
    ],
)
def test_the_type_of_a_calls_target(
    scene: SmallProject, named: str, before: str, after: str | None
) -> None:
    text = scene.asset("Assets/a.unity", component(1, 1100, event(named)))
    new = after or "Demo.New"
    facts = scene.type_named(type_name(before), type_name(new))
    renamed = scene.rename(facts, new)
    old, new = before.replace("/", "+"), new.replace("/", "+")
    texts = [each.decode() for _, _, each in renamed.files]
    assert texts == ([] if after is None else [text.replace(old, new)])


def test_a_name_is_folded_as_unity_folds(scene: SmallProject) -> None:
    short = event("Company.Product.Gameplay.Visualisation.Hit, Company.Product.Gameplay")
    long = event(f"{LONG},\n          Company.Product.Gameplay")
    before = scene.asset("Assets/a.unity", component(1, 1100, short))
    hit = type_name("Company.Product.Gameplay.Visualisation.Hit", "Company.Product.Gameplay")
    facts = scene.type_named(hit, type_name(LONG, "Company.Product.Gameplay"))
    after = scene.renamed_text(facts, "DamageReceiver")
    assert after == before.replace(short, long)
    scene.write("Assets/a.unity", after)
    back = scene.type_named(type_name(LONG, "Company.Product.Gameplay"), hit)
    assert scene.renamed_text(back, "Hit") == before


REFERENCES = (
    "  references:\n    version: 2\n    RefIds:\n    - rid: 1\n"
    "      type: {{class: {}, ns: Demo, asm: Game}}\n"
)


def test_a_managed_reference_is_kept_by_moved_from(scene: SmallProject) -> None:
    text = scene.asset("Assets/a.asset", component(1, 11, REFERENCES.format("Chase")))
    managed = [type_name("Demo.Chase")]
    facts = scene.type_named(*map(type_name, ("Demo.Chase", "Demo.Hunt")), managed=managed)
    renamed = scene.rename(facts, "Hunt")
    assert (renamed.files, [each.lost for each in renamed.left]) == ([], [False])
    assert scene.renamed_text(facts, "Hunt", "rewrite") == text.replace("Chase", "Hunt")


@pytest.mark.parametrize(
    ("named", "before", "after", "managed"),
    [
        ("Player/Chase", "Demo.Player/Chase", "Demo.Player/Hunt", False),
        ("'Seq`1[[Demo.Cat, Game],[Demo.Dog, Game]]'", "Demo.Cat", "Demo.Lion", True),
        ("'Seq`1[[Demo.Cat, Game]]'", "Demo.Seq`1", "Demo.Row`1", False),
    ],
)
def test_a_managed_reference_that_no_attribute_keeps_is_rewritten(
    scene: SmallProject, named: str, before: str, after: str, managed: bool
) -> None:
    text = scene.asset("Assets/a.asset", component(1, 11, REFERENCES.format(named)))
    facts = scene.type_named(
        type_name(before), type_name(after), managed=[type_name(before)] * managed
    )
    old, new = (each if managed else each.removeprefix("Demo.") for each in (before, after))
    assert scene.renamed_text(facts, new) == text.replace(old, new)


def test_the_attribute_of_an_outer_type_keeps_no_nested_one(scene: SmallProject) -> None:
    text = scene.asset("Assets/a.asset", component(1, 11, REFERENCES.format("Chase/Deep")))
    names = ("Demo.Chase", "Demo.Hunt", "Demo.Chase/Deep", "Demo.Hunt/Deep")
    one, other, deep, deep_after = map(type_name, names)
    facts = scene.type_named(one, other, managed=[one, deep])
    facts["renamedTypes"].append({"before": deep, "after": deep_after})
    assert scene.renamed_text(facts, "Hunt") == text.replace("Chase/Deep", "Hunt/Deep")


def test_a_type_in_an_override(scene: SmallProject) -> None:
    scene.asset("Assets/a.prefab", component(1, 1100, ""), number=10)
    text = scene.asset(
        "Assets/b.unity",
        instance(
            2200,
            10,
            override(1100, 10, "'managedReferences[7001]'", "Game Demo.Chase"),
            override(
                1100,
                10,
                "onHit.m_PersistentCalls.m_Calls.Array.data[0].m_TargetAssemblyTypeName",
                "Demo.Chase, Game",
            ),
        ),
    )
    facts = scene.type_named(
        type_name("Demo.Chase"), type_name("Demo.Hunt"), managed=[type_name("Demo.Chase")]
    )
    assert scene.renamed_text(facts, "Hunt") == text.replace("Demo.Chase", "Demo.Hunt")


def test_the_class_identifier_is_unitys_own(scene: SmallProject) -> None:
    body = component(1, 11, "").replace(
        "m_EditorClassIdentifier: ", "m_EditorClassIdentifier: Game::Demo.Player"
    )
    text = scene.asset("Assets/a.asset", body)
    facts = scene.type_named(type_name("Demo.Player"), type_name("Demo.Hero"))
    renamed = scene.rename(facts, "Hero")
    assert (renamed.files, [each.lost for each in renamed.left]) == ([], [False])
    assert scene.renamed_text(facts, "Hero", "rewrite") == text.replace("Player", "Hero")


def test_a_namespace(scene: SmallProject) -> None:
    text = scene.asset("Assets/a.unity", component(1, 1100, event("Demo.Arms.Player, Game")))
    before, after = type_name("Demo.Arms.Player"), type_name("Demo.Tools.Player")
    renamed = [{"before": before, "after": after}]
    facts = scene.facts("Arms", "namespace", renamedTypes=renamed)
    assert scene.renamed_text(facts, "Tools") == text.replace("Demo.Arms", "Demo.Tools")


UXML = (
    '<ui:UXML xmlns:ui="UnityEngine.UIElements" xmlns:g="Demo">\n'
    '  <g:Gauge max-value="3" binding-path="stats.hp">\n    <Demo.Gauge/>\n  </g:Gauge>\n'
    '  <g:GaugeList data-source-type="Demo.Gauge, Game"/>\n</ui:UXML>\n'
)


def test_uxml_tags_and_types(project: SmallProject) -> None:
    project.write("Assets/a.uxml", UXML)
    facts = project.type_named(
        type_name("Demo.Gauge"), type_name("Demo.Dial"), isVisualElement=True
    )
    expected = (
        UXML.replace("g:Gauge ", "g:Dial ")
        .replace("/g:Gauge>", "/g:Dial>")
        .replace("Demo.Gauge", "Demo.Dial")
    )
    assert project.renamed_text(facts, "Dial") == expected


def test_an_alias_of_a_renamed_namespace(project: SmallProject) -> None:
    project.write("Assets/a.uxml", UXML)
    pairs = [
        {"before": type_name(f"Demo.{each}"), "after": type_name(f"Show.{each}")}
        for each in ("Gauge", "GaugeList")
    ]
    facts = project.facts("Demo", "namespace", renamedTypes=pairs)
    assert project.renamed_text(facts, "Show") == UXML.replace("Demo", "Show")
    # A type that stays keeps the alias; the others get their full names.
    facts = project.facts("Demo", "namespace", renamedTypes=pairs[:1])
    after = project.renamed_text(facts, "Show")
    assert 'xmlns:g="Demo"' in after
    assert "<Show.Gauge max-value" in after
    assert "<g:GaugeList" in after


def test_attributes_and_binding_paths_are_listed(project: SmallProject) -> None:
    project.write("Assets/a.uxml", UXML)
    facts = project.facts(
        "maxValue", "property", targets=[target("Demo.Gauge")], isVisualElement=True
    )
    (left,) = project.rename(facts, "limit").left
    assert (left.line, left.kind) == (2, "UXML attribute")
    (left,) = project.rename(project.field("hp"), "health").left
    assert (left.line, left.kind) == (2, "UXML binding")


def test_objects_of_a_type_are_found_by_its_script(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 1)
    project.script("Assets/Enemy.cs", 2)
    project.asset("Assets/a.prefab", component(2, 11, ""), component(1, 12, "  speed: 1\n"))
    project.write("Assets/b.unity", b"\0binary")
    pair = type_name("Demo.Player"), type_name("Demo.Hero")
    facts = project.type_named(*pair, targets=[target("Demo.Player")])
    found = project.find(facts)
    ((path, line, kind),) = [(each.path, each.line, each.kind) for each in found.unnamed]
    assert (path, kind) == ("Assets/a.prefab", "object")
    text = (project.root / path).read_text().splitlines()[line - 1]
    assert f"m_Script: {{fileID: 11500000, guid: {guid(1)}" in text
    # A rename doesn't touch these, and counts none.
    assert (found.hits, project.rename(facts, "Hero").files) == ([], [])
    assert project.find(project.method("Fire", target("Demo.Player"))).unnamed == []


def test_selectors_of_style_sheets_are_listed(project: SmallProject) -> None:
    text = (
        "/* Gauge */ Gauge { color: red; /* } Gauge */ }\n.Gauge, #Gauge, Gauge-like { top: 1px }\n"
        'Label > Gauge:hover, Gauge.wide {\n  background-image: url("Gauge.png");\n  x: Gauge;\n}\n'
    )
    project.write("Assets/a.uss", text)
    pair = type_name("Demo.Gauge"), type_name("Demo.Dial")
    facts = project.type_named(*pair, isVisualElement=True)
    renamed = project.rename(facts, "Dial")
    assert renamed.files == []
    assert [(each.line, each.kind, each.lost) for each in renamed.left] == [
        (1, "USS selector", True),
        (3, "USS selector", True),
        (3, "USS selector", True),
    ]
    assert len(project.find(facts).hits) == 3
    assert project.rename(project.type_named(*pair), "Dial").left == []


def test_link_xml_is_listed(project: SmallProject) -> None:
    text = '<linker>\n  <assembly fullname="Game">\n    <type fullname="Demo.Player"/>\n'
    project.write("Assets/link.xml", text + "  </assembly>\n</linker>\n")
    facts = project.type_named(type_name("Demo.Player"), type_name("Demo.Hero"))
    (left,) = project.rename(facts, "Hero").left
    assert (left.path, left.line, left.lost) == ("Assets/link.xml", 3, True)


LINKED = (
    '<assembly fullname="Game">',
    '<namespace fullname="Demo.Sub"/>',
    '<type fullname="Demo.Sub.*"/>',
    '<type fullname="Demo.Pl*er"/>',
    '<type fullname="Demo.Player">',
    '<method name="get_Lives"/>',
    '<method signature="System.Int32 get_Lives()"/>',
    '<event name="Died"/>',
    '<method name="add_Died"/>',
    '<field name="secret"/>',
    '<method signature="Demo.Player Make(Demo.Sub.Part)"/>',
    "<!-- Demo.Player Lives -->",
)


@pytest.mark.parametrize(
    ("kind", "name", "new", "lines"),
    [
        ("namespace", "Sub", "Demo.Other.Part", [2, 3, 11]),
        ("type", "Part", "Demo.Sub.Piece", [11]),
        ("type", "Player", "Demo.Hero", [4, 5, 11]),
        ("type", "Player", "Demo.Pler", [5, 11]),
        ("property", "Lives", "Hearts", [6, 7]),
        ("event", "Died", "Gone", [8, 9]),
        ("field", "secret", "hidden", [10]),
        ("field", "secre", "hidden", []),
    ],
)
def test_what_link_xml_names(
    project: SmallProject, kind: str, name: str, new: str, lines: list[int]
) -> None:
    # The words that a pattern leaves out are elsewhere in the file.
    project.write("Assets/link.xml", "\n".join(LINKED))
    facts = project.facts(name, kind)
    if kind in ("namespace", "type"):
        before = "Demo.Player" if name == "Player" else "Demo.Sub.Part"
        renamed = [{"before": type_name(before), "after": type_name(new)}]
        facts |= {"renamedTypes": renamed}
    left = project.rename(facts, new.rpartition(".")[2]).left
    assert [each.line for each in left] == lines
    assert all(each.lost for each in left)


def test_visual_scripting_is_listed(scene: SmallProject) -> None:
    json = (
        '\'{"graph":{"elements":[{"member":{"name":"TakeDamage","targetType":"Demo.Player"},'
        '"$type":"Unity.VisualScripting.InvokeMember"}]}}\''
    )
    scene.asset("Assets/a.asset", component(9, 11, f"  _data:\n    _json: {json}\n"))
    facts = scene.method("TakeDamage", target("Demo.Player"), type=type_name("Demo.Player"))
    (left,) = scene.rename(facts, "Hurt").left
    assert (left.kind, left.lost) == ("Visual Scripting", True)
    # Asked about the interface's method that it implements.
    facts = scene.method("TakeDamage", target("Demo.Player"), type=type_name("Demo.IHurt"))
    assert [each.kind for each in scene.find(facts).hits] == ["Visual Scripting"]
    facts = scene.type_named(type_name("Demo.Player"), type_name("Demo.Hero"))
    assert [each.kind for each in scene.rename(facts, "Hero").left] == ["Visual Scripting"]


def test_odin_data_is_listed(scene: SmallProject) -> None:
    data = (
        "  serializationData:\n    SerializedFormat: 2\n    SerializationNodes:\n"
        "    - Name: loot\n      Entry: 7\n      Data: 0|Demo.Player, Game\n"
    )
    scene.asset("Assets/a.asset", component(1, 11, data))
    facts = scene.type_named(type_name("Demo.Player"), type_name("Demo.Hero"))
    assert [each.kind for each in scene.rename(facts, "Hero").left] == ["Odin data"]
    (left,) = scene.rename(scene.field("loot"), "spoils").left
    assert (left.kind, left.lost) == ("Odin data", False)
    # Without a key, as of a dictionary, no attribute was added for Odin to read.
    for kind in ("field", "property"):
        (left,) = scene.rename(scene.facts("loot", kind, keepsKey=False), "spoils").left
        assert (left.kind, left.lost) == ("Odin data", True)
    assert scene.rename(scene.facts("loot", "local"), "spoils").left == []


def test_a_type_name_that_only_code_reads_is_listed(scene: SmallProject) -> None:
    scene.asset("Assets/a.asset", component(1, 11, "  factory: Demo.Player, Game\n"))
    facts = scene.type_named(type_name("Demo.Player"), type_name("Demo.Hero"))
    (left,) = scene.rename(facts, "Hero").left
    assert (left.kind, left.lost) == ("type name", True)


def test_an_alias_of_an_outer_namespace_stays(project: SmallProject) -> None:
    text = '<UXML xmlns:g="Demo"><g:A.Gauge/><g:A.Z.Dial/></UXML>\n'
    project.write("Assets/a.uxml", text)
    pairs = [
        {"before": type_name(f"Demo.A.{each}"), "after": type_name(f"Demo.B.{each}")}
        for each in ("Gauge", "Z.Dial")
    ]
    facts = project.facts("A", "namespace", renamedTypes=pairs)
    assert project.renamed_text(facts, "B") == text.replace("g:A.", "g:B.")


SHADER = """Shader "Demo/Water" {
 Properties { [Step(2)] _Amount ("Amount", Float) = 1 }
 SubShader { Pass { HLSLPROGRAM float a = b[Step]; // CustomEditor "Demo.WaterGUI"
 } }
 CustomEditor "Demo.WaterGUI"
 CustomEditorForRenderPipeline "LakeGUI" "Pipeline"
}
"""


@pytest.mark.parametrize(
    ("full", "lines"),
    [
        ("Demo.WaterGUI", [("Assets/a.shader", 5), ("Assets/b.shadergraph", 2)]),
        ("Demo.LakeGUI", [("Assets/a.shader", 6)]),
        ("Demo.StepDrawer", [("Assets/a.shader", 2)]),
        ("Demo.Step", []),
        ("Other.WaterGUI", []),
    ],
)
def test_a_shaders_inspector_is_listed(
    project: SmallProject, full: str, lines: list[tuple[str, int]]
) -> None:
    project.write("Assets/a.shader", SHADER)
    project.write("Assets/b.shadergraph", '{\n  "m_CustomEditorGUI": "Demo.WaterGUI"\n}\n')
    renamed = project.rename(project.type_named(type_name(full), type_name("Demo.New")), "New")
    assert [(each.path, each.line) for each in renamed.left] == lines
    assert all(each.lost for each in renamed.left)
    assert renamed.not_searched == []


def test_an_enums_member_in_uxml_is_listed(project: SmallProject) -> None:
    text = (
        '<ui:UXML xmlns:ui="UnityEngine.UIElements" xmlns:g="Demo">\n'
        '<g:Gauge tone="Angry" name="Angry"/>\n<ui:Label tone="Angry"/>\n'
        '<ui:EnumField type="Demo.Tone, Game" value="Calm, Angry"/>\n<g:Gauge tone="Angrier"/>\n'
    )
    project.write("Assets/a.uxml", text + "</ui:UXML>\n")
    facts = project.facts("Angry", "enumMember", type=type_name("Demo.Tone"))
    renamed = project.rename(facts, "Mad")
    assert [(each.line, each.kind) for each in renamed.left] == [
        (2, "UXML value"),
        (4, "UXML value"),
    ]
