"""Files on disk: containment, locks, the atomic write, history, replayed requests."""
