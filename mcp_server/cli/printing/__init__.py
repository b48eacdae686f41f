"""What a command prints, and where; and the state of its standard streams.

``output`` prints text and JSON, ``progress`` shows a bar, ``help_pages`` style click's help, and
``streams`` replace standard streams that are closed or whose reader may leave.
"""
