"""The embedded validator: find the new errors of an edit with a scanner and a parser.

``embedded_validator`` compares both texts under each symbol set. ``new_errors`` compares lexical
errors and broken nodes; ``tree_errors`` finds what the edits broke in the tree. ``names`` finds
names declared twice, ``aliases`` undeclared aliases before ``::``. ``checks/`` has tables of code
that the grammar accepts but C# doesn't.
"""
