"""An edit of a text that was remembered wrongly, carried over to the true one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.fixes.merge.three_way_merge import merged_text


@pytest.mark.parametrize(
    ("sent", "wanted", "standing", "meant"),
    [
        ("int a = spede + 1;", "int a = spede + 2;", "int a = speed + 1;", "int a = speed + 2;"),
        ("a b c", "a b d", "a q c", "a q d"),
        # The new text is right where the target was wrong.
        ("a q c", "a b d", "a b c", "a b d"),
        # What is replaced was remembered wrongly itself.
        ("speed > 11", "speed > 20", "speed > 10", "speed > 20"),
        ("x = 1;\ny = 2;\nz = 3;", "x = 5;\ny = 2;\nz = 3;", "x = 1;\nz = 3;", "x = 5;\nz = 3;"),
        # White space.
        ("a(x); b();", "a(y); b();", "a(x);\n    b();", "a(y);\n    b();"),
        (
            "  go();\n  end();",
            "  go();\n  x();\n  end();",
            "\tgo();\n\tend();",
            "\tgo();\n\tx();\n\tend();",
        ),
        (
            "go();\n    b();",
            "go();\n    x();\n    b();",
            "go(); \n    b();",
            "go(); \n    x();\n    b();",
        ),
        (
            "  if (x)\n    go();",
            "  if (x)\n  {\n    go();\n  }",
            "\tif (x)\n\t\tgo();",
            "\tif (x)\n\t{\n\t\tgo();\n\t}",
        ),
        # Empty lines that were misremembered, and that the new text has as well.
        ("a();\n  b();", "a();\n\n  b();", "a();\n\tb();", "a();\n\n\tb();"),
        # Spelling.
        ("Log(“a”);", "Log(“b”);", 'Log("a");', 'Log("b");'),
        (
            "// one two\n// three",
            "// one TWO\n// three",
            "// one\n// two three",
            "// one\n// TWO three",
        ),
        # Whole lines go where lines go, whatever else they could have been put between.
        ("go( instanc.All() )", "go( All() )", "go( instance.All() )", "go( All() )"),
        # The new name hasn't what is wrong in the old one.
        ("A.ListSame(a)", "A.Same(a)", "A.ListsSame(a)", "A.Same(a)"),
        (": ValidatablBase", ": IValidatableBase", ": ValidatableBase", ": IValidatableBase"),
        # A blank at the end of the line above was never there.
        # Another word has the letters beside the mistake by chance.
        (
            "r.ProvideIdentifier;",
            "x.uniqueIdentifier;",
            "r.ProviderIdentifier;",
            "x.uniqueIdentifier;",
        ),
        # A keyword between two names stays as a sign does, and a type behind modifiers.
        (
            "static Name()",
            "internal static Name()",
            "static void Name()",
            "internal static void Name()",
        ),
    ],
)
def test_the_change_is_made_to_what_stands_there(
    sent: str, wanted: str, standing: str, meant: str
) -> None:
    assert merged_text(sent, wanted, standing) == meant


@pytest.mark.parametrize(
    ("sent", "wanted", "standing"),
    [
        # Is the second argument to go, or to stay?
        ("Foo(a)", "Foo(c)", "Foo(a, b)"),
        # That line isn't there, but another one is.
        ("x = 1;\ny = 2;\nz = 3;", "x = 1;\nz = 3;", "x = 1;\nw = 9;\nz = 3;"),
        # The new text has the mistake as well.
        ("indicesOfE_ntries", "e_ntries", "indicesOfEntries"),
        ("onKillDelegat;", "onKillDelegat2;", "onKillDelegate;"),
        ("health;", "healthMax;", "Health;"),
        # Is that word a mistake, or changed as well?
        ("a.cancelled = canceled;", "a.canceled = canceled;", "a.cancelled = cancelled;"),
        # Is the sign that was forgotten to stay, or is it the other one?
        # Of a row of equal signs: is the one that was forgotten among those that are put there?
        ("//--\nint a;", "//------", "//---\nint a;"),
        # Above or below the blank line?
        ("a();\nb();", "a();\nx();\nb();", "a();\n\nb();"),
    ],
)
def test_nothing_is_told_where_it_can_not_be(sent: str, wanted: str, standing: str) -> None:
    assert merged_text(sent, wanted, standing) is None


WORDS = st.lists(
    st.sampled_from([f"word{n}" for n in range(30)]), min_size=4, max_size=12, unique=True
)


@given(WORDS, st.data())
def test_a_mistake_beside_the_change_is_not_written(words: list[str], data: st.DataObject) -> None:
    mistaken = data.draw(st.integers(0, len(words) - 1))
    changed = data.draw(st.integers(0, len(words) - 1).filter(lambda at: abs(at - mistaken) > 1))
    sent = [*words[:mistaken], "mistake", *words[mistaken + 1 :]]
    wanted = [*sent[:changed], "change", *sent[changed + 1 :]]
    meant = [*words[:changed], "change", *words[changed + 1 :]]
    assert merged_text(" ".join(sent), " ".join(wanted), "\n".join(words)) == "\n".join(meant)


@given(st.text("ab(;\n ", max_size=12), st.text("ab(;\n ", max_size=12))
def test_what_was_remembered_rightly_is_replaced_as_sent(sent: str, wanted: str) -> None:
    assert merged_text(sent, wanted, sent) == wanted


@given(*[st.text("ab(;\n\t ", max_size=14)] * 3)
def test_any_texts_can_be_sent(sent: str, wanted: str, standing: str) -> None:
    found = merged_text(sent, wanted, standing)
    if found is not None and sent.split() == wanted.split():
        assert "".join(found.split()) == "".join(standing.split())


LINE = st.lists(st.sampled_from(["hp", "amount", "inv", "+", "("]), min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("sent", "wanted", "standing", "meant"),
    [
        # What is put there has a word of the line: it may be that line, written anew.
        ("a(x);\nb(y);", "a(x);\nlog(b, y);", "a(x);\nlog(z);\nb(y);", None),
    ],
)
def test_a_line_that_stands_before_the_one_that_is_changed_stays(
    sent: str, wanted: str, standing: str, meant: str | None
) -> None:
    assert merged_text(sent, wanted, standing) == meant


@pytest.mark.parametrize(
    ("sent", "wanted", "standing"),
    [
        ("Log(x, x);", "Log(x);", "Log(xs, x);"),
        ("go(a);\ngo(a);\n", "go(a);\n", "go(a);\ngo(b);\n"),
    ],
)
def test_which_of_two_equal_things_goes_is_not_told_where_the_file_has_one_otherwise(
    sent: str, wanted: str, standing: str
) -> None:
    assert merged_text(sent, wanted, standing) is None


@pytest.mark.parametrize(
    ("sent", "wanted", "standing", "meant"),
    [
        # The one that was remembered wrongly is none of them.
        ("Log(x, x, yy);", "Log(x, yy);", "Log(x, x, y);", "Log(x, y);"),
        # It goes, whichever of the others does.
        ("one two one two one", "one", "one two ones two one", "one"),
    ],
)
def test_equal_things_beside_a_mistake_go(
    sent: str, wanted: str, standing: str, meant: str
) -> None:
    assert merged_text(sent, wanted, standing) == meant


INVOKE = "            Invoke();"


def test_a_blank_behind_a_word_that_was_made_up_is_no_indentation() -> None:
    sent, wanted = "    new void Reset();", "    new void  Reset();\n    float Get();"
    assert merged_text(sent, wanted, "    void Reset();") == "    void  Reset();\n    float Get();"


def test_another_indentation_of_a_line_indented_in_two_kinds_is_not_told() -> None:
    assert merged_text("       private A B()", "        public C D()", "\t   private A B()") is None


def test_new_lines_below_a_first_one_as_deep_as_in_the_file_are_not_told_by_a_shallow_context() -> (
    None
):
    around = [("\n    ", "\n        ")]
    wanted = f"            if (can)\n{INVOKE}"
    assert merged_text(INVOKE, wanted, INVOKE, around) is None
    same = [("\n        ", "\n        ")]
    assert merged_text(INVOKE, wanted, INVOKE, same) == wanted


def test_whether_tabs_stay_where_the_lines_beside_them_have_blanks_is_not_told() -> None:
    sent, wanted = "        int Id { get; set; }", "        int Id => id;"
    around = [("\n        ", "\n\t\t"), ("\n        ", "\n        ")]
    assert merged_text(sent, wanted, "\t\tint Id { get; set; }", around) is None
    assert merged_text(sent, wanted, "\t\tint Id { get; set; }", around[:1]) == "\t\tint Id => id;"
    # It isn't the line with the tabs that is changed.
    more = f"        Begin();\n{sent}"
    mixed = f"\t\tBegin();\n{sent}"
    assert merged_text(more, f"        Begin();\n{wanted}", mixed, around) == (
        f"\t\tBegin();\n{wanted}"
    )
    # Its own blanks are as they were sent.
    assert merged_text(sent, wanted, sent, around) == wanted


@pytest.mark.parametrize(
    ("sent", "wanted", "standing", "meant"),
    [
        ("if (a & b)", "if (a | b)", "if (a && b)", None),
        ("if (a & b)", "if (a & c & b)", "if (a && b)", None),
        ("i+;", "i+1;", "i++;", None),
    ],
)
def test_the_second_of_two_equal_signs_that_was_forgotten_stays_beside_a_word_that_is_replaced(
    sent: str, wanted: str, standing: str, meant: str | None
) -> None:
    assert merged_text(sent, wanted, standing) == meant


@pytest.mark.parametrize(
    ("sent", "wanted", "standing", "meant"),
    [
        ("x=a+b;", 'x=a+b+"a+b,  c";', "x = a + b;", 'x = a + b+"a+b,  c";'),
        ("F(a,b);", "F(a,b);\nG('a','b', \"a,b\");", "F(a, b);", "F(a, b);\nG('a','b', \"a,b\");"),
        ("F(a,b);", 'F(a,b);\nG($"{a,b}\\" a,b");', "F(a, b);", 'F(a, b);\nG($"{a,b}\\" a,b");'),
        ("\tF(a);", '\tF(a);\n\tG(@"a\n\tb""");', "    F(a);", '    F(a);\n    G(@"a\n\tb""");'),
        # No literal begins in a comment.
    ],
)
def test_white_space_in_a_literal_is_what_the_agent_wrote(
    sent: str, wanted: str, standing: str, meant: str
) -> None:
    assert merged_text(sent, wanted, standing) == meant


def test_which_white_space_goes_with_what_goes_is_not_told_where_a_word_was_invented() -> None:
    sent = "F(readonly path == Empty || b);"
    wanted = "F(readonly Empty || b);"
    assert merged_text(sent, wanted, "F(path == Empty || b);") is None
    assert merged_text(sent, wanted, sent) == wanted


@pytest.mark.parametrize(
    ("standing", "sent", "wanted"),
    [
        ("if (size == room)", "if (size <= room)", "if (size < room)"),
        ("if (rest == 0)", "if (rest <= 0)", "if (rest < 1)"),
        ("i < count", "i <= count", "i >= count"),
        ("end > most", "end >= most", "end == most"),
        ("at > count", "at < count", "at <= count"),
        ("size >> 4", "size >= 4", "size > 4"),
    ],
)
def test_of_an_operator_that_was_remembered_wrongly_no_part_is_right(
    standing: str, sent: str, wanted: str
) -> None:
    assert merged_text(sent, wanted, standing) is None


def test_of_blanks_on_both_sides_of_a_forgotten_sign_it_is_not_told_which_go() -> None:
    sent, standing = 'string v  "1.0";', 'string v = "1.0";'
    assert merged_text(sent, 'string v  "1.2";', standing) == 'string v = "1.2";'
    assert merged_text(sent, 'string v "1.2";', standing) is None


def test_how_deep_a_new_first_line_is_is_not_told_where_two_lines_of_one_depth_differ() -> None:
    sent, standing = "  // one\n  two();", "\t// one\n  two();"
    assert merged_text(sent, "      three();", standing) is None


def test_the_indentation_of_what_is_commented_out_is_unclear() -> None:
    assert merged_text("        go();", "//        go();", "\t\tgo();") is None


def test_a_whole_line_more_goes_before_the_first_one_of_which_a_word_was_forgotten() -> None:
    standing = '[assembly: To("Maker.Shop.Editor")]'
    sent = '[assembly: To(".Shop.Editor")]'
    wanted = f'[assembly: To("Maker.Shop.Debug")]\n{sent}'
    meant = f'[assembly: To("Maker.Shop.Debug")]\n{standing}'
    assert merged_text(sent, wanted, standing) in (None, meant)
