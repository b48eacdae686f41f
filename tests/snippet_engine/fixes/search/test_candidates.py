"""The place that is most like an anchor, and what differs there."""

from __future__ import annotations

from snippet_engine.fixes.search.candidate_search import find_candidates
from snippet_engine.request import Anchor
from snippet_engine.source_text import SourceText, TextRange, decode

DOCUMENTED = """\
/// <summary>
/// <para> After the result has come, take this to get the items that are free,</para>
/// <para> for a moment only, and for nobody else than the player.</para>
/// </summary>
void TakeFree(Player who, int[] list, int size) {
    if (list.Length != size) return;
}
"""


def test_a_context_may_begin_in_the_middle_of_a_comment() -> None:
    source = decode(DOCUMENTED.encode())
    assert isinstance(source, SourceText)
    lines = DOCUMENTED.splitlines(keepends=True)
    anchor = Anchor("\tif (list.Length != size)", before="".join(lines[3:5]), after=" return;\n}")
    best = find_candidates(source, anchor, [TextRange(0, len(DOCUMENTED))])[0]
    assert source.line_number(best.place.start) == 5
    assert best.distance == 0
