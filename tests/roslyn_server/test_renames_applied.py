"""``find_references`` and ``rename_symbol`` as a user has them: engine, compiler, assets, disk."""

from __future__ import annotations

from typing import Any

import pytest
from judged_edits import Judged, refusals

from mcp_server.review.record.events import Event, EventFile, Outcome
from mcp_server.review.take_back.planner import Planner
from mcp_server.review.take_back.plans import Plan, arguments_of
from snippet_engine.call_context import begin_noting_changes
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import content_hash

UNITY = "Assets/Unity.cs"
PLAYER = "Assets/Player.cs"
ENEMY = "Assets/Enemy.cs"
BRAIN = "Assets/Brain.cs"
SCENE = "Assets/Main.unity"
GUID = "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"
SCRIPTS = {
    UNITY: "namespace UnityEngine\n{\n    public class Object { }\n"
    "    public class MonoBehaviour : Object { }\n"
    "    public class SerializeField : System.Attribute { }\n"
    "    public class SerializeReference : System.Attribute { }\n"
    "    namespace Scripting.APIUpdating\n    {\n"
    "        public class MovedFromAttribute : System.Attribute\n        {\n"
    "            public MovedFromAttribute(bool autoUpdateAPI, string sourceNamespace,\n"
    "                string sourceAssembly, string sourceClassName) { }\n        }\n    }\n"
    "    namespace Serialization\n    {\n"
    "        [System.AttributeUsage(System.AttributeTargets.Field, AllowMultiple = true)]\n"
    "        public class FormerlySerializedAsAttribute : System.Attribute\n        {\n"
    "            public FormerlySerializedAsAttribute(string name) { }\n        }\n    }\n}\n",
    PLAYER: "using UnityEngine;\n\npublic class Player : MonoBehaviour\n{\n"
    "    [SerializeField] int speed = 5;\n    public int Pace() => speed;\n"
    "    public void Fire() { Fire(); }\n}\n",
    BRAIN: "using UnityEngine;\n\npublic class Holder : MonoBehaviour\n{\n"
    "    [SerializeReference] public Brain brain;\n}\n\n"
    "[System.Serializable]\npublic class Brain\n{\n"
    "    [System.Serializable]\n    public class Deep : Brain { }\n}\n",
    ENEMY: "public class Enemy\n{\n    public int Of(Player player)\n    {\n"
    "        player.Fire();\n        return player.Pace();\n    }\n}\n",
}
ASSETS = {
    PLAYER + ".meta": f"fileFormatVersion: 2\nguid: {GUID}\nMonoImporter:\n  executionOrder: 0\n",
    SCENE: "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!114 &1100\nMonoBehaviour:\n"
    f"  m_Script: {{fileID: 11500000, guid: {GUID}, type: 3}}\n  m_Name: \n"
    "  m_EditorClassIdentifier: \n  speed: 7\n  onHit:\n    m_PersistentCalls:\n"
    "      m_Calls:\n      - m_Target: {fileID: 1100}\n"
    "        m_TargetAssemblyTypeName: Player, Assembly-CSharp\n"
    "        m_MethodName: Fire\n        m_Mode: 1\n        m_Arguments:\n"
    "          m_ObjectArgument: {fileID: 0}\n"
    "          m_ObjectArgumentAssemblyTypeName: UnityEngine.Object, UnityEngine\n"
    "        m_CallState: 2\n"
    "  references:\n    version: 2\n    RefIds:\n    - rid: 7\n"
    "      type: {class: Brain, ns: , asm: Assembly-CSharp}\n      data:\n    - rid: 8\n"
    "      type: {class: Brain/Deep, ns: , asm: Assembly-CSharp}\n      data:\n",
}
FILES = {**SCRIPTS, **ASSETS}
TIME = 120_000


@pytest.fixture
def judged(serving: Judged) -> Judged:
    return serving.rewritten(FILES)


def tree(judged: Judged) -> dict[str, str]:
    found = sorted(path for path in (judged.root / "Assets").rglob("*") if path.is_file())
    return {path.relative_to(judged.root).as_posix(): path.read_text("utf-8") for path in found}


def rename(judged: Judged, symbol: str, new: str, **more: Any) -> dict[str, Any] | SnippetError:
    asked = {"path": PLAYER, "symbolPath": symbol, "newName": new, "mode": "apply"}
    return judged.engine.rename_symbol({**asked, "timeout_ms": TIME, **more})


def done(judged: Judged, symbol: str, new: str, **more: Any) -> dict[str, Any]:
    result = rename(judged, symbol, new, **more)
    assert not isinstance(result, SnippetError), result
    return result


def undone(judged: Judged, result: dict[str, Any]) -> None:
    found = judged.engine.undo_snippet({"changeId": result["changeId"]})
    assert not isinstance(found, SnippetError), found


def test_a_method_that_a_scene_calls(judged: Judged) -> None:
    before = tree(judged)
    result = done(judged, "Player.Fire", "Shoot")
    assert (result["complete"], result["places"]) == (True, 4), result
    after = tree(judged)
    assert "player.Shoot();" in after[ENEMY]
    assert after[SCENE] == before[SCENE].replace("m_MethodName: Fire", "m_MethodName: Shoot")
    undone(judged, result)
    assert tree(judged) == before


def test_a_field_keeps_its_value_by_an_attribute(judged: Judged) -> None:
    before = tree(judged)
    result = done(judged, "Player.speed", "pace")
    after = tree(judged)
    assert '[FormerlySerializedAs("speed")]' in after[PLAYER]
    assert after[SCENE] == before[SCENE]
    back = done(judged, "Player.pace", "speed")
    assert tree(judged) == before
    undone(judged, back)
    undone(judged, result)
    assert tree(judged) == before


def test_renaming_back_after_the_scene_was_saved(judged: Judged) -> None:
    """The attribute goes, so the scene's newer key must become the older one."""
    before = tree(judged)
    done(judged, "Player.speed", "pace")
    saved = before[SCENE].replace("  speed: 7", "  pace: 7")
    (judged.root / SCENE).write_text(saved, "utf-8")
    result = done(judged, "Player.pace", "speed")
    assert tree(judged) == before
    assert [each["kind"] for each in result.get("left", [])] == []
    undone(judged, result)
    assert tree(judged)[SCENE] == saved


def test_a_field_rewritten_in_the_scene(judged: Judged) -> None:
    before = tree(judged)
    done(judged, "Player.speed", "pace", assets="rewrite")
    after = tree(judged)
    assert after[SCENE] == before[SCENE].replace("  speed: 7", "  pace: 7")
    assert "FormerlySerializedAs" not in after[PLAYER]


def test_a_type_takes_its_file_along(judged: Judged) -> None:
    before = tree(judged)
    result = done(judged, "Player", "Hero")
    after = tree(judged)
    assert PLAYER not in after
    assert after["Assets/Hero.cs.meta"] == before[PLAYER + ".meta"]
    assert "Hero player" in after[ENEMY]
    assert "m_TargetAssemblyTypeName: Hero, Assembly-CSharp" in after[SCENE]
    undone(judged, result)
    assert tree(judged) == before


def test_types_that_no_attribute_keeps_are_rewritten(judged: Judged) -> None:
    before = tree(judged)
    done(judged, "Brain", "Mind", path=BRAIN)
    after = tree(judged)
    assert '[MovedFrom(false, null, null, "Brain")]' in after[BRAIN]
    assert after[SCENE] == before[SCENE].replace("Brain/Deep", "Mind/Deep")


def test_a_name_that_exists_is_refused(judged: Judged) -> None:
    before = tree(judged)
    error = rename(judged, "Player.Fire", "Pace")
    assert isinstance(error, SnippetError)
    assert error.code is ErrorCode.RENAME_CONFLICT
    assert error.details["conflicts"]
    assert tree(judged) == before


def test_references_in_code_and_scenes(judged: Judged) -> None:
    asked = {"path": ENEMY, "line": 5, "text": "player.Fire", "timeout_ms": TIME}
    found = judged.engine.find_references(asked)
    assert not isinstance(found, SnippetError), found
    rows = [(each["path"], each["line"], each["kind"]) for each in found["references"]]
    assert rows[:3] == [(ENEMY, 5, "call"), (PLAYER, 7, "declaration"), (PLAYER, 7, "call")]
    assert [each[:2] for each in rows[3:]] == [(SCENE, 14)]
    assert found["complete"], found


def test_the_review_page_takes_a_rename_back(judged: Judged) -> None:
    """With whole texts: the file that moved, its .meta, the scene, and what the compiler says."""
    before = tree(judged)
    noted = begin_noting_changes()
    done(judged, "Player", "Hero")
    texts = {
        content_hash(data): data
        for each in noted
        for data in (each.before, each.after)
        if data is not None
    }
    files = tuple(
        EventFile(
            each.script.relative,
            None if each.target is None else each.target.relative,
            None if each.before is None else content_hash(each.before),
            None if each.after is None else content_hash(each.after),
        )
        for each in noted
    )
    event = Event(1, 0.0, None, None, "rename_symbol", Outcome.APPLIED, files)

    def read(path: str) -> bytes | None:
        return (judged.root / path).read_bytes() if (judged.root / path).exists() else None

    def planned() -> Plan:
        known = lambda digest: None if digest is None else texts[digest]  # noqa: E731
        return Planner([event], read, known, lambda _number, _path: None).one(event, None)

    after = tree(judged)
    arguments = {**arguments_of(planned(), all_the_same=False), "timeout_ms": TIME}
    (judged.root / ENEMY).write_text(after[ENEMY] + "class Boss : Hero { }\n", "utf-8")
    refused = judged.engine.put_texts(arguments)
    assert isinstance(refused, SnippetError), refused
    assert refused.code is ErrorCode.STALE_FILE
    (judged.root / ENEMY).write_text(after[ENEMY], "utf-8")
    (judged.root / "Assets/Boss.cs").write_text("class Boss : Hero { }\n", "utf-8")
    refused = judged.engine.put_texts(arguments)
    assert ("CS0246", "Assets/Boss.cs", 1) in refusals(refused)
    (judged.root / "Assets/Boss.cs").unlink()
    taken = judged.engine.put_texts(arguments)
    assert not isinstance(taken, SnippetError), taken
    assert "semantics" in taken["validation"]["coverage"]
    assert tree(judged) == before
