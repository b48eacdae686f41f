"""The embedded validator: new errors that an edit makes, found by a scanner and a parser.

``embedded_validator`` compares both texts under each symbol set. ``new_errors`` compares the scans
and what is broken; ``tree_errors`` finds what the edits broke in the tree. ``name_checks``,
``local_names`` and ``member_names`` find names declared twice. ``checks/`` has tables of what the
grammar takes and C# doesn't.
"""
