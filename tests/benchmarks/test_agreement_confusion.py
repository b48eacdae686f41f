"""The confusion table counts right, and its intervals are Wilson's."""

import pytest

from benchmarks.agreement.confusion import Confusion, interval
from benchmarks.agreement.oracle import Truth


def test_each_combination_has_its_cell() -> None:
    confusion = Confusion()
    for truth in Truth:
        confusion.add("kind", truth, False)
        confusion.add("kind", truth, True)
    body = confusion.to_json()
    assert body["by_kind"]["kind"] == {
        "valid": 2,
        "false_rejects": 1,
        "broken": 2,
        "false_accepts": 1,
        "form": 2,
        "form_refused": 1,
    }
    assert (body["valid"], body["false_rejects"]) == (2, 1)
    assert (body["broken"], body["false_accepts"]) == (2, 1)


def test_none_of_many_is_bounded_by_about_three_in_them() -> None:
    bounds = interval(0, 5000)
    assert bounds["rate"] == 0
    assert bounds["low"] == 0
    assert bounds["high"] == pytest.approx(3.84 / 5000, rel=0.01)


def test_an_interval_holds_its_rate() -> None:
    bounds = interval(24, 8000)
    assert bounds["low"] is not None
    assert bounds["high"] is not None
    assert bounds["low"] < 0.003 < bounds["high"]


def test_nothing_judged_has_no_rate() -> None:
    assert interval(0, 0)["rate"] is None
