"""Before a tool writes scripts, refuse texts with new syntax errors. The second try passes.

Only syntax errors count. A rename needs several edits, so names may be wrong in between. If the
verdict isn't certain, the write passes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock
from time import monotonic, time
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from mcp_server.guard.events import SILENT, GuardAnswer, GuardEvent, factor
from mcp_server.guard.writes import ScriptWrite, script_writes
from snippet_engine.csharp.lexical.language_version import UNITY_LANGUAGE_VERSION
from snippet_engine.errors import SnippetError
from snippet_engine.project_settings import uncompiled_name
from snippet_engine.source_text import decode
from snippet_engine.storage.paths.project import Project
from snippet_engine.validation.syntax_codes import is_syntax
from snippet_engine.validation.validator import Diagnostic, Verdict

if TYPE_CHECKING:
    from lsp_client.validator import LanguageServerValidator
    from snippet_engine.engine import SnippetEngine

JUDGED_S = 0.15
"""Most seconds for the verdict on one call."""

MAX_REFUSED = 500
"""Most refused calls that are remembered, so that their texts pass the next time."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A script, and the new syntax errors that the text ``after`` would bring."""

    path: str
    before: bytes | None
    after: bytes
    errors: tuple[Diagnostic, ...]


class BeforeWrites:
    """Decides about each call before it writes. Any thread may use it."""

    def __init__(
        self,
        project: Project,
        engine: Callable[[], SnippetEngine | None],
        compiler: Callable[[], LanguageServerValidator | None],
        on_noted: Callable[[Mapping[str, bytes | None], float], None],
    ) -> None:
        """``on_noted`` gets the scripts' bytes before each call, and when they were read.

        The time is as of ``time.time``. ``on_noted`` is called on any thread.
        """
        self._project = project
        self._engine = engine
        self._compiler = compiler
        self._refused: OrderedDict[bytes, None] = OrderedDict()
        self._images = BeforeImages()
        self._on_noted = on_noted

    def decide(self, event: GuardEvent, hook_deadline: float) -> GuardAnswer:
        """Return the answer to a hook.

        After ``hook_deadline`` the answer is empty, because the hook has given up.
        """
        until = min(monotonic() + JUDGED_S * factor(), hook_deadline)
        call_s = time()
        writes = script_writes(event, self._project)
        images = {each.path: each.before for each in writes}
        self._on_noted(images, call_s)
        if monotonic() <= hook_deadline:  # later, the client may have written already
            self._images.note(event, images, monotonic(), call_s)
        engine = self._engine()
        broken = [] if engine is None else list(self._broken(engine, writes, until))
        if not broken or engine is None:
            return SILENT
        key = _key(event, writes)
        if key in self._refused:
            return SILENT
        from mcp_server.guard import refusal  # noqa: PLC0415 - loads change sets, which takes long

        text = refusal.text(engine, broken, hook_deadline)
        if monotonic() > hook_deadline:
            return SILENT
        self._refused[key] = None
        if len(self._refused) > MAX_REFUSED:
            self._refused.popitem(last=False)
        return GuardAnswer(refuse=text)

    def noted_paths(self, event: GuardEvent) -> Sequence[str]:
        """Return the scripts whose bytes were kept before the call of ``event``."""
        return self._images.paths(event)

    def noted(self, event: GuardEvent) -> tuple[Mapping[str, bytes | None], float]:
        """Remove and return the bytes from before the call of ``event``, and their ``call_s``."""
        return self._images.take(event, monotonic())

    def _broken(
        self, engine: SnippetEngine, writes: Sequence[ScriptWrite], until: float
    ) -> Iterator[Broken]:
        for each in writes:
            left_ms = round((until - monotonic()) * 1000)
            if each.after is None or each.after == each.before or uncompiled_name(each.path):
                continue
            if left_ms <= 0:
                return
            verdict = engine.judge_text(each.path, each.before, each.after, left_ms)
            if isinstance(verdict, SnippetError):
                continue
            errors = [error for error in certain_errors(verdict) if is_syntax(error.id)]
            if errors and not self._compiles(each.path, each.after, until):
                yield Broken(each.path, each.before, each.after, tuple(errors))

    def _compiles(self, path: str, after: bytes, until: float) -> bool:
        """Return whether a running compiler finds no syntax error. Then our parser is wrong."""
        compiler, source = self._compiler(), decode(after)
        left_s = until - monotonic()
        if compiler is None or isinstance(source, SnippetError) or left_s <= 0:
            return False
        text = after[len(source.encoding.bom) :].decode(source.encoding.codec)
        found = compiler.judge_changes({path: text}, within_s=left_s, patient=False)
        if isinstance(found, SnippetError) or "syntax" not in found.coverage:
            return False
        return not any(map(_is_syntax_error, found.errors))


def _key(event: GuardEvent, writes: Sequence[ScriptWrite]) -> bytes:
    """Return a key that is equal if the same session sends the same texts again."""
    digest = sha256(repr((event.client, event.session)).encode())
    for each in writes:
        text = b"" if each.after is None else sha256(each.after).digest()
        digest.update(repr((each.path, text)).encode())
    return digest.digest()


def certain_errors(verdict: Verdict) -> list[Diagnostic]:
    """Return the errors that a compiler is known to report, too.

    A text that only our parser refuses may be newer C# than its grammar.
    """
    may_be_newer = verdict.language_version != str(UNITY_LANGUAGE_VERSION)
    return [each for each in verdict.diagnostics if each.id.startswith("CS") or not may_be_newer]


def _is_syntax_error(error: Diagnostic) -> bool:
    return is_syntax(error.id)


KEPT_S = 600.0
"""Seconds for which the bytes before a call are kept."""

MAX_CALLS = 200
"""Most calls whose bytes are kept. The oldest go first."""

MAX_BYTES = 64 * 1024 * 1024

_Key: TypeAlias = tuple[str, str, str]


class _Noted(NamedTuple):
    until_s: float
    call_s: float
    images: Mapping[str, bytes | None]

    @property
    def size(self) -> int:
        return sum(len(each) for each in self.images.values() if each is not None)


class BeforeImages:
    """The scripts' bytes from before each call. Any thread may use it."""

    def __init__(self) -> None:
        self._noted: OrderedDict[_Key, _Noted] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def note(
        self,
        event: GuardEvent,
        images: Mapping[str, bytes | None],
        now_s: float,
        call_s: float = 0.0,
    ) -> None:
        """Keep the scripts' bytes from before the call of ``event``; ``None`` means no file.

        ``call_s`` is the time at which reading them began, as of ``time.time``.
        """
        if not images:
            return
        with self._lock:
            self._drop(_call_of(event))
            noted = _Noted(now_s + KEPT_S, call_s, images)
            self._noted[_call_of(event)] = noted
            self._bytes += noted.size
            while self._noted and (len(self._noted) > MAX_CALLS or self._bytes > MAX_BYTES):
                self._drop(next(iter(self._noted)))

    def take(self, event: GuardEvent, now_s: float) -> tuple[Mapping[str, bytes | None], float]:
        """Remove and return the bytes from before the call of ``event``, and their ``call_s``."""
        with self._lock:
            noted = self._drop(_call_of(event))
        return ({}, 0.0) if noted is None or noted.until_s < now_s else (noted.images, noted.call_s)

    def paths(self, event: GuardEvent) -> Sequence[str]:
        """Return the scripts whose bytes are kept for the call of ``event``."""
        with self._lock:
            noted = self._noted.get(_call_of(event))
        return () if noted is None else tuple(noted.images)

    def _drop(self, key: _Key) -> _Noted | None:
        noted = self._noted.pop(key, None)
        self._bytes -= 0 if noted is None else noted.size
        return noted


def _call_of(event: GuardEvent) -> _Key:
    """Return a key that is equal before and after one call: its id, or what it writes."""
    paths = (getattr(each, "path", "") or getattr(each, "text", "") for each in event.writes)
    return event.client, event.session, event.call or " ".join(paths)
