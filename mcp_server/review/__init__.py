"""Record what agents did, show it on a page, and let a person take it back.

``review`` joins the parts, and lists the calls that run now. ``record`` keeps what happened.
``hold``: calls that wait for a person's approval, and notes to agents. ``take_back`` undoes events.
``page``: the page in a browser. ``asking``: calls that the person makes on the page.
"""
