"""The snippet engine: small, anchored, validated edits of C# scripts.

It knows C# text and files. It knows nothing of MCP, LSP, HTTP or Unity's Editor, and imports no
other package of this project.

- ``engine``: puts the parts together; the only module that knows all of them.
- ``errors``, ``source_text``, ``edits``, ``limits``, ``request``, ``change_request``: values.
- ``budget``, ``call_context``: a call's bounds; its client and its writes.
- ``set_writing``: writes a judged change set, and adds the outcome to its result.
- ``project_settings``: a Unity project's settings for scripts; ``late_pattern``: late regexes;
  ``longest_chain``: the longest increasing sequence.
"""
