"""The version of this installation."""

from __future__ import annotations

from functools import cache


@cache
def package_version() -> str:
    """Return the version of the installed distribution; ``0+unknown`` in a bare source tree.

    It is read once: an upgrade doesn't change what runs, and reading takes a millisecond.
    """
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow to import

    try:
        return version("unity-snippet")
    except PackageNotFoundError:
        return "0+unknown"
