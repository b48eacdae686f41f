"""Whole requests to send instead of a refused one: ``offers`` of docs/design/engine.md §8.

Pure: it plans on the text that was refused on, and knows no files. What it can't tell, it doesn't
offer: an edit at the wrong place is worse than a refusal.
"""
