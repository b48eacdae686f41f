"""The Editor link over our own package: the ``/unity`` WebSocket and its protocol.

``session`` decides, without I/O: (state, event, now) → (state, effects). ``session_hello`` decides
which Editor is served, ``session_requests`` handles requests and answers; ``session_state`` has the
state, the events and the effects. ``frames`` reads and writes messages, ``wire_schemas`` describes
them. ``websocket_link`` moves bytes and timers.
"""
