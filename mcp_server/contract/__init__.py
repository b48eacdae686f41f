"""The contract of the tools: their arguments, results and errors, the same over MCP and CLI.

``catalog`` has every tool. ``tool_spec`` defines a tool. ``script_tools`` has the tools for
scripts, and the check of a call. Schemas: ``editor_schemas``, ``short_schemas``, ``server_schemas``
(between a command and a running server, and MCP's tasks), built from ``schema_parts``;
``contract_files`` writes them to ``contracts/``. ``errors`` and ``outcome`` say how a call ended.
"""
