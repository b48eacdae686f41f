"""The dialects of the coding agents: what their hooks send, expect and are configured by.

``table`` has all clients as data. ``adapter`` reads an event by them (``arguments``: what a tool
writes), words a reply, and knows a client by its payload. Reading is lenient, writing strict.
"""
