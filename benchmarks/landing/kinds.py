"""The mistakes, as a table: classes with their weights, and the kinds of each.

The weights are how often agents' failed edits were seen to fail so. A kind either spoils what an
agent says (of an :class:`Intent`), or the request that says it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from benchmarks.landing import displayed, malformed, retyped, spacing, stale, unclear
from benchmarks.landing.intent import Intent
from benchmarks.landing.malformed import Arguments

OF_ONE = frozenset(("replace all of one", "occurrence of one"))
"""Kinds that say something of the one place that a target fits; of several, it would be untrue."""

SpoilsIntent = Callable[[Intent, Random], Intent | None]
SpoilsShape = Callable[[Arguments, Random], Arguments | None]

MALFORMED = "malformed request"
STALE = "stale"
NOT_UNIQUE = "not unique"
RETYPED = "retyped from memory"
WHITE_SPACE = "white space"
DONE = "already done"
DISPLAY = "display and Unicode"
TOO_LARGE = "too large"
UNSPOILED = "not spoiled"

CLASSES = (MALFORMED, STALE, NOT_UNIQUE, RETYPED, WHITE_SPACE, DONE, DISPLAY)
"""What is weighed together."""

APART = (UNSPOILED, TOO_LARGE)
"""What is weighed apart: edits as they should be sent, and edits that are not small."""

_STRONG = {STALE: 22, NOT_UNIQUE: 16, RETYPED: 12, WHITE_SPACE: 6, DONE: 2, DISPLAY: 2}
_WEAK_OTHERS = 75 / 88

PROFILES: Mapping[str, Mapping[str, float]] = {
    "agent": {MALFORMED: 40, **_STRONG},
    "strong": _STRONG,
    "weak": {
        RETYPED: 25,
        **{
            name: weight * _WEAK_OTHERS
            for name, weight in {MALFORMED: 40, **_STRONG}.items()
            if name != RETYPED
        },
    },
}
"""Each profile's weights of the classes, relative to one another."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One way in which a request goes wrong.

    ``told`` is whether what was meant can be told from such a request; what an ``intent`` function
    gives can say no by itself. ``others_take`` is whether tools of other kinds commonly take a
    request of that shape. ``lossless`` is whether nothing is guessed where it is read as what it
    says; some requests say more than the contract has words for, see :func:`malformed.says_more`.
    """

    name: str
    of_class: str
    weight: float
    intent: SpoilsIntent | None = None
    shape: SpoilsShape | None = None
    told: bool = True
    others_take: bool = False
    lossless: bool = True


def _said(of_class: str, **kinds: tuple[SpoilsIntent, float]) -> list[Kind]:
    return [
        Kind(name.replace("_", " "), of_class, weight, intent=spoil)
        for name, (spoil, weight) in kinds.items()
    ]


def _shaped(taken: bool, **kinds: tuple[SpoilsShape, float]) -> list[Kind]:
    return [
        Kind(name.replace("_", " "), MALFORMED, weight, shape=spoil, others_take=taken)
        for name, (spoil, weight) in kinds.items()
    ]


KINDS: tuple[Kind, ...] = (
    # Unknown keys are ignored, and paths read generously, by most tools.
    *_shaped(
        True,
        empty_key=(malformed.empty_key, 2),
        harmless_key=(malformed.harmless_key, 2),
        replace_all_of_one=(malformed.replace_all, 1),
        occurrence_of_one=(malformed.occurrence, 1),
        line_beside_the_anchor=(malformed.start_line, 1),
        null_for_absent=(malformed.null_for_absent, 1),
        empty_text_for_absent=(malformed.empty_text_for_absent, 1),
        absolute_path=(malformed.absolute_path, 1),
        path_with_a_dot=(malformed.dotted_path, 1),
        path_with_backslashes=(malformed.backslashes, 1),
    ),
    *_shaped(
        False,
        instructions_as_text=(malformed.instructions_as_text, 2),
        anchor_as_text=(malformed.anchor_as_text, 1),
        metadata_as_text=(malformed.metadata_as_text, 1),
        one_for_a_list=(malformed.one_for_a_list, 2),
        flat_anchor=(malformed.flat_anchor, 2),
        no_list=(malformed.no_list, 1),
        wrapped=(malformed.wrapped, 2),
        names_of_other_tools=(malformed.other_names, 4),
        other_spelling=(malformed.other_spelling, 2),
        mode_by_another_name=(malformed.mode_by_another_name, 1),
        no_type=(malformed.no_type, 2),
        no_operation=(malformed.no_operation, 1),
        other_operation=(malformed.other_operation, 2),
        other_case=(malformed.upper_case, 1),
        number_for_text=(malformed.number_for_text, 1),
        path_without_Assets=(malformed.path_without_assets, 1),
    ),
    # Nor is a guard left out of a call that writes.
    Kind(
        "empty hash",
        MALFORMED,
        0.2,
        shape=malformed.empty_hash,
        told=False,
        others_take=True,
        lossless=False,
    ),
    Kind("empty object", MALFORMED, 0.5, shape=malformed.nothing, told=False, lossless=False),
    # Whether to write is never guessed.
    Kind("no mode", MALFORMED, 1, shape=malformed.no_mode, told=False, lossless=False),
    # A deletion tidies up the line, a replacement doesn't: it isn't said which is meant.
    Kind("replaced by nothing", MALFORMED, 1, shape=malformed.replaced_by_nothing, lossless=False),
    *_said(
        STALE,
        own_edit_in_the_quote=(stale.own_edit_in_the_quote, 5),
        own_rename=(stale.own_rename, 3),
        own_reorder=(stale.own_reorder, 3),
        own_edit_elsewhere=(stale.own_edit_elsewhere, 4),
        old_hash=(stale.old_hash, 2),
        formatter=(stale.formatted, 3),
        changed_by_somebody_else=(stale.changed_in_the_quote, 2),
    ),
    *_said(
        NOT_UNIQUE,
        no_word_on_which=(unclear.without_context, 4),
        context_that_fits_often=(unclear.context_that_fits_often, 1),
        line_in_the_metadata=(unclear.with_the_line, 3),
        symbol_in_the_metadata=(unclear.with_the_symbol, 3),
        sweep=(unclear.sweep, 3),
        sweep_by_replace_all=(unclear.swept_by_key, 2),
    ),
    *_said(
        RETYPED,
        word_wrong=(retyped.word_wrong, 4),
        token_wrong=(retyped.token_wrong, 2),
        token_missing=(retyped.token_missing, 3),
        token_invented=(retyped.token_invented, 2),
        line_missing=(retyped.line_missing, 2),
        line_invented=(retyped.line_invented, 2),
        line_wrong=(retyped.line_wrong, 1),
        comment_reflowed=(retyped.comment_reflowed, 2),
        replaced_text_wrong=(retyped.replaced_text_wrong, 2),
    ),
    *_said(
        WHITE_SPACE,
        indented_otherwise=(spacing.indented_otherwise, 3),
        tabs_for_blanks=(spacing.tabs_for_blanks, 2),
        trailing_blanks=(spacing.trailing_blanks, 2),
        lines_joined=(spacing.lines_joined, 2),
        line_split=(spacing.line_split, 1),
        blank_line=(spacing.blank_line, 1),
        blanks_within_a_line=(spacing.inner_blanks, 2),
        carriage_returns=(spacing.carriage_returns, 1),
    ),
    *_said(DONE, done_already=(unclear.done_already, 3), old_is_new=(unclear.old_is_new, 1)),
    *_said(
        DISPLAY,
        line_numbers=(displayed.line_numbers, 3),
        quote_marks=(displayed.quote_marks, 1),
        diff_marks=(displayed.diff_marks, 1),
        fenced=(displayed.fenced, 1),
        escapes_as_text=(displayed.escapes_as_text, 3),
        curly_quotes=(displayed.curly_quotes, 2),
        dashes=(displayed.dashes, 1),
        no_break_space=(displayed.no_break_spaces, 1),
        decomposed=(displayed.decomposed, 1),
    ),
)

OF_CLASS: Mapping[str, tuple[Kind, ...]] = {
    name: tuple(kind for kind in KINDS if kind.of_class == name) for name in CLASSES
}
