"""A validator backed by a C# language server, spoken to over LSP through pygls.

Implements docs/design/roslyn.md §2. May import ``snippet_engine`` only. ``servers`` says which
server to run and why; ``validator.LanguageServerValidator`` asks it.
Importing these loads no LSP library: that happens on the client's own thread, once needed.
"""
