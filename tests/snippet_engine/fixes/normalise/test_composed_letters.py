"""Letters in one code point or in several (NFC, NFD): each finds the other."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from planning import on_symbol
from unity_project import UnityProject, delete, replace

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.fixes.normalise.look_alikes import is_same_but_for_look, letters_apart

SCRIPT = """class Bar
{
    int café = 1; // 한국 café au lait
    int cafe = 3;
    int cafes = 1;
    string name = "Ångström";
}
"""


def forms(text: str) -> tuple[str, str]:
    return unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)


def spelled(instruction: dict[str, Any], form: str) -> dict[str, Any]:
    """The instruction with all of its texts in a form of Unicode's."""
    anchor = {key: unicodedata.normalize(form, text) for key, text in instruction["anchor"].items()}
    found = {**instruction, "anchor": anchor}
    if "newText" in instruction:
        found["newText"] = unicodedata.normalize(form, instruction["newText"])
    return found


@pytest.mark.parametrize(("in_file", "as_sent"), [("NFC", "NFD"), ("NFD", "NFC")])
@pytest.mark.parametrize(
    ("instruction", "gone", "left"),
    [
        (replace("int café = 1", "int café = 2"), "café = 1", "café = 2"),
        (replace("café au lait", "café noir", **{"in": "comment"}), "café au lait", "café noir"),
        (replace("한국 café", "한국", **{"in": "comment"}), "한국 café", "한국"),
        (replace('"Ångström"', '"Ångström!"'), "Ångström", "Ångström!"),
        (delete('string name = "Ångström";'), '    string name = "Ångström";\n', ""),
    ],
)
def test_one_form_is_offered_as_the_other(
    project: UnityProject,
    instruction: dict[str, Any],
    gone: str,
    left: str,
    in_file: str,
    as_sent: str,
) -> None:
    text, gone, left = (unicodedata.normalize(in_file, each) for each in (SCRIPT, gone, left))
    project.write(text)
    error = project.refused(spelled(instruction, as_sent))
    assert "nor anything like it" not in error.message
    (offer,) = error.offers
    outcome = project.engine.edit_snippet({**offer.arguments, "mode": "apply"})
    assert not isinstance(outcome, SnippetError), outcome
    assert project.read().decode() == text.replace(gone, left)


@pytest.mark.parametrize(("in_file", "as_sent"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_the_nearest_only_looks_alike(project: UnityProject, in_file: str, as_sent: str) -> None:
    project.write(unicodedata.normalize(in_file, SCRIPT))
    error = project.refused(spelled(replace("café = 1", "café = 2"), as_sent))
    nearest = error.details["nearest"][0]
    assert (nearest["line"], nearest["differs"]) == (3, ["look-alike characters"])
    error = project.refused(spelled(on_symbol("Bar.café", "delete"), as_sent))
    assert error.code is ErrorCode.SYMBOL_NOT_FOUND
    path = unicodedata.normalize(in_file, "Bar.café")
    assert error.details["nearest"][0]["symbolPath"] == path


@pytest.mark.parametrize(("in_file", "as_sent"), [("NFC", "NFD"), ("NFD", "NFC")])
@pytest.mark.parametrize("path", ["Assets/Ñ.cs", "Assets/É/Ñandú.cs"])
def test_a_path_in_the_other_form_is_offered(
    project: UnityProject, path: str, in_file: str, as_sent: str
) -> None:
    on_disk = unicodedata.normalize(in_file, path)
    project.write("class A { }\n", on_disk)
    project.write("class A { }\n", "Assets/N.cs")
    sent = unicodedata.normalize(as_sent, path)
    error = project.refused(replace("class A", "class B"), path=sent)
    assert error.code is ErrorCode.FILE_NOT_FOUND
    assert error.details["nearest"][0] == on_disk
    assert error.message.endswith(f"Did you mean {on_disk}?")


@pytest.mark.parametrize("text", ["ascii", "café e\u0301", "a\u0301a", "한국", "q\u0323\u0307"])
def test_both_forms_look_the_same(text: str) -> None:
    assert all(is_same_but_for_look(one, other) for one in forms(text) for other in forms(text))


def test_letters_apart() -> None:
    assert letters_apart("café") == {}
    assert letters_apart("cafe\u0301 é q\u0323") == {ord("é"): "e\u0301"}
