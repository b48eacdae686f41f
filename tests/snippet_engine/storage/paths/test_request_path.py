"""What a path may look like, before any look at the disk: docs/design/engine.md §6."""

from __future__ import annotations

import pytest
from answered import refusal
from hypothesis import example, given
from hypothesis import strategies as st

from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.storage.paths.request_path import parse_request_path

ROOT = "/home/someone/Game"


def refused(path: str) -> SnippetError:
    return refusal(parse_request_path(path, ROOT), ErrorCode.PATH_NOT_ALLOWED)


@pytest.mark.parametrize(
    ("path", "segments"),
    [
        ("Assets/Player.cs", ("Assets", "Player.cs")),
        ("Packages/com.me.game/Runtime/A.cs", ("Packages", "com.me.game", "Runtime", "A.cs")),
        (r"Assets\Scripts/Player.cs", ("Assets", "Scripts", "Player.cs")),
        ("Assets/プレイヤー/敵 1.cs", ("Assets", "プレイヤー", "敵 1.cs")),
        ("Library/PackageCache/a@1/A.cs", ("Library", "PackageCache", "a@1", "A.cs")),
        ("Assets/..hidden/...cs", ("Assets", "..hidden", "...cs")),
    ],
)
def test_allowed(path: str, segments: tuple[str, ...]) -> None:
    assert parse_request_path(path, ROOT) == segments


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd.cs",
        "/other/Assets/Player.cs",
        "C:/Game/Assets/Player.cs",
        r"C:\Game\Assets\Player.cs",
        "C:Player.cs",
        r"\\server\share\Assets\Player.cs",
        "//server/share/Assets/Player.cs",
        "Assets/../../Player.cs",
        "../Assets/Player.cs",
        "Assets/..",
        "Assets",
        "Assets.cs",
        "Player.cs",
        "Library/Player.cs",
        "Library/SnippetEngine/history/A.cs",
        "ProjectSettings/A.cs",
        "Assets/Player.txt",
        "Assets/Player.cs.meta",
        "Assets/Player.CS",
        "Assets/Player.cs ",
        "Assets/Player\x00.cs",
        "Assets/Pla\nyer.cs",
        "Assets/",
        "MyAssets/x.cs",
        "Assets/Pla\x85yer.cs",
        "Assets/Pla\udcffyer.cs",
    ],
)
def test_refused_without_a_suggestion(path: str) -> None:
    assert refused(path).details == {}


@pytest.mark.parametrize(
    ("path", "suggestion"),
    [
        ("Assets//Player.cs", "Assets/Player.cs"),
        ("Assets/.cs/", "Assets/.cs"),
        ("~/Assets/x.cs", "Assets/x.cs"),
        ("file:///Assets/x.cs", "Assets/x.cs"),
        ("Assets/./Player.cs", "Assets/Player.cs"),
        ("./Assets/Player.cs", "Assets/Player.cs"),
        ("Assets/UI/../Player.cs", "Assets/Player.cs"),
        ("assets/Player.cs", "Assets/Player.cs"),
        (" packages/a/A.cs", "Packages/a/A.cs"),
        ("Game/Assets/Player.cs", "Assets/Player.cs"),
        (f"{ROOT}/Assets/Player.cs", "Assets/Player.cs"),
        (f"{ROOT}/assets/UI/./Player.cs", "Assets/UI/Player.cs"),
    ],
)
def test_refused_with_what_to_send(path: str, suggestion: str) -> None:
    error = refused(path)
    assert error.details == {"suggestion": suggestion}
    assert suggestion in error.message


def test_a_windows_project_root_is_recognised() -> None:
    answer = refusal(parse_request_path(r"C:\Game\Assets\Player.cs", r"C:\Game"))
    assert answer.details == {"suggestion": "Assets/Player.cs"}


@pytest.mark.parametrize("path", ["/etc/passwd.cs", f"{ROOT}/Assets/A.cs", "C:/Users/me/A.cs"])
def test_absolute_paths_are_not_repeated(path: str) -> None:
    assert path not in refused(path).message
    assert "someone" not in refused(path).message


@given(st.text() | st.lists(st.sampled_from([*"aA/\\.:", "Assets", "..", ".cs"])).map("".join))
@example("../Assets/A.cs")
@example("Assets/../../Assets/A.cs")
def test_every_text_gets_an_answer(path: str) -> None:
    answer = parse_request_path(path, ROOT)
    if isinstance(answer, SnippetError):
        suggestion = answer.details.get("suggestion")
        assert suggestion is None or isinstance(parse_request_path(suggestion, ROOT), tuple)
    else:
        assert answer[0] in ("Assets", "Packages", "Library")
        assert {"", ".", ".."}.isdisjoint(answer)
        assert answer[-1].endswith(".cs")
        assert not any("\\" in segment or "/" in segment for segment in answer)


@given(st.text())
def test_shown_paths_are_short_and_printable(path: str) -> None:
    line = show(path)
    assert len(line) <= 70
    line.encode()
    assert not any(ord(character) < 32 for character in line)


def test_long_paths_keep_their_end_and_leave_room_for_the_advice() -> None:
    error = refused("Sources/" + "very/" * 100 + "Deep.cs")
    assert "Deep.cs is not below Assets/" in error.message
    assert not error.message.endswith("…")


@pytest.mark.parametrize("root", [f"{ROOT}/", f"{ROOT}//", "/games/MatriX", "C:\\Game\\"])
def test_a_project_root_may_end_in_a_slash(root: str) -> None:
    named = root.rstrip("/\\").replace("\\", "/")
    answer = refusal(parse_request_path(f"{named}/Assets/Player.cs", root))
    assert answer.details == {"suggestion": "Assets/Player.cs"}


def test_a_path_is_shown_whole_up_to_seventy_characters() -> None:
    fits = "Assets/" + "é" * 60 + ".cs"
    assert len(fits) == 70
    assert show(fits) == fits
    assert show("A" + fits) == "…" + fits[len("Assets") :]
    assert show("Assets/\ud800.cs") == "Assets/?.cs"


@pytest.mark.parametrize("path", ["Assets/Player.cs ", " Assets/Player.cs", " " + "x" * 80 + "\t"])
def test_blanks_at_the_ends_of_a_path_are_seen(path: str) -> None:
    line = show(path)
    assert line[0] == line[-1] == '"'
    assert len(line) <= 70
    assert show("Assets/My Player.cs") == "Assets/My Player.cs"
