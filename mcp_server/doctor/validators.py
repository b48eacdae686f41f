"""Checks of what judges edits: the embedded validator, language servers, and compilers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mcp_server.calls.language_server import OFF, explain
from mcp_server.contract.errors import ToolError
from mcp_server.doctor.check import Check
from mcp_server.this_installation import install_roslyn, pip_install

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
    """Check which language server ``--lsp`` selects, and why not the others."""
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
    """Check which compiler ``roslyn_server`` would host, and why not the others."""
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
    """Return the check for a missing compiler; it fails only if a ``correction`` asks for one."""
    if correction:
        return Check(name, False, what, correction, details=details)
    first, _, _ = install.partition(" and then ")
    return Check(name, False, what, install, details=details, optional=True, command=first)


def _discovered(project: Path | None) -> Discovery:
    from roslyn_server.toolchains.candidates import discover  # noqa: PLC0415
    from roslyn_server.toolchains.machine import this_machine  # noqa: PLC0415 - loaded only here

    return discover(project, this_machine())
