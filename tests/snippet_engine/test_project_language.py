"""Which C# a project's scripts are compiled as: response files, else the Editor's version."""

from pathlib import Path

import pytest

from snippet_engine.csharp.lexical.language_version import UNITY_LANGUAGE_VERSION, LanguageVersion
from snippet_engine.project_settings import ProjectLanguage


def write(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_nothing_known_is_unitys(tmp_path: Path) -> None:
    assert ProjectLanguage(tmp_path)("Assets/A.cs") == UNITY_LANGUAGE_VERSION


@pytest.mark.parametrize(
    ("editor", "expected"),
    [
        ("2021.3.45f1", LanguageVersion(9)),
        ("2022.3.62f1", LanguageVersion(9)),
        ("6000.3.1f1", LanguageVersion(9)),
        ("7000.0.0a1", LanguageVersion.newest()),
        ("what", LanguageVersion(9)),
    ],
)
def test_the_editor_decides(tmp_path: Path, editor: str, expected: LanguageVersion) -> None:
    write(tmp_path, "ProjectSettings/ProjectVersion.txt", f"m_EditorVersion: {editor}\n")
    assert ProjectLanguage(tmp_path)("Assets/A.cs") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-langVersion:10", LanguageVersion(10)),
        ("-nullable:enable\n/langversion:10.0 -define:A", LanguageVersion(10)),
        ('-langversion:"preview"', LanguageVersion.newest()),
        ("# -langVersion:10", UNITY_LANGUAGE_VERSION),
        ("-langVersion:10\n-langVersion:8", LanguageVersion(8)),
        ("-langVersion:default", UNITY_LANGUAGE_VERSION),
    ],
)
def test_a_response_file_overrides(tmp_path: Path, text: str, expected: LanguageVersion) -> None:
    write(tmp_path, "Assets/csc.rsp", text)
    assert ProjectLanguage(tmp_path)("Assets/Deep/Er/A.cs") == expected


def test_the_response_file_beside_the_assembly_definition_comes_first(tmp_path: Path) -> None:
    write(tmp_path, "Assets/csc.rsp", "-langVersion:10")
    write(tmp_path, "Assets/Lib/Lib.asmdef", "{}")
    write(tmp_path, "Assets/Lib/csc.rsp", "-langVersion:11")
    language = ProjectLanguage(tmp_path)
    assert language("Assets/Lib/Deep/A.cs") == LanguageVersion(11)
    assert language("Assets/Other/A.cs") == LanguageVersion(10)


def test_a_response_file_in_the_projects_root_is_none_of_unitys(tmp_path: Path) -> None:
    write(tmp_path, "csc.rsp", "-langVersion:11")
    assert ProjectLanguage(tmp_path)("Assets/A.cs") == UNITY_LANGUAGE_VERSION


def test_packages_do_not_read_the_one_in_assets(tmp_path: Path) -> None:
    write(tmp_path, "Assets/csc.rsp", "-langVersion:11")
    write(tmp_path, "Packages/com.a/Runtime/A.asmdef", "{}")
    write(tmp_path, "Packages/com.b/Runtime/B.asmdef", "{}")
    write(tmp_path, "Packages/com.b/Runtime/csc.rsp", "-langVersion:10")
    language = ProjectLanguage(tmp_path)
    assert language("Packages/com.a/Runtime/A.cs") == UNITY_LANGUAGE_VERSION
    assert language("Packages/com.b/Runtime/B.cs") == LanguageVersion(10)


def test_a_folder_of_that_name_is_no_response_file(tmp_path: Path) -> None:
    (tmp_path / "Assets" / "csc.rsp").mkdir(parents=True)
    assert ProjectLanguage(tmp_path)("Assets/A.cs") == UNITY_LANGUAGE_VERSION
