"""Which fields changed in an asset, named as the Editor names them."""

from __future__ import annotations

from mcp_server.review.page.diffs.asset_changes import (
    MAX_FIELDS,
    MAX_LINES,
    FieldChange,
    asset_changes,
    is_asset_text,
)

PREFAB = b"""%YAML 1.1
%TAG !u! tag:unity3d.com,2011:
--- !u!1 &100
GameObject:
  m_Name: Player
  m_Component:
  - component: {fileID: 200}
--- !u!114 &200
MonoBehaviour:
  m_GameObject: {fileID: 100}
  m_EditorClassIdentifier: Assembly-CSharp::Enemy
  speed: 5
  waves:
  - hp: 3
    name: a
  - hp: 4
    name: b
--- !u!1001 &300
PrefabInstance:
  m_Modification:
    m_Modifications:
    - target: {fileID: 1, guid: 0123456789abcdef0123456789abcdef, type: 3}
      propertyPath: speed
      value: 7
      objectReference: {fileID: 0}
    - target: {fileID: 1, guid: 0123456789abcdef0123456789abcdef, type: 3}
      propertyPath: m_Name
      value: Boss
      objectReference: {fileID: 0}
"""


def changed(*replaced: tuple[bytes, bytes]) -> list[FieldChange]:
    after = PREFAB
    for old, new in replaced:
        assert old in after
        after = after.replace(old, new)
    found = asset_changes(PREFAB, after)
    assert (found.unread, found.left_out) == (0, 0)
    return list(found.fields)


def test_a_field_has_its_object_and_component() -> None:
    assert changed((b"speed: 5", b"speed: 6")) == [
        FieldChange("Player", "Enemy", "speed", "5", "6")
    ]


def test_a_renamed_field_goes_and_comes() -> None:
    assert changed((b"  speed: 5", b"  velocity: 5")) == [
        FieldChange("Player", "Enemy", "speed", "5", None),
        FieldChange("Player", "Enemy", "velocity", None, "5"),
    ]


def test_a_field_in_a_list_has_its_index() -> None:
    assert changed((b"hp: 4", b"hp: 40"), (b"name: a", b"name: z")) == [
        FieldChange("Player", "Enemy", "waves[0].name", "a", "z"),
        FieldChange("Player", "Enemy", "waves[1].hp", "4", "40"),
    ]


def test_an_override_has_the_field_that_it_sets() -> None:
    assert changed((b"value: 7", b"value: 8")) == [
        FieldChange("Boss", "override of 1", "speed", "7", "8")
    ]


def test_lines_of_no_field_are_counted() -> None:
    found = asset_changes(PREFAB, PREFAB.replace(b"  speed: 5\n", b"  speed: 5\njunk\n"))
    assert found.unread > 0


def test_the_list_is_bounded() -> None:
    more = b"".join(b"  f%d: 1\n" % each for each in range(MAX_FIELDS + 5))
    found = asset_changes(PREFAB, PREFAB.replace(b"  speed: 5\n", more))
    assert len(found.fields) <= MAX_FIELDS
    assert found.left_out == 6


def test_only_so_many_lines_are_looked_at() -> None:
    more = b"".join(b"  f%d: 1\n" % each for each in range(MAX_LINES + 5))
    found = asset_changes(PREFAB, PREFAB.replace(b"  speed: 5\n", more))
    assert found.unseen == 6


def test_what_is_an_asset() -> None:
    assert is_asset_text(PREFAB)
    assert is_asset_text(b"\xef\xbb\xbf" + PREFAB)
    assert not is_asset_text(b"class A { }")
    assert not is_asset_text(None)
