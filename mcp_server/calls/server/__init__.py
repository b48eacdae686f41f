"""Ask a running server: find it, have it prove itself, call its tools, use its compiler.

``server_file``: the server's address and key. ``server_proof``: the proof that it is this user's.
``project_server``: a project's own server. ``proven_connection``: one HTTP connection, and the end
of a server. ``server_status``: its status. ``single_call``: one MCP call, as bytes.
``remote_tools``: a call over MCP. ``warm_server``, ``shared_compiler``, ``verdict_questions``: its
compiler. ``delegated_call``: a script call that it makes for a command.
"""
