"""Rename what real projects declare, there and back, held against the compiler and PyYAML.

``python -m benchmarks.rename.truth FOLDER``. ``prepared`` makes a copy of a project that can be
compiled without Unity. ``declared_types`` reads its C#, ``resolved_assets`` says what the names in
its assets stand for, ``checked_renames`` compares before, after and back.
"""
