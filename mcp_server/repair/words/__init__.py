"""The words that callers use for those of the contract, as data.

``table`` is the table; ``vocabulary`` puts it together with a tool's schema.
"""
