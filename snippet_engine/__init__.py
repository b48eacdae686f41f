"""The snippet engine: small, anchored, validated edits of C# scripts.

It knows C# text and files. It knows nothing of MCP, LSP, HTTP or Unity's Editor, and imports no
other package of this project.

- ``engine``: puts the parts together; the only module that knows all of them.
- ``errors``, ``source_text``, ``edits``, ``limits``, ``request``, ``change_request``: values.
- ``budget``, ``call_context``: a call's bounds; who asks, what it writes.
- ``set_writing``: a judged change set is written, and its result says what became of it.
- ``project_settings``: what a Unity project says of its scripts; ``late_pattern``: late regexes;
  ``longest_chain``: the longest increasing sequence.
"""
