"""Load the C# grammar without its package's other imports; kinds of its nodes.

The package also imports ``importlib.resources``, and with it temporary files and four compressors.
Only editors' queries need them, not our commands.
"""

from __future__ import annotations

from importlib.machinery import PathFinder
from importlib.util import module_from_spec

import tree_sitter

_PACKAGE = "tree_sitter_c_sharp"


def load_language() -> tree_sitter.Language:
    """Return the grammar. Raise ``ImportError`` if it isn't installed."""
    package = PathFinder.find_spec(_PACKAGE)
    folders = None if package is None else package.submodule_search_locations
    compiled = PathFinder.find_spec(f"{_PACKAGE}._binding", folders) if folders else None
    if compiled is None or compiled.loader is None:
        import tree_sitter_c_sharp  # noqa: PLC0415 - packed otherwise, or not there at all

        return tree_sitter.Language(tree_sitter_c_sharp.language())
    module = module_from_spec(compiled)
    compiled.loader.exec_module(module)
    return tree_sitter.Language(module.language())


TYPES = frozenset(
    ("class_declaration", "interface_declaration", "record_declaration", "struct_declaration")
)
"""Types that have members of all kinds."""

ALL_TYPES = TYPES | {"delegate_declaration", "enum_declaration"}

FUNCTIONS = frozenset(
    (
        "constructor_declaration",
        "conversion_operator_declaration",
        "destructor_declaration",
        "method_declaration",
        "operator_declaration",
    )
)
"""Members whose body is a block of statements or an expression."""

LOOPS = frozenset(("do_statement", "for_statement", "foreach_statement", "while_statement"))
