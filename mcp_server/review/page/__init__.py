"""The review page: who may see it, how its HTML is made, and each view.

``review_page`` joins all views and actions by their paths. ``access``: links, cookies and forms.
``rendering``: HTML of templates; stylesheet, scripts and pictures. ``sources``: what the views
show. ``now``: the present state, and the feed that tells open pages to update.

Views: ``timeline``, with the net difference; ``event_view``, ``take_back_view``, ``holds``, with
notes; ``jobs``, ``console``, ``problems``, ``figures``. ``diffs``: what a change did to one file.
"""
