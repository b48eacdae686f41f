"""The review page: its routes, who may see it, and how its HTML is made.

``review_page``: every route. ``gate``: the one way to them, with ``checked_form``. ``access``:
cookies, links and the forms' tokens; ``login``: the exchange of a link. ``rendering``: templates,
with ``words``; ``static_files``: stylesheet and scripts. ``feed``: tells open pages of news.
``sources``: what views show. Views: ``timeline``, with ``now``,
``event_view`` with ``said``, ``net_view``, ``take_back_view``. ``diffs`` has its own list.
"""
