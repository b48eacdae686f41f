"""The CI gate: edit bundles checked against the contract and the working tree.

Implements docs/design/command-line.md ``lint``. Nothing here writes a file, prints, or knows the
command line; it may import the engine and this package's tool catalog. Start at
:func:`mcp_server.lint.run.lint`.
"""
