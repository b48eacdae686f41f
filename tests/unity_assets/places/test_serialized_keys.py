"""Rows 1 to 3 and 5: keys of serialized fields, wherever Unity writes them."""

from __future__ import annotations

from typing import Any

import pytest
from assets_project import SmallProject, component, guid, holder, instance, override, type_name

PLAYER = "  speed: 5\n  stats:\n    hp: 10\n  waves:\n  - hp: 1\n    speed: 2\n  - hp: 2\n"


@pytest.fixture
def project(project: SmallProject) -> SmallProject:
    """A project with the script of ``Player``."""
    project.script("Assets/Player.cs", 1)
    return project


def test_a_field_of_a_component_is_rewritten_and_nothing_else(project: SmallProject) -> None:
    project.script("Assets/Enemy.cs", 2)
    text = project.asset(
        "Assets/a.prefab", component(1, 11, PLAYER), component(2, 12, "  speed: 9\n")
    )
    facts = project.field("speed", holder("Player"))
    after = project.renamed_text(facts, "pace", "rewrite")
    assert after == text.replace("  speed: 5", "  pace: 5")
    assert [(each.line, each.kind) for each in project.find(facts).hits] == [
        (9, "serialized value")
    ]


@pytest.mark.parametrize(
    ("mode", "keeps_key", "lost"),
    [("keep", True, False), ("code", True, True), ("code", False, True)],
)
def test_a_key_that_stays_in_the_file_is_listed_and_lost_without_an_attribute(
    project: SmallProject, mode: str, keeps_key: bool, lost: bool
) -> None:
    project.asset("Assets/a.prefab", component(1, 11, PLAYER))
    facts = project.field("speed", holder("Player")) | {"keepsKey": keeps_key}
    renamed = project.rename(facts, "pace", mode)
    assert renamed.files == []
    assert [(each.line, each.lost) for each in renamed.left] == [(9, lost)]


def test_a_key_that_no_attribute_keeps_is_rewritten(project: SmallProject) -> None:
    """Renaming back takes the attribute away; the scene may have been saved in between."""
    text = project.asset("Assets/a.prefab", component(1, 11, PLAYER))
    facts = project.field("speed", holder("Player")) | {"keepsKey": False}
    assert project.renamed_text(facts, "pace") == text.replace("  speed: 5", "  pace: 5")


CHASE = "      type: {class: Chase, ns: Demo, asm: Game}\n      data:\n        range: 4\n"
FLEE = CHASE.replace("Chase", "Flee").replace("4", "5")
REFERENCES = "  references:\n    version: 2\n    RefIds:\n"
REWRITTEN: dict[str, tuple[str, tuple[str, str, Any], str, list[str]]] = {
    "a backing field": (
        "  <Speed>k__BackingField: 3\n",
        ("Speed", "<Speed>k__BackingField", holder("Player")),
        "Pace",
        ["<Speed>", "<Pace>"],
    ),
    "a field of a nested type at every depth": (
        PLAYER + "  hp: 3\n",
        ("hp", "hp", holder("Player", "stats", "waves[]")),
        "health",
        ["    hp:", "    health:", "- hp:", "- health:"],
    ),
    "in a managed reference": (
        f"  brain:\n    rid: 7\n{REFERENCES}    - rid: 7\n{CHASE}    - rid: 8\n{FLEE}",
        ("range", "range", holder("Demo.Chase", managed=True)),
        "reach",
        ["range: 4", "reach: 4"],
    ),
    "in a managed reference as older editors write it": (
        f"  references:\n    version: 1\n    00000000:\n{CHASE}",
        ("range", "range", holder("Demo.Chase", managed=True)),
        "reach",
        ["range: 4", "reach: 4"],
    ),
    "a name beyond ASCII, escaped as Unity does": (
        '  "\\u901F\\u5EA6": 5\n',
        ("速度", "速度", holder("Player")),
        "é",
        ["\\u901F\\u5EA6", "\\xE9"],
    ),
    "a name beyond ASCII, that becomes a plain one": (
        '  "\\u901F\\u5EA6": 5\n',
        ("速度", "速度", holder("Player")),
        "speed",
        ['"\\u901F\\u5EA6"', '"speed"'],
    ),
}


@pytest.mark.parametrize("what", REWRITTEN)
def test_a_key_is_rewritten(project: SmallProject, what: str) -> None:
    body, (name, key, owner), new_name, changes = REWRITTEN[what]
    expected = project.asset("Assets/a.asset", component(1, 11, body))
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        expected = expected.replace(old, new)
    asked = project.field(name, owner, key=key)
    assert project.renamed_text(asked, new_name, "rewrite") == expected


def test_a_field_in_a_generic_managed_reference(project: SmallProject) -> None:
    body = "  references:\n    version: 2\n    RefIds:\n" + "".join(
        f"    - rid: {rid}\n      type: {{class: 'Eff`1[[{name}, Game]]', ns: Demo, asm: Game}}\n"
        f"      data:\n        range: 4\n        arg:\n          hp: 3\n"
        for rid, name in ((7, "Demo.Stats"), (8, "Demo.Other"))
    )
    text = project.asset("Assets/a.prefab", component(1, 11, body), number=5)
    source = override(11, 5, "'managedReferences[7].arg.hp'", "4")
    added = override(11, 5, "'managedReferences[9]'", "Game Demo.Eff`1[[Demo.Stats, Game]]")
    added += override(11, 5, "'managedReferences[9].range'", "4")
    over = project.asset("Assets/b.prefab", instance(2, 5, source, added))
    ranges = project.field("range", holder("Demo.Eff`1", managed=True))
    files = {path: after.decode() for path, _, after in project.rename(ranges, "reach").files}
    assert files == {"Assets/b.prefab": over.replace("].range", "].reach")}
    assert project.rename(ranges, "reach", "rewrite").files[0][2].decode() == text.replace(
        "range:", "reach:"
    )
    filled = holder("Demo.Eff`1", "arg", managed=True)
    filled["type"]["name"] = "Eff`1[[Demo.Stats, Game]]"
    points = project.rename(project.field("hp", filled), "life", "rewrite").files
    assert [after.decode() for _, _, after in points] == [
        text.replace("hp:", "life:", 1),
        over.replace("arg.hp", "arg.life"),
    ]


def test_a_value_that_one_of_several_arguments_may_have_is_listed(project: SmallProject) -> None:
    body = (
        "  references:\n    version: 2\n    RefIds:\n    - rid: 7\n      type: {class: "
        "'Two`2[[System.Int32, mscorlib],[Demo.Stats, Game]]', ns: Demo, asm: Game}\n"
        "      data:\n        second:\n          hp: 3\n"
    )
    project.asset("Assets/a.prefab", component(1, 11, body), number=5)
    project.asset("Assets/b.prefab", instance(2, 5, override(11, 5, MANAGED, "4")))
    facts = project.field("hp") | {"type": type_name("Demo.Stats"), "keepsKey": False}
    assert [(each.kind, each.lost) for each in project.rename(facts, "life").left] == [
        ("serialized value", True),
        ("override", True),
    ]
    assert project.rename(facts | {"type": type_name("Demo.Other")}, "life").left == []


MANAGED = "'managedReferences[7].second.hp'"


def test_a_default_reference_is_always_rewritten(project: SmallProject) -> None:
    reference = f"{{fileID: 2800000, guid: {guid(9)}, type: 3}}"
    extra = f"  defaultReferences:\n  - icon: {reference}\n  executionOrder: 0\n"
    project.script("Assets/Player.cs", 1, extra)
    renamed = project.rename(project.field("icon", holder("Player")), "image")
    ((path, before, after),) = renamed.files
    assert path == "Assets/Player.cs.meta"
    assert after == before.replace(b"icon", b"image")


def test_a_key_that_is_there_already_is_a_conflict(project: SmallProject) -> None:
    project.asset("Assets/a.prefab", component(1, 11, PLAYER + "  pace: 1\n"))
    for mode in ("keep", "rewrite"):
        (conflict,) = project.rename(
            project.field("speed", holder("Player")), "pace", mode
        ).conflicts
        assert (conflict.path, conflict.line) == ("Assets/a.prefab", 9)


def test_a_script_with_another_type_of_its_own_name_is_not_meant(project: SmallProject) -> None:
    project.asset("Assets/a.prefab", component(1, 11, PLAYER))
    facts = project.field("speed", holder("Helper", scripts=("Assets/Player.cs",)))
    assert project.find(facts).hits == []


def test_two_scripts_with_one_guid_are_a_conflict(project: SmallProject) -> None:
    project.script("Assets/Copy/Player.cs", 1)
    (conflict,) = project.rename(project.field("speed", holder("Player")), "pace").conflicts
    assert conflict.path == "Assets/Player.cs.meta"
    assert "Assets/Copy/Player.cs" in conflict.message


def test_a_scripted_importers_setting(project: SmallProject) -> None:
    project.script("Assets/Importer.cs", 3)
    meta = (
        f"fileFormatVersion: 2\nguid: {guid(5)}\nScriptedImporter:\n  serializedVersion: 2\n"
        f"  script: {{fileID: 11500000, guid: {guid(3)}, type: 3}}\n  scale: 2\n"
    )
    project.write("Assets/a.level.meta", meta)
    facts = project.field("scale", holder("Importer"))
    assert project.renamed_text(facts, "size", "rewrite") == meta.replace("scale", "size")


def test_a_stripped_component_has_no_values(project: SmallProject) -> None:
    project.asset("Assets/a.prefab", component(1, 11, "", stripped=True))
    assert project.find(project.field("speed", holder("Player"))).hits == []


def test_a_script_outside_of_the_project_is_known_by_its_meta(project: SmallProject) -> None:
    project.write("../package/Tool.cs", "public class Tool { }\n")
    project.write("../package/Tool.cs.meta", f"fileFormatVersion: 2\nguid: {guid(3)}\n")
    project.asset("Assets/a.prefab", component(3, 11, PLAYER))
    facts = project.field("speed", holder("Tool", scripts=("../package/Tool.cs",)))
    assert len(project.find(facts).hits) == 1


def test_a_script_without_a_guid_is_named(project: SmallProject) -> None:
    project.write("Assets/Tool.cs", "public class Tool { }\n")
    project.asset("Assets/a.prefab", component(1, 11, PLAYER))
    found = project.find(project.field("speed", holder("Tool")))
    assert [path for path, _ in found.not_searched] == ["Assets/Tool.cs"]
