"""The road to the Editor by way of our own package: the ``/unity`` WebSocket and its protocol.

Its pure part is ``session`` and the modules below it: (state, event, now) to (state, effects).
``websocket_link`` only moves bytes and timers.
"""
