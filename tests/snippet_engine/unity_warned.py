"""What Unity will make of edits of a script, as their answers warn of it, in few words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema
from script_changes import previewed
from unity_project import UnityProject

from snippet_engine.errors import SnippetError
from snippet_engine.schemas.result_schema import EDIT_SNIPPET_OUTPUT

PLAYER = "Assets/Player.cs"
SOURCE = """\
using UnityEngine;

namespace Game
{
    public class Player : MonoBehaviour
    {
        public int health = 100, armour;
        [SerializeField] private UnityEngine.Transform target;
        [System.NonSerialized] public int combo;
        private int hidden;
        public const int Max = 3;
        public static int Count;
        public readonly int Seed;
        public int Lives { get; set; }
    }

    [System.Serializable]
    public struct Loot { public string name; string kind; }
    public class Plain { public int value; }
}
"""


def warned(project: UnityProject, *changes: Mapping[str, Any]) -> list[tuple[str, int, str]]:
    result = previewed(project, *changes)
    assert all(len(each["message"]) <= 200 for each in result["warnings"])
    return [
        (each["code"], each.get("line", 0), each["message"])
        for each in result["warnings"]
        if each["code"] not in {"name_still_used", "empty_block"}
    ]


def codes(project: UnityProject, *changes: Mapping[str, Any]) -> list[str]:
    return [code for code, _, _ in warned(project, *changes)]


def warned_alone(
    project: UnityProject, *instructions: dict[str, Any], code: str = "serialized_field"
) -> list[dict[str, Any]]:
    """The warnings of ``edit_snippet`` that have one code; of lost fields, if none is said."""
    result = project.edit(*instructions, path=PLAYER, mode="preview")
    assert not isinstance(result, SnippetError), result
    jsonschema.validate(result, EDIT_SNIPPET_OUTPUT)
    return [each for each in result["warnings"] if each["code"] == code]
