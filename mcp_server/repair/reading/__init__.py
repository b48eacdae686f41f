"""Translate a request in other words into the contract's words.

``reader`` reads a request, ``edit_reading`` one instruction, ``set_reading`` a change set.
``values`` reads one value, ``script_paths`` a path; ``unknown_keys`` decides which keys are left
out. ``reading`` is the result.
"""
