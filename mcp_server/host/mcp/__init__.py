"""MCP's messages on one side, the catalog's calls on the other.

``mcp_endpoint``: lists and calls tools. ``middleware``: checks before a call. ``clients``: names
and cancellation. ``progress``: notices. ``tool_results``: outcomes as MCP results. ``tasks``,
``task_store``, ``tasks_extension``: jobs as tasks.
"""
