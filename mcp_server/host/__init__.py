"""The server process: HTTP, MCP, and calls that are run to their one outcome.

``serve``: start and end. ``config``: its options. ``stopping``: signals, and the end in time.
``execution_coordinator``: runs calls, script tools on threads by ``local_runs``; ``answer_size``
bounds their answers. ``later_verdicts``: gives news of what is judged after the answer.
``editor_gate``, with ``compared_compiles``: edits that Unity compiles first. ``editor_links``: the
links to the Editor. ``endpoints``: what commands ask of a server. ``own_status``: its status, and
how long it lives for its stdio clients. ``kept_state``: what the next server continues.
``guarding``, ``http`` and ``mcp`` have their own lists.
"""
