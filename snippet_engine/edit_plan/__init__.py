"""Turn resolved anchors into one set of edits, or into the faults of the instructions.

``plan`` makes the edits; ``faults`` are the reasons for a refusal. ``placement`` and
``indentation`` decide where new lines go. ``deletion`` extends deletions. ``repetition`` and
``additions`` check whether the text is already there. ``indentation_checks`` and
``replace_all_scope`` refuse anchors that match. ``too_large`` splits an edit. ``comments`` finds
code that ends up in a comment.
"""
