"""From resolved anchors to one set of edits, or to what is wrong with each instruction.

``plan`` plans, ``faults`` are what is wrong. ``placement``, ``indentation``, ``directives`` and
``own_comments`` say where new lines go, ``deletion`` what a deletion takes along, ``repetition``
and ``additions`` what stands there already. ``indentation_checks`` and ``replace_all_scope`` refuse
anchors that fit. ``too_large`` splits an edit. ``comments`` finds code that ends up in a comment.
"""
