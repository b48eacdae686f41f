"""The road to the Unity Editor: the ``/unity`` wire protocol, and the Editor link above it.

May import no other package of this project. ``session`` and the modules below it are pure:
(state, event, now) to (state, effects); ``websocket_link`` only moves bytes and timers. The
rest of the server knows ``link.EditorLink`` and nothing of the wire.
"""
