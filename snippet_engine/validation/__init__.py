"""Verdicts on edited text.

``validator``: what a validator answers. ``judge``: whose verdict decides, for one file or a
change set. ``whole_file``: a file judged as it stands. ``embedded/``: the validator that needs no
compiler.
"""
