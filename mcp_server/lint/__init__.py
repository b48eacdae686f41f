"""``unity-cli lint``, and the CI reports of ``check``. Changes no file of the project.

``run`` checks bundles, in parallel where that saves time. ``report`` makes the results: JSON,
GitHub workflow commands and SARIF.
"""
