"""Edit bundles: edits that are kept as files, found, read, checked, and applied.

Implements docs/design/command-line.md "Bundles". What an item of a bundle is, only
:mod:`mcp_server.bundles.item` knows. Nothing here prints or knows the command line; it may import
the engine and this package's tool catalog. ``check`` and ``apply`` are where to start.
"""
