"""The embedded validator: new errors that an edit makes, found by a scanner and a parser.

``embedded_validator`` compares both texts under each symbol set. ``new_errors`` and ``tree_errors``
compare the scans and the trees; ``dirty_files`` says what holds in a file that was broken before.
``name_checks``, ``local_names`` and ``member_names`` find names declared twice, ``alias_names``
names before ``::``. ``checks/`` has tables of what the grammar takes and C# doesn't.
"""
