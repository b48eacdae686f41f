"""Which fields changed in an asset, named as the Editor names them."""

from __future__ import annotations

from typing import Any

import pytest

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


OF_ENEMY = ("Player", "Enemy")


@pytest.mark.parametrize(
    ("old", "new", "fields"),
    [
        pytest.param(*(b"speed: 5", b"speed: 6", [(*OF_ENEMY, "speed", "5", "6")]), id="a field"),
        pytest.param(
            *(b"  speed: 5", b"  velocity: 5"),
            [(*OF_ENEMY, "speed", "5", None), (*OF_ENEMY, "velocity", None, "5")],
            id="a renamed field goes and comes",
        ),
        pytest.param(
            *(b"4\n    name: b", b"40\n    name: z"),
            [(*OF_ENEMY, "waves[1].hp", "4", "40"), (*OF_ENEMY, "waves[1].name", "b", "z")],
            id="in a list",
        ),
        pytest.param(
            *(b"value: 7", b"value: 8"),
            [("Boss", "override of 1", "speed", "7", "8")],
            id="an override has the field that it sets",
        ),
    ],
)
def test_a_field_has_its_object_and_component(old: bytes, new: bytes, fields: list[Any]) -> None:
    assert PREFAB.count(old) == 1
    found = asset_changes(PREFAB, PREFAB.replace(old, new))
    assert (found.unread, found.left_out) == (0, 0)
    assert list(found.fields) == [FieldChange(*each) for each in fields]


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
