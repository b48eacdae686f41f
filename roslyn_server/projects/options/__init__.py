"""Compiler options, from files and from builds.

``command_lines`` reads response files and player settings, ``project_symbols`` preprocessor
symbols, ``analyzers`` analyzers, source generators and their configurations.
"""
