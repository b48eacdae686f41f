"""Calls that wait until a person approves what they would write, and notes to agents.

``approvals`` decides without I/O which calls wait, and how each ends. ``held_calls`` has the
switch: it rehearses a call, waits for the person, and writes exactly what was shown. ``notes``:
what a person writes to agents.
"""
