"""The Unity package in a project: its state, its installation and its removal.

``installation`` compares and copies; ``removal`` removes. ``package_manifest`` reads
``package.json`` files, and checks the project's settings. Works with files only.
"""
