"""Workflow commands: what GitHub shows at its place in a file of a pull request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def workflow_command(command: str, properties: Mapping[str, Any], message: str) -> str:
    """The line that has GitHub show ``message``; ``command`` is its kind."""
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{command}{' ' if listed else ''}{listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
