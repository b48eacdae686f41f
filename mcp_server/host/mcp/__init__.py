"""Map MCP's messages to the catalog's calls.

``mcp_endpoint`` lists and calls tools, after checks. ``clients``: names, cancellation, progress.
``short_answers`` and ``short_errors``: results and refusals as callers get them, with offers that
refer to an earlier request. ``tool_results``: outcomes as MCP results. ``tasks``, ``task_store``,
``tasks_extension``: jobs as tasks.
"""
