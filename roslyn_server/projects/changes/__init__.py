"""Changes since the last build, after which it may be outdated.

``definition_changes`` for one assembly; ``package_changes``, ``setting_changes`` and
``project_changes`` for all.
"""
