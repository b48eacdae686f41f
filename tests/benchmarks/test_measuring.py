from benchmarks.measuring import Samples, repeat


def test_samples_give_the_result_back_and_are_counted() -> None:
    samples = Samples()

    assert samples.timed("sum", sum, [1, 2], start=3) == 6
    samples.timed("sum", sum, [])

    assert samples.count("sum") == 2
    assert 0 <= samples.median_ms("sum") <= samples.p90_ms("sum")


def test_one_sample_is_its_own_percentile() -> None:
    samples = Samples()
    samples.timed("sum", sum, [])

    assert samples.p90_ms("sum") == samples.median_ms("sum")


def test_repeat_keeps_to_its_bounds() -> None:
    rounds: list[int] = []

    repeat(rounds.append, seconds=0, at_least=3, at_most=9)
    assert rounds == [0, 1, 2]

    rounds.clear()
    repeat(rounds.append, seconds=3600, at_least=1, at_most=4)
    assert rounds == [0, 1, 2, 3]
