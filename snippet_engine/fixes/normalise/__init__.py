"""Normalise: what models and clipboards change of a text, and how to undo it.

``look_alikes`` knows quotes, signs and letters that look alike, ``composed`` letters in several
code points. ``wrappings`` removes what a paste brings along.
"""
