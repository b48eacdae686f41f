"""Compiler options, symbols and analyzers: what says them, and how a build has them."""
