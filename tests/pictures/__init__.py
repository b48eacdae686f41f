"""The pictures of the documentation: ``python -m tests.pictures`` writes ``docs/*.svg`` anew.

``session`` is a recording of real commands on a real terminal. ``unity_window`` is a drawing, and
says so, made from the labels in the package's C# source. ``review_page`` takes pictures of the
review page in a real browser, and is run by itself: ``python -m tests.pictures.review_page``.
"""
