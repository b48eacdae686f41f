"""Normalise: undo what models and clipboards change in a text.

``look_alikes``: quotes, signs and letters that look alike. ``wrappings``: line numbers, fences and
marks of a paste.
"""
