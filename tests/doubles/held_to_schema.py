"""Documents held against JSON Schemas, each of which is checked once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator, exceptions, validators

_made: dict[str, Any] = {}
"""By a schema's text, as some schemas are made anew each time: its validator."""


def hold_to_schema(document: object, schema: Mapping[str, Any]) -> None:
    """Raise ``jsonschema.ValidationError`` unless ``document`` satisfies ``schema``."""
    text = json.dumps(schema, default=dict)
    if text not in _made:
        kind = validators.validator_for(schema, default=Draft202012Validator)
        kind.check_schema(dict(schema))
        _made[text] = kind(dict(schema))
    error = exceptions.best_match(_made[text].iter_errors(document))
    if error is not None:
        raise error
