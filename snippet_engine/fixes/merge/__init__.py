"""Merge: the agent's change carried over to the text of the file.

``three_way_merge``, ``token_merge`` and ``conflicts`` merge tokens; ``whitespace_merge`` and
``indentation`` the white space.
"""
