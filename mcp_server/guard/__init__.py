"""The guard: judges what a coding agent's own tools write, when its hooks call.

``events``: what a hook reports and is answered, as values. ``clients``: each client's dialect.
``before``: refuses new syntax errors; ``refusal``: in which words. ``writes``: what a tool writes,
``apply_patch`` too. ``sessions``: what each agent has changed. ``words``: what it is told.
``fired``: when each client's hooks last fired. The server's ``guarding`` puts these together.
"""
