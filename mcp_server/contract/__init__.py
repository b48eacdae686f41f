"""What every road shares: the tools, their schemas, their errors, and what a call comes to.

Imports the packages below only. Start at :mod:`~mcp_server.contract.catalog`.
"""
