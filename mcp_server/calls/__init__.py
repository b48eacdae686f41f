"""Calls of tools: here, on a running server, held back by a dry run, or many in a batch.

Imports the contract and the engine; the command line, lint and the server call through it.
"""
