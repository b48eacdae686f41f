"""The review page: who may see it, how its HTML is made, and each view.

``review_page``: every view and action, by its path. ``access``: cookies, links, forms, and the one
way to views. ``rendering``: templates, their words, stylesheet and scripts. ``sources``: what views
show. ``now``: the present state, and what tells open pages of news. Views: ``timeline`` with the
net difference, ``event_view``, ``take_back_view``, ``holds`` with notes, ``jobs``, ``console``,
``problems``, ``figures``. ``file_diff``: the rows of a file's change; ``marked_text``: what is
marked in them; ``asset_changes``: the fields that changed in an asset.
"""
