"""The quick lane's table is true, and its samples are the same each time."""

from __future__ import annotations

import lanes
import pytest


@pytest.mark.parametrize("path", lanes.CORES)
def test_a_core_has_tests(path: str) -> None:
    folder = lanes.TESTS / path
    assert folder.is_file() or any(folder.rglob("test_*.py"))


@pytest.mark.parametrize("seam", sorted(lanes.SEAMS))
def test_a_seam_has_its_test(seam: str) -> None:
    file, _, name = lanes.SEAMS[seam].partition("::")
    assert f"def {name.partition('[')[0]}(" in (lanes.TESTS / file).read_text(encoding="utf-8")


def test_a_sample_is_the_same_each_time_and_whole_with_all(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        f"""
        import sys
        sys.path.insert(0, {str(lanes.TESTS)!r})
        import lanes
        def pytest_addoption(parser):
            lanes.add_options(parser)
        def pytest_configure(config):
            config.addinivalue_line("markers", "sampled(count): drawn")
        def pytest_collection_modifyitems(config, items):
            lanes.select(config, items)
        """
    )
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.sampled(5)
        @pytest.mark.parametrize("number", range(30))
        def test_it(number):
            pass
        def test_alone():
            pass
        """
    )
    first, second = (pytester.runpytest_inprocess("-v") for _ in range(2))
    first.assert_outcomes(passed=6, deselected=25)
    ran = [[each for each in run.outlines if "PASSED" in each] for run in (first, second)]
    assert ran[0] == ran[1]
    pytester.runpytest_inprocess("--all").assert_outcomes(passed=31)
