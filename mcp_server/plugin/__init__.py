"""The Unity package in a project: what is installed there, putting ours in, and taking it out.

Knows files only, neither the server nor the wire.
"""
