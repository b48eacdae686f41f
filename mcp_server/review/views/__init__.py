"""The page's further views: calls that wait, notes, jobs, the console, problems, figures.

``holds``, ``notes``, ``jobs``, ``console``, ``problems``, ``figures_view``: one view each, with a
method ``routes``; ``more_views`` lists them, and ``asking`` calls tools for them. Without I/O:
``failed_tests`` (a tree), ``places`` (those that a text names), ``last_touch`` (which event touched
a line), ``figures`` (counts) and ``plots`` (where their bars are).
"""
