"""MCP's messages on one side, the catalog's on the other."""
