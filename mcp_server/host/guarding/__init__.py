"""Changes that this product didn't make, and what agents' hooks ask about them.

``guard_endpoint``: ``POST /guard/CLIENT``. ``guard`` answers an event. ``guard_watch`` gets the
changes for it from ``outside_watch``, which runs the watcher.
"""
