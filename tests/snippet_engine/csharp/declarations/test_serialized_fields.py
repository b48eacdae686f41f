"""Which fields Unity surely keeps, by their types."""

from __future__ import annotations

import pytest

from snippet_engine.csharp.declarations.serialized_fields import keeps_value, serialized_fields
from snippet_engine.csharp.document import Document
from snippet_engine.source_text import SourceText, decode

SCRIPT = """using System;
public delegate void Hit(int damage);
public interface Damageable {{ }}
public class Player : MonoBehaviour
{{
    {field}
}}
"""


def names(field: str) -> list[str]:
    source = decode(SCRIPT.format(field=field).encode())
    assert isinstance(source, SourceText)
    return [each.name for each in serialized_fields(Document(source))]


LEFT_OUT = """Action; Action<int>; System.Func<int, bool>; Hit; EventHandler; Predicate<int>;
Dictionary<string, int>; HashSet<int>; Queue<int>; SortedDictionary<int, int>; int[,]; int[][];
List<List<int>>; List<int[]>; List<Action>; int?; (int, int); object; dynamic;
Damageable; List<Damageable>; DateTime; TimeSpan; Task; Coroutine; Type; decimal; Action[]; int*"""


@pytest.mark.parametrize("type_name", [each.strip() for each in LEFT_OUT.split(";")])
def test_what_unity_cannot_keep_is_no_serialized_field(type_name: str) -> None:
    assert names(f"public {type_name} x;") == []
    assert names(f"[SerializeField] {type_name} x;") == []


KEPT = """int; string; Vector3; UnityEngine.Color32; AnimationCurve; GameObject; Loot; int[];
List<int>; System.Collections.Generic.List<UnityEngine.Transform>; UnityEvent; UnityEvent<int>;
Sprite[]; UIDocument; Image"""


@pytest.mark.parametrize("type_name", [each.strip() for each in KEPT.split(";")])
def test_what_unity_keeps_is_a_serialized_field(type_name: str) -> None:
    assert names(f"public {type_name} x;") == ["x"]
    assert names(f"[SerializeField] {type_name} x;") == ["x"]


@pytest.mark.parametrize(
    ("field", "found"),
    [
        ("[SerializeReference] Damageable x;", ["x"]),
        # What is spelled as an interface, or a generic type that nobody knows: only if marked.
        ("public IDisposable x;", []),
        ("[SerializeField] IKSolver x;", ["x"]),
        ("public Pair<int> x;", []),
        ("[SerializeField] Pair<int> x;", ["x"]),
        # A type that the file declares is known.
        ("public enum Type { A } public Type x;", ["x"]),
        ("[System.Serializable] public class Task { } public Task[] x;", ["x"]),
    ],
)
def test_a_field_of_a_type_that_may_be_kept(field: str, found: list[str]) -> None:
    assert names(field) == found


@pytest.mark.parametrize(
    "marked",
    [
        "[field: SerializeField] public int Speed { get; private set; } = 3;",
        '[field: SerializeField, Tooltip("a")] int Speed { get; set; }',
        "[Obsolete] [ field : UnityEngine.SerializeField] [field: Min(0)] int Speed {get;set;}",
        "[field: SerializeReference] public IDisposable Speed { get; set; }",
    ],
)
def test_of_a_property_the_field_behind_it_is_kept(marked: str) -> None:
    assert names(marked) == ["<Speed>k__BackingField"]


@pytest.mark.parametrize(
    "other",
    [
        "public int Speed { get; set; }",
        "[SerializeField] public int Speed { get; set; }",
        "[field: SerializeField] public int Speed { get; }",
        "[field: SerializeField] public int Speed { get; init; }",
        "[field: SerializeField] public int Speed => 1;",
        "[field: SerializeField] public static int Speed { get; set; }",
        "[field: SerializeField] public int Speed { get { return 1; } set { } }",
        "[field: SerializeField] public Action Speed { get; set; }",
        "[field: SerializeField, NonSerialized] public int Speed { get; set; }",
    ],
)
def test_a_property_without_a_field_that_unity_keeps_is_left_out(other: str) -> None:
    assert names(other) == []


def test_a_property_says_the_name_of_a_field_that_it_was() -> None:
    marked = '[field: SerializeField, FormerlySerializedAs("speed")] int Speed { get; set; }'
    source = decode(SCRIPT.format(field=marked).encode())
    assert isinstance(source, SourceText)
    (found,) = serialized_fields(Document(source))
    assert (found.declared, found.is_behind_property) == ("Speed", True)
    assert found.formerly == {"speed"}


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("class Plain", []),
        ("struct Plain", []),
        ("partial class Plain", ["x"]),
        ("class Plain : Base", ["x"]),
        ("class Plain : IKSolver", ["x"]),
        ("[System.Serializable] class Plain", ["x", "y"]),
        ("class Plain : MonoBehaviour", ["x", "y"]),
    ],
)
def test_a_marked_field_is_kept_where_its_type_may_be(header: str, found: list[str]) -> None:
    text = f"using MonoBehaviour; {header} {{ [SerializeField] int x; public int y; }}"
    source = decode(text.encode())
    assert isinstance(source, SourceText)
    assert [each.name for each in serialized_fields(Document(source))] == found


def test_unitys_object_is_stored_otherwise_than_csharps() -> None:
    assert not keeps_value("Object", "object")
    assert not keeps_value("List<Object>", "object[]")
    assert keeps_value("List<String>", "string[]")
