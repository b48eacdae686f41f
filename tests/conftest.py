"""Settings that hold for every test."""

from __future__ import annotations

from hypothesis import settings

# No timed assertions: a busy machine must not fail a test.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
