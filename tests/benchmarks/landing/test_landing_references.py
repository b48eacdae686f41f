"""The references do what the tools do that they stand for, the good and the bad."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.landing.plain import Plain
from benchmarks.landing.references import exact, hashed_lines, ladder

TEXT = "a = 1;\nb = 2;\nif (x)\n{\n    b = 2;\n}\nlast = 3;\n"


def _asked(old: str, new: str, line: int = 0) -> Plain:
    return Plain(old, new, line, tuple(old.split("\n")), tuple(new.split("\n")))


def test_exact_takes_what_stands_once() -> None:
    assert exact(TEXT, _asked("a = 1", "a = 5")).text == TEXT.replace("a = 1", "a = 5")


def test_exact_refuses_what_stands_twice_or_not_at_all() -> None:
    assert exact(TEXT, _asked("b = 2", "b = 5")).text is None
    assert exact(TEXT, _asked("c = 2", "b = 5")).text is None
    assert exact(TEXT, _asked("a = 1", "a = 1")).text is None


def test_exact_takes_all_where_that_is_said() -> None:
    asked = replace(_asked("b = 2", "b = 5"), everywhere=True)
    assert exact(TEXT, asked).text == TEXT.replace("b = 2", "b = 5")


def test_the_ladder_takes_the_first_of_several() -> None:
    assert ladder(TEXT, _asked("b = 2;", "b = 5;")).text == TEXT.replace("b = 2", "b = 5", 1)


def test_the_ladder_finds_what_is_like_it() -> None:
    for said in ("if (x)  \n{", "if (x) {", "  if (x)\n  {", "if (x)\\n{"):
        answer = ladder(TEXT, _asked(said, "if (y)\n{"))
        assert answer.text is not None, said
        assert "if (y)" in answer.text
    misremembered = ladder(TEXT, _asked("latst = 3;", "last = 4;"))
    assert misremembered.text == TEXT.replace("last = 3", "last = 4")
    assert ladder(TEXT, _asked("nothing(at, all);", "x")).text is None


def test_lines_go_by_number_whatever_they_say_elsewhere() -> None:
    assert hashed_lines(TEXT, _asked("    b = 2;", "    b = 5;", 4)).text == TEXT.replace(
        "    b = 2", "    b = 5"
    )


def test_lines_that_have_moved_are_refused_with_where_they_are() -> None:
    answer = hashed_lines("// new\n" + TEXT, _asked("last = 3;", "last = 4;", 6))
    assert answer.text is None
    assert answer.again is not None
    assert answer.again.line == 7
    landed = hashed_lines("// new\n" + TEXT, answer.again)
    assert landed.text == "// new\n" + TEXT.replace("last = 3", "last = 4")


def test_lines_that_have_changed_are_refused() -> None:
    answer = hashed_lines(TEXT, _asked("a = 7;", "a = 8;", 0))
    assert (answer.text, answer.again) == (None, None)
    assert hashed_lines("one\n", _asked("a\nb", "c", 4)).text is None
