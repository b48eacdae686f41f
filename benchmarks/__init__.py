"""Benchmarks: one command each, figures as ratios to a reference measured in the same run.

Run from the checkout: ``python -m benchmarks.engine``. May import every other package; none
imports this one.
"""
