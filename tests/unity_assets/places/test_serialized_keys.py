"""Rows 1 to 3 and 5: keys of serialized fields, wherever Unity writes them."""

from __future__ import annotations

from assets_project import SmallProject, component, guid, holder, instance, override, type_name

PLAYER = "  speed: 5\n  stats:\n    hp: 10\n  waves:\n  - hp: 1\n    speed: 2\n  - hp: 2\n"


def test_a_field_of_a_component_is_rewritten_and_nothing_else(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 1)
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


def test_an_attribute_keeps_a_key_and_the_file_stays(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 1)
    project.asset("Assets/a.prefab", component(1, 11, PLAYER))
    renamed = project.rename(project.field("speed", holder("Player")), "pace")
    assert renamed.files == []
    assert [(each.line, each.lost) for each in renamed.left] == [(9, False)]


def test_a_key_that_no_attribute_keeps_is_rewritten(project: SmallProject) -> None:
    """Renaming back takes the attribute away; the scene may have been saved in between."""
    project.script("Assets/Player.cs", 1)
    text = project.asset("Assets/a.prefab", component(1, 11, PLAYER))
    facts = project.field("speed", holder("Player")) | {"keepsKey": False}
    assert project.renamed_text(facts, "pace") == text.replace("  speed: 5", "  pace: 5")
    assert project.rename(facts, "pace", "code").files == []


def test_code_only_says_what_is_lost(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 1)
    project.asset("Assets/a.prefab", component(1, 11, PLAYER))
    renamed = project.rename(project.field("speed", holder("Player")), "pace", "code")
    assert (renamed.files, [each.lost for each in renamed.left]) == ([], [True])


def test_a_backing_field(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 1)
    text = project.asset("Assets/a.asset", component(1, 11, "  <Speed>k__BackingField: 3\n"))
    facts = project.field("Speed", holder("Player"), key="<Speed>k__BackingField")
    after = project.renamed_text(facts, "Pace", "rewrite")
    assert after == text.replace("<Speed>", "<Pace>")


def test_a_field_of_a_nested_type_at_every_depth(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 1)
    text = project.asset("Assets/a.unity", component(1, 11, PLAYER + "  hp: 3\n"))
    facts = project.field("hp", holder("Player", "stats", "waves[]"))
    after = project.renamed_text(facts, "health", "rewrite")
    assert after == text.replace("    hp:", "    health:").replace("- hp:", "- health:")


def test_a_field_in_a_managed_reference(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 1)
    body = (
        "  brain:\n    rid: 7001\n  references:\n    version: 2\n    RefIds:\n"
        "    - rid: 7001\n      type: {class: Chase, ns: Demo, asm: Game}\n"
        "      data:\n        range: 4\n"
        "    - rid: 7002\n      type: {class: Flee, ns: Demo, asm: Game}\n"
        "      data:\n        range: 5\n"
    )
    text = project.asset("Assets/a.asset", component(1, 11, body))
    facts = project.field("range", holder("Demo.Chase", managed=True))
    after = project.renamed_text(facts, "reach", "rewrite")
    assert after == text.replace("range: 4", "reach: 4")


def test_a_field_in_a_managed_reference_as_older_editors_write_it(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 1)
    body = (
        "  references:\n    version: 1\n    00000000:\n"
        "      type: {class: Chase, ns: Demo, asm: Game}\n      data:\n        range: 4\n"
    )
    text = project.asset("Assets/a.asset", component(1, 11, body))
    facts = project.field("range", holder("Demo.Chase", managed=True))
    after = project.renamed_text(facts, "reach", "rewrite")
    assert after == text.replace("range: 4", "reach: 4")


def test_a_field_in_a_generic_managed_reference(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 1)
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
    project.script("Assets/Player.cs", 1)
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
    project.script("Assets/Player.cs", 1)
    project.asset("Assets/a.prefab", component(1, 11, PLAYER + "  pace: 1\n"))
    for mode in ("keep", "rewrite"):
        (conflict,) = project.rename(
            project.field("speed", holder("Player")), "pace", mode
        ).conflicts
        assert (conflict.path, conflict.line) == ("Assets/a.prefab", 9)


def test_a_script_with_another_type_of_its_own_name_is_not_meant(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 1)
    project.asset("Assets/a.prefab", component(1, 11, PLAYER))
    facts = project.field("speed", holder("Helper", scripts=("Assets/Player.cs",)))
    assert project.find(facts).hits == []


def test_two_scripts_with_one_guid_are_a_conflict(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 1)
    project.script("Assets/Copy/Player.cs", 1)
    (conflict,) = project.rename(project.field("speed", holder("Player")), "pace").conflicts
    assert conflict.path == "Assets/Player.cs.meta"
    assert "Assets/Copy/Player.cs" in conflict.message


def test_a_name_beyond_ascii_is_escaped_as_unity_does(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 1)
    text = project.asset("Assets/a.asset", component(1, 11, '  "\\u901F\\u5EA6": 5\n'))
    facts = project.field("速度", holder("Player"))
    assert project.renamed_text(facts, "speed", "rewrite") == text.replace(
        '"\\u901F\\u5EA6"', '"speed"'
    )
    assert project.renamed_text(facts, "é", "rewrite") == text.replace("\\u901F\\u5EA6", "\\xE9")


def test_a_scripted_importers_setting(project: SmallProject) -> None:
    project.script("Assets/Importer.cs", 1)
    meta = (
        f"fileFormatVersion: 2\nguid: {guid(5)}\nScriptedImporter:\n  serializedVersion: 2\n"
        f"  script: {{fileID: 11500000, guid: {guid(1)}, type: 3}}\n  scale: 2\n"
    )
    project.write("Assets/a.level.meta", meta)
    facts = project.field("scale", holder("Importer"))
    assert project.renamed_text(facts, "size", "rewrite") == meta.replace("scale", "size")


def test_a_stripped_component_has_no_values(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 1)
    project.asset("Assets/a.prefab", component(1, 11, "", stripped=True))
    assert project.find(project.field("speed", holder("Player"))).hits == []


def test_a_script_outside_of_the_project_is_known_by_its_meta(project: SmallProject) -> None:
    project.write("../package/Player.cs", "public class Player { }\n")
    project.write("../package/Player.cs.meta", f"fileFormatVersion: 2\nguid: {guid(1)}\n")
    project.asset("Assets/a.prefab", component(1, 11, PLAYER))
    facts = project.field("speed", holder("Player", scripts=("../package/Player.cs",)))
    assert len(project.find(facts).hits) == 1


def test_a_script_without_a_guid_is_named(project: SmallProject) -> None:
    project.write("Assets/Player.cs", "public class Player { }\n")
    project.asset("Assets/a.prefab", component(1, 11, PLAYER))
    found = project.find(project.field("speed", holder("Player")))
    assert [path for path, _ in found.not_searched] == ["Assets/Player.cs"]
