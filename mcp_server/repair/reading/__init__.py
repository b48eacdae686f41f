"""Requests in other words than the contract's, in its words.

``reader`` reads a request, ``edit_reading`` one instruction of it, ``set_reading`` a
change set. ``values`` reads one value, ``script_paths`` a path; ``unknown_keys`` says which keys
are left out. ``reading`` is what comes of it.
"""
