"""``unity-cli lint``, and the reports for CI of ``check``, too: no file of the project is changed.

``run`` checks bundles, in parallel where that saves time. ``report`` makes the results: JSON,
GitHub workflow commands and SARIF.
"""
