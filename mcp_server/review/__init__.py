"""What the agents did, and the page on which a person looks at it and takes it back.

``page``: the page in a browser.
"""
