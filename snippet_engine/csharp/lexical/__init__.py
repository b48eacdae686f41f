"""C# as characters: literals, comments, brackets, preprocessor directives, symbol sets.

No tree-sitter here: one pass over the lines, and as little of it again as edits ask for.
"""
