"""MCP over stdin and stdout, and the one server that stdio clients share.

Imports the host's MCP endpoint and the calls to a running server.
"""
