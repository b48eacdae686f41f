"""Turn resolved anchors into one set of edits, or into what is wrong with each instruction.

``plan`` plans; ``faults`` says what is wrong. ``placement`` and ``indentation`` decide where new
lines go, ``deletion`` what else a deletion removes,
``repetition`` and ``additions`` whether the text is already there. ``indentation_checks`` and
``replace_all_scope`` refuse anchors that match. ``too_large`` splits an edit. ``comments`` finds
code that ends up in a comment.
"""
