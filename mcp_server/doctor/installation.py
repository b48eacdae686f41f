"""Check Python, the packages that this program needs, and the validators of edits."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement

from mcp_server.calls.language_server import OFF, explain
from mcp_server.contract.errors import ToolError
from mcp_server.doctor.check import Check
from mcp_server.this_installation import DISTRIBUTION, install_roslyn, pip_install
from mcp_server.version import package_version

if TYPE_CHECKING:
    from roslyn_server.toolchains.candidates import Discovery


def check_embedded() -> list[Check]:
    """Check that the embedded validator parses C#."""
    import tree_sitter  # noqa: PLC0415 - loaded only here
    import tree_sitter_c_sharp  # noqa: PLC0415

    language = tree_sitter.Language(tree_sitter_c_sharp.language())
    root = tree_sitter.Parser(language).parse(b"class A { }").root_node
    works = not root.has_error and root.child_count == 1
    summary = "always there: brackets, syntax" if works else "tree-sitter does not parse C#"
    advice = pip_install("--force-reinstall", "tree-sitter", "tree-sitter-c-sharp")
    return [Check("embedded validator", works, summary, advice, required=True)]


def check_servers(lsp: str | ToolError, project: Path | None) -> list[Check]:
    """Check which language server ``--lsp`` selects, and why not another."""
    name = "C# language server"
    if isinstance(lsp, ToolError):
        return [Check(name, False, lsp.message, "Correct --lsp or UNITY_CLI_LSP, or omit it.")]
    if lsp == OFF:
        return [Check(name, True, "switched off (--lsp off)")]
    choice = explain(lsp, project or Path.cwd())
    details = tuple(
        f"{each['name']}: {each['reason']}" for each in choice["candidates"] if not each["taken"]
    )
    if choice["taken"] is None:
        found = _discovered(project)
        install = install_roslyn(compiler_found=found.chosen is not None)
        return [_no_compiler(name, "none can be used", found.correction, install, details)]
    return [Check(name, True, f"{choice['taken']} (--lsp {lsp})", details=details)]


def check_toolchains(project: Path | None) -> list[Check]:
    """Check which compiler ``roslyn_server`` would use, and why not another."""
    found = _discovered(project)
    details = tuple(
        f"{each.name}: {each.reason}" for each in found.candidates if each is not found.chosen
    )
    if found.chosen is None or found.chosen.toolchain is None:
        what = "no compiler can be used"
        return [_no_compiler("Roslyn", what, found.correction, install_roslyn(), details)]
    runtime = found.chosen.toolchain.runtime
    summary = f"{found.chosen.name} ({found.chosen.source.value}), on .NET {runtime}"
    return [Check("Roslyn", True, summary, details=details)]


def _no_compiler(
    name: str, what: str, correction: str | None, install: str, details: tuple[str, ...]
) -> Check:
    """Return the check for a missing compiler. It fails only with a ``correction``."""
    if correction:
        return Check(name, False, what, correction, details=details)
    first, _, _ = install.partition(" and then ")
    return Check(name, False, what, install, details=details, optional=True, command=first)


def _discovered(project: Path | None) -> Discovery:
    from roslyn_server.toolchains.candidates import discover  # noqa: PLC0415
    from roslyn_server.toolchains.machine import this_machine  # noqa: PLC0415 - loaded only here

    return discover(project, this_machine())


OLDEST_PYTHON = (3, 11, 5)
"""Older versions have a bug in possessive patterns: valid scripts look broken."""


def check_python() -> list[Check]:
    """Check the version of the running interpreter."""
    return [
        Check(
            "Python",
            sys.version_info >= OLDEST_PYTHON,
            f"{platform.python_version()} ({sys.executable})",
            f"Install Python {'.'.join(map(str, OLDEST_PYTHON))} or newer.",
            required=True,
        )
    ]


def check_packages() -> list[Check]:
    """Check that every needed package is installed in a right version."""
    try:
        needed = [Requirement(line) for line in requires(DISTRIBUTION) or ()]
    except PackageNotFoundError:
        why = f"{DISTRIBUTION} is not installed in this Python"
        advice = f"In its folder: {pip_install('.')}"
        return [Check("packages", False, why, advice, required=True)]
    needed = [each for each in needed if each.marker is None or each.marker.evaluate({"extra": ""})]
    looked_at = [(f"{each.name}{each.specifier}", _problem(each)) for each in needed]
    problems = {name: problem for name, problem in looked_at if problem is not None}
    summary = f"unity-snippet {package_version()}, {len(needed)} packages"
    return [
        Check(
            "packages",
            not problems,
            f"{summary}; {len(problems)} missing or of a wrong version" if problems else summary,
            pip_install(*problems),
            command=pip_install(*problems),
            required=True,
            details=tuple(problems.values()),
        )
    ]


def _problem(needed: Requirement) -> str | None:
    try:
        found = version(needed.name)
    except PackageNotFoundError:
        return f"{needed.name}: not installed, {needed.specifier} is needed"
    if needed.specifier.contains(found, prereleases=True):
        return None
    return f"{needed.name}: {found} is installed, {needed.specifier} is needed"
