from __future__ import annotations

import pytest

from snippet_engine.fixes.normalise.look_alikes import differences, is_same_but_for_look
from snippet_engine.fixes.normalise.wrappings import unwrapped, unwrapped_like


@pytest.mark.parametrize(
    ("wanted", "standing", "kinds"),
    [
        ("if(a)", "if (a)", ["white space"]),
        ("Сount", "Count", ["look-alike characters"]),
        ("foo（）；", "foo();", ["look-alike characters"]),
        ("say( “Hi” )", 'say("hi")', ["quotes", "letter case", "white space"]),
    ],
)
def test_differences_are_named(wanted: str, standing: str, kinds: list[str]) -> None:
    assert is_same_but_for_look(standing, wanted)
    assert differences(wanted, standing) == kinds


def test_different_text_is_not_tolerated() -> None:
    assert not is_same_but_for_look("speed >= 10", "speed > 10")


@pytest.mark.parametrize(
    ("sent", "wrapping", "meant"),
    [
        ("42: go();\n43: stop();", "pasted line numbers", "go();\nstop();"),
        ("a;\\nb;", "escape sequences sent as text", "a;\nb;"),
        ("```\ngo();\n", "markdown fence", "go();"),
    ],
)
def test_wrappings_are_taken_off(sent: str, wrapping: str, meant: str) -> None:
    found = list(unwrapped(sent, "", ""))
    assert found[0] == ([], (sent, "", ""))
    assert ([wrapping], (meant, "", "")) in found


def test_several_wrappings_come_off_together() -> None:
    found = list(unwrapped('```cs\n7: say(\\"x\\");\n```', "6: {", ""))
    names = ["markdown fence", "pasted line numbers", "escape sequences sent as text"]
    assert (names, ('say("x");', "{", "")) in found


def test_numbers_that_are_code_stay() -> None:
    assert list(unwrapped("42;\nfoo();", "", "")) == [([], ("42;\nfoo();", "", ""))]


@pytest.mark.parametrize(
    ("text", "anchor", "bare"),
    [
        ('[Name(\\"a\\")]\\nint b;', ("int b;", "x\\n"), '[Name("a")]\nint b;'),
        # A quote as it is: then the escaped one is a string's.
        ('Say("\\"a\\"");\\n', ("int b;", "x\\n"), 'Say("\\"a\\"");\n'),
        ('[Name(\\"a\\")]', ('Say("b");', "x\\n"), '[Name(\\"a\\")]'),
        # Nothing else is escaped.
        ('[Name(\\"a\\")]', ("int b;", "x"), '[Name(\\"a\\")]'),
    ],
)
def test_escaped_line_breaks_and_quotes(text: str, anchor: tuple[str, str], bare: str) -> None:
    assert unwrapped_like(text, anchor, ["escape sequences sent as text"]) == bare


@pytest.mark.parametrize(
    ("text", "anchor", "bare"),
    [
        ("\\n    int b;", ('[Name(\\"a\\")]',), "\n    int b;"),
        ("\\n/// <c>b</c>", ('/// <see cref=\\"a\\"/>',), "\n/// <c>b</c>"),
        # There are line breaks as they are: then an escaped one is a string's.
        ('\nSay("b\\n");', ('Say(\\"a\\");',), '\nSay("b\\n");'),
        # It is in a string alone, or there as well.
        ('Say(\\"b\\n\\");', ('Say(\\"a\\");',), 'Say("b\\n");'),
        ('Say(\\"b\\n\\");\\n', ('Say(\\"a\\");',), None),
    ],
)
def test_escaped_quotes_and_breaks(text: str, anchor: tuple[str, ...], bare: str | None) -> None:
    assert unwrapped_like(text, anchor, ["escape sequences sent as text"]) == bare
