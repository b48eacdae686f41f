"""The link to the Unity Editor, over our own package or over Unity's Pipeline package.

Imports no other package of this project. The server uses ``link.EditorLink`` only.
``plugin`` and ``pipeline`` are the two implementations; ``chosen_link`` picks between them.
``editor_state``: what is known of the Editor. ``states``: request and job states as tables.
``machine``: runs a pure state machine. ``clock``, ``timing``: the time, and the constants.
``bounded_json``: reads JSON from the Editor within bounds.
"""
