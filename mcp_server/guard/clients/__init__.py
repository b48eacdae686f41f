"""The dialects of the coding agents: what their hooks send and expect, and their configuration.

``table``: all clients as data, made from each client's documentation; none was run. ``adapter``
reads events, writes replies, and recognises a client by its payload. ``arguments``: what a tool
writes. Reading is lenient, writing is strict.
"""
