"""A picture of what a rename changes in a scene: the product's own edits, as git shows them."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.pictures.session import Typed, on_terminal
from unity_assets import Assets

_PLAYER, _PREFAB = "0f" * 16, "1f" * 16
_SCRIPT = f"{{fileID: 11500000, guid: {_PLAYER}, type: 3}}"
_PREFAB_TEXT = f"""%YAML 1.1
%TAG !u! tag:unity3d.com,2011:
--- !u!114 &1100
MonoBehaviour:
  m_Script: {_SCRIPT}
  m_Name:\x20
  <Speed>k__BackingField: 5
"""
_SCENE_TEXT = f"""%YAML 1.1
%TAG !u! tag:unity3d.com,2011:
--- !u!114 &1100
MonoBehaviour:
  m_Script: {_SCRIPT}
  m_Name:\x20
  <Speed>k__BackingField: 7
  onHit:
    m_PersistentCalls:
      m_Calls:
      - m_Target: {{fileID: 1100}}
        m_TargetAssemblyTypeName: Player, Game
        m_MethodName: set_Speed
        m_Mode: 4
--- !u!1001 &2200
PrefabInstance:
  m_Modification:
    m_Modifications:
    - target: {{fileID: 1100, guid: {_PREFAB}, type: 3}}
      propertyPath: <Speed>k__BackingField
      value: 9
      objectReference: {{fileID: 0}}
"""
_NAME = {"namespace": "", "name": "Player", "assembly": "Game"}
_FACTS = {
    "name": "Speed",
    "kind": "property",
    "display": "Player.Speed",
    "type": _NAME,
    "declarations": [],
    "renamedTypes": [],
    "key": "<Speed>k__BackingField",
    "holders": [{"type": _NAME, "scripts": ["Assets/Player.cs"], "managed": False, "paths": [""]}],
    "targets": [{"type": _NAME, "scripts": ["Assets/Player.cs"]}],
    "parameters": ["System.Single"],
    "overloads": [],
    "sameName": 0,
    "keepsKey": True,
    "isVisualElement": False,
    "managed": [],
}
_COMMAND = ("git", "--no-pager", "diff", "--no-index", "before", "after")


def record_renamed_scene() -> list[Typed]:
    """Rename ``Speed`` in a scene that overrides its value and sets it by a UnityEvent.

    Return the diff."""
    with tempfile.TemporaryDirectory() as folder:
        assets = Path(folder) / "Assets"
        assets.mkdir()
        for name, text in {
            "Player.cs": "public class Player : UnityEngine.MonoBehaviour { }\n",
            "Player.cs.meta": f"fileFormatVersion: 2\nguid: {_PLAYER}\n",
            "Player.prefab": _PREFAB_TEXT,
            "Player.prefab.meta": f"fileFormatVersion: 2\nguid: {_PREFAB}\n",
            "Level.unity": _SCENE_TEXT,
        }.items():
            (assets / name).write_text(text, encoding="utf-8", newline="\n")
        for path, before, after in Assets(folder, None).rename(_FACTS, "Pace", "keep").files:
            for side, data in (("before", before), ("after", after)):
                file = Path(folder, side, Path(path).name)
                file.parent.mkdir(exist_ok=True)
                file.write_bytes(data)
        return [Typed("git diff", on_terminal(_COMMAND, Path(folder), 1))]
