"""Slips: a token or line that is lost, doubled, misspelled or replaced."""

from __future__ import annotations

from random import Random

from benchmarks.agreement.generators import (
    CODE_LINE,
    Generator,
    after_token,
    cut,
    doubled,
    exchanged,
    inside,
    lost,
)
from benchmarks.agreement.tokens import Tokens
from snippet_engine.edits import TextEdit


def line_deleted(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Delete a line of code."""
    line = tokens.line(rng, CODE_LINE)
    return line and TextEdit(line[0], min(line[1] + 1, len(tokens.view)), "")


def line_doubled(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Write a line of code twice."""
    line = tokens.line(rng, CODE_LINE)
    return line and TextEdit(line[1], line[1], "\n" + tokens.view[line[0] : line[1]])


def lines_swapped(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Swap two neighbouring lines."""
    if len(tokens.lines) < 2:
        return None
    number = rng.randrange(len(tokens.lines) - 1)
    (start, middle), (second, end) = tokens.lines[number : number + 2]
    first, other = tokens.view[start:middle], tokens.view[second:end]
    if not first.strip() or not other.strip() or first == other:
        return None
    return TextEdit(start, end, f"{other}\n{first}")


def line_cut_short(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Cut a line in the middle."""
    line = tokens.line(rng, CODE_LINE)
    if line is None:
        return None
    start = line[0] + len(tokens.indentation(line[0]))
    return TextEdit(rng.randrange(start, line[1]), line[1], "") if start < line[1] else None


def end_of_file_cut(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Cut the end of the file."""
    length = len(tokens.view)
    return TextEdit(max(0, length - rng.randrange(1, 60)), length, "") if length else None


def tokens_swapped(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Swap two neighbouring tokens."""
    kind = rng.choice(("name", "keyword", "bracket", "mark", "operator"))
    first = tokens.pick(rng, kind)
    second = first and tokens.after(first)
    if first is None or second is None or second.kind in {"comment", "directive"}:
        return None
    between = tokens.view[first.end : second.start]
    if "\n" in between or first.text == second.text:
        return None
    return TextEdit(first.start, second.end, f"{second.text}{between}{first.text}")


def keyword_misspelt(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Drop a letter of a keyword, or swap two."""
    token = tokens.pick(rng, "keyword")
    if token is None or len(token.text) < 3:
        return None
    at = rng.randrange(len(token.text) - 1)
    text = token.text
    if rng.random() < 0.5:
        new = text[:at] + text[at + 1 :]
    else:
        new = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return TextEdit(token.start, token.end, new)


def single_quoted(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Put a string into single quotes."""
    token = tokens.pick(rng, "string")
    if token is None or token.text.startswith("@") or len(token.text) > 40:
        return None
    new = f"'{token.text[1:-1]}'"
    return TextEdit(token.start, token.end, new).trimmed(tokens.view)


def keyword_for_name(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Write a reserved word in place of a name."""
    token = tokens.pick(rng, "name")
    words = ("class", "event", "object", "in", "is", "params", "default", "lock", "return", "new")
    return token and TextEdit(token.start, token.end, rng.choice(words))


SLIPS: dict[str, Generator] = {
    "bracket lost": lost("bracket"),
    "bracket doubled": doubled("bracket"),
    "bracket of another kind": exchanged(
        "bracket",
        {"(": ("[", "{"), ")": ("]", "}"), "[": "(", "]": ")", "{": "(", "}": ")"},
    ),
    "angle bracket lost": lost("angle"),
    "angle bracket doubled": doubled("angle"),
    "quote lost": cut("string", 0, 1),
    "opening quote lost": cut("string", 1, 0),
    "quote doubled": after_token("string", '"', '""'),
    "quote inside a string": inside("string", '"', "\n"),
    "quotes of a character": cut("char", 0, 1),
    "single quotes for a string": single_quoted,
    "bad escape": inside("string", "\\d", "\\", "\\q", "\\U12", "\\xg", "\\u12"),
    "interpolation brace": inside("interpolated", "{", "}", "{}", "{NAME", '"', "{a b}", "{(}"),
    "interpolation cut": cut("interpolated", 0, 1),
    "semicolon lost": lost("mark", ";"),
    "semicolon doubled": doubled("mark", ";"),
    "comma lost": lost("mark", ","),
    "comma doubled": doubled("mark", ","),
    "dot lost": lost("mark", "."),
    "dot doubled": doubled("mark", "."),
    "mark exchanged": exchanged(
        "mark", {";": (",", ":", "."), ",": (";", "."), ".": (",", "->", "::", ";")}
    ),
    "operator lost": lost("operator"),
    "operator doubled": doubled("operator"),
    "keyword lost": lost("keyword"),
    "keyword doubled": doubled("keyword"),
    "keyword misspelt": keyword_misspelt,
    "name lost": lost("name"),
    "name doubled": doubled("name"),
    "name turned keyword": keyword_for_name,
    "number spoilt": after_token("number", "x", ".", "..", "_", "99999999999999999999", "e", "px"),
    "tokens swapped": tokens_swapped,
    "line deleted": line_deleted,
    "line doubled": line_doubled,
    "lines swapped": lines_swapped,
    "line cut short": line_cut_short,
    "end of file cut": end_of_file_cut,
}
"""Mistakes by kind."""
