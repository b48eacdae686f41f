"""The project check, held against the compiler: as fast as which, and as right as it.

``layout`` lays projects out from real files, ``reference_compiler`` compiles them the plain way,
and ``plain_compiler`` does so with ``csc`` itself. ``python -m benchmarks.project_check`` measures.
"""
