"""The C# grammar, without the modules that its package loads.

The package can show the queries of editors, for which it imports ``importlib.resources``, and with
that temporary files and four ways to compress them. A command needs none of that.
"""

from __future__ import annotations

from importlib.machinery import PathFinder
from importlib.util import module_from_spec

import tree_sitter

_PACKAGE = "tree_sitter_c_sharp"


def load_language() -> tree_sitter.Language:
    """Return the grammar. Raises ``ImportError`` where it isn't installed."""
    package = PathFinder.find_spec(_PACKAGE)
    folders = None if package is None else package.submodule_search_locations
    compiled = PathFinder.find_spec(f"{_PACKAGE}._binding", folders) if folders else None
    if compiled is None or compiled.loader is None:
        import tree_sitter_c_sharp  # noqa: PLC0415 - packed otherwise, or not there at all

        return tree_sitter.Language(tree_sitter_c_sharp.language())
    module = module_from_spec(compiled)
    compiled.loader.exec_module(module)
    return tree_sitter.Language(module.language())
