"""Declarations: what they are called, where they stand, and the symbol paths that name them."""
