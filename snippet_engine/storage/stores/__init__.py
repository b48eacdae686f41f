"""The stores behind the tools: write, undo and list changes, one writer at a time.

- ``script_store``: writes one script, and undoes such a write.
- ``change_store``: writes a change set, and undoes it; ``change_undo``: plans the undo.
- ``change_list``: the entries of ``get_history``, and which change moved or deleted a script.
- ``file_origins``: the history's data about restored and removed files.
- ``outside_changes``: adds the entries of changes that other programs made.
- ``script_locks``: the locks of scripts, and the recovery under them.
- ``write_gate``: shows a write before it happens to a caller that may refuse it.
- ``request_log``: requests with a ``client_request_id``, each applied once.
"""
