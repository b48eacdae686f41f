"""C# as characters: literals, comments, brackets, preprocessor directives. No tree-sitter.

``scanner``, ``line_scanner``, ``literals``: one pass over the lines; ``rescanner``: again after
edits. ``lexical_state``: what is open between two lines; ``report``, ``problem``: what is wrong.
``preprocessor``, ``symbol_sets``, ``reachability``: directives, and symbols that reach a branch.
``spans``: code, comment or string; ``keywords``, ``language_version``: C#'s words and versions.
"""
