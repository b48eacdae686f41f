"""Changes since the last build, after which it may be outdated.

``definition_changes`` for one assembly; ``project_changes`` for all, with ``package_changes``.
"""
