"""The snippet engine: small, anchored, validated edits of one C# file.

It knows C# text and files; it knows nothing of MCP, LSP, HTTP or Unity's Editor, and
imports no other package of this project.
"""
