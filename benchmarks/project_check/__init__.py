"""Compare the project check with the compiler: its speed, and its errors.

``layout`` lays projects out from real files, ``reference_compiler`` compiles them the plain way,
and ``plain_compiler`` does so with ``csc`` itself. ``python -m benchmarks.project_check`` measures.
"""
