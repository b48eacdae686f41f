"""Other words for the contract's words, as data.

``table`` is the table; ``vocabulary`` combines it with a tool's schema.
"""
