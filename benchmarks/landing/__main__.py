"""``python -m benchmarks.landing``: how often an agent's edit lands, and at which try.

Needs the packages' histories the first time (see ``packages``).
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from time import perf_counter

import click

from benchmarks.landing.kinds import PROFILES
from benchmarks.landing.misses import misses
from benchmarks.landing.packages import HELD_OUT_PACKAGES, TUNING_PACKAGES
from benchmarks.landing.page import with_figures
from benchmarks.landing.plot import plot
from benchmarks.landing.report import found_in, print_report
from benchmarks.landing.run import Run, load, results
from benchmarks.landing.same_roads import compare_roads
from roslyn_server.toolchains.packages import FetchError

TUNING_SEED = 1
HELD_OUT_SEED = 90_001
"""The seed of the figures that are shown."""

_GROUPS = {"tuning": TUNING_PACKAGES, "held-out": HELD_OUT_PACKAGES}
_KNOWN = (*TUNING_PACKAGES, *HELD_OUT_PACKAGES)


@click.command()
@click.option(
    "--packages",
    multiple=True,
    metavar="NAME",
    help=f"A package, or the group tuning or held-out (the default). Known: {', '.join(_KNOWN)}.",
)
@click.argument("more_packages", nargs=-1)
@click.option("--profile", type=click.Choice(sorted(PROFILES)), default="agent", show_default=True)
@click.option("--seed", type=int, help="By default the group's.")
@click.option("--requests", type=click.IntRange(1), default=2_000, show_default=True)
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, show_default=True)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    help="Begin no more of them after so many; the figures are of those that were made.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--plot", "plot_file", type=click.Path(path_type=Path), help="An SVG goes there.")
@click.option("--page", type=click.Path(path_type=Path), help="Put the figures into that page.")
@click.option(
    "--over-http",
    type=click.IntRange(1),
    metavar="N",
    help="Send N of them also over HTTP to a server's process, and compare.",
)
@click.option("--misses", "misses_file", type=click.Path(path_type=Path), help="Examples go there.")
def main(
    packages: tuple[str, ...],
    more_packages: tuple[str, ...],
    profile: str,
    seed: int | None,
    requests: int,
    jobs: int,
    minutes: float | None,
    as_json: bool,
    plot_file: Path | None,
    page: Path | None,
    over_http: int | None,
    misses_file: Path | None,
) -> None:
    """Send real edits, spoiled as agents spoil them, and count which land.

    Needs git. The first run clones the packages' public repositories, which takes a network and
    some minutes, into the user's cache. Where UNITY_SNIPPET_HISTORIES names a folder of clones
    (OWNER+NAME each), these are used as they are, and nothing is fetched.
    """
    asked = (*packages, *more_packages) or ("held-out",)
    names = tuple(dict.fromkeys(name for each in asked for name in _GROUPS.get(each, (each,))))
    unknown = [name for name in names if name not in _KNOWN]
    if unknown:
        raise click.BadParameter(f"unknown: {', '.join(unknown)}. Known: {', '.join(_KNOWN)}.")
    if seed is None:
        seed = HELD_OUT_SEED if set(names) <= set(HELD_OUT_PACKAGES) else TUNING_SEED
    run = Run(names, profile, seed, requests)
    try:
        edits = load(names, jobs)
    except FetchError as error:
        raise click.ClickException(str(error)) from error
    print(f"{len(edits):,} true edits", file=sys.stderr)
    started = perf_counter()
    found = found_in(run, results(run, edits, jobs, minutes and minutes * 60))
    found.seconds = perf_counter() - started
    if over_http is not None:
        found.roads = compare_roads(run, edits, over_http)
    if misses_file is not None:
        misses_file.write_text(misses(found), encoding="utf-8")
    if plot_file is not None:
        plot_file.write_text(plot(found), encoding="utf-8")
    if page is not None:
        text = page.read_text(encoding="utf-8")
        page.write_text(with_figures(text, found), encoding="utf-8")
    if as_json:
        click.echo(json.dumps(found.to_json(), ensure_ascii=False))
    else:
        print_report(found)


if __name__ == "__main__":
    main()
