"""What Claude Desktop starts: the MCP server on stdin and stdout, for the chosen project."""

import sys

from mcp_server.cli import main

main(["mcp", "--project", sys.argv[1]])
