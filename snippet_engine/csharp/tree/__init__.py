"""C# as trees: tree-sitter over active code, the grammar's gaps cured, edits judged in windows.

Imports the lexical room only.
"""
