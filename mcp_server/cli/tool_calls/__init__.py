"""A command's call of a tool.

``calling`` makes the call, ``outcomes`` prints its result, ``interrupts`` report what an
interrupted call has done, and ``undo_advice`` names the commands that take a change back.
"""
