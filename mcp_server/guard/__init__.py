"""The guard: judges what a coding agent's own tools write, when its hooks call.

``events``: what a hook reports, and what the guard answers.
``clients``: each client's dialect.
"""
