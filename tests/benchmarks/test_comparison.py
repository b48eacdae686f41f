import json
from pathlib import Path

import pytest

from benchmarks import engine
from benchmarks.comparison import Change, compared, figures_of
from benchmarks.measuring import Spread


def change(then: Spread, now: Spread) -> Change:
    return Change("a preview", then, now)


def test_slower_is_what_lies_beyond_the_noise_of_both_runs() -> None:
    recorded = Spread(0.9, 1.0, 1.1)

    assert change(recorded, Spread(1.2, 1.3, 1.4)).is_slower
    assert not change(recorded, Spread(1.0, 1.3, 1.6)).is_slower
    assert change(recorded, Spread(0.6, 0.7, 0.8)).is_faster
    assert not change(recorded, Spread(0.6, 0.7, 1.0)).is_faster


def test_a_few_hundredths_are_another_moment_however_still_the_machine_was() -> None:
    assert not change(Spread(1.0, 1.0, 1.0), Spread(1.04, 1.04, 1.04)).is_slower
    assert change(Spread(1.0, 1.0, 1.0), Spread(1.06, 1.06, 1.06)).is_slower


def test_only_what_both_runs_measured_is_compared() -> None:
    one, other = Spread(1, 2, 3), Spread(4, 5, 6)

    assert compared({"a": one, "b": one}, {"b": other, "c": other}) == [Change("b", one, other)]


def test_a_recorded_run_is_read_as_it_was_printed() -> None:
    printed = json.dumps({"figures": {"a preview": Spread(1, 2, 3)}})

    assert figures_of(json.loads(printed)) == {"a preview": Spread(1, 2, 3)}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"figures": {"a": [1]}}'])
def test_what_is_no_recorded_run_is_refused_before_anything_is_measured(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.json"
    file.write_text(text)

    assert engine.main(["--compare", str(file)]) == 2
    assert "is no recorded run" in capsys.readouterr().err
