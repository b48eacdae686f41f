"""Edits of one file that break another one, and what callers get to know of them.

``kinds``: the list, in ``kinds.toml``; ``kind`` is one. ``project``: a project of them. ``told``:
tries each through a server.
"""
