"""Put a true edit into words as agents do; each wording is right and unique."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random
from typing import Any

from benchmarks.landing.true_edits import Splice, TrueEdit
from benchmarks.landing.wording import (
    MOST_LINES,
    Form,
    Wording,
    lines_above,
    lines_below,
    squeezed,
    stands_once,
)
from snippet_engine.csharp.declarations.symbols import outline
from snippet_engine.csharp.document import Document
from snippet_engine.source_text import SourceText, decode

_MOST_CONTEXT = 3
_COMMENT_LINE = re.compile(r"[ \t]*(//|\*|/\*)")
_WORD = re.compile(r"\w")


def word(edit: TrueEdit, rng: Random) -> Wording | None:
    """Return the edit as an agent would say it, right and unique; ``None`` if that fails."""
    text, hunk = edit.script.text, edit.hunk
    base = _lines_form(text, hunk, rng)
    if base is None or not base.target.strip() or (not base.result.strip() and base.lines is None):
        return None
    if base.form is Form.REPLACE and base.old and "\n" not in base.target and rng.random() < 0.4:
        base = narrowed(base, rng)
    style = rng.choice(("target", "context", "context", "symbol"))
    worded: Wording | None = None
    if style == "symbol":
        worded = _in_symbol(text, base)
        if worded is None:
            worded = _in_symbol(text, _without_indentation(base))
    if worded is None and style == "target":
        worded = _widened(text, base)
    return worded or _in_context(text, base, rng)


def _lines_form(text: str, hunk: Splice, rng: Random) -> Wording | None:
    """Quote whole lines without the last line break; insert by a line next to them."""
    old, new = text[hunk.start : hunk.end], hunk.new
    if old and new:
        base = _parted(text, hunk.start, old.removesuffix("\n"), new.removesuffix("\n"))
        if base is None or old.endswith("\n") != new.endswith("\n"):
            return None
        return _without_indentation(base) if rng.random() < 0.5 else base
    if new:
        return _insertion(text, hunk, rng)
    body = old.strip("\n")
    lone = old == body + "\n" and text[hunk.start - 1 : hunk.start] == "\n"
    lone = lone and body.count("\n") == body.strip().count("\n")
    if lone and body.strip() and rng.random() < 0.5:
        stripped = body.lstrip()
        start = hunk.start + len(body) - len(stripped)
        wording = Wording("", "", stripped.rstrip(), "", "", "", start, Form.DELETE)
        return replace(wording, in_comment=_is_comment(body), lines=hunk)
    above = text.rfind("\n", 0, max(hunk.start - 1, 0)) + 1
    line = text[above : max(hunk.start - 1, 0)]
    if not line.strip() or not old.endswith("\n"):
        return None
    return _parted(text, above, line + "\n" + old[:-1], line)


def _insertion(text: str, hunk: Splice, rng: Random) -> Wording | None:
    """Insert next to the line above, or the one below if that has no text."""
    new = hunk.new
    if not new.endswith("\n"):
        return None
    above = text.rfind("\n", 0, max(hunk.start - 1, 0)) + 1
    line = text[above : max(hunk.start - 1, 0)]
    bare = line.lstrip()
    start = above + len(line) - len(bare)
    comment = bool(_COMMENT_LINE.match(line))
    if bare.strip() and hunk.start:
        form = rng.choice((Form.REPLACE, Form.REPLACE, Form.INSERT_AFTER, Form.INSERT_LINE_AFTER))
        if form is Form.INSERT_LINE_AFTER and not _same_level(line, new):
            form = Form.INSERT_AFTER
        if form is not Form.REPLACE:
            return Wording("", bare, "", "\n" + new[:-1], "", "", start, form, None, comment)
        return _parted(text, start, bare, bare + "\n" + new[:-1])
    below = text.find("\n", hunk.start)
    line = text[hunk.start : below if below >= 0 else len(text)]
    bare = line.lstrip()
    if not bare:
        return None
    indentation = line[: len(line) - len(bare)]
    comment = bool(_COMMENT_LINE.match(line))
    added = new.removeprefix(indentation) + indentation
    if not new.startswith(indentation):
        return _parted(text, hunk.start, line, new + line)
    form = rng.choice((Form.REPLACE, Form.INSERT_BEFORE))
    start = hunk.start + len(indentation)
    return Wording("", "", "", added, bare, "", start, form, None, comment)


def _same_level(line: str, new: str) -> bool:
    """Return whether new whole lines belong right below ``line``, at its own indentation."""
    first = new.split("\n", 1)[0]
    level = len(line) - len(line.lstrip())
    return (
        bool(first.strip())
        and line.rstrip().endswith((";", "}"))
        and first[:level] == line[:level]
        and not first[level : level + 1].isspace()
        # A line of blanks alone would be sent without them.
        and all(each.startswith(line[:level]) and each.strip() for each in new.split("\n") if each)
        and bool(new.strip("\n") == new[:-1])
        and not _COMMENT_LINE.match(line)
    )


def _parted(text: str, start: int, old: str, new: str) -> Wording | None:
    """Return a replacement of ``old`` at ``start``, divided into what stays, goes and comes.

    ``None`` for a line that becomes blank: no deletion says that.
    """
    least = Splice(start, start + len(old), new).trimmed(text)
    head = text[start : least.start]
    tail = text[least.end : start + len(old)]
    goes = text[least.start : least.end]
    if not head + least.new + tail:
        return None
    return Wording("", head, goes, least.new, tail, "", start, in_comment=_is_comment(old))


def _is_comment(lines: str) -> bool:
    """Return whether every line with text is a comment's."""
    found = [line for line in lines.split("\n") if line.strip()]
    return bool(found) and all(_COMMENT_LINE.match(line) for line in found)


def _without_indentation(base: Wording) -> Wording:
    """Return it without the first line's indentation, if that stays."""
    bare = base.head.lstrip(" \t")
    if not bare and not (base.old or base.tail)[:1].strip():
        return base
    return replace(base, head=bare, start=base.start + len(base.head) - len(bare))


def narrowed(base: Wording, rng: Random, more: int | None = None) -> Wording:
    """Return only the words that change, and ``more`` words on each side."""
    head_words = re.findall(r"\w+|[^\w\s]|\s+", base.head)
    tail_words = re.findall(r"\w+|[^\w\s]|\s+", base.tail)
    more = rng.randrange(4) if more is None else more
    head, tail = _last(head_words, more), _first(tail_words, more)
    edge = base.head[: len(base.head) - len(head)]
    # A word that is cut by the change is quoted whole.
    cut = re.search(r"\w+$", edge) if _WORD.match((head + base.old + base.new)[:1]) else None
    if cut:
        head = cut[0] + head
    rest = base.tail[len(tail) :]
    cut = re.match(r"\w+", rest) if _WORD.match((base.old + base.new + tail)[-1:]) else None
    if cut:
        tail += cut[0]
    if not (head + base.old + tail).strip() or "//" in base.head.removesuffix(head):
        return base
    lost = len(base.head) - len(head)
    form = Form.REPLACE if head + base.new + tail else Form.DELETE
    return replace(base, head=head, tail=tail, start=base.start + lost, form=form)


def _last(words: list[str], count: int) -> str:
    return "".join(words[len(words) - count :] if count else [])


def _first(words: list[str], count: int) -> str:
    return "".join(words[:count])


def _widened(text: str, base: Wording) -> Wording | None:
    """Return the target alone, with lines around it until it is unique."""
    if base.form is not Form.REPLACE:
        return base if stands_once(text, base.target) else None
    worded = base
    for turn in range(2 * MOST_LINES):
        if stands_once(text, worded.target):
            in_comment = worded.in_comment and _is_comment(worded.target)
            return replace(worded, in_comment=in_comment)
        worded = _line_more(text, worded, above=turn % 2 == 0)
    return None


def _line_more(text: str, worded: Wording, *, above: bool) -> Wording:
    if above:
        start = text.rfind("\n", 0, max(worded.start - 1, 0)) + 1
        if worded.start and text[worded.start - 1] != "\n":
            start = text.rfind("\n", 0, worded.start) + 1
        return replace(worded, head=text[start : worded.start] + worded.head, start=start)
    end = text.find("\n", worded.end + 1)
    end = len(text) if end < 0 else end
    return replace(worded, tail=worded.tail + text[worded.end : end])


def _in_context(text: str, base: Wording, rng: Random) -> Wording | None:
    """Return one to three lines above and none to three below; more until they are unique."""
    bare = squeezed(text)
    above, below = rng.randint(1, _MOST_CONTEXT), rng.randint(0, _MOST_CONTEXT)
    for more in range(2 * MOST_LINES):
        start = lines_above(text, base.start, above + more // 2)
        end = lines_below(text, base.end, below + (more + 1) // 2)
        worded = replace(
            base, before=text[start : base.start], after=text[base.end : end], start=start
        )
        if stands_once(text, worded.quoted) and stands_once(bare, squeezed(worded.quoted)):
            return worded
    return None


def _in_symbol(text: str, base: Wording) -> Wording | None:
    """Return the target within the innermost declaration in which it is unique."""
    path = symbol_around(text, base)
    return replace(base, symbol=path) if path else None


def declared(text: str, path: str) -> int:
    """Return how many declarations have that path, such as one for each of two platforms."""
    return sum(each["path"] == path for each in _outline_of(text))


def _outline_of(text: str) -> list[dict[str, Any]]:
    source = decode(text.encode())
    document = Document(source) if isinstance(source, SourceText) else None
    return outline(document) if document is not None and document.is_parsed else []


def symbol_around(text: str, base: Wording) -> str | None:
    """Return the path of the innermost declaration in which the target is unique."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    found: tuple[int, str] | None = None
    for each in _outline_of(text):
        first, last = each["range"]["start"], each["range"]["end"]
        # A range counts UTF-16 code units: where a line has others than one each, nothing is lost
        # but a symbol that could have been named.
        start = starts[first["line"]] + first["character"]
        end = starts[last["line"]] + last["character"]
        holds = start <= base.start and base.end <= end
        nearer = found is None or end - start < found[0]
        if holds and nearer and stands_once(text[start:end], base.target):
            found = end - start, each["path"]
    return found[1] if found else None
