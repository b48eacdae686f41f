"""What the agents did, and the page on which a person looks at it and takes it back.

``review``: the parts, put together. ``record``: what happened. ``page``: the page in a browser.
"""
