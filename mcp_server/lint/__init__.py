"""The CI gate: edit bundles checked against the contract and the working tree, many at once.

Implements docs/design/command-line.md ``lint``. Nothing here writes a file, prints, or knows the
command line; it may import :mod:`mcp_server.bundles`, which knows what is to be checked. Start at
:func:`mcp_server.lint.run.lint`.
"""
