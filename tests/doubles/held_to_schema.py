"""Documents held against JSON Schemas, each of which is checked once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator, exceptions, validators

_made: dict[int, tuple[Mapping[str, Any], Any]] = {}
"""By a schema's identity: the schema, which keeps that its own, and its validator."""


def hold_to_schema(document: object, schema: Mapping[str, Any]) -> None:
    """Raise ``jsonschema.ValidationError`` unless ``document`` satisfies ``schema``."""
    if id(schema) not in _made:
        kind = validators.validator_for(schema, default=Draft202012Validator)
        kind.check_schema(dict(schema))
        _made[id(schema)] = schema, kind(dict(schema))
    error = exceptions.best_match(_made[id(schema)][1].iter_errors(document))
    if error is not None:
        raise error
