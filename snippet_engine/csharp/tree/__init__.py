"""C# as trees: tree-sitter over active code. Imports only the lexical folder.

``syntax_tree``: parsing within bounds; ``node_kinds``: names of nodes; ``grammar`` loads the
parser. ``cured_tree``, ``grammar_gaps``, ``newer_gaps``, ``type_arguments``: valid C# that the
grammar can't read. ``edit_windows``, ``broken_scopes``: edits judged by the statements around
them. ``tree_query``: patterns.
"""
