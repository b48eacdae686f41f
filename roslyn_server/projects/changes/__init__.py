"""What changed since the last build, so that it may not hold any more.

``definition_changes`` for one assembly; ``package_changes``, ``setting_changes`` and
``project_changes`` for all.
"""
