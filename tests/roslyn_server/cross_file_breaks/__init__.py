"""Edits of one file that break another one, and what callers get to know of them.

``kinds``: the list, in data (``method_kinds``, ``member_kinds``, ``type_kinds``, ``use_kinds``);
``kind`` is one. ``project``: a project of them. ``told``: tries each through a server.
"""
