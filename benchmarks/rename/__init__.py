"""Measure how long renames and references take, and how right they are.

``python -m benchmarks.rename`` writes a large project (``generated_project``,
``generated_assets``) and measures a real server. ``references`` compares with
Roslyn's ``SymbolFinder`` and ``Renamer``, which ``workspace`` hosts; ``served`` asks a language
server. ``truth`` renames what real projects declare. ``unity_library`` stands in for Unity's
libraries.
"""
