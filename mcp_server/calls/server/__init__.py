"""A running server, as those who ask it see it: where it is, how it proves that it is this user's,
what it says of itself, and calls that it makes.
"""
