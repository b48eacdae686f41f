"""The guard: judge what a coding agent's own tools write, when the agent's hooks call.

``events``: a hook's event and the guard's answer, as values. ``clients``: each client's dialect.
``before`` refuses new syntax errors; ``refusal`` makes the text for it. ``writes``: what a tool
writes, also with ``apply_patch``. ``sessions``: what each agent has changed. ``reports``: texts
that an agent gets. ``fired``: when each client's hooks last fired. The server's ``guarding`` puts
these together.
"""
