"""A language server that hosts the Roslyn of a Unity Editor, of a .NET SDK or of its own cache.

Implements docs/design/roslyn.md §3. May import no other package of this project but
``snippet_engine``. ``python -m roslyn_server --stdio`` serves; ``protocol`` is what its clients may
rely on, ``toolchains.discover`` says which compiler it would take and why, ``install`` fetches one.
"""
