"""A language server that hosts the Roslyn of a Unity Editor, of a .NET SDK or of its own cache.

Implements docs/design/roslyn.md §3. May import no other package of this project but
``snippet_engine``. ``server`` speaks LSP (``documents``, ``failures``),
``protocol`` lists what clients may rely on beyond it, ``lifecycle`` ties the process to its
client. ``judge`` and ``text_judge`` judge single texts; ``project_requests`` answers questions
about the project, with ``checking``, and mends errors of changes; ``names`` finds references and
renames; ``reasons`` says why something was not checked, ``turns`` lets quick questions pass long
ones.
"""
