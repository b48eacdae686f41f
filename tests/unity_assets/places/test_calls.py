"""Rows 8, 11 and 14: methods that UnityEvents and animation events call by name."""

from __future__ import annotations

import pytest
from assets_project import SmallProject, component, guid, instance, override, target

CALLS = "onHit.m_PersistentCalls.m_Calls.Array.data[0]"


def event(*calls: str, key: str = "onHit") -> str:
    return f"  {key}:\n    m_PersistentCalls:\n      m_Calls:\n" + "".join(calls)


def call(
    method: str,
    *,
    to: str = "{fileID: 1100}",
    mode: int = 1,
    of: str | None = "Player, Game",
    argument: str = "UnityEngine.Object, UnityEngine",
) -> str:
    named = f"        m_TargetAssemblyTypeName: {of}\n" if of is not None else ""
    return (
        f"      - m_Target: {to}\n{named}        m_MethodName: {method}\n        m_Mode: {mode}\n"
        "        m_Arguments:\n          m_ObjectArgument: {fileID: 0}\n"
        f"          m_ObjectArgumentAssemblyTypeName: {argument}\n          m_IntArgument: 5\n"
        "        m_CallState: 2\n"
    )


@pytest.fixture
def scene(project: SmallProject) -> SmallProject:
    project.script("Assets/Player.cs", 1)
    project.script("Assets/Enemy.cs", 2)
    return project


def test_a_call_is_rewritten_where_its_target_has_the_method(scene: SmallProject) -> None:
    text = scene.asset(
        "Assets/a.unity",
        component(1, 1100, ""),
        component(
            2, 1200, event(call("Fire"), call("Fire", to="{fileID: 1200}", of="Enemy, Game"))
        ),
    )
    after = scene.renamed_text(scene.method("Fire", target("Player")), "Shoot")
    assert after == text.replace("Fire", "Shoot", 1)


def test_an_empty_element_before_a_call_does_not_matter(scene: SmallProject) -> None:
    empty = "      - m_Target: {fileID: 0}\n        m_MethodName: \n        m_Mode: 1\n"
    text = scene.asset("Assets/a.prefab", component(1, 1100, event(empty, call("Fire"))), number=10)
    after = scene.renamed_text(scene.method("Fire", target("Player")), "Shoot")
    assert after == text.replace("Fire", "Shoot")
    # The call's index counts empty elements, too.
    path = CALLS.replace("[0]", "[1]") + ".m_MethodName"
    scene.asset("Assets/b.unity", instance(2200, 10, override(1100, 10, path, "Fire")))
    renamed = scene.rename(scene.method("Fire", target("Player")), "Shoot")
    assert [each for each, _, _ in renamed.files] == ["Assets/a.prefab", "Assets/b.unity"]


def test_the_targets_own_type_counts_and_not_the_name_in_the_call(scene: SmallProject) -> None:
    scene.asset(
        "Assets/a.unity",
        component(1, 1100, ""),
        component(2, 1200, event(call("Fire", to="{fileID: 1200}", of="Player, Game"))),
    )
    assert scene.find(scene.method("Fire", target("Player"))).hits == []
    assert len(scene.find(scene.method("Fire", target("Enemy"))).hits) == 1


def test_a_static_call_has_only_the_name(scene: SmallProject) -> None:
    text = scene.asset(
        "Assets/a.unity",
        component(2, 1200, event(call("Fire", to="{fileID: 0}", of="Player, Game"))),
    )
    after = scene.renamed_text(scene.method("Fire", target("Player")), "Shoot")
    assert after == text.replace("Fire", "Shoot")
    assert scene.find(scene.method("Fire", target("Enemy"))).hits == []


def test_a_call_of_an_old_editor_without_type_is_found_by_its_target(scene: SmallProject) -> None:
    text = scene.asset("Assets/a.unity", component(1, 1100, event(call("Fire", of=None))))
    after = scene.renamed_text(scene.method("Fire", target("Player")), "Shoot")
    assert after == text.replace("Fire", "Shoot")


def test_a_target_that_nobody_knows_is_listed(scene: SmallProject) -> None:
    other = f"{{fileID: 5, guid: {guid(77)}, type: 3}}"
    scene.asset("Assets/a.unity", component(1, 1100, event(call("Fire", to=other, of=None))))
    renamed = scene.rename(scene.method("Fire", target("Player")), "Shoot")
    assert (renamed.files, len(renamed.left)) == ([], 1)


def test_a_target_that_only_a_generic_types_name_tells_is_never_passed_over(
    scene: SmallProject,
) -> None:
    named = call("Fire", to="{fileID: 0}", of="Demo.Pool`1[[Demo.Cat, Game")
    scene.asset("Assets/a.unity", component(2, 1200, event(named)))
    found = scene.find(scene.method("Fire", target("Demo.Pool`1"))).hits
    assert [each.kind for each in found] == ["UnityEvent"]
    renamed = scene.rename(scene.method("Fire", target("Demo.Cats")), "Shoot")
    assert [(each.kind, each.lost) for each in renamed.left] == [("UnityEvent", False)]


def test_a_property_is_called_by_its_setter(scene: SmallProject) -> None:
    text = scene.asset("Assets/a.unity", component(1, 1100, event(call("set_Speed", mode=4))))
    facts = scene.facts(
        "Speed", "property", targets=[target("Player")], parameters=["System.Single"]
    )
    assert scene.renamed_text(facts, "Pace") == text.replace("set_Speed", "set_Pace")


@pytest.mark.parametrize(
    ("mode", "parameters", "overload", "expected"),
    [
        (1, [], ["System.Int32"], "renamed"),
        (1, ["System.Int32"], [], "other"),
        (3, ["System.Int32"], ["System.Single"], "renamed"),
        (4, ["System.Single"], ["System.Int32"], "renamed"),
        (5, ["System.String"], [], "renamed"),
        (6, ["System.Boolean"], [], "renamed"),
        (6, ["System.String"], ["System.Boolean"], "other"),
        (2, ["UnityEngine.Object"], ["System.Int32"], "renamed"),
        (2, ["UnityEngine.Object"], ["UnityEngine.Component"], "renamed"),
        (2, ["UnityEngine.Component"], ["UnityEngine.Object"], "listed"),
        (0, ["System.Int32"], [], "listed"),
        (3, ["System.String"], ["System.Boolean"], "listed"),
    ],
)
def test_the_overload_that_a_call_means(
    scene: SmallProject, mode: int, parameters: list[str], overload: list[str], expected: str
) -> None:
    scene.asset("Assets/a.unity", component(1, 1100, event(call("Fire", mode=mode))))
    facts = scene.method("Fire", target("Player"), parameters=parameters, overloads=[overload])
    renamed = scene.rename(facts, "Shoot")
    outcome = "renamed" if renamed.files else "listed" if renamed.left else "other"
    assert outcome == expected


def test_a_call_that_no_overload_takes_was_broken_before(scene: SmallProject) -> None:
    scene.asset("Assets/a.unity", component(1, 1100, event(call("Fire", mode=3))))
    (left,) = scene.rename(scene.method("Fire", target("Player")), "Shoot").left
    assert (left.why.partition(":")[0], left.lost) == ("already broken", False)


def test_a_signal_receivers_reaction(scene: SmallProject) -> None:
    reaction = (
        "  m_Events:\n    m_Signals: []\n    m_Events:\n"
        "    - m_PersistentCalls:\n        m_Calls:\n"
        "        - m_Target: {fileID: 1100}\n          m_TargetAssemblyTypeName: Player, Game\n"
        "          m_MethodName: Fire\n          m_Mode: 1\n"
    )
    text = scene.asset(
        "Assets/a.prefab", component(1, 1100, ""), component(9, 1300, reaction), number=10
    )
    path = "m_Events.m_Events.Array.data[0].m_PersistentCalls.m_Calls.Array.data[0].m_MethodName"
    over = scene.asset("Assets/b.unity", instance(2200, 10, override(1300, 10, path, "Fire")))
    renamed = scene.rename(scene.method("Fire", target("Player")), "Shoot")
    afters = [after.decode() for _, _, after in renamed.files]
    assert afters == [text.replace("Fire", "Shoot"), over.replace("Fire", "Shoot")]


def test_an_override_of_a_call_with_its_own_target(scene: SmallProject) -> None:
    scene.asset("Assets/a.prefab", component(1, 1100, event(call("Stop"))), number=10)
    text = scene.asset(
        "Assets/b.unity",
        component(2, 1200, ""),
        instance(
            2200,
            10,
            override(1100, 10, f"{CALLS}.m_Target", "", "{fileID: 1200}"),
            override(1100, 10, f"{CALLS}.m_MethodName", "Fire"),
        ),
    )
    after = scene.renamed_text(scene.method("Fire", target("Enemy")), "Shoot")
    assert after == text.replace("value: Fire", "value: Shoot")
    assert scene.find(scene.method("Fire", target("Player"))).hits == []


ANIMATION = (
    "--- !u!74 &7400000\nAnimationClip:\n  m_Name: walk\n  m_Events:\n  - time: 0.4\n"
    "    functionName: OnStep\n    objectReferenceParameter: {fileID: 0}\n"
)
MODEL = (
    f"fileFormatVersion: 2\nguid: {guid(40)}\nModelImporter:\n  animations:\n"
    "    clipAnimations:\n    - serializedVersion: 16\n      name: walk\n      events:\n"
    "      - time: 0.4\n        functionName: OnStep\n"
    "        objectReferenceParameter: {instanceID: 0}\n"
)


def test_animation_events_of_clips_and_models(scene: SmallProject) -> None:
    clip = scene.asset("Assets/a.anim", ANIMATION)
    scene.write("Assets/hero.fbx.meta", MODEL)
    renamed = scene.rename(scene.method("OnStep", target("Player")), "OnFoot")
    afters = [after.decode() for _, _, after in renamed.files]
    assert afters == [clip.replace("OnStep", "OnFoot"), MODEL.replace("OnStep", "OnFoot")]


@pytest.mark.parametrize("more", [{"sameName": 2}, {"overloads": [["System.Int32"]]}])
def test_an_animation_event_that_others_may_get_is_listed(scene: SmallProject, more: dict) -> None:
    scene.asset("Assets/a.anim", ANIMATION)
    renamed = scene.rename(scene.method("OnStep", target("Player"), **more), "OnFoot")
    assert (renamed.files, [each.lost for each in renamed.left]) == ([], [True])


@pytest.mark.parametrize(("count", "words"), [(1, "1 other script type has"), (2, "types have")])
def test_others_are_counted_in_words(scene: SmallProject, count: int, words: str) -> None:
    scene.asset("Assets/a.anim", ANIMATION)
    renamed = scene.rename(scene.method("OnStep", target("Player"), sameName=count), "OnFoot")
    assert f"{words} a method of that name" in renamed.left[0].why


def test_a_method_of_a_generic_base_takes_what_the_heir_makes_of_it(scene: SmallProject) -> None:
    text = scene.asset(
        "Assets/a.unity",
        component(1, 1100, event(call("Fire", mode=4), call("Fire", mode=2), call("Fire", mode=1))),
    )
    renamed = scene.rename(scene.method("Fire", target("Player"), parameters=["*"]), "Shoot")
    ((_, _, after),) = renamed.files
    assert after.decode() == text.replace("Fire", "Shoot", 2)
    assert [(each.kind, each.lost) for each in renamed.left] == [("UnityEvent", False)]


def test_strings_that_name_a_method_are_listed(scene: SmallProject) -> None:
    sent = call("SendMessage", to="{fileID: 7}", of="UnityEngine.GameObject, UnityEngine", mode=5)
    sent = sent.replace("m_IntArgument: 5", "m_StringArgument: Fire")
    scene.asset(
        "Assets/a.unity",
        component(1, 1100, event(sent) + "  message: Fire\n  text: Fire it\n"),
        "--- !u!1 &5\nGameObject:\n  m_Name: Fire\n",
        instance(
            22,
            10,
            override(1100, 10, "message", "Fire"),
            override(1100, 10, "m_Name", "Fire"),
        ),
    )
    scene.write("Assets/Web/a.jslib", "f: () => { SendMessage('Player', 'Fire'); Fire(); }\n")
    scene.write("Assets/Web/b.java", 'UnitySendMessage("Fired", "onFire", "");\n')
    renamed = scene.rename(scene.method("Fire", target("Player")), "Shoot")
    assert renamed.files == []
    assert [(each.path, each.kind, each.lost) for each in renamed.left] == [
        *(("Assets/Web/a.jslib", "native code", False),),
        *(("Assets/a.unity", "string", False),) * 3,
    ]
