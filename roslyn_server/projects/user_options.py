"""Options that users give the compiler, in response files and player settings.

Part of docs/design/roslyn.md §3 "References". They and those of a build are brought into one form:
so it can be seen whether the build had what they say now, and nothing that they no longer say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PureWindowsPath

from roslyn_server.projects.builds import Build, assembly_name, bounded_text
from roslyn_server.projects.response_files import MAX_RESPONSE_BYTES, arguments_of

RESPONSE_FILE = "csc.rsp"

_OPTION = re.compile(r"[-/]([a-zA-Z]+)([+-]?)(?::(.*))?", re.DOTALL)
_SHORT = {"d": "define", "r": "reference", "a": "analyzer", "w": "warn", "o": "optimize"}
_FLAGS = frozenset(("unsafe", "checked", "optimize", "deterministic", "warnaserror"))
_LISTS = frozenset(("define", "nowarn", "warnaserror", "features"))
_FILES = frozenset(("ruleset", "analyzerconfig", "additionalfile"))

_OF_USERS = frozenset(("nullable", "warnaserror", "checked"))
"""Options that Unity doesn't give by itself."""

_OF_UNITY = frozenset(
    ("nowarn", *(f"nowarn:{each}" for each in ("169", "649", "282", "1701", "1702", "USG0001")))
)
"""Those of which it gives some."""

_IN_ORDER = ("nullable", "warnaserror", "checked", "warn:")
"""Of these the last counts."""


def options_in(arguments: Iterable[str]) -> Iterator[str]:
    """A command line's arguments, one for each of a list's members."""
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
            told = member.strip()
            if name in ("nowarn", "warnaserror"):
                told = re.sub(r"^(?:CS)?0*(?=\d)", "", told)
            yield f"{name}{sign}:{told}" if told else f"{name}{sign}"


def build_options(arguments: Iterable[str]) -> tuple[str, ...]:
    """Those of a build, without what it tells otherwise: symbols, libraries, analyzers, scripts."""
    elsewhere = ("define:", "reference:", "analyzer:")
    return tuple(
        each
        for each in options_in(arguments)
        if not each.startswith(elsewhere) and not each.endswith(".cs")
    )


def file_options(file: Path) -> tuple[str, ...]:
    """The options in a response file; none where there is no such file."""
    text = bounded_text(file, MAX_RESPONSE_BYTES)
    return tuple(options_in(each for line in text.splitlines() for each in arguments_of(line)))


def gained(said: Iterable[str], build: Build) -> str | None:
    """An option that a build hasn't, or has in another order, if there is one."""
    left = iter([each for each in build.options if each.startswith(_IN_ORDER)])
    for each in said:
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


def lost(said: Iterable[str], built: tuple[str, ...], usual: str | None) -> str | None:
    """An option of a build that Unity doesn't give by itself and that nothing says, if any.

    ``usual`` is the version of the language that most builds are told.
    """
    explained = {*said, *_OF_UNITY, usual}
    kinds = {*_OF_USERS, "langversion"}
    if any(each.startswith("warnaserror+") for each in built):
        kinds.add("nowarn")  # else no error comes of it
    for each in built:
        if each not in explained and re.split("[+:-]", each, maxsplit=1)[0] in kinds:
            return each
    return None


def settings_arguments(settings: str, platform: str) -> tuple[str, ...]:
    """The options that the text of the player settings gives the compiler for a platform."""
    found = re.search(_OF_PLATFORM.format(re.escape(platform)), settings, re.MULTILINE)
    lines = found["lines"].splitlines() if found else ()
    said = (line.strip().removeprefix("-").strip().strip("'\"") for line in lines)
    return tuple(options_in(said))


_OF_PLATFORM = (
    r"^(?P<indent>[ \t]*)additionalCompilerArguments:[ \t]*\n"
    r"(?:(?P=indent)[ \t]+.*\n|(?P=indent)- .*\n)*?(?P=indent)[ \t]+{}:[ \t]*\n"
    r"(?P<lines>(?:[ \t]*- .*(?:\n|$))*)"
)
