"""C# as trees: tree-sitter over active code. Imports only the lexical folder.

``syntax_tree``: parsing within bounds; ``grammar`` loads the parser, and has names of nodes.
``cured_tree``, ``grammar_gaps``, ``newer_gaps``, ``type_arguments``: valid C# that the grammar
can't read. ``edit_windows``, ``broken_scopes``: edits judged by the statements around them.
``tree_query``: patterns.
"""
