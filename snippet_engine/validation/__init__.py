"""Verdicts on edited text.

``validator``: the interface and answer of a validator. ``judge``: whose verdict decides, for one
file, an edit or a change set. ``code_fixes``: what a compiler mends errors with. ``embedded/``: the
validator that needs no compiler. ``syntax_codes``: which of the compiler's codes are about form.
"""
