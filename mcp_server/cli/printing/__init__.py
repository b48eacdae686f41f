"""What a command prints, and where; and the state of its standard streams.

``output`` prints text and JSON, ``progress`` shows a bar, and ``streams`` replace standard streams
that are closed or whose reader may leave.
"""
