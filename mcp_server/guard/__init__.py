"""The guard: judges what a coding agent's own tools write, when its hooks call.

``guard``: an event in, an answer out. ``events``: these as values. ``clients``: each client's
dialect. ``before``: refuses new syntax errors; ``refusal``: in which words. ``writes``: what a tool
writes, ``apply_patch`` too. ``watched``: what the guard needs of a watcher. ``sessions``: what each
agent has changed. ``words``: what it is told. ``fired``: when each client's hooks last fired.
"""
