"""One process that composes the other packages: tool catalog, MCP over HTTP, command line.

May import every other package; nothing imports it.
"""
