"""Other words for those of the contract, as data.

``table`` is the table; ``vocabulary`` combines it with a tool's schema.
"""
