"""Renames and references, held against Roslyn's own workspace.

``references`` compares what the server finds with ``SymbolFinder`` and ``Renamer``, which
``workspace`` hosts. ``served`` asks a real server process.
"""
