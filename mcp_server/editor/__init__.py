"""The road to the Unity Editor: one line, one request at a time, jobs, and their outcomes.

Imports the contract and ``unity_bridge``; knows no HTTP and no MCP. Start at
:mod:`~mcp_server.editor.tools`.
"""
