"""The dialects of the coding agents: what their hooks send, expect and are configured by.

``table`` has all ``ADAPTERS``, one module each: ``claude_code``, ``codex``, ``cursor``,
``gemini_cli``, ``copilot_cli``, ``vscode``, ``opencode``, ``windsurf``, ``cline``, ``kiro``. Each
is data for ``adapter``, which reads an event (``arguments``: what a tool writes) and words a reply,
and knows a client by its payload. Reading is lenient, writing strict. No client was run:
each module follows its client's documentation.
"""
