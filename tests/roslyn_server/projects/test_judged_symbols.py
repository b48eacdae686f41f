"""Every branch of a text is compiled in some symbol set and left out in another."""

from roslyn_server.projects.judged_symbols import MAX_SYMBOL_SETS, judged_symbols

BASE = frozenset({"UNITY_EDITOR"})


def _values(text: str, *names: str) -> set[tuple[bool, ...]]:
    """Which of ``names`` are on together in the sets that ``text`` is judged under."""
    return {tuple(name in each for name in names) for each in judged_symbols(text, BASE)}


def test_a_text_without_conditions_is_judged_under_the_base_alone() -> None:
    assert judged_symbols("class C { }", BASE) == [BASE]
    assert judged_symbols("#region A\n#endregion\n#if true\n#endif\n", BASE) == [BASE]


def test_a_condition_is_satisfied_both_ways_also_where_no_else_is_written() -> None:
    assert _values("#if UNITY_EDITOR\n#endif\n", "UNITY_EDITOR") == {(True,), (False,)}


def test_branches_that_neither_the_base_nor_its_opposite_reach_are_solved_for() -> None:
    text = "#if A && !B\nx\n#elif B && !A\ny\n#endif\n"
    assert {(True, False), (False, True), (False, False)} <= _values(text, "A", "B")


def test_nested_conditions_are_solved_together() -> None:
    text = "#if UNITY_EDITOR\n#if A\n#if B && !C\nx\n#endif\n#endif\n#endif\n"
    assert (True, True, True, False) in _values(text, "UNITY_EDITOR", "A", "B", "C")


def test_what_a_text_defines_itself_counts() -> None:
    text = "#if !AOT\n#define DYNAMIC\n#endif\n#if DYNAMIC\nx\n#else\ny\n#endif\n"
    assert {(False,), (True,)} <= _values(text, "AOT")


def test_branches_that_cant_be_reached_are_passed_over() -> None:
    assert judged_symbols("#if false && A\nx\n#endif\n", BASE)[0] == BASE


def test_the_number_of_sets_is_bounded() -> None:
    text = "".join(f"#if A{n} && !B{n} && C{(n + 1) % 40}\nx\n#endif\n" for n in range(40))
    assert len(judged_symbols(text, BASE)) <= MAX_SYMBOL_SETS


def test_unbalanced_directives_are_no_obstacle() -> None:
    assert judged_symbols("#endif\n#else\n#elif A\n#if B\n#if", BASE)[0] == BASE
