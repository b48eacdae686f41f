"""``find_references`` and ``rename_symbol`` over a real file tree and a real server process."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any

import project_server
import pytest
from jsonschema import Draft202012Validator
from unity_project import UnityProject

from lsp_client.servers.selection import Selection
from lsp_client.servers.server_table import Launch, ServerSpec
from lsp_client.validator import LanguageServerValidator
from snippet_engine.answer.error_text import error_text
from snippet_engine.answer.rename_text import references_lines
from snippet_engine.answer.text_form import text_form
from snippet_engine.call_context import asking_for_unsaved
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.project_settings import ProjectLanguage
from snippet_engine.renames import refusals
from snippet_engine.renames.planned_rename import planned_files
from snippet_engine.renames.rename_tool import RenameTool
from snippet_engine.renames.symbol_server import NameConflict, ServerRename
from snippet_engine.schemas.rename_schemas import FIND_REFERENCES_OUTPUT, RENAME_SYMBOL_OUTPUT
from snippet_engine.storage.paths.project import Project
from unity_assets import Conflict, Found, Hit, Left, Renamed

PLAYER = "Assets/Scripts/Player.cs"
ENEMY = "Assets/Scripts/Enemy.cs"
SCENE = "Assets/Main.unity"
TEXTS = {
    PLAYER: 'class Player\r\n{\r\n    void Fire() { Fire(); }\r\n    string s = "Fire";\r\n}\r\n',
    PLAYER + ".meta": "guid: 1\n",
    ENEMY: "\ufeffclass Enemy { /* \U0001f600 */ void Hit(Player p) { p.Fire(); } }\n",
    SCENE: "%YAML 1.1\n--- !u!114 &1\nMonoBehaviour:\n  m_MethodName: Fire\n",
}
TIME = 60_000


@dataclass
class WordsInAssets:
    """The names in scenes, found by words alone."""

    root: Path
    not_searched: list[tuple[str, str]] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    kept: tuple[str, ...] = ()

    def look(self) -> float:
        return 0.0

    def find(
        self, facts: Mapping[str, Any], *, since: float = 0.0, until: float | None = None
    ) -> Found:
        hits = [
            Hit(path.relative_to(self.root).as_posix(), number, "UnityEvent", line)
            for path in sorted(self.root.rglob("*.unity"))
            for number, line in enumerate(path.read_text().split("\n"), 1)
            if facts["name"] in line
        ]
        return Found(hits, self.not_searched)

    def rename(self, facts: Mapping[str, Any], new_name: str, mode: str, since: float) -> Renamed:
        hits = self.find(facts).hits
        if mode == "code":
            left = [
                Left(*astuple(each), "asked so", lost=each.path not in self.kept) for each in hits
            ]
            return Renamed([], [], left, self.not_searched, self.conflicts)
        files = []
        for path in sorted({each.path for each in hits}):
            before = (self.root / path).read_bytes()
            after = re.sub(rb"\b%s\b" % facts["name"].encode(), new_name.encode(), before)
            files.append((path, before, after))
        return Renamed(files, hits, [], self.not_searched, self.conflicts)


class Renaming:
    """A project, an engine with a server, and the assets."""

    def __init__(self, root: Path) -> None:
        self.project = UnityProject(root)
        for path, text in TEXTS.items():
            self.project.write(text, path)
        launch = Launch(
            ServerSpec("project-server", knows_projects=True),
            (sys.executable, "-S", str(Path(project_server.__file__))),
            root,
        )
        self.server = LanguageServerValidator(
            root, lambda: Selection("test", launches=(launch,)), ProjectLanguage(root)
        )
        self.assets = WordsInAssets(root)
        opened = SnippetEngine.open(root, self.server)
        assert not isinstance(opened, SnippetError)
        self.engine = opened
        tool = self.engine._renames
        assert isinstance(tool, RenameTool)
        tool._assets = self.assets

    def rename(self, **params: Any) -> dict[str, Any] | SnippetError:
        asked = {"path": PLAYER, "symbolPath": "Player.Fire", "newName": "Shoot", "mode": "apply"}
        asked |= {"timeout_ms": TIME, **params}
        sent = {key: each for key, each in asked.items() if each is not None}
        return self.engine.rename_symbol(sent)

    def done(self, **params: Any) -> dict[str, Any]:
        result = self.rename(**params)
        assert not isinstance(result, SnippetError), result
        Draft202012Validator(RENAME_SYMBOL_OUTPUT).validate(result)
        return result

    def refused(self, **params: Any) -> SnippetError:
        before = self.project.tree()
        result = self.rename(**params)
        assert isinstance(result, SnippetError), result
        assert self.project.tree() == before
        return result

    def references(self, **params: Any) -> dict[str, Any] | SnippetError:
        sent = {"path": PLAYER, "symbolPath": "Player.Fire", "timeout_ms": TIME, **params}
        return self.engine.find_references({k: v for k, v in sent.items() if v is not None})

    def found(self, **params: Any) -> dict[str, Any]:
        result = self.references(**params)
        assert not isinstance(result, SnippetError), result
        Draft202012Validator(FIND_REFERENCES_OUTPUT).validate(result)
        return result


@pytest.fixture
def renaming(tmp_path: Path) -> Iterator[Renaming]:
    made = Renaming(tmp_path / "project")
    yield made
    made.server.close()


def scripts_and_assets(renaming: Renaming) -> dict[str, bytes]:
    tree = renaming.project.tree()
    return {path: data for path, data in tree.items() if path.startswith("Assets/")}


class TestRename:
    def test_scripts_and_assets_change_as_one_and_come_back(self, renaming: Renaming) -> None:
        before = scripts_and_assets(renaming)
        result = renaming.done()
        assert (result["status"], result["applied"], result["complete"]) == ("applied", True, True)
        after = scripts_and_assets(renaming)
        assert after == {
            path: data if path.endswith(".meta") else data.replace(b"Fire(", b"Shoot(")
            for path, data in before.items()
        } | {SCENE: before[SCENE].replace(b"Fire", b"Shoot")}
        assert [each["path"] for each in result["files"]] == [ENEMY, PLAYER, SCENE]
        assert result["places"] == 4
        assert result["proved"] == {"assemblies": ["Game"], "files": 2}
        assert result["strings"][0]["line"] == 4
        assert re.search(r"^stays Assets/\S+:4: string ", text_form("rename_symbol", result), re.M)
        assert "-  m_MethodName: Fire\n+  m_MethodName: Shoot" in result["files"][2]["diff"]
        history = renaming.engine.get_history({})
        assert not isinstance(history, SnippetError)
        assert history["changes"][0]["undo"] == {"changeId": result["changeId"]}
        undone = renaming.engine.undo_snippet({"changeId": result["changeId"]})
        assert not isinstance(undone, SnippetError), undone
        assert scripts_and_assets(renaming) == before
        # There and back gives the same bytes.
        renaming.done()
        renaming.done(symbolPath="Player.Shoot", newName="Fire")
        assert scripts_and_assets(renaming) == before

    def test_a_preview_says_the_same_and_writes_nothing(self, renaming: Renaming) -> None:
        before = renaming.project.tree()
        previewed = renaming.done(mode="preview")
        assert renaming.project.tree() == before
        applied = renaming.done()
        del applied["changeId"]
        assert {**previewed, "status": "applied", "applied": True} == applied

    @pytest.mark.parametrize("asked", ["if", "@if"])
    def test_a_keyword_is_escaped_in_code_only(self, renaming: Renaming, asked: str) -> None:
        assert renaming.done(newName=asked)["newName"] == "@if"
        assert b"void @if() { @if(); }" in renaming.project.read(PLAYER)
        assert b"m_MethodName: if\n" in renaming.project.read(SCENE)
        renaming.done(symbolPath="Player.@if", newName="gr\u00f6\u00dfe")
        assert "m_MethodName: gr\u00f6\u00dfe\n".encode() in renaming.project.read(SCENE)

    def test_an_encoding_that_is_refused_is_that_of_a_named_file(self, renaming: Renaming) -> None:
        (renaming.project.root / ENEMY).write_bytes(
            b"class Enemy { void Hit(Player p) { p.Fire(); } } // \xe4\n"
        )
        code = ServerRename(
            {"name": "Fire", "kind": "method", "display": "Player.Fire"}, {ENEMY: ()}
        )
        project = Project.open(renaming.project.root)
        assert isinstance(project, Project)
        error = planned_files(project, code, Renamed([], [], [], [], []))
        assert isinstance(error, SnippetError)
        assert error.code is ErrorCode.UNSUPPORTED_ENCODING
        assert error.message.startswith(f"{ENEMY}: ")

    def test_a_type_takes_its_file_and_meta_along(self, renaming: Renaming) -> None:
        before = scripts_and_assets(renaming)
        result = renaming.done(symbolPath="Player", newName="Hero")
        moved = next(each for each in result["files"] if each["path"] == PLAYER)
        assert (moved["status"], moved["movedTo"]) == ("moved", "Assets/Scripts/Hero.cs")
        after = scripts_and_assets(renaming)
        assert PLAYER not in after
        assert after["Assets/Scripts/Hero.cs.meta"] == before[PLAYER + ".meta"]
        undone = renaming.engine.undo_snippet({"changeId": result["changeId"]})
        assert not isinstance(undone, SnippetError)
        assert scripts_and_assets(renaming) == before

    def test_a_file_that_differs_only_in_case_is_in_the_way(self, renaming: Renaming) -> None:
        renaming.project.write("// no type\n", "Assets/Scripts/HERO.cs")
        error = renaming.refused(symbolPath="Player", newName="Hero")
        assert error.code is ErrorCode.RENAME_CONFLICT
        assert "HERO.cs only in case or spelling" in error.message
        renaming.done(symbolPath="Player", newName="PLAYER")

    def test_what_contradicts_is_refused_with_its_place(self, renaming: Renaming) -> None:
        renaming.project.write("class Other { void Shoot() { } }\n", "Assets/Other.cs")
        error = renaming.refused()
        assert error.code is ErrorCode.RENAME_CONFLICT
        assert "Assets/Other.cs:1" in error.message
        assert error.details["conflicts"][0]["column"] == 20
        # The assets contradict, too.
        (renaming.project.root / "Assets/Other.cs").unlink()
        renaming.assets.conflicts = [Conflict("Assets/A.cs.meta", 2, "One GUID.")]
        error = renaming.refused()
        assert [each["path"] for each in error.details["conflicts"]] == ["Assets/A.cs.meta"]
        assert error.offers == ()

    def test_a_message_of_unity_needs_force(self, renaming: Renaming) -> None:
        renaming.project.write("class Clock { void Update() { } }\n", "Assets/Clock.cs")
        asked = {"path": "Assets/Clock.cs", "symbolPath": "Clock.Update", "newName": "Tick"}
        error = renaming.refused(**asked)
        (offer,) = error.offers
        assert offer.unless
        assert not isinstance(renaming.engine.rename_symbol(offer.arguments), SnippetError)
        assert b"Tick" in renaming.project.read("Assets/Clock.cs")

    def test_an_incomplete_search_is_no_rename(self, renaming: Renaming) -> None:
        renaming.project.write("// incomplete\n", "Assets/Half.cs")
        error = renaming.refused()
        assert error.code is ErrorCode.RENAME_CONFLICT
        assert "Assets/Half.cs was not searched" in error.message
        assert error_text(error).count("Assets/Half.cs was not searched") == 1
        assert renaming.done(force=True)["complete"] is False

    def test_a_long_reason_and_each_kind_of_conflict_are_told(self) -> None:
        reason = f"Assets/{'Long' * 40}.cs:7: the compiler doesn't know what the name means there."
        cut = SnippetError(
            ErrorCode.RENAME_CONFLICT, f"{reason[:90]}…", details={"reasons": [reason]}
        )
        assert error_text(cut).endswith(reason)
        said = ["no", "no", "never"]
        found = [
            {"code": "taken", "path": "Assets/A.cs", "line": line, "message": each}
            for line, each in enumerate(said, 1)
        ]
        many = [f"{number} was not searched." for number in range(5)]
        both = SnippetError(
            ErrorCode.RENAME_CONFLICT,
            "Assets/A.cs:1: no (3) 0 was not searched",
            details={"conflicts": found, "reasons": many},
        )
        assert error_text(both) == (
            "rename_conflict: Assets/A.cs:1: no (3) 0 was not searched | Assets/A.cs:3: never | "
            "1 was not searched. | 2 was not searched. | 3 was not searched. | 1 more"
        )

    def test_a_conflict_of_a_place_counts_once(self) -> None:
        one = NameConflict("taken", "Assets/A.cs", 3, 1, "no")
        code = ServerRename({"display": "A"}, {})
        error = refusals.conflict(code, [one, one], {})
        assert (error.details["count"], error.message) == (1, "Assets/A.cs:3: no")

    def test_the_text_counts_what_was_not_searched(self, renaming: Renaming) -> None:
        files = [(f"Assets/{number}.asset", "it is binary") for number in range(13)]
        renaming.assets.not_searched = files
        result = renaming.done(mode="preview")
        assert result["complete"] is False
        assert result["notSearched"][0] == {"path": "Assets/0.asset", "reason": "it is binary"}
        for tool, result in (
            ("find_references", renaming.found()),
            ("rename_symbol", renaming.done()),
        ):
            lines = text_form(tool, result).split("\n")
            told = lines.index("not complete: the name may also be used elsewhere")
            assert lines[told + 1] == "  13 assets were not searched."
            assert lines[told + 10 : told + 12] == ["  Assets/8.asset: it is binary", "  …"]

    def test_what_may_be_lost_comes_first_and_is_counted(self, renaming: Renaming) -> None:
        asset = "%YAML 1.1\n--- !u!114 &1\nMonoBehaviour:\n" + "  m_MethodName: Fire\n" * 10
        names = [f"Assets/A{number:02}.unity" for number in range(13)]
        for name in names:
            renaming.project.write(asset, name)
        renaming.assets.kept = tuple(names)
        result = renaming.done(assets="code", mode="preview")
        assert [each["path"] for each in result["left"] if each["lost"]] == [SCENE]
        assert result["left"][0]["why"] == "asked so"
        assert SCENE not in [each["path"] for each in result["files"]]
        assert (result["left"][0]["path"], result["notListed"]) == (SCENE, 31)
        lines = text_form("rename_symbol", result).split("\n")
        assert f"stays (may be lost) {SCENE}:4: asked so" in lines
        numbers = ", ".join(map(str, range(4, 14)))
        assert f"stays {names[8]}:{numbers}: asked so" in lines
        assert lines[lines.index(f"stays {names[8]}:{numbers}: asked so") + 1] == "… 9 more"
        assert "… and 31 more that stay or were not searched" in lines
        renaming.assets.kept = ()
        whole = text_form("rename_symbol", renaming.done(assets="code", mode="preview"))
        assert f"stays (may be lost) {names[0]}:{numbers}: asked so\n" in whole

    def test_an_open_and_dirty_scene_is_refused_by_name(self, renaming: Renaming) -> None:
        with asking_for_unsaved(lambda: [SCENE]):
            error = renaming.refused()
            assert SCENE in error.message
            renaming.done(mode="preview")
        with asking_for_unsaved(lambda: ["Assets/Another.unity"]):
            assert renaming.done(mode="preview")["warnings"] == []
        with asking_for_unsaved(lambda: None):
            (warning,) = renaming.done()["warnings"]
        assert warning["code"] == "unsaved_unknown"

    def test_what_was_written_meanwhile_is_never_overwritten(self, renaming: Renaming) -> None:
        scene = renaming.project.root / SCENE
        find = renaming.assets.rename

        def late(*sent: Any) -> Renamed:
            found = find(*sent)
            scene.write_bytes(b"theirs\n")
            return found

        renaming.assets.rename = late  # type: ignore[method-assign]
        before = scripts_and_assets(renaming)
        error = renaming.rename()
        assert isinstance(error, SnippetError)
        assert error.code is ErrorCode.STALE_FILE
        assert scripts_and_assets(renaming) == {**before, SCENE: b"theirs\n"}

    def test_the_same_request_twice_renames_once(self, renaming: Renaming) -> None:
        first = renaming.done(client_request_id="one")
        again = renaming.rename(client_request_id="one")
        assert not isinstance(again, SnippetError)
        assert again == {**first, "replayed": True}

    def test_what_is_no_request(self, renaming: Renaming) -> None:
        for wrong in (
            {"newName": "1x"},
            {"newName": "a b"},
            {"newName": "\U0001f600 x"},
            {"line": 3},
            {"symbolPath": None},
            {"symbolPath": None, "line": 3},
            {"assets": "all"},
            {"validation": "lsp"},
            {"mode": None},
        ):
            assert renaming.refused(**wrong).code is ErrorCode.INVALID_REQUEST, wrong

    def test_without_a_server_nothing_is_claimed(self, renaming: Renaming) -> None:
        alone = SnippetEngine.open(renaming.project.root)
        assert not isinstance(alone, SnippetError)
        asked = {"path": PLAYER, "symbolPath": "Player.Fire"}
        for error in (
            alone.find_references(asked),
            alone.rename_symbol({**asked, "newName": "Shoot", "mode": "preview"}),
        ):
            assert isinstance(error, SnippetError)
            assert error.code is ErrorCode.VALIDATOR_UNAVAILABLE
            assert not error.retryable


class TestPlaces:
    def test_a_line_and_the_name_in_it(self, renaming: Renaming) -> None:
        for text in ("void Fire", "Fire();", "{ Fire"):
            found = renaming.found(symbolPath=None, line=3, text=text)
            assert found["symbol"]["display"] == "Demo.Fire"
        # After astral characters.
        found = renaming.found(path=ENEMY, symbolPath=None, line=1, text="p.Fire")
        assert found["symbol"]["name"] == "Fire"
        twice = renaming.references(symbolPath=None, line=3, text="Fire")
        assert isinstance(twice, SnippetError)
        assert twice.code is ErrorCode.AMBIGUOUS_ANCHOR
        assert twice.details["columns"] == [10, 19]
        for line, text in ((99, "Fire"), (1, "Fire"), (3, "Fir"), (3, "();")):
            error = renaming.references(symbolPath=None, line=line, text=text)
            assert isinstance(error, SnippetError), (line, text)
            assert error.code is ErrorCode.ANCHOR_NOT_FOUND

    def test_a_path_that_is_nearly_right_is_offered(self, renaming: Renaming) -> None:
        error = renaming.references(symbolPath="Player.Fir")
        assert isinstance(error, SnippetError)
        assert error.code is ErrorCode.SYMBOL_NOT_FOUND
        found = renaming.engine.find_references(error.offers[0].arguments)
        assert not isinstance(found, SnippetError)
        assert found["symbol"]["name"] == "Fire"

    def test_what_contains_a_misspelt_name_is_never_offered(self, renaming: Renaming) -> None:
        text = "namespace Demo { class Player { int speed; float height; } }\n"
        renaming.project.write(text, "Assets/D.cs")
        for asked, offered in (
            ("Player.sped", ["Demo.Player.speed"]),
            ("Player.xyz", []),
            ("Player.playr", []),
            ("Demo.Playr", ["Demo.Player"]),
            ("Playr.speed", ["Demo.Player.speed"]),
        ):
            error = renaming.refused(path="Assets/D.cs", symbolPath=asked)
            assert error.code is ErrorCode.SYMBOL_NOT_FOUND
            assert [each.arguments["symbolPath"] for each in error.offers] == offered

    def test_no_symbol_is_offered_to_be_renamed_to_itself(self, renaming: Renaming) -> None:
        renaming.project.write("class Player { int speed; int sped2; }\n", "Assets/D.cs")
        error = renaming.refused(path="Assets/D.cs", symbolPath="Player.sped", newName="speed")
        assert error.code is ErrorCode.SYMBOL_NOT_FOUND
        assert [each.arguments["symbolPath"] for each in error.offers] == ["Player.sped2"]

    def test_a_used_name_is_offered_by_its_line(self, renaming: Renaming) -> None:
        text = "class C\n{\n    // UnityEvent\n    UnityEvent a; UnityEvent b;\n    UnityEvent c;\n"
        renaming.project.write(f"{text}    void M(int shot) {{ }}\n}}\n", "Assets/C.cs")
        for asked, line, name in (("Player.Fire.shot", 6, "shot"), ("UnityEvent", 5, "UnityEvent")):
            error = renaming.refused(path="Assets/C.cs", symbolPath=asked)
            assert error.code is ErrorCode.SYMBOL_NOT_FOUND
            (offer,) = error.offers
            assert (offer.arguments["line"], offer.arguments["text"]) == (line, name)
            assert "symbolPath" not in offer.arguments

    def test_a_path_that_is_like_no_other_says_how_to_find_it(self, renaming: Renaming) -> None:
        error = renaming.refused(path="Assets/Qqxxyy.cs")
        assert error.code is ErrorCode.FILE_NOT_FOUND
        assert 'declares Fire, call get_symbols {"filter": "Fire"}.' in error.message
        by_line = renaming.refused(path="Assets/Qqxxyy.cs", symbolPath=None, line=3, text="Fire")
        assert by_line.message.endswith("does not exist. Check the path.")

    def test_overloads_are_offered(self, renaming: Renaming) -> None:
        renaming.project.write("class C { void M(int a) { } void M() { } }\n", "Assets/C.cs")
        error = renaming.references(path="Assets/C.cs", symbolPath="C.M")
        assert isinstance(error, SnippetError)
        assert error.code is ErrorCode.AMBIGUOUS_ANCHOR
        assert [each.arguments["symbolPath"] for each in error.offers] == ["C.M(int)", "C.M()"]

    def test_the_name_of_each_kind_of_declaration(self, renaming: Renaming) -> None:
        for declared, path, word in (
            ("Color Color { get; set; }", "C.Color", "Color"),
            ("int a = 1, bee = 2;", "C.bee", "bee"),
            ("C() { }", "C.C()", "C"),
            ("~C() { }", "C.~C()", "C"),
            ("enum E { One, Two = 4 }", "C.E.Two", "Two"),
            ("class In<T> : Base<In<T>> { }", "C.In<T>", "In"),
            ("T Get<T>(T Got) => default;", "C.Get<T>(T)", "Get"),
            ("event System.Action Fired;", "C.Fired", "Fired"),
            ("delegate void Done(int done);", "C.Done", "Done"),
            ("int @event;", "C.@event", "event"),
        ):
            renaming.project.write(f"class C {{\n    {declared}\n}}\n", "Assets/C.cs")
            found = renaming.found(path="Assets/C.cs", symbolPath=path)
            assert found["symbol"]["name"] == word, declared


class TestReferences:
    def test_scripts_and_assets_in_one_list(self, renaming: Renaming) -> None:
        found = renaming.found()
        rows = [(each["path"], each["line"], each["kind"]) for each in found["references"]]
        assert rows == [
            (ENEMY, 1, "declaration"),
            (PLAYER, 3, "declaration"),
            (PLAYER, 3, "call"),
            (SCENE, 4, "UnityEvent"),
        ]
        assert (found["total"], found["files"], found["complete"]) == (4, 3, True)
        assert "cursor" not in found

    def test_a_note_says_what_unity_calls(self, renaming: Renaming) -> None:
        assert "note" not in renaming.found()
        renaming.project.write("class Clock { void Update() { } }\n", "Assets/Clock.cs")
        found = renaming.found(path="Assets/Clock.cs", symbolPath="Clock.Update")
        assert "Unity" in found["note"]
        assert found["note"] in list(references_lines(found))

    def test_pages_have_each_place_once(self, renaming: Renaming) -> None:
        renaming.project.write("// Fire\n" * 100, "Assets/Many.cs")
        rows: list[Any] = []
        cursor: dict[str, str] = {}
        pages = 0
        while True:
            found = renaming.found(**cursor)
            rows += [(each["path"], each["line"]) for each in found["references"]]
            pages += 1
            if "cursor" not in found:
                break
            cursor = {"cursor": found["cursor"]}
        assert len(rows) == found["total"] == 104
        assert pages > 2
        assert len(renaming.found(limit=3)["references"]) == 3

    def test_a_cursor_of_other_places(self, renaming: Renaming) -> None:
        cursor = renaming.found(limit=1)["cursor"]
        renaming.project.write("// Fire\n", "Assets/More.cs")
        for wrong in (cursor, "x"):
            error = renaming.references(cursor=wrong)
            assert isinstance(error, SnippetError)
            assert error.code is ErrorCode.STALE_FILE

    def test_a_part_is_never_shown_as_all(self, renaming: Renaming) -> None:
        renaming.project.write("// incomplete\n", "Assets/Half.cs")
        found = renaming.found()
        assert found["complete"] is False
        assert "Half.cs" in found["reasons"][0]
