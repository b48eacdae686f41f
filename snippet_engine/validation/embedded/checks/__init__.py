"""Code that the grammar accepts but C# doesn't: tables of patterns over the tree around each edit.

``structural_checks`` joins the tables: ``declaration_checks``, ``member_checks``,
``placement_checks``, ``statement_checks``, ``expression_checks``, ``keyword_checks`` and
``newer_syntax``. ``declaration_conditions``, ``member_conditions`` and ``expression_conditions``
decide what a query can't. ``tree_patterns`` searches for all patterns in one walk.
"""
