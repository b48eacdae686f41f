"""Read compiler options: from response files and player settings, and as a build has them."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath

from roslyn_server.projects.build import Build, assembly_name
from roslyn_server.projects.files import bounded_text, is_plain_file, relative_to, stamp_of
from snippet_engine.csharp.lexical.symbol_sets import SymbolSet

MAX_RESPONSE_BYTES = 8 * 1024 * 1024
"""Maximum size of a response file with all its includes."""

_MAX_FILES = 32
_READ = re.compile(
    r'^[ \t]*"?[-/](?:r|reference|l|link|ruleset|additionalfile|analyzerconfig|a|analyzer|keyfile):'
    r'(?:\w+=)?"?([^"\n]+?)"*[ \t\r]*$',
    re.IGNORECASE | re.MULTILINE,
)
"""Options that name a file which the compiler reads."""


class _FaultError(Exception):
    """What is wrong with a response file, as a clause for a message."""


@dataclass(slots=True)
class Arguments:
    """The arguments of response files, with those of included files in place."""

    given: list[str] = field(default_factory=list)
    included: list[Path] = field(default_factory=list)
    fault: str | None = None
    """Why they can't be read, as a clause for a message."""
    size: int = 0
    """Bytes of all files that were read."""


class ResponseFiles:
    """Reads response files, whose paths are relative to ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._plain: set[str] = set()
        """Known regular files; every assembly names the same libraries."""

    def read(self, *files: Path) -> Arguments:
        """Return the arguments of ``files``; of a missing file, none."""
        read = Arguments()
        try:
            for file in files:
                self._add(file, (), read)
        except _FaultError as fault:
            read.fault, read.given = str(fault), []
        return read

    def _add(self, file: Path, within: tuple[Path, ...], read: Arguments) -> None:
        name = self._shown(file)
        if file in within:
            raise _FaultError(f"{name} includes itself")
        stamp = stamp_of(file)
        if stamp is None:
            return  # the compiler reports it
        shown = f"{name}, which {self._shown(within[-1])} includes," if within else name
        if not is_plain_file(file):
            raise _FaultError(f"{shown} is no plain file")
        read.size += stamp[1]
        if read.size > MAX_RESPONSE_BYTES:
            raise _FaultError(f"{shown} is larger than {MAX_RESPONSE_BYTES // 2**20} MB")
        if len(read.included) > _MAX_FILES:
            first = self._shown((*within, file)[0])
            raise _FaultError(f"{first} includes more than {_MAX_FILES} others")
        given = arguments_in(file)
        named = self._no_plain_file("\n".join(given))
        if named is not None:
            raise _FaultError(f"{named}, which {name} names, is no plain file")
        for each in given:
            read.given.append(each)
            path = each.strip('"')
            if path.startswith("@"):
                inner = Path(os.path.normpath(self._folder / path[1:].strip('"')))
                read.included.append(inner)
                self._add(inner, (*within, file), read)

    def _no_plain_file(self, text: str) -> str | None:
        """Return a file named in ``text`` that isn't a regular file; reading a pipe may not end."""
        named: set[str] = set(_READ.findall(text))
        for name in named - self._plain:
            path = self._folder / name
            if is_plain_file(path) or stamp_of(path) is None:
                self._plain.add(name)
            else:
                return name
        return None

    def _shown(self, file: Path) -> str:
        inside = file.is_relative_to(self._folder)
        return file.relative_to(self._folder).as_posix() if inside else str(file)


def arguments_in(file: Path) -> list[str]:
    """Return the arguments in a response file, split as the compiler does; none if there is no
    file.
    """
    found: list[str] = []
    for line in bounded_text(file, MAX_RESPONSE_BYTES).splitlines():
        alone = line.strip()
        if _ONE_ARGUMENT.fullmatch(alone):  # as Unity writes it
            found += (alone,) if alone else ()
        else:
            found += arguments_of(line)
    return found


_ONE_ARGUMENT = re.compile(r'(?:[^\s"#\\]|"[^"\\]*")*')


def arguments_of(line: str) -> Iterator[str]:
    """Yield the arguments on a line, split as the compiler does.

    Blanks separate arguments, except in quotes. Backslashes before a quote escape in pairs. ``#``
    begins a comment where an argument could begin.
    """
    at, end = 0, len(line)
    while at < end:
        if line[at].isspace():
            at += 1
            continue
        if line[at] == "#":
            return
        begun, quotes = at, 0
        while at < end and (quotes % 2 or not line[at].isspace()):
            slashes = 0
            while at < end and line[at] == "\\":
                slashes, at = slashes + 1, at + 1
            if at < end and line[at] == '"':
                quotes += slashes % 2 == 0
                at += 1
            elif not slashes:
                at += 1
        yield line[begun:at]


RESPONSE_FILE = "csc.rsp"

_OPTION = re.compile(r"[-/]([a-zA-Z]+)([+-]?)(?::(.*))?", re.DOTALL)
_SHORT = {"d": "define", "r": "reference", "a": "analyzer", "w": "warn", "o": "optimize"}
_FLAGS = frozenset(("unsafe", "checked", "optimize", "deterministic", "warnaserror"))
_LISTS = frozenset(("define", "nowarn", "warnaserror", "features"))
_PATHS = frozenset(("reference", "analyzer", "analyzerconfig", "additionalfile"))
_PATH = re.compile(r'(?:[^,;"]|"[^"]*"?)+')
"""Matches one path of a list. Commas and semicolons in quotes don't separate paths."""

_OF_USERS = frozenset(("nullable", "warnaserror", "checked"))
"""Options that Unity doesn't pass by itself."""

_OF_UNITY = frozenset(
    ("nowarn", *(f"nowarn:{each}" for each in ("169", "649", "282", "1701", "1702", "USG0001")))
)
"""Options that Unity may pass by itself."""

_IN_ORDER = ("nullable", "warnaserror", "checked", "warn:")
"""Options whose last occurrence counts."""


def options_in(arguments: Iterable[str]) -> Iterator[str]:
    """Yield arguments in one normal form, one for each member of a list."""
    for each in arguments:
        argument = each.replace('"', "")
        found = _OPTION.fullmatch(argument)
        if found is None:
            yield argument.replace("\\", "/")  # a script, or an ``@`` with a file to include
            continue
        name, sign, value = found[1].lower(), found[2], found[3] or ""
        name = _SHORT.get(name, name)
        if name == "nullable":
            value = value.lower() or ("disable" if sign == "-" else "enable")
        elif name == "langversion":
            value = value.lower().removesuffix(".0")
        sign = "" if name == "nullable" or not (name in _FLAGS or sign) else sign or "+"
        members = re.split("[,;]", value) if name in _LISTS else [value]
        if name in _PATHS:
            members = [path.replace('"', "") for path in _PATH.findall(each.partition(":")[2])]
        for member in members:
            text = member.strip()
            if name in ("nowarn", "warnaserror"):
                text = re.sub(r"^(?:CS)?0*(?=\d)", "", text)
            elif name in (*_PATHS, "ruleset"):
                text = text.replace("\\", "/")
            if name == "reference":
                text = text.partition("=")[2] or text
            yield f"{name}{sign}:{text}" if text else f"{name}{sign}"


def build_of(
    assembly: str,
    file: Path,
    stamp: tuple[int, ...],
    folder: Path,
    arguments: Iterable[str],
    *,
    given: tuple[str, ...] | None = None,
    fault: str | None = None,
) -> Build:
    """Return the build of an assembly that ``file`` describes by these arguments.

    The compiler gets these arguments, or ``given`` instead, or none if there is a ``fault``.
    """
    arguments = tuple(arguments)
    kinds: dict[str, list[str]] = defaultdict(list)
    options: list[str] = []
    for each in options_in(arguments):
        kind, _, value = each.partition(":")
        if kind in _APART:
            kinds[kind] += filter(None, (value,))
        elif _is_source(each):
            kinds["source"].append(each)
        else:
            options.append(each)
    passed = arguments if given is None else given
    return Build(
        assembly,
        file,
        stamp,
        folder,
        () if fault else passed,
        frozenset(map(assembly_name, kinds["reference"])),
        "unsafe+" in options,
        tuple(folder / path for path in kinds["analyzer"]),
        tuple(
            relative_to(folder, each) if os.path.isabs(each) else each  # noqa: PTH117 - of many
            for each in kinds["source"]
        ),
        fault,
        frozenset(kinds["define"]),
        frozenset(each for each in kinds["reference"] if each.startswith(_OF_PROJECT)),
        tuple(options),
    )


def _is_source(argument: str) -> bool:
    """Return whether an argument in normal form is a script, not an option that names one."""
    return argument.endswith(".cs") and _NAMED_OPTION.match(argument) is None


_NAMED_OPTION = re.compile(r"[a-z]{2,}[+-]?:")
_APART = frozenset(("define", "reference", "analyzer"))
_OF_PROJECT = ("Assets/", "Packages/", "Library/PackageCache/")


def symbols_in(arguments: Iterable[str]) -> SymbolSet:
    """Return the symbols that arguments define."""
    defined = (each for each in options_in(arguments) if each.startswith("define:"))
    return frozenset(each.removeprefix("define:") for each in defined)


def response_file_symbols(folder: Path) -> SymbolSet:
    """Return the symbols that a folder's response file defines."""
    return symbols_in(arguments_in(folder / RESPONSE_FILE))


def file_options(file: Path) -> tuple[str, ...]:
    """Return the options in a response file; none if there is no file."""
    return tuple(options_in(arguments_in(file)))


def added_option(given: Iterable[str], build: Build) -> str | None:
    """Return an option that the build doesn't have, or has in another order."""
    left = iter([each for each in build.options if each.startswith(_IN_ORDER)])
    for each in given:
        name, _, value = each.partition(":")
        if name == "define":
            has = value in build.symbols
        elif name == "reference":
            has = assembly_name(value) in build.references
        elif name == "analyzer":
            has = any(PureWindowsPath(value).name == library.name for library in build.analyzers)
        elif name == "unsafe+":
            has = build.allows_unsafe
        elif _is_source(each):
            has = each in build.sources
        else:
            has = each in (left if each.startswith(_IN_ORDER) else build.options)
        if not has:
            return each
    return None


def removed_option(given: Iterable[str], built: tuple[str, ...], usual: str | None) -> str | None:
    """Return an option of a build that neither Unity nor any file passes now.

    ``usual`` is the language version of most builds.
    """
    explained = {*given, *_OF_UNITY, usual}
    kinds = {*_OF_USERS, "langversion"}
    if any(each.startswith("warnaserror+") for each in built):
        kinds.add("nowarn")  # otherwise it changes no error
    for each in built:
        if each not in explained and re.split("[+:-]", each, maxsplit=1)[0] in kinds:
            return each
    return None


def settings_arguments(settings: str, platform: str) -> tuple[str, ...]:
    """Return the compiler options in the player settings for a platform."""
    found = re.search(_OF_PLATFORM.format(re.escape(platform)), settings, re.MULTILINE)
    lines = found["lines"].splitlines() if found else ()
    given = (line.strip().removeprefix("-").strip().strip("'\"") for line in lines)
    return tuple(options_in(given))


_OF_PLATFORM = (
    r"^(?P<indent>[ \t]*)additionalCompilerArguments:[ \t]*\n"
    r"(?:(?P=indent)[ \t]+.*\n|(?P=indent)- .*\n)*?(?P=indent)[ \t]+{}:[ \t]*\n"
    r"(?P<lines>(?:[ \t]*- .*(?:\n|$))*)"
)
