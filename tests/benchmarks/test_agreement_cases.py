"""Cases can be drawn again from their seed, are small edits, and change something."""

from random import Random

import pytest

from benchmarks.agreement.cases import draw, make_case
from benchmarks.agreement.changes import CHANGES
from benchmarks.agreement.mistakes import MISTAKES
from benchmarks.agreement.packages import CorpusFile
from benchmarks.agreement.tokens import Tokens
from benchmarks.generated_csharp import csharp_of_lines
from snippet_engine.limits import MAX_CHANGED_CODE_POINTS
from snippet_engine.source_text import SourceText, decode

EVERY_KIND_FITS = """using System;
using System.Linq;

namespace Game
{
#if UNITY_EDITOR
    // An editor's "comment".
#endif
    public class Player : Base
    {
        private readonly List<int> items = new List<int>();
        public const string Name = "name" + "other";

        /// <summary>Runs.</summary>
        public override void Run(int a, string b)
        {
            var c = 'x';
            var text = $"value {a:0.0} and {b}";
            this.items.Add(a);
            Go();
            Go(1);
            if (a == 3 && b != null)
            {
                items[0] = a + 1;
                return;
            }
            else if (a >= 4 || !ready)
            {
                value = a <= 4 ? Find(x => x) : null;
            }
            foreach (var item in items)
            {
                Use(item);
            }
        }

        private static int Sum(int a)
        {
            return a;
        }
    }
}
"""


def source_of(text: str) -> SourceText:
    source = decode(text.encode())
    assert isinstance(source, SourceText)
    return source


@pytest.mark.parametrize("kind", [*MISTAKES, *CHANGES])
def test_every_kind_makes_small_edits_that_change_something(kind: str) -> None:
    generator = (MISTAKES | CHANGES)[kind]
    tokens = Tokens(EVERY_KIND_FITS)
    drawn = (make_case(kind, generator, tokens, Random(seed)) for seed in range(60))
    made = [case for case in drawn if case is not None]
    assert made
    for case in made:
        assert case.edited == case.edits.apply(EVERY_KIND_FITS)
        assert case.edited != EVERY_KIND_FITS
        assert case.edit.changed_code_points(EVERY_KIND_FITS) <= MAX_CHANGED_CODE_POINTS


def test_the_same_seed_draws_the_same_cases() -> None:
    files = [CorpusFile(f"{n}.cs", source_of(csharp_of_lines(50 + n))) for n in range(4)]
    first, again, other = (list(draw(files, seed, 20, 20)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_as_many_are_drawn_as_are_asked_for() -> None:
    files = [CorpusFile(f"{n}.cs", source_of(csharp_of_lines(200))) for n in range(3)]
    drawn = [case for _, cases in draw(files, 1, 30, 40) for case in cases]
    mistakes = sum(case.kind in MISTAKES for case in drawn)
    assert 25 <= mistakes <= 30
    assert 35 <= len(drawn) - mistakes <= 40
