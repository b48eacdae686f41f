"""The tools of the engine except edits, and what all tools share.

- ``reading_tools``: ``get_symbols`` and ``validate_script``.
- ``undo_tool``, ``history_tool``: ``undo_snippet`` and ``get_history``.
- ``hash_prefix``: hashes of which a request sends only the first digits.
- ``tool_bounds``: the limits of a call; ``replay``: one write for one ``client_request_id``.
"""
