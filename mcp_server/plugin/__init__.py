"""The Unity package in a project: its state, and its installation and removal.

``installation`` compares and copies, ``removal`` removes; ``package_manifest`` reads
``package.json`` files, and checks the project's settings. Knows files only.
"""
