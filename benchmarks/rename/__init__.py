"""Measure how long renames and references take, and how right they are.

``python -m benchmarks.rename`` writes a large project (``generated_project``,
``generated_assets``) and measures a real server. ``references`` compares with
Roslyn's ``SymbolFinder`` and ``Renamer``, which ``workspace`` hosts; ``served`` asks a language
server. ``truth`` renames what real projects declare. ``asset_truth`` does that with the names in
assets alone, without C# (``asset_symbols``). ``unity_library`` stands in for Unity's libraries.
"""
