"""Whether what stands at a place is another statement than its target, however alike they are.

Part of docs/design/engine.md §8. What stands where a declaration was is another one: of two fields
of one type, only the names tell which is meant. What adds a handler is not what takes it away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snippet_engine.csharp.lexical.keywords import PREDEFINED_TYPES, RESERVED_WORDS
from snippet_engine.offers.carrying.foreign import has_foreign_words
from snippet_engine.offers.history.done import cut_from
from snippet_engine.offers.places.slips import is_identifier, is_longer_name, is_slip
from snippet_engine.offers.places.tokens import Token, common_ends, hunks, tokens_of
from snippet_engine.request import Instruction, Operation

_BEHIND_NAME = frozenset((";", "=", ",", "(", "{", ":", "<"))
_BEHIND_TYPE = frozenset((">", "]", "?"))
_TYPE_WORDS = PREDEFINED_TYPES | {b"void", b"class", b"struct", b"interface", b"enum", b"namespace"}
_NO_TYPES = frozenset(("await", "yield", "and", "or", "not", "when", "select", "by", "where"))
"""Words that aren't reserved, and before a name all the same are no type."""
_TURNED = ({"+", "-"}, {"=", "!"})
_COMPARED = {"<", ">"}
_ALIKE = 0.8
"""From which ratio on, of ``difflib``, a word is a slip of the pen."""
_ENDINGS = "sSdD"
"""A letter that makes another word of one."""
_SLIP = 2
"""Letters at most in the stead of others in a name that was misspelled."""


def declares_another(sent: str, standing: str) -> bool:
    """Whether ``sent`` declares a name that ``standing`` has neither as it is, nor misspelled, nor
    with a word more."""
    words = [each.text for each in tokens_of(standing) if is_identifier(each.text or ";")]
    return not all(
        any(
            name.casefold() == word.casefold()
            or is_slip(name, word, _ALIKE)
            or is_longer_name(name, word)
            for word in words
        )
        for name in _declared(tokens_of(sent))
    )


def takes_another(sent: str, standing: str, *, is_placed: bool = False) -> bool:
    """Whether with ``standing``, deleted for ``sent``, a name would go that wasn't sent, or one
    that was has nothing there that stands for it.

    A slip of the pen is none, and one with a word more is none where it isn't declared there. Of
    a declared name, what is another word's ending is no slip: ``Loaded`` was not ``Load``. But
    where it ``is_placed`` by all of its context, nothing else was meant.
    """
    base, theirs = tokens_of(sent)[:-1], tokens_of(standing)[:-1]
    sent_names = {each.text for each in base}
    declared = set() if is_placed else {*_declared(base), *_declared(theirs)}
    for each in hunks([one.key for one in base], [one.key for one in theirs]):
        old = [one.text for one in base[each.start : each.end]]
        new = [one.text for one in theirs[each.other_start : each.other_end]]
        if len(old) > len(new) and any(map(is_identifier, old)) and not _is_joined(old, new):
            return True
        for at, name in enumerate(new):
            if not is_identifier(name) or name in sent_names:
                continue
            was = old[at] if len(old) == len(new) else ""
            if not was or not _is_the_same(was, name, is_declared=bool(declared & {was, name})):
                return True
    return False


def takes_other_part(
    instruction: Instruction, standing: str, new_text: str, *, is_placed: bool = False
) -> bool:
    """The same of a replacement that only takes something from its target: what would go of
    ``standing``, which is to become ``new_text``, is another part than that of the target."""
    if instruction.operation is not Operation.REPLACE:
        return False
    lost = cut_from(instruction.anchor.target or "", instruction.new_text)
    going = cut_from(standing, new_text)
    if not lost or not going:
        return False
    return takes_another(lost, going, is_placed=is_placed) or has_foreign_words(lost, going)


def turns_operator(sent: str, standing: str) -> bool:
    """Whether ``standing`` has ``-=`` where ``sent`` has ``+=``, or ``!=`` for ``==``, or ``<`` for
    ``>``, or any of these the other way round."""
    base, theirs = tokens_of(sent), tokens_of(standing)
    for each in hunks([one.key for one in base], [one.key for one in theirs]):
        old, new = base[each.start : each.end], theirs[each.other_start : each.other_end]
        if len(old) != 1 or len(new) != 1:
            continue
        signs = {old[0].text, new[0].text}
        # Without a blank before it, it may be a bracket.
        if signs == _COMPARED and old[0].gap and new[0].gap:
            return True
        behind = base[each.end], theirs[each.other_end]
        is_one = all(token.text == "=" and not token.gap for token in behind)
        if signs in _TURNED and is_one:
            return True
    return False


def _is_the_same(sent: str, name: str, *, is_declared: bool) -> bool:
    if sent.casefold() == name.casefold():
        return True
    if not is_declared:
        return (is_slip(sent, name, _ALIKE) and _is_near(sent, name)) or is_longer_name(sent, name)
    return is_slip(sent, name, _ALIKE) and _is_misspelled(sent, name)


def _is_joined(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether one word was sent as several, or with others for it: what the letters tell."""
    return is_slip("".join(old), "".join(new), _ALIKE)


def _is_near(sent: str, name: str) -> bool:
    """Whether a name was misspelled at one place; with a word more within, it is another one."""
    top, bottom = common_ends(sent, name)
    wrong, true = sent[top : len(sent) - bottom], name[top : len(name) - bottom]
    return max(len(wrong), len(true)) <= _SLIP or sent == f"Get{name[:1].upper()}{name[1:]}"


def _is_misspelled(sent: str, name: str) -> bool:
    """Whether two names differ by letters that changed places, are missing or others within a word.

    At the end of a word letters make another one of it.
    """
    top, bottom = common_ends(sent, name)
    wrong, true = sent[top : len(sent) - bottom], name[top : len(name) - bottom]
    if max(len(wrong), len(true)) > _SLIP:
        return False
    if len(wrong) == len(true):
        return True
    if len(wrong) + len(true) == 1 and name[-1:] not in _ENDINGS and sent[-1:] not in _ENDINGS:
        return True
    behind = name[len(name) - bottom :][:1]
    return not (behind in ("", "_") or behind.isupper())


def _declared(tokens: Sequence[Token]) -> Iterator[str]:
    """The names that a text declares, those of parameters and in brackets aside."""
    depth = 0
    for at, token in enumerate(tokens):
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if depth or at == 0 or not is_identifier(token.text or ";"):
            continue
        behind = tokens[at + 1] if at + 1 < len(tokens) else None
        is_last = behind is None or behind.text in _BEHIND_NAME or behind.text == ""
        if (is_last or (behind is not None and "\n" in behind.gap)) and _is_type(tokens, at - 1):
            yield token.text


def _is_type(tokens: Sequence[Token], at: int) -> bool:
    """Whether the token before a name ends a type, or says what is declared."""
    token, gap = tokens[at].text, tokens[at + 1].gap
    if not gap:
        return False
    if token in _BEHIND_TYPE:
        # Set off by blanks, it is an operator, and so is an arrow.
        return at > 0 and not tokens[at].gap and tokens[at - 1].text != "="
    word = token.encode()
    if word in RESERVED_WORDS:
        return word in _TYPE_WORDS
    return is_identifier(token) and token not in _NO_TYPES
