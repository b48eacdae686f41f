"""Changes that this product didn't make, and what agents' hooks ask about them.

``guard_endpoint``: ``POST /guard/CLIENT``. ``guard``: an event in, an answer out. ``guard_watch``:
the changes that the guard learns of, from ``outside_watch``, which runs the watcher.
"""
