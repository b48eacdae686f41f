"""The clients whose hooks the guard knows: one adapter module each.

``table``: all of them, by name. ``claude_code``: Claude Code.
"""
