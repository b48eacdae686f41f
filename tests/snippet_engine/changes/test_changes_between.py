"""Change sets found from two states of scripts: what is made gives the new bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from answered import success
from hypothesis import given
from hypothesis import strategies as st
from script_changes import scripts
from unity_project import UnityProject

from snippet_engine.change_request import Change
from snippet_engine.changes import between
from snippet_engine.changes.between import NotMade, ScriptChange, change_between, sets_between
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import Plan
from snippet_engine.fixes.explain.plan_or_explain import plan_or_explain
from snippet_engine.limits import CHANGE_SET
from snippet_engine.source_text import SourceText, decode

A = "Assets/A.cs"
OLD = "class A\n{\n    int a;\n    int b;\n\n    void M()\n    {\n        Go();\n    }\n}\n"


def made(old: str | bytes, new: str | bytes) -> Change | NotMade:
    before = old if isinstance(old, bytes) else old.encode()
    after = new if isinstance(new, bytes) else new.encode()
    change = change_between(ScriptChange(A, before, after))
    assert change is not None
    return change


def given_by(old: str | bytes, change: Change | NotMade) -> bytes:
    """What the change makes of ``old``."""
    assert isinstance(change, Change), change
    source = decode(old if isinstance(old, bytes) else old.encode())
    assert isinstance(source, SourceText)
    plan = plan_or_explain(Document(source), change.instructions, CHANGE_SET)
    assert isinstance(plan, Plan), plan
    data = plan.edits.apply_to_bytes(source)
    assert isinstance(data, bytes)
    return data


@pytest.mark.parametrize(
    "new",
    [
        OLD.replace("int a;", "long a;"),
        OLD.replace("    int a;\n", ""),
        OLD.replace("{\n    int a", "{\n    int first;\n    int a", 1),
        OLD.replace("class A\n", ""),
        OLD + "class B { }\n",
        "using System;\n" + OLD,
        OLD.rstrip("\n"),
        OLD.replace("\n\n", "\n"),
        OLD.replace("int a;", "int c;").replace("Go();", "Stop();\n        Go(1);"),
        "class Z { }",
        OLD.replace("\n", "\n\n"),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_the_new_bytes_come_of_it(new: str, ending: str, mark: bytes) -> None:
    old_bytes = mark + OLD.replace("\n", ending).encode()
    new_bytes = mark + new.replace("\n", ending).encode()
    assert given_by(old_bytes, made(old_bytes, new_bytes)) == new_bytes


_line = st.sampled_from(["", "{", "}", "    int a;", "    Go();", "\tGo();", "// x", "class A"])
_text = st.lists(_line, min_size=1, max_size=12).map("\n".join)


@given(_text, _text)
def test_what_is_made_gives_the_new_text_or_is_not_made(old: str, new: str) -> None:
    if old == new:
        assert change_between(ScriptChange(A, old.encode(), new.encode())) is None
        return
    change = made(old, new)
    if isinstance(change, Change):
        assert given_by(old, change) == new.encode()


LONG = "".join(f"    int field{number} = {number};\n" for number in range(1_000))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OLD.replace("    int b;\n", LONG), OLD.replace("    int b;\n", LONG.replace("= ", "= 1"))),
        (OLD, OLD.replace("    int b;\n", f"    int b;\n{LONG}")),
        (OLD.replace("    int b;\n", f"    int b;\n{LONG}"), OLD),
    ],
    ids=["other lines", "new lines", "lines that go"],
)
def test_what_is_too_large_for_an_edit_is_several_that_meet(old: str, new: str) -> None:
    change = made(old, new)
    assert given_by(old, change) == new.encode()
    assert isinstance(change, Change)
    assert 3 <= len(change.instructions) <= 6  # of at most 8,000 code points each


@given(_text, _text)
def test_parts_of_any_texts_give_the_new_text(old: str, new: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(between, "MAX_SET_CHANGED_CODE_POINTS", 30)
        change = change_between(ScriptChange(A, old.encode(), new.encode()))
    if isinstance(change, Change):
        assert given_by(old, change) == new.encode()


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b"class A { }\n", b"class A { }\r\n", "only line endings change"),
        (b"class A { }\n", b"\xef\xbb\xbfclass A { }\n", "encoding or byte order mark"),
        (b"// \x83\n", b"// \x84\n", "neither UTF-8 nor UTF-16"),
        (b"", b"class A { }", "an empty script"),
        (b"int a;\n", b"int a;\n" + b"int b%d;\n" * 2000, "too much at one place"),
    ],
)
def test_what_cannot_be_made_says_why(old: bytes, new: bytes, why: str) -> None:
    change = made(old, new)
    assert isinstance(change, NotMade)
    assert why in change.reason


@pytest.mark.parametrize(
    "new", ["class A { }".encode("utf-16"), "class A { }".encode("utf-16-le"), b"// \x83\n"]
)
def test_a_new_script_that_is_not_utf_8_is_not_made(new: bytes) -> None:
    change = change_between(ScriptChange(A, None, new))
    assert isinstance(change, NotMade)
    assert "must be UTF-8" in change.reason


def test_a_commit_becomes_one_set_and_back_again(tmp_path: Path) -> None:
    project = UnityProject(tmp_path / "project")
    before = {
        A: OLD.encode(),
        "Assets/Gone.cs": b"class Gone { }\n",
        "Assets/Moved.cs": b"class Moved { int x; }\n",
    }
    after = {
        A: OLD.replace("int a;", "int c;").encode(),
        "Assets/New/N.cs": "\ufeffclass N { }\r\n".encode(),
        "Assets/Core/Moved.cs": b"class Moved { int y; }\n",
    }
    for path, data in before.items():
        project.write(data, path)
    sets, unmade = sets_between(
        [
            ScriptChange(A, before[A], after[A]),
            ScriptChange("Assets/Gone.cs", before["Assets/Gone.cs"], None),
            ScriptChange(
                "Assets/Moved.cs",
                before["Assets/Moved.cs"],
                after["Assets/Core/Moved.cs"],
                "Assets/Core/Moved.cs",
            ),
            ScriptChange("Assets/New/N.cs", None, after["Assets/New/N.cs"]),
        ]
    )
    (only,), ids = sets, []
    assert unmade == []
    done = success(project.engine.edit_scripts({**only.to_json(), "mode": "apply"}))
    assert scripts(project.tree()) == after
    ids.append(done["changeId"])
    success(project.engine.undo_snippet({"changeId": done["changeId"]}))
    assert scripts(project.tree()) == before


def test_a_place_is_left_before_it_is_taken() -> None:
    sets, unmade = sets_between(
        [
            ScriptChange("Assets/A.cs", b"class A { }", b"class A { }", "Assets/B.cs"),
            ScriptChange("Assets/B.cs", b"class B { }", b"class B { }", "Assets/C.cs"),
        ]
    )
    assert unmade == []
    assert [[each.path for each in one.changes] for one in sets] == [
        ["Assets/B.cs"],
        ["Assets/A.cs"],
    ]


def test_scripts_that_change_places_do_so_by_a_third_one(project: UnityProject) -> None:
    """Three in a circle, one of them edited, and one that waits for their path."""
    names = ("Assets/A.cs", "Assets/B.cs", "Assets/C.cs", "Assets/D.cs")
    texts = {path: b"class %s { int x = 1; }\n" % path[7:8].encode() for path in names}
    for path, text in texts.items():
        project.write(text, path)
        (project.root / f"{path}.meta").write_bytes(path.encode())
    edited = texts["Assets/A.cs"].replace(b"1", b"2")
    before = scripts(project.tree())
    sets, unmade = sets_between(
        [
            ScriptChange(names[3], texts[names[3]], None),
            ScriptChange(names[2], texts[names[2]], texts[names[2]], names[0]),
            ScriptChange(names[0], texts[names[0]], edited, names[1]),
            ScriptChange(names[1], texts[names[1]], texts[names[1]], names[2]),
            ScriptChange("assets.cs", None, b"class E { }", names[3]),
        ]
    )
    assert unmade == []
    ids = []
    for each in sets:
        done = success(project.engine.edit_scripts({**each.to_json(), "mode": "apply"}))
        ids.append(done["changeId"])
    assert scripts(project.tree()) == {
        **{path: data for path, data in before.items() if not path.startswith(names)},
        names[0]: texts[names[2]],
        names[1]: edited,
        names[2]: texts[names[1]],
        names[3]: b"class E { }",
        f"{names[0]}.meta": names[2].encode(),
        f"{names[1]}.meta": names[0].encode(),
        f"{names[2]}.meta": names[1].encode(),
    }
    for change_id in reversed(ids):
        success(project.engine.undo_snippet({"changeId": change_id}))
    assert scripts(project.tree()) == before


def test_a_spelling_is_left_before_another_one_is_taken() -> None:
    sets, unmade = sets_between(
        [
            ScriptChange("Assets/a.cs", None, b"class A { }"),
            ScriptChange("Assets/A.cs", b"class B { }", None),
            ScriptChange("Assets/b.cs", b"class C { }", b"class C { }", "Assets/B.cs"),
        ]
    )
    assert unmade == []
    assert [[each.path for each in one.changes] for one in sets] == [
        ["Assets/A.cs", "Assets/b.cs"],
        ["Assets/a.cs"],
    ]


def test_a_chain_that_hangs_on_what_is_not_made_is_left_out() -> None:
    latin, text = b"class B { } // \xe4", b"class A { }"
    sets, unmade = sets_between(
        [
            ScriptChange("Assets/Z.cs", text, text, "Assets/A.cs"),
            ScriptChange("Assets/A.cs", text, text, "Assets/b.cs"),
            ScriptChange("Assets/B.cs", latin, latin + b"\n", "Assets/C.cs"),
            ScriptChange("Assets/C.cs", text, None),
            ScriptChange("Assets/D.cs", text, None),
        ]
    )
    assert [[each.path for each in one.changes] for one in sets] == [["Assets/D.cs"]]
    assert {each.path: each.reason.partition(",")[0] for each in unmade} == {
        "Assets/B.cs": "it is neither UTF-8 nor UTF-16 with a byte order mark",
        "Assets/A.cs": "it depends on Assets/B.cs",
        "Assets/C.cs": "it depends on Assets/B.cs",
        "Assets/Z.cs": "it depends on Assets/A.cs",
    }


def test_more_than_a_set_holds_becomes_several() -> None:
    sets, unmade = sets_between(
        ScriptChange(f"Assets/N{number}.cs", None, b"class N { }") for number in range(45)
    )
    assert unmade == []
    assert [len(one.changes) for one in sets] == [20, 20, 5]
