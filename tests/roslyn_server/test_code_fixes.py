"""Edits that lack a ``using`` or members are offered with them, as the compiler knows them."""

from __future__ import annotations

from typing import Any

import pytest
from judged_edits import ENEMY, PLAYER, Judged

from snippet_engine.errors import Applicability, Offer, SnippetError, applicability_of

SCRIPTS = {
    PLAYER: "namespace Game.Actors\n{\n    public class Boss { public static int Count; }\n"
    "    public class Twin { public int Actors; }\n    public class Marked : System.Attribute { }\n"
    "    class Box<T> { internal class Inner { } }\n}\nnamespace Game.Maps\n{\n"
    "    public class Twin { public int Maps; }\n}\nnamespace Game.Rules\n{\n"
    "    public interface IRule<T> where T : class\n    {\n        int Level { get; set; }\n"
    "        T this[int at] { get; }\n        event System.Action Done;\n"
    "        bool Allows<U>(T what, ref int by, params string[] names) where U : struct;\n"
    "        int Given() => 1;\n    }\n    public abstract class Base\n    {\n"
    "        protected abstract void Tick(float seconds);\n"
    "        public abstract int Size { get; }\n"
    "        public virtual void Free() { }\n    }\n}\n",
    ENEMY: "using System;\n\nnamespace Game\n{\n    public class Enemy\n    {\n"
    "        int hits;\n    }\n}\n",
}


@pytest.fixture
def judged(serving: Judged) -> Judged:
    return serving.rewritten(SCRIPTS)


TIME = 30_000


def offered(judged: Judged, old: str, new: str, **more: Any) -> tuple[Offer, ...]:
    error = judged.edit(old, new, timeout_ms=TIME, **more)
    assert isinstance(error, SnippetError), error
    return error.offers


def sent(judged: Judged, offer: Offer) -> str:
    tool = judged.engine.edit_scripts if offer.tool else judged.engine.edit_snippet
    result = tool({**offer.arguments, "mode": "apply", "timeout_ms": TIME})
    assert not isinstance(result, SnippetError), result
    assert "semantics" in result["validation"]["coverage"]
    return (judged.root / ENEMY).read_bytes().decode()


@pytest.mark.parametrize(
    ("new", "space"),
    [
        ("System.Action<int> hits; Boss boss;", "Game.Actors"),
        ("int hits = Boss.Count;", "Game.Actors"),
        ("List<int> hits;", "System.Collections.Generic"),
        ("[Marked] int hits;", "Game.Actors"),
    ],
)
def test_one_namespace_is_ready(judged: Judged, new: str, space: str) -> None:
    offers = offered(judged, "int hits;", new)
    assert [each.what for each in offers] == [f"with using {space}"]
    assert applicability_of(offers) == [Applicability.READY]
    text = SCRIPTS[ENEMY].replace("int hits;", new)
    assert sent(judged, offers[0]) == text.replace(
        "using System;\n", f"using System;\nusing {space};\n"
    )


def test_several_names_in_one_offer(judged: Judged) -> None:
    offers = offered(judged, "int hits;", "List<Boss> hits; HashSet<int> seen;")
    assert [each.what for each in offers] == [
        "with using Game.Actors, using System.Collections.Generic"
    ]
    head = "using System;\nusing Game.Actors;\nusing System.Collections.Generic;\n\n"
    assert sent(judged, offers[0]).startswith(head)


def test_two_namespaces_are_a_choice(judged: Judged) -> None:
    offers = offered(judged, "int hits;", "Twin hits;")
    assert [each.what for each in offers] == ["with using Game.Actors", "with using Game.Maps"]
    assert set(applicability_of(offers)) == {Applicability.CHOICE}
    only = offered(judged, "int hits;", "Twin hits; int F() => hits.Maps;")
    assert [each.what for each in only] == ["with using Game.Maps"]
    assert only[0].unless == "using Game.Actors is meant"
    assert applicability_of(only) == [Applicability.CHOICE]


@pytest.mark.parametrize(
    "new", ["Nowhere hits;", "Inner hits;", "int hits = Boss;", "Boss hits = 3;", "Boss<int> hits;"]
)
def test_what_a_using_does_not_mend(judged: Judged, new: str) -> None:
    assert offered(judged, "int hits;", new) == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("class Enemy { int hits; }\n", "using Game.Actors;\nclass Enemy { Boss hits; }\n"),
        (
            "#define ON\n// All rights\n\n/// <summary>It.</summary>\nclass Enemy { int hits; }\n",
            "#define ON\n// All rights\n\nusing Game.Actors;\n/// <summary>It.</summary>\n"
            "class Enemy { Boss hits; }\n",
        ),
        (
            "namespace A\n{\n    using System;\n\n    class Enemy { int hits; }\n}\n",
            "namespace A\n{\n    using System;\n    using Game.Actors;\n\n"
            "    class Enemy { Boss hits; }\n}\n",
        ),
        (
            "using System;\r\n#if UNITY_EDITOR\r\nusing System.IO;\r\n#endif\r\n"
            "class Enemy { int hits; }\r\n",
            "using System;\r\nusing Game.Actors;\r\n#if UNITY_EDITOR\r\nusing System.IO;\r\n#endif"
            "\r\nclass Enemy { Boss hits; }\r\n",
        ),
    ],
)
def test_where_the_using_goes(judged: Judged, before: str, after: str) -> None:
    (judged.root / ENEMY).write_bytes(before.encode())
    (offer,) = offered(judged, "int hits;", "Boss hits;")
    assert sent(judged, offer) == after


MEMBERS = """\
        public int Level
        {
            get { throw new System.NotImplementedException(); }
            set { throw new System.NotImplementedException(); }
        }

        public string this[int at]
        {
            get { throw new System.NotImplementedException(); }
        }

        public event Action Done
        {
            add { throw new System.NotImplementedException(); }
            remove { throw new System.NotImplementedException(); }
        }

        public bool Allows<U>(string what, ref int by, params string[] names) where U : struct
        {
            throw new System.NotImplementedException();
        }
"""


def test_the_members_of_an_interface(judged: Judged) -> None:
    (offer,) = offered(judged, "class Enemy", "class Enemy : Game.Rules.IRule<string>")
    assert offer.tool == "edit_scripts"
    assert offer.what.startswith("with the missing members of Enemy: Level, this[], Done, Allows")
    text = sent(judged, offer)
    assert text == SCRIPTS[ENEMY].replace(
        "class Enemy", "class Enemy : Game.Rules.IRule<string>"
    ).replace("int hits;\n", f"int hits;\n\n{MEMBERS}")


def test_the_members_of_an_abstract_class_in_its_own_layout(judged: Judged) -> None:
    before = "public class Enemy {\r\n\tint hits;\r\n}\r\n"
    (judged.root / ENEMY).write_bytes(before.encode())
    (offer,) = offered(judged, "Enemy {", "Enemy : Game.Rules.Base {")
    body = "{\r\n\t\tthrow new System.NotImplementedException();\r\n\t}\r\n"
    assert sent(judged, offer) == (
        "public class Enemy : Game.Rules.Base {\r\n\tint hits;\r\n\r\n"
        f"\tprotected override void Tick(float seconds) {body}\r\n"
        "\tpublic override int Size {\r\n"
        "\t\tget { throw new System.NotImplementedException(); }\r\n\t}\r\n}\r\n"
    )


def test_two_members_of_one_signature(judged: Judged) -> None:
    new = "class Enemy : System.Collections.Generic.IEnumerable<int>"
    (offer,) = offered(judged, "class Enemy", new)
    text = sent(judged, offer)
    assert "public System.Collections.Generic.IEnumerator<int> GetEnumerator()" in text
    assert "System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator()" in text


def test_members_in_a_class_that_the_edit_brings(judged: Judged) -> None:
    new = "int hits;\n    }\n    class New : IDisposable\n    {"
    (offer,) = offered(judged, "int hits;", new)
    assert "public void Dispose()\n        {\n            throw" in sent(judged, offer)


def test_a_using_and_members_in_one_offer(judged: Judged) -> None:
    (offer,) = offered(
        judged, "int hits;\n    }", "Boss hits;\n    }\n    class B : IDisposable { }"
    )
    assert offer.what == "with the missing members of B: Dispose, using Game.Actors"
    text = sent(judged, offer)
    assert "using Game.Actors;" in text
    assert "public void Dispose()" in text


def change(path: str, old: str, new: str) -> dict[str, Any]:
    anchor = {"type": "text", "target": old}
    return {
        "path": path,
        "instructions": [{"operation": "replace", "anchor": anchor, "newText": new}],
    }


def test_a_set_is_offered_with_what_its_files_need(judged: Judged) -> None:
    new = {"path": "Assets/New.cs", "create": "class New { Boss boss; Minion minion; }\n"}
    minion = "public class Minion { }\n    public class Boss {"
    asked = {"mode": "preview", "validation": "lsp", "timeout_ms": TIME}
    changes = [
        change(PLAYER, "public class Boss {", minion),
        change(ENEMY, "int hits;", "Boss hits; Minion minion;"),
        new,
    ]
    error = judged.engine.edit_scripts({**asked, "changes": changes})
    assert isinstance(error, SnippetError)
    (offer,) = error.offers
    assert applicability_of(error.offers) == [Applicability.READY]
    assert "using Game.Actors;" in sent(judged, Offer(offer.what, offer.arguments, tool="set"))
    assert judged.text("Assets/New.cs").startswith("using Game.Actors;\nclass New")
