"""The tools of the engine other than edits, and the shared parts of all tools.

- ``reading_tools``: ``get_symbols`` and ``validate_script``.
- ``undo_tool``, ``history_tool``: ``undo_snippet`` and ``get_history``.
- ``hash_prefix``: hashes that a request gives by their first digits.
- ``tool_bounds``: the limits of a call; ``replay``: one write for one ``client_request_id``.
"""
