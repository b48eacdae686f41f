"""Normalise: remove what models and clipboards change in a text.

``look_alikes`` handles quotes, signs and letters that look alike. ``wrappings`` handles the line
numbers, fences and marks of a paste.
"""
