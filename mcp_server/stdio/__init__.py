"""MCP over stdin and stdout, for clients that share one server.

``stdio_endpoint`` serves one client. ``stdio_lines`` reads and writes lines. ``pipe`` carries
messages to the server and back. ``shared_server`` joins the server, or starts it
(``server_process``), and holds a lease on it. Outside of every project, it answers the calls
itself.
"""
