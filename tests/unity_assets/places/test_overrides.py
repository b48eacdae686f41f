"""Rows 4, 6, 7 and 10: property paths of overrides, presets and animations."""

from __future__ import annotations

import zlib

import pytest
from assets_project import SmallProject, component, guid, holder, instance, override

PLAYER, ENEMY, PREFAB, VARIANT = 1, 2, 10, 20


@pytest.fixture
def prefab(project: SmallProject) -> SmallProject:
    """A prefab with a Player (id 1100) and an Enemy (id 1200)."""
    project.script("Assets/Player.cs", PLAYER)
    project.script("Assets/Enemy.cs", ENEMY)
    project.asset(
        "Assets/a.prefab",
        component(PLAYER, 1100, "  waves:\n  - hp: 1\n"),
        component(ENEMY, 1200, "  waves:\n  - hp: 1\n"),
        number=PREFAB,
    )
    return project


def test_an_override_is_rewritten_whatever_the_attributes(prefab: SmallProject) -> None:
    text = prefab.asset(
        "Assets/a.unity",
        instance(
            2200,
            PREFAB,
            override(1100, PREFAB, "waves.Array.data[3].hp", "9"),
            override(1200, PREFAB, "waves.Array.data[3].hp", "9"),
            override(1100, PREFAB, "waves.Array.size", "4"),
        ),
    )
    after = prefab.renamed_text(prefab.field("hp", holder("Player", "waves[]")), "health")
    assert after == text.replace("[3].hp", "[3].health", 1)


def test_a_quoted_path_keeps_its_quotes(prefab: SmallProject) -> None:
    text = prefab.asset(
        "Assets/a.unity",
        instance(22, PREFAB, override(1100, PREFAB, "'waves.Array.data[3].hp'", "9")),
    )
    after = prefab.renamed_text(prefab.field("waves", holder("Player")), "rounds")
    assert after == text.replace("'waves.", "'rounds.")


def test_an_object_of_a_variant_is_found_through_its_source(prefab: SmallProject) -> None:
    prefab.asset("Assets/b.prefab", instance(5000, PREFAB), number=VARIANT)
    inside = 5000 ^ 1100
    text = prefab.asset(
        "Assets/a.unity",
        instance(2200, VARIANT, override(inside, VARIANT, "speed", "9")),
        instance(2300, VARIANT, override(5000 ^ 1200, VARIANT, "speed", "9")),
    )
    after = prefab.renamed_text(prefab.field("speed", holder("Player")), "pace")
    assert after == text.replace("propertyPath: speed", "propertyPath: pace", 1)


def test_a_prefab_that_is_not_there_leaves_the_override_listed(prefab: SmallProject) -> None:
    prefab.asset("Assets/a.unity", instance(2200, 99, override(1100, 99, "speed", "9")))
    renamed = prefab.rename(prefab.field("speed", holder("Player")), "pace")
    assert renamed.files == []
    ((left),) = renamed.left
    assert (left.line, left.lost) == (13, True)
    assert "isn't in the project" in left.why


def test_an_object_that_cannot_be_read_leaves_the_override_listed(prefab: SmallProject) -> None:
    conflict = "<<<<<<< HEAD\n  speed: 1\n=======\n  speed: 2\n>>>>>>> theirs\n"
    prefab.asset("Assets/a.prefab", component(PLAYER, 1100, conflict), number=PREFAB)
    prefab.asset("Assets/a.unity", instance(2200, PREFAB, override(1100, PREFAB, "speed", "9")))
    renamed = prefab.rename(prefab.field("speed", holder("Player")), "pace", "rewrite")
    assert renamed.files == []
    (left,) = renamed.left
    assert (left.path, left.lost) == ("Assets/a.unity", True)
    assert "can't be read" in left.why


def test_an_override_of_the_new_path_is_a_conflict(prefab: SmallProject) -> None:
    prefab.asset(
        "Assets/a.unity",
        instance(
            2200, PREFAB, override(1100, PREFAB, "speed", "9"), override(1100, PREFAB, "pace", "8")
        ),
    )
    assert prefab.rename(prefab.field("speed", holder("Player")), "pace").conflicts
    assert not prefab.rename(prefab.field("speed", holder("Player")), "tempo").conflicts


def test_an_override_in_a_managed_reference(prefab: SmallProject) -> None:
    body = (
        "  references:\n    version: 2\n    RefIds:\n    - rid: 7001\n"
        "      type: {class: Chase, ns: Demo, asm: Game}\n      data:\n        range: 4\n"
    )
    prefab.asset("Assets/c.prefab", component(PLAYER, 1100, body), number=30)
    text = prefab.asset(
        "Assets/a.unity",
        instance(
            2200,
            30,
            override(1100, 30, "'managedReferences[7001].range'", "9"),
            override(1100, 30, "'managedReferences[7002]'", "Game Demo.Chase"),
            override(1100, 30, "'managedReferences[7002].range'", "9"),
            override(1100, 30, "'managedReferences[7003]'", "Game Demo.Flee"),
            override(1100, 30, "'managedReferences[7003].range'", "9"),
        ),
    )
    after = prefab.renamed_text(prefab.field("range", holder("Demo.Chase", managed=True)), "reach")
    assert after == text.replace("7001].range", "7001].reach").replace("7002].range", "7002].reach")


def test_a_preset(prefab: SmallProject) -> None:
    text = prefab.asset(
        "Assets/a.preset",
        "--- !u!181963792 &2655988077585873504\nPreset:\n  m_TargetType:\n    m_NativeTypeID: 114\n"
        f"    m_ManagedTypePPtr: {{fileID: 11500000, guid: {guid(PLAYER)},\n      type: 3}}\n"
        "    m_ManagedTypeFallback: \n  m_Properties:\n  - target: {fileID: 0}\n"
        "    propertyPath: speed\n    value: 5\n    objectReference: {fileID: 0}\n"
        "  m_ExcludedProperties:\n  - speed\n",
    )
    after = prefab.renamed_text(prefab.field("speed", holder("Player")), "pace")
    assert after == text.replace(" speed", " pace")
    assert prefab.find(prefab.field("speed", holder("Enemy"))).hits == []


def clip(number: int, attribute: str) -> str:
    script = f"script: {{fileID: 11500000, guid: {guid(number)}, type: 3}}"
    curve = f"    attribute: {attribute}\n    path: Body\n    classID: 114\n    {script}\n"
    points = "  - curve:\n      serializedVersion: 2\n      m_Curve: []\n"
    return (
        "--- !u!74 &7400000\nAnimationClip:\n  m_Name: walk\n"
        f"  m_FloatCurves:\n{points}{curve}  m_PPtrCurves: []\n"
        "  m_ClipBindingConstant:\n    genericBindings:\n    - serializedVersion: 2\n"
        f"      path: 123\n      attribute: {zlib.crc32(attribute.encode())}\n      {script}\n"
        f"      typeID: 114\n    pptrCurveMapping: []\n  m_EditorCurves:\n{points}{curve}"
    )


def test_an_animated_field_and_its_hash(prefab: SmallProject) -> None:
    text = prefab.asset("Assets/a.anim", clip(PLAYER, "stats.hp"))
    prefab.asset("Assets/b.anim", clip(ENEMY, "stats.hp"))
    after = prefab.renamed_text(prefab.field("hp", holder("Player", "stats")), "health")
    old, new = (str(zlib.crc32(each)) for each in (b"stats.hp", b"stats.health"))
    assert after == text.replace("stats.hp", "stats.health").replace(old, new)
    assert text.count("stats.hp") == 2
    assert old in text


def test_a_curve_of_timeline_begins_at_the_behaviour_in_an_asset(prefab: SmallProject) -> None:
    text = prefab.asset("Assets/a.playable", clip(PLAYER, "hp"))
    own = {**holder("Player", "template"), "animated": [""]}
    after = prefab.renamed_text(prefab.field("hp", own), "health")
    old, new = (str(zlib.crc32(each)) for each in (b"hp", b"health"))
    assert after == text.replace(" hp", " health").replace(old, new)
    assert prefab.rename(prefab.field("hp", holder("Player", "template")), "health").files == []


def test_a_curve_of_a_managed_reference_is_listed(prefab: SmallProject) -> None:
    prefab.asset("Assets/a.anim", clip(PLAYER, "managedReferences[7].hp"))
    facts = prefab.field("hp", holder("Player"), holder("Brain", managed=True))
    renamed = prefab.rename(facts, "health")
    assert renamed.files == []
    assert [(each.kind, each.lost) for each in renamed.left] == [("animation", True)] * 2


def test_a_unity_event_field_in_an_override(prefab: SmallProject) -> None:
    path = "onHit.m_PersistentCalls.m_Calls.Array.data[0].m_MethodName"
    text = prefab.asset(
        "Assets/a.unity", instance(22, PREFAB, override(1100, PREFAB, path, "Fire"))
    )
    after = prefab.renamed_text(prefab.field("onHit", holder("Player")), "onStruck")
    assert after == text.replace("onHit", "onStruck")


def test_a_backing_field_in_an_override(prefab: SmallProject) -> None:
    text = prefab.asset(
        "Assets/a.unity", instance(22, PREFAB, override(1100, PREFAB, "<Id>k__BackingField", "4"))
    )
    facts = prefab.field("Id", holder("Player"), key="<Id>k__BackingField")
    assert prefab.renamed_text(facts, "Key") == text.replace("<Id>", "<Key>")
