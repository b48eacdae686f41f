"""Renames and references, held against Roslyn's own workspace.

``references`` compares what the server finds with ``SymbolFinder`` and ``Renamer``, which
``workspace`` hosts. ``served`` asks a real server process.
``assets`` measures the assets' index and renames. ``asset_truth`` renames what real assets name,
there and back, held against PyYAML's reading (``asset_symbols``).
"""
