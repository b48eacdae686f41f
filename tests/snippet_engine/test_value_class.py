"""Classes of values are what the standard library would make of them."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from snippet_engine import value_class


def _declared(make: Callable[..., Any]) -> type:
    @make(frozen=True, slots=True, order=True)
    class Place:
        """Where something is."""

        line: int
        column: int = 1
        seen: list[int] = dataclasses.field(default_factory=list, compare=False, repr=False)

        def __post_init__(self) -> None:
            self.seen.append(self.line)

    made: type = Place
    return made


_OURS, _STANDARD = _declared(value_class.dataclass), _declared(dataclasses.dataclass)


@value_class.dataclass(frozen=True, slots=True)
class Pair:
    """Can be pickled, since it can be imported."""

    left: int
    right: tuple[int, ...] = ()


@pytest.mark.parametrize("make", [_OURS, _STANDARD])
def test_a_value_reads_compares_and_sorts_by_its_fields(make: Any) -> None:
    assert repr(make(3)).endswith("Place(line=3, column=1)")
    assert make(3) == make(3, 1, [7])
    assert make(3) != (3, 1)
    assert hash(make(3)) == hash(make(3, 1, [7]))
    assert sorted([make(3), make(2, 9), make(2)]) == [make(2), make(2, 9), make(3)]
    assert max(make(1), make(2)) == make(2)
    assert make(3).seen == [3]
    assert make(3).seen is not make(3).seen


@pytest.mark.parametrize("make", [_OURS, _STANDARD])
def test_a_value_is_replaced_and_never_changed(make: Any) -> None:
    place = make(3)
    assert dataclasses.replace(place, column=4) == make(3, 4)
    assert dataclasses.asdict(place)["column"] == 1
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'line'"):
        place.line = 4
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'line'"):
        del place.line
    assert not hasattr(place, "__dict__")
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'line'"):
        make()
    with pytest.raises(TypeError):
        assert place < 3


def test_a_value_is_copied_and_pickled() -> None:
    pair = Pair(1, (2, 3))
    assert copy.copy(pair) == copy.deepcopy(pair) == pickle.loads(pickle.dumps(pair)) == pair


def test_one_field_is_compared_as_a_field_and_not_as_its_value() -> None:
    @value_class.dataclass(frozen=True, slots=True)
    class Measure:
        size: float

    @value_class.dataclass(frozen=True, slots=True)
    class Nothing:
        pass

    nan = float("nan")
    assert Measure(nan) == Measure(nan)
    assert Measure(1) != 1
    assert Nothing() == Nothing()
    assert repr(Nothing()).endswith("Nothing()")
