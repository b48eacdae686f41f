"""MCP's messages on one side, the catalog's calls on the other.

``mcp_endpoint``: lists and calls tools, after checks. ``clients``: names, cancellation,
progress. ``short_answers``, ``short_errors``: results and refusals as callers get them, with offers
that name an earlier request. ``tool_results``: outcomes as MCP results. ``tasks``, ``task_store``,
``tasks_extension``: jobs as tasks.
"""
