"""The server process: serve HTTP and MCP, and run the calls.

``serve`` starts and ends the server. ``config``: its options. ``stopping``: signals, and ending in
time. ``execution_coordinator`` runs calls; ``local_runs`` runs script tools on threads.
``answer_size`` limits the answers' size. ``later_verdicts`` adds news to answers: errors that were
found after an earlier answer. ``editor_gate``, with ``compared_compiles``: edits that stay only if
Unity compiles them. ``editor_links``: the links to the Editor. ``endpoints`` answers commands.
``own_status``: the server's status, and how long it lives for its stdio clients. ``kept_state``:
what the next server continues with. ``guarding``, ``http`` and ``mcp`` have their own lists.
"""
