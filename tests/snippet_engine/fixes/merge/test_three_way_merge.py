"""An edit of a text that was remembered wrongly, carried over to the true one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.fixes.merge.indentation import Indents
from snippet_engine.fixes.merge.three_way_merge import merged_text

MERGED = [
    ("int a = spede + 1;", "int a = spede + 2;", "int a = speed + 1;", "int a = speed + 2;"),
    ("a b c", "a b d", "a q c", "a q d"),
    # The new text is right where the target was wrong.
    ("a q c", "a b d", "a b c", "a b d"),
    # What is replaced was remembered wrongly itself.
    ("speed > 11", "speed > 20", "speed > 10", "speed > 20"),
    ("x = 1;\ny = 2;\nz = 3;", "x = 5;\ny = 2;\nz = 3;", "x = 1;\nz = 3;", "x = 5;\nz = 3;"),
    # Spelling.
    ("Log(“a”);", "Log(“b”);", 'Log("a");', 'Log("b");'),
    ("// a b\n// c", "// a B\n// c", "// a\n// b c", "// a\n// B c"),
    # Whole lines go where lines go, whatever else they could have been put between.
    ("go( instanc.All() )", "go( All() )", "go( instance.All() )", "go( All() )"),
    # The new name hasn't what is wrong in the old one.
    ("A.ListSame(a)", "A.Same(a)", "A.ListsSame(a)", "A.Same(a)"),
    (": ValidatablBase", ": IValidatableBase", ": ValidatableBase", ": IValidatableBase"),
    # Another word has the letters beside the mistake by chance.
    ("r.ProvideIdentifier;", "x.uniqueIdentifier;", "r.ProviderIdentifier;", "x.uniqueIdentifier;"),
    # A keyword between two names stays as a sign does, and a type behind modifiers.
    ("static N()", "internal static N()", "static void N()", "internal static void N()"),
    # -- white space ---------------------------------------------------------------------------
    ("a(x); b();", "a(y); b();", "a(x);\n    b();", "a(y);\n    b();"),
    ("  g();\n  e();", "  g();\n  x();\n  e();", "\tg();\n\te();", "\tg();\n\tx();\n\te();"),
    ("g();\n    b();", "g();\n    x();\n    b();", "g(); \n    b();", "g(); \n    x();\n    b();"),
    (
        "  if (x)\n    go();",
        "  if (x)\n  {\n    go();\n  }",
        "\tif (x)\n\t\tgo();",
        "\tif (x)\n\t{\n\t\tgo();\n\t}",
    ),
    # Empty lines that were misremembered, and that the new text has as well.
    ("a();\n  b();", "a();\n\n  b();", "a();\n\tb();", "a();\n\n\tb();"),
    # Blanks that change before a word that has another one in its stead.
    ("// a\n  b = c;", "// A\n    b = c;", "// a\n  bCached = c;", "// A\n    bCached = c;"),
    # What was sent in two ways says nothing of what is new.
    ("P (a b,c d, e f)", "P (a b,c d, A<x,y> f)", "P (a b, c d, e f)", "P (a b, c d, A<x,y> f)"),
    # No sign has the blanks of another one before it that has none.
    ("a=b;", "a=c;", "a = b;", "a = c;"),
    # A first line that has a line of its own now is as deep as it was.
    (
        "        g();",
        "\n        c();\n        g();",
        "        g();",
        "\n        c();\n        g();",
    ),
    # An empty line of its own keeps its blanks.
    ("A\t\n{", "A\t\n{\n\tint a;\n\t\n\tint b;", "A\n{", "A\n{\n\tint a;\n\t\n\tint b;"),
    # A blank behind a word that was made up is no indentation.
    (
        "    new void R();",
        "    new void  R();\n    F G();",
        "    void R();",
        "    void  R();\n    F G();",
    ),
    # In a literal it is what the agent wrote.
    ("x=a+b;", 'x=a+b+"a+b,  c";', "x = a + b;", 'x = a + b+"a+b,  c";'),
    ("F(a,b);", "F(a,b);\nG('a','b', \"a,b\");", "F(a, b);", "F(a, b);\nG('a','b', \"a,b\");"),
    ("F(a,b);", 'F(a,b);\nG($"{a,b}\\" a,b");', "F(a, b);", 'F(a, b);\nG($"{a,b}\\" a,b");'),
    ("\tF(a);", '\tF(a);\n\tG(@"a\n\tb""");', "    F(a);", '    F(a);\n    G(@"a\n\tb""");'),
    # -- which of several goes -----------------------------------------------------------------
    # The one that was remembered wrongly is none of them.
    ("Log(x, x, yy);", "Log(x, yy);", "Log(x, x, y);", "Log(x, y);"),
    # It goes, whichever of the others does.
    ("one two one two one", "one", "one two ones two one", "one"),
    ("a();\nb.Go(c);", "a();", "a();\nb.GoCached(c);", "a();"),
    ('string v  "1.0";', 'string v  "1.2";', 'string v = "1.0";', 'string v = "1.2";'),
]


@pytest.mark.parametrize(("sent", "wanted", "standing", "meant"), MERGED)
def test_the_change_is_carried_over(sent: str, wanted: str, standing: str, meant: str) -> None:
    assert merged_text(sent, wanted, standing) == meant


@pytest.mark.parametrize(
    ("sent", "wanted", "standing"),
    [
        # Is the second argument to go, or to stay?
        ("Foo(a)", "Foo(c)", "Foo(a, b)"),
        # That line isn't there, but another one is.
        ("x = 1;\ny = 2;\nz = 3;", "x = 1;\nz = 3;", "x = 1;\nw = 9;\nz = 3;"),
        ("a();\nb.Go(c);", "a();", "a();\nb.Stop(c);"),
        # The new text has the mistake as well.
        ("indicesOfE_ntries", "e_ntries", "indicesOfEntries"),
        ("onKillDelegat;", "onKillDelegat2;", "onKillDelegate;"),
        ("health;", "healthMax;", "Health;"),
        ("Set(For(e, e);", "Set(Id(For(e), e);", "Set(For(e), e);"),
        # Is that word a mistake, or changed as well?
        ("a.cancelled = canceled;", "a.canceled = canceled;", "a.cancelled = cancelled;"),
        # What is put there has a word of the line: it may be that line, written anew.
        ("a(x);\nb(y);", "a(x);\nlog(b, y);", "a(x);\nlog(z);\nb(y);"),
        # Which of two equal things goes, where the file has one otherwise?
        ("Log(x, x);", "Log(x);", "Log(xs, x);"),
        ("go(a);\ngo(a);\n", "go(a);\n", "go(a);\ngo(b);\n"),
        ("Find(all: true)\n;", "Find(all: true)", "Find(all: true);\n;"),
        # What was forgotten is in what is put in there, too, or may be before or behind that.
        ("return .position;", "return _eye == null ? zero : .position;", "return _eye.position;"),
        ("Run(id, S to)", "Run(name, S id, S to)", "Run(S id, S to)"),
        ("Close(ptr, int at);", "Close(ctx, IntPtr ptr, int at);", "Close(IntPtr ptr, int at);"),
        ('Add(c == null"X");', 'Add(c == null || d"X");', 'Add(c == null, "X");'),
        ("Make(path, true,", "Make(path, true, false,", "Make(path, true),"),
        # -- signs -----------------------------------------------------------------------------
        # Of a row of equal signs: is the one that was forgotten among those that are put there?
        ("//--\nint a;", "//------", "//---\nint a;"),
        # The second of two equal ones was forgotten, beside a word that is replaced.
        ("if (a & b)", "if (a | b)", "if (a && b)"),
        ("if (a & b)", "if (a & c & b)", "if (a && b)"),
        ("i+;", "i+1;", "i++;"),
        # Of an operator that was remembered wrongly no part is right.
        ("if (n = most)", "if (n  most)", "if (n >= most)"),
        ("if (size <= room)", "if (size < room)", "if (size == room)"),
        ("if (rest <= 0)", "if (rest < 1)", "if (rest == 0)"),
        ("i <= count", "i >= count", "i < count"),
        ("end >= most", "end == most", "end > most"),
        ("at < count", "at <= count", "at > count"),
        ("size >= 4", "size > 4", "size >> 4"),
        # -- white space -----------------------------------------------------------------------
        # Above or below the blank line?
        ("a();\nb();", "a();\nx();\nb();", "a();\n\nb();"),
        # Blanks in a line: between which words are those of the file?
        ("if (b.T== x)", "var t = b.T;\nif (t== x)", "if (b.T == x)"),
        ("if (a != b) {\n  b= a;", "if (a != b.c) {\n  b.c= a;", "if (a != b) {\n  b = a;"),
        # Some of those that aren't there go, and one that is?
        ("else   \n  Go();", "else if (a) \n  Go();", "else \n  Go();"),
        ('string v  "1.0";', 'string v "1.2";', 'string v = "1.0";'),
        ("F(readonly path == E || b);", "F(readonly E || b);", "F(path == E || b);"),
        # In a string, a blank that isn't there may be wanted.
        ('name + ": ";', 'name + ": #";', 'name + ":";'),
        # Empty lines: as many as it says, or as many more, or fewer?
        ("}\n\n catch", "}\n\n\n case", "}\n catch"),
        ("}\n\n\n void A()\n {", "}\n\n else\n {", "}\n\n void A()\n {"),
        # The blanks of an empty line are on one side of what is put in.
        ("\t}\n\n\tgo();", "\t}\n\n\tcome();\n\n\tgo();", "\t}\n\t\n\tgo();"),
        # It is put into a line of a comment, which has another marker there.
        ("/// <a>\n//\n/// </a>\nx", "/// <a>\n//G.\n/// </a>\nx", "/// <a>\n/// \n/// </a>\nx"),
        # Another indentation of a line indented in two kinds.
        ("       private A B()", "        public C D()", "\t   private A B()"),
        # How deep is a new first line where two lines of one depth differ?
        ("  // one\n  two();", "      three();", "\t// one\n  two();"),
        # The indentation of what is commented out.
        ("        go();", "//        go();", "\t\tgo();"),
        # Blanks for tabs that are no indentation.
        ("        go();", "        go();\n        come();    // later", "\t\tgo();"),
        ("        go();", "        // go();\n        //     come();", "\t\tgo();"),
        # A blank line before a line that the file has not.
        ("R();\n    E();\n    I();", "R();\n\n    E();\n    I();", "R();\n    I();"),
    ],
)
def test_nothing_is_merged_in_doubt(sent: str, wanted: str, standing: str) -> None:
    assert merged_text(sent, wanted, standing) is None
    # What was sent as it stands is replaced as it was sent.
    assert merged_text(sent, wanted, sent) == wanted


INVOKE = "            Invoke();"
TABS = "        int Id { get; set; }", "        int Id => id;", "\t\tint Id { get; set; }"


def test_the_lines_around_tell_how_deep_new_lines_are() -> None:
    wanted = f"            if (can)\n{INVOKE}"
    assert merged_text(INVOKE, wanted, INVOKE, [("\n    ", "\n        ")]) is None
    assert merged_text(INVOKE, wanted, INVOKE, [("\n        ", "\n        ")]) == wanted
    # Whether tabs stay where the lines beside them have blanks is not told.
    sent, wanted, standing = TABS
    around = [("\n        ", "\n\t\t"), ("\n        ", "\n        ")]
    assert merged_text(sent, wanted, standing, around) is None
    assert merged_text(sent, wanted, standing, around[:1]) == "\t\tint Id => id;"
    # It isn't the line with the tabs that is changed.
    begin = "        Begin();\n"
    assert merged_text(begin + sent, begin + wanted, f"\t\tBegin();\n{sent}", around) == (
        f"\t\tBegin();\n{wanted}"
    )
    assert merged_text(sent, wanted, sent, around) == wanted


@pytest.mark.parametrize(
    ("pairs", "sent"),
    [
        # No whole number of tabs; two widths.
        ([("    ", "\t"), ("\t\t", "\t\t")], "          "),
        ([("\t", "    "), ("\t\t", "            "), ("  ", "  ")], "\t\t\t"),
    ],
)
def test_a_mixed_indentation_is_not_translated(pairs: list[tuple[str, str]], sent: str) -> None:
    gaps = [(f"\n{one}", f"\n{other}") for one, other in pairs]
    assert Indents(gaps).translated(f"\n{sent}") is None


@pytest.mark.parametrize(
    ("pairs", "sent", "there"),
    [
        ([("\t\t", "        "), ("", "")], "\t\t\t", "            "),
        ([("        ", "\t\t"), ("            ", "\t\t\t")], "    ", "\t"),
        ([("  ", "\t")], "      ", "\t\t\t"),
        ([("        ", "\t\t")], "      ", None),
        ([("\t\t", "        ")], "  ", None),
    ],
)
def test_a_tab_stands_for_as_many_blanks_at_every_depth(
    pairs: list[tuple[str, str]], sent: str, there: str | None
) -> None:
    gaps = [(f"\n{one}", f"\n{other}") for one, other in pairs]
    assert Indents(gaps).translated(f"\n{sent}") == (None if there is None else f"\n{there}")


def test_a_whole_line_more_goes_before_the_first_one_of_which_a_word_was_forgotten() -> None:
    standing = '[assembly: To("Maker.Shop.Editor")]'
    sent = '[assembly: To(".Shop.Editor")]'
    wanted = f'[assembly: To("Maker.Shop.Debug")]\n{sent}'
    meant = f'[assembly: To("Maker.Shop.Debug")]\n{standing}'
    assert merged_text(sent, wanted, standing) in (None, meant)


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
