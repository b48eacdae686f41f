"""Edits of one file that break another one, and what callers are told of them.

``kinds``: the list, in data. ``project``: a project of them. ``told``: tries each through a server.
``python -m benchmarks.cross_file_breaks`` prints figures.
"""
