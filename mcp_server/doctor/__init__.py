"""Check the installation, the project, its server and its Editor, and advise on each problem.

Implements docs/design/command-line.md ``doctor``. Reads only, and starts nothing but hooks.
``examination`` runs the probes in parallel; each returns a ``check``. The probes: ``installation``,
``unity_project``, ``running_server``, ``guard``.
"""
