"""Ask a running server: find it, have it prove itself, call its tools, use its compiler.

``server_file``, ``server_proof``: where it is, and that it is this user's. ``project_server``: a
project's own server. ``proven_connection``: one HTTP connection, and its end. ``server_status``:
its status. ``single_call``, ``remote_tools``: one MCP
call, without and with MCP's SDK. ``warm_server``, ``shared_compiler``, ``verdict_questions``: its
compiler. ``delegated_call``: a script call that it makes for a command.
"""
