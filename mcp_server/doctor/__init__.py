"""Check what works here and what doesn't, and say what to do about it.

Implements docs/design/command-line.md ``doctor``. Reads only, and starts nothing but hooks.
``examination`` runs the probes side by side; each returns a ``check``. The probes:
``installation``, ``unity_project``, ``running_server``, ``guard``.
"""
