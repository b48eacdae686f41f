"""The guard's bounds are wide, so that a slow machine says what a quick one does."""

from __future__ import annotations

import pytest
from hook_calls import PATIENT


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the guard take its time."""
    for name, value in PATIENT.items():
        monkeypatch.setenv(name, value)
