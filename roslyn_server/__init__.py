"""A small language server that hosts Unity's own Roslyn compiler.

May import no other package of this project but ``snippet_engine``. Nothing is implemented
here yet.
"""
