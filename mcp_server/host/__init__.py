"""The server process: HTTP and its guard, MCP over it, the coordinator, start and end.

Imports the rooms below (contract, calls, editor); composes them in
:mod:`~mcp_server.host.serve`.
"""
