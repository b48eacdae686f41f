"""The review page: its routes, who may see it, and how its HTML is made.

``review_page``: every route. ``gate``: the one way to them, with ``checked_form``. ``access``:
cookies, links and the forms' tokens; ``login``: the exchange of a link. ``rendering``: templates;
``static_files``: stylesheet and scripts. Views: ``timeline``.
"""
