"""Compiler options: what files say, and what a build has.

``command_lines`` reads response files and player settings, ``project_symbols`` preprocessor
symbols, ``analyzers`` analyzers, source generators and their configurations.
"""
