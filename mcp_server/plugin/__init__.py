"""The Unity package in a project: what is installed there, and putting ours in.

Knows files only, neither the server nor the wire.
"""
