"""Read compiler options: from response files and player settings, and as a build has them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PureWindowsPath

from roslyn_server.projects.build import Build, assembly_name
from roslyn_server.projects.files import bounded_text, is_plain_file, stamp_of

MAX_RESPONSE_BYTES = 8 * 1024 * 1024
"""Maximum size of a response file with all its includes."""

_MAX_FILES = 32
_READ = re.compile(
    r'^[ \t]*"?[-/](?:r|reference|l|link|ruleset|additionalfile|analyzerconfig|a|analyzer|keyfile):'
    r'(?:\w+=)?"?([^"\n]+?)"*[ \t\r]*$',
    re.IGNORECASE | re.MULTILINE,
)
"""Options that name a file which the compiler reads."""


class ResponseFiles:
    """Reads response files, whose paths are relative to ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._plain: set[str] = set()
        """Known regular files; every assembly names the same libraries."""

    def fault(self, file: Path) -> str | None:
        """Return what is wrong with a response file, as the middle of a sentence."""
        left, size, seen = [(file, file)], 0, 0
        within: dict[Path, tuple[Path, ...]] = {file: ()}
        while left:
            each, by = left.pop()
            name = self._shown(each)
            included = name if each == by else f"{name}, which {self._shown(by)} includes,"
            stamp = stamp_of(each)
            if stamp is None:
                continue  # the compiler says so
            if not is_plain_file(each):
                return f"{included} is no plain file"
            size, seen = size + stamp[1], seen + 1
            if size > MAX_RESPONSE_BYTES:
                return f"{included} is larger than {MAX_RESPONSE_BYTES // 2**20} MB"
            if seen > _MAX_FILES:
                return f"{self._shown(file)} includes more than {_MAX_FILES} others"
            text = one_a_line(bounded_text(each, MAX_RESPONSE_BYTES))
            for inner in self._included(text):
                if inner in (each, *within[each]):
                    return f"{self._shown(inner)} includes itself"
                within[inner] = (*within[each], each)
                left.append((inner, each))
            named = self._no_plain_file(text)
            if named is not None:
                return f"{named}, which {name} names, is no plain file"
        return None

    def text(self, file: Path) -> tuple[str, tuple[Path, ...]]:
        """Return a response file with one argument a line, and the files it includes.

        The file must have no fault.
        """
        lines: list[str] = []
        included: list[Path] = []
        for line in one_a_line(bounded_text(file, MAX_RESPONSE_BYTES)).splitlines():
            lines.append(line)
            for inner in self._included(line):
                text, further = self.text(inner)
                lines.append(text)
                included += (inner, *further)
        return "\n".join(lines), tuple(included)

    def _included(self, text: str) -> Iterator[Path]:
        if "@" not in text:
            return
        for line in text.splitlines():
            if "@" in line:
                for each in arguments_of(line):
                    path = each.strip('"')
                    if path.startswith("@"):
                        yield Path(os.path.normpath(self._folder / path[1:].strip('"')))

    def _no_plain_file(self, text: str) -> str | None:
        """Return a named file that a reader would never get to the end of."""
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


def one_a_line(text: str) -> str:
    """Return a response file's text with one argument a line, as Unity writes it."""
    lines: list[str] = []
    for line in text.splitlines():
        alone = line.strip()
        lines += (alone,) if _ONE_ARGUMENT.fullmatch(alone) else arguments_of(line)
    return "\n".join(lines)


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
_FILES = frozenset(("ruleset", "analyzerconfig", "additionalfile"))

_OF_USERS = frozenset(("nullable", "warnaserror", "checked"))
"""Options that Unity doesn't pass by itself."""

_OF_UNITY = frozenset(
    ("nowarn", *(f"nowarn:{each}" for each in ("169", "649", "282", "1701", "1702", "USG0001")))
)
"""Options of which Unity passes some itself."""

_IN_ORDER = ("nullable", "warnaserror", "checked", "warn:")
"""Options whose last occurrence counts."""


def options_in(arguments: Iterable[str]) -> Iterator[str]:
    """Yield arguments in one normal form, one for each member of a list."""
    for each in arguments:
        argument = each.replace('"', "")
        found = _OPTION.fullmatch(argument)
        if found is None:
            yield argument.replace("\\", "/")  # a script, or what includes another file
            continue
        name, sign, value = found[1].lower(), found[2], found[3] or ""
        name = _SHORT.get(name, name)
        if name == "nullable":
            value = value.lower() or ("disable" if sign == "-" else "enable")
        elif name == "langversion":
            value = value.lower().removesuffix(".0")
        elif name == "reference":
            value = assembly_name(value.partition("=")[2] or value)
        elif name in _FILES:
            value = value.replace("\\", "/")
        sign = "" if name == "nullable" or not (name in _FLAGS or sign) else sign or "+"
        members = re.split("[,;]", value) if name in _LISTS else [value]
        for member in members:
            text = member.strip()
            if name in ("nowarn", "warnaserror"):
                text = re.sub(r"^(?:CS)?0*(?=\d)", "", text)
            yield f"{name}{sign}:{text}" if text else f"{name}{sign}"


def build_options(arguments: Iterable[str]) -> tuple[str, ...]:
    """Return a build's options without symbols, libraries, analyzers and scripts."""
    elsewhere = ("define:", "reference:", "analyzer:")
    return tuple(
        each
        for each in options_in(arguments)
        if not each.startswith(elsewhere) and not each.endswith(".cs")
    )


def file_options(file: Path) -> tuple[str, ...]:
    """Return the options in a response file; none if there is no file."""
    text = bounded_text(file, MAX_RESPONSE_BYTES)
    return tuple(options_in(each for line in text.splitlines() for each in arguments_of(line)))


def added_option(given: Iterable[str], build: Build) -> str | None:
    """Return an option that the build doesn't have, or has in another order."""
    left = iter([each for each in build.options if each.startswith(_IN_ORDER)])
    for each in given:
        name, _, value = each.partition(":")
        if name == "define":
            has = value in build.symbols
        elif name == "reference":
            has = value in build.references
        elif name == "analyzer":
            has = any(PureWindowsPath(value).name == library.name for library in build.analyzers)
        elif name == "unsafe+":
            has = build.allows_unsafe
        elif each.endswith(".cs"):
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
        kinds.add("nowarn")  # else no error comes of it
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
