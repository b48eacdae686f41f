"""The version of this installation."""

from __future__ import annotations

from functools import cache


@cache
def package_version() -> str:
    """Return the installed version, read once; ``0+unknown`` in a bare source tree."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow to import

    try:
        return version("unity-snippet")
    except PackageNotFoundError:
        return "0+unknown"
