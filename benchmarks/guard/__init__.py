"""Measure what the guard costs, and how often it is wrong.

``agent``: a server, and an agent that writes with its own tool.
``replay``: real commits written as an agent would, and seeded breaks.
"""
