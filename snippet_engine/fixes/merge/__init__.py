"""Merge: apply the agent's change to the text of the file.

``three_way_merge``, ``token_merge`` and ``conflicts`` merge tokens. ``whitespace_merge`` and
``indentation`` merge white space.
"""
