"""The CI gate: edit bundles checked against the contract and the working tree.

Implements spec 03-command-line ``lint``. Nothing here writes a file, prints, or knows the
command line; it may import the engine and this package's tool catalog. Start at
:func:`mcp_server.lint.run.lint`.
"""
