"""Verdicts on edited text.

``validator``: the interface and answer of a validator. ``judge``: whose verdict decides, for one
file, an edit or a change set. ``code_fixes``: a compiler's fixes of errors. ``embedded/``: the
validator that needs no compiler. ``syntax_codes``: the compiler's codes for syntax errors.
"""
