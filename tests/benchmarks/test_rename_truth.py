"""Renames are judged by what compiler and PyYAML see: the judge itself, and a small seeded run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.rename.truth.declared_types import DeclaredType, Method, SerializedField
from benchmarks.rename.truth.resolved_assets import ResolvedAssets, Use

_REPOSITORY = Path(__file__).parents[2]
PLAYER, STATS, BRAIN = "a" * 32, "b" * 32, "c" * 32
HEADER = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n"
COMPONENT = f"""--- !u!114 &1100
MonoBehaviour:
  m_ObjectHideFlags: 0
  m_Script: {{fileID: 11500000, guid: {PLAYER}, type: 3}}
  m_Name:
  speed: 5
  <Lives>k__BackingField: 3
  stats:
    hp: 10
  waves:
  - hp: 1
  - hp: 2
  brain:
    rid: 7001
  onHit:
    m_PersistentCalls:
      m_Calls:
      - m_Target: {{fileID: 1100}}
        m_TargetAssemblyTypeName: Demo.Player, Assembly-CSharp
        m_MethodName: Fire
        m_Mode: 3
        m_Arguments:
          m_ObjectArgumentAssemblyTypeName: UnityEngine.Object, UnityEngine
          m_IntArgument: 5
        m_CallState: 2
  references:
    version: 2
    RefIds:
    - rid: 7001
      type: {{class: Chase, ns: Demo, asm: Assembly-CSharp}}
      data:
        range: 4
"""
INSTANCE = f"""--- !u!1001 &2200
PrefabInstance:
  m_Modification:
    m_Modifications:
    - target: {{fileID: 1100, guid: {STATS}, type: 3}}
      propertyPath: waves.Array.data[0].hp
      value: 9
      objectReference: {{fileID: 0}}
  m_SourcePrefab: {{fileID: 100100000, guid: {STATS}, type: 3}}
"""
CLIP = f"""--- !u!74 &7400000
AnimationClip:
  m_FloatCurves:
  - attribute: stats.hp
    path:
    classID: 114
    script: {{fileID: 11500000, guid: {PLAYER}, type: 3}}
  m_Events:
  - time: 0.4
    functionName: OnStep
"""
SCRIPT = """using System;
using System.Collections.Generic;
using UnityEngine;
using UnityEngine.Events;

namespace Demo
{
    public enum Mood { Calm, Angry }

    [Serializable]
    public class Stats { public int hp; public Mood mood; }

    public interface IBrain { }

    [Serializable]
    public class Chase : IBrain { public float range; }

    public class Player : MonoBehaviour
    {
        [SerializeField] float speed = 1;
        [field: SerializeField] public int Lives { get; private set; }
        public Stats stats;
        public List<Stats> waves;
        [SerializeReference] public IBrain brain;
        public UnityEvent onHit;

        public void Fire(int count) { speed += count + Lives; }

        public void OnStep() { if (stats.mood == Mood.Angry) Fire(stats.hp); }
    }
}
"""


def _files() -> dict[str, str]:
    meta = "fileFormatVersion: 2\nguid: {}\n"
    return {
        "Assets/Player.cs": SCRIPT,
        "Assets/Player.cs.meta": meta.format(PLAYER) + "MonoImporter:\n  executionOrder: 0\n",
        "Assets/Hero.prefab": HEADER + COMPONENT,
        "Assets/Hero.prefab.meta": meta.format(STATS),
        "Assets/Main.unity": HEADER + INSTANCE,
        "Assets/Walk.anim": HEADER + CLIP,
    }


def _written(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


def _type(name: str, *fields: SerializedField, methods: tuple[Method, ...] = ()) -> DeclaredType:
    is_object = name == "Player"
    own = ("Demo", "Assembly-CSharp", "Class", ("Assets/Player.cs",), is_object, True, None)
    return DeclaredType(name, name, *own, fields, methods)


def _types(hp: SerializedField) -> dict[str, DeclaredType]:
    methods = (Method("Fire", "Fire", ("int",)), Method("OnStep", "OnStep", ()))
    fields = [
        SerializedField(key, key, (), type_)
        for key, type_ in (("speed", None), ("stats", "Stats"), ("waves", "Stats"))
    ]
    lives = SerializedField("<Lives>k__BackingField", "Lives", (), None)
    range_ = SerializedField("range", "range", (), None)
    made = (_type("Player", *fields, lives, methods=methods), _type("Stats", hp))
    return {each.id: each for each in (*made, _type("Chase", range_))}


def _uses(root: Path, types: dict[str, DeclaredType]) -> list[Use]:
    assets = ResolvedAssets(root, types)
    assets.read()
    found = assets.uses_in(assets.documents)
    return [use for documents in found.values() for uses in documents for use in uses]


def _stand_for(uses: list[Use], kind: str) -> set[str]:
    return {each for found, _, ids in uses for each in ids if found == kind}


def test_names_in_assets_stand_for_declarations(tmp_path: Path) -> None:
    uses = _uses(_written(tmp_path, _files()), _types(SerializedField("hp", "hp", (), None)))
    assert _stand_for(uses, "field") == {"speed", "Lives", "stats", "waves", "hp", "range"}
    assert _stand_for(uses, "path") == {"waves", "hp", "stats"}
    assert _stand_for(uses, "call") == {"Fire"}
    assert _stand_for(uses, "event") == {"OnStep"}
    assert _stand_for(uses, "type name") == {"Player"}
    assert _stand_for(uses, "managed type") == {"Chase"}


def test_an_attribute_reaches_keys_but_no_paths(tmp_path: Path) -> None:
    types = _types(SerializedField("health", "hp", ("hp",), None))
    uses = _uses(_written(tmp_path, _files()), types)
    assert "hp" in _stand_for(uses, "field")
    assert "hp" not in _stand_for(uses, "path")


@pytest.mark.timeout(300)
def test_seeded_renames_there_and_back(tmp_path: Path, one_in: Callable[[int], int]) -> None:
    count = 3 // one_in(3)
    root = _written(tmp_path / "project", _files())
    command = [sys.executable, "-m", "benchmarks.rename.truth", str(root), "--count", str(count)]
    run = subprocess.run(
        command, cwd=_REPOSITORY, env=dict(os.environ), capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    rows = [line.split() for line in run.stdout.splitlines()]
    for kind in ("field", "backing", "nested", "method", "type", "enum", "namespace"):
        assert any(kind in row for row in rows), run.stdout
    assert "WRONG" not in run.stdout
