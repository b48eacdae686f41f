"""What the agents did, and the page on which a person looks at it and takes it back.

``review``: the parts, put together, and what happens now. ``record``: what happened. ``hold``:
calls that wait for a person, and his notes to agents. ``take_back``: undoing it. ``page``: the page
in a browser. ``asking``: the person's own calls.
"""
