"""The scanner's state between two lines: the open constructs, and the current branch.

Part of docs/design/roslyn.md §1.1. States are linked values, interned, so that equal states are one
object. So an incremental scan can stop at the first line that starts in the same state as before
the edit.
"""

from __future__ import annotations

from typing import NamedTuple

from snippet_engine.csharp.lexical.preprocessor import Branch, Definitions

BOTTOM = ""
COMMENT = "/*"
VERBATIM = '@"'
INTERPOLATED = '$"'
INTERPOLATED_VERBATIM = '$@"'
RAW = '"""'
HOLE = "{$"
"""The code between the braces of an interpolation."""
FORMAT = "{:"
"""The format after the colon of an interpolation."""

CLOSERS = {"(": ")", "[": "]", "{": "}"}
OPENERS = {closer: opener for opener, closer in CLOSERS.items()}

_CODE = frozenset((BOTTOM, HOLE, *CLOSERS))


class RawDelimiter(NamedTuple):
    """The delimiter of a raw string, and the rules for its lines."""

    quotes: int
    dollars: int
    """0 for one without interpolation."""
    multiline: bool
    has_content: bool = False
    """Whether a multi-line raw string has had a line of content."""
    margin: str | None = None
    """The whitespace at the beginning of all its non-blank lines so far."""


_NOT_RAW = RawDelimiter(0, 0, False)


class Frame:
    """One open bracket, comment, string, hole or format, linked to the one around it.

    ``kind`` is one of the constants above, or the opening bracket itself. Frames are interned by
    their parent and hold no offsets. ``depth`` is the number of frames around it.
    """

    __slots__ = ("_inner", "depth", "in_hole", "is_code", "kind", "parent", "raw")

    def __init__(
        self, parent: Frame | None = None, kind: str = BOTTOM, raw: RawDelimiter = _NOT_RAW
    ) -> None:
        self.parent = parent if parent is not None else self
        self.kind = kind
        self.raw = raw
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.is_code = kind in _CODE
        self.in_hole: bool = kind == HOLE or (parent is not None and parent.in_hole)
        self._inner: dict[str | RawDelimiter, Frame] = {}

    def push(self, kind: str) -> Frame:
        """Return the frame of that kind inside this one."""
        found = self._inner.get(kind)
        if found is None:
            found = self._inner.setdefault(kind, Frame(self, kind))
        return found

    def push_raw(self, raw: RawDelimiter) -> Frame:
        """Return the frame, inside this one, of a raw string with that delimiter."""
        found = self._inner.get(raw)
        if found is None:
            found = self._inner.setdefault(raw, Frame(self, RAW, raw))
        return found

    def innermost_first(self) -> list[Frame]:
        """Return the open frames from this one to the outermost, without the bottom."""
        frames: list[Frame] = []
        frame = self
        while frame.depth:
            frames.append(frame)
            frame = frame.parent
        return frames


class State:
    """Everything from the text above a line that affects how the line is read.

    * ``after_first_token`` says that ``#define`` is no longer allowed.
    * ``steady`` says that this is plain code, for which the scanner has a fast path.
    * ``lasting`` says that most lines leave the state unchanged: plain code, or inactive code.
    """

    __slots__ = ("after_first_token", "branch", "definitions", "frame", "lasting", "steady")

    def __init__(
        self, frame: Frame, branch: Branch, definitions: Definitions, after_first_token: bool
    ) -> None:
        self.frame = frame
        self.branch = branch
        self.definitions = definitions
        self.after_first_token = after_first_token
        self.steady: bool = (
            after_first_token and branch.active and frame.is_code and frame.kind != HOLE
        )
        self.lasting: bool = self.steady or not branch.active


class StateTable:
    """The states of a text and its edited versions."""

    def __init__(self) -> None:
        self.following: dict[tuple[State, str], State] = {}
        """The states after some short ends of lines: mostly after a brace."""
        self._known: dict[tuple[Frame, Branch, Definitions, bool], State] = {}
        self.initial = self.state(Frame(), Branch(), frozenset(), False)

    def state(
        self, frame: Frame, branch: Branch, definitions: Definitions, after_first_token: bool
    ) -> State:
        """Return the state of these parts, the same object for the same parts."""
        key = (frame, branch, definitions, after_first_token)
        found = self._known.get(key)
        if found is None:
            found = self._known.setdefault(key, State(*key))
        return found
