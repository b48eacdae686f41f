"""A validator that asks a C# language server over LSP, through pygls.

Implements docs/design/roslyn.md §2. May import ``snippet_engine`` only. ``validator`` is the
entry point, ``timing`` has its time limits, ``outcomes`` its failures; ``servers`` selects a
server, ``process`` runs it, ``protocol`` speaks to it, ``running`` keeps one alive;
``diagnostics`` asks about texts, ``project`` about the whole project. Importing these loads no
LSP library: that happens on the client's own thread, once needed.
"""
