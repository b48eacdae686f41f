"""Whole numbers that were sent with a decimal point, as the integers that they are.

To JSON Schema 5.0 is an integer, as to the many languages that have one kind of number. What takes
parameters needn't know: they are made integers where they have been checked, wherever they stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_AS_SENT = "metadata"
"""What is any object, and goes back as it came."""


def with_integers(value: Any) -> Any:
    """``value``, JSON that was checked, with each whole number in it an ``int``.

    It is the same object where there is nothing to do.
    """
    match value:
        case float():
            return int(value) if value.is_integer() else value
        case list():
            items = [with_integers(each) for each in value]
            same = all(new is old for new, old in zip(items, value, strict=True))
            return value if same else items
        case Mapping():
            made = {
                key: each if key == _AS_SENT else with_integers(each) for key, each in value.items()
            }
            return value if all(made[key] is value[key] for key in made) else made
    return value
