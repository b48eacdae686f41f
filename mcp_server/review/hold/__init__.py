"""Calls that wait until a person has approved what they write, and notes to agents.

``approvals``: what waits, and how it ends, without I/O. ``held_calls``: rehearses a call, asks, and
lets it write what was shown; the switch. ``notes``: what a person writes to agents.
"""
