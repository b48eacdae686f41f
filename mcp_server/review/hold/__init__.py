"""Calls that wait until a person has approved what they write, and notes to agents.

``approvals``: what waits, and how it ends, without I/O. ``held_calls``: rehearses a call, asks, and
lets it write what was shown. ``endings``: what an agent gets that was not approved. ``setting``:
the switch. ``notes``: what a person writes to agents, without I/O; ``note_box`` keeps it;
``heard_sessions``: which session may be another's agent.
"""
