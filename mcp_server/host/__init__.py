"""The server process: HTTP, MCP, and running each call to its one outcome.

``serve`` starts and ends it. ``config``: its options. ``stopping``: signals, and ending in time.
``execution_coordinator`` runs calls; ``local_runs`` runs script tools on threads. ``answer_size``
limits the answers' size. ``later_verdicts`` adds news to answers: errors that were found after an
earlier answer. ``editor_gate``, with ``compared_compiles``: edits that Unity compiles first.
``editor_links``: the links to the Editor. ``endpoints``: what commands ask of a server.
``own_status``: its status, and how long it lives for its stdio clients. ``kept_state``: what the
next server continues with. ``guarding``, ``http`` and ``mcp`` have their own lists.
"""
