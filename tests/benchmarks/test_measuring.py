from benchmarks.measuring import Samples, Spread, repeat


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


def test_a_ratio_is_as_noisy_as_what_it_is_made_of() -> None:
    assert Spread.of([4, 1, 2, 3, 5]) == Spread(2, 3, 4)
    assert Spread.of([7]) == Spread(7, 7, 7)
    assert Spread(2, 4, 8).over(Spread(1, 2, 4)) == Spread(0.5, 2, 8)


def test_of_the_same_work_the_processor_s_time_is_one() -> None:
    samples = Samples()
    for _ in range(9):
        samples.timed("one", sum, range(20_000))
        samples.timed("ten", lambda: [sum(range(20_000)) for _ in range(10)])

    low, middle, high = samples.cpu_ratio("ten", "one")
    assert low <= middle <= high
    assert samples.cpu_ratio("one", "one").middle == 1
