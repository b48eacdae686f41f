"""Which compiler and runtime are on this machine, which fit each other, and fetching one pair.

Nothing here loads a runtime.
"""
