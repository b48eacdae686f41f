"""Change sets: several scripts edited, created, deleted and moved together, or none of them.

Each file goes the way that ``edit_snippet`` goes; here is what makes them one. Imports the rest of
the engine but :mod:`snippet_engine.engine`.
"""
