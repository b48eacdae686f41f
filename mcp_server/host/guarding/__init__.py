"""Find changes that this product didn't make, and answer agents' hooks about them.

``guard_endpoint``: ``POST /guard/CLIENT``. ``guard`` answers an event. ``guard_watch`` gets the
changes for the guard from ``outside_watch``, which runs the watcher.
"""
