"""A validator backed by a C# language server, spoken to over LSP through pygls.

May import ``snippet_engine`` only. Nothing is implemented here yet.
"""
