"""From an anchor to exactly one place, or to the reason why there is none.

``symbol_anchor`` and ``text_anchor`` resolve; ``resolution`` is what comes of it.
``candidate_search`` finds the places where a target may stand, ``context`` and ``whole_words`` say
which of them fit. ``anchor_for_place`` goes the other way: from a place to an anchor, by
``unique_context`` and ``look_alikes``.
"""
