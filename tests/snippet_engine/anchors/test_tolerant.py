from __future__ import annotations

import pytest

from snippet_engine.anchors.tolerant import differences, tolerant_pattern, unwrapped


@pytest.mark.parametrize(
    ("wanted", "standing", "kinds"),
    [
        ("if(a)", "if (a)", ["white space"]),
        ("a\n  b", "a\n    b", ["indentation"]),
        ("a b", "a\nb", ["line breaks"]),
        ("Foo();", "foo();", ["letter case"]),
        ("“hi”", '"hi"', ["quotes"]),
        ("a – b", "a - b", ["look-alike characters"]),
        ("Сount", "Count", ["look-alike characters"]),
        ("foo（）；", "foo();", ["look-alike characters"]),
        ("say( “Hi” )", 'say("hi")', ["quotes", "letter case", "white space"]),
        ("a\u200bb", "ab", ["white space"]),
    ],
)
def test_differences_are_named(wanted: str, standing: str, kinds: list[str]) -> None:
    pattern = tolerant_pattern(wanted)
    assert pattern is not None
    assert pattern.fullmatch(standing)
    assert differences(wanted, standing) == kinds


def test_different_text_is_not_tolerated() -> None:
    pattern = tolerant_pattern("speed > 10")
    assert pattern is not None
    assert not pattern.search("speed > 20 && speed >= 10")


@pytest.mark.parametrize("text", ["", " \n\t", "x" * 5000])
def test_some_texts_are_not_searched_for(text: str) -> None:
    assert tolerant_pattern(text) is None


@pytest.mark.parametrize(
    ("sent", "wrapping", "meant"),
    [
        ("42\tgo();", "pasted line numbers", "go();"),
        ("42: go();\n43: stop();", "pasted line numbers", "go();\nstop();"),
        ("  42| go();", "pasted line numbers", "go();"),
        ("   42→go();", "pasted line numbers", "go();"),
        ("a;\\nb;", "escape sequences sent as text", "a;\nb;"),
        ('say(\\"hi\\");', "escape sequences sent as text", 'say("hi");'),
        ("```csharp\ngo();\n```", "markdown fence", "go();"),
        ("```\ngo();\n", "markdown fence", "go();"),
    ],
)
def test_wrappings_are_taken_off(sent: str, wrapping: str, meant: str) -> None:
    found = list(unwrapped(sent, "", ""))
    assert found[0] == ([], sent, "", "")
    assert ([wrapping], meant, "", "") in found


def test_several_wrappings_come_off_together() -> None:
    found = list(unwrapped('```cs\n7: say(\\"x\\");\n```', "6: {", ""))
    names = ["markdown fence", "pasted line numbers", "escape sequences sent as text"]
    assert (names, 'say("x");', "{", "") in found


def test_numbers_that_are_code_stay() -> None:
    assert list(unwrapped("42;\nfoo();", "", "")) == [([], "42;\nfoo();", "", "")]
