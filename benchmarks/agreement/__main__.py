"""``python -m benchmarks.agreement``: how often the embedded validator and Roslyn disagree.

Needs the optional extra ``roslyn``, and the package registries the first time.
"""

from __future__ import annotations

import json

import click

from benchmarks.agreement.packages import HELD_OUT, KNOWN, TUNING, load
from roslyn_server.toolchains.packages import FetchError

TUNING_SEED = 1
HELD_OUT_SEED = 60_001
"""The seed of the figures that are shown; never one that a rule was made with."""

_GROUPS = {"tuning": TUNING, "held-out": HELD_OUT}


@click.command()
@click.option(
    "--packages",
    multiple=True,
    metavar="NAME",
    help="A package, or the group tuning or held-out (the default); 'extra' stands for the "
    f"folders in UNITY_SNIPPET_CORPUS. Known: {', '.join(KNOWN)}.",
)
@click.argument("more_packages", nargs=-1)
@click.option("--seed", type=int, help="Seed of the generators; by default the group's.")
@click.option(
    "--sample", type=int, default=12_000, show_default=True, help="Mutations; as many valid edits."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def main(
    packages: tuple[str, ...],
    more_packages: tuple[str, ...],
    seed: int | None,
    sample: int,
    as_json: bool,
) -> None:
    """Compare the embedded validator with Roslyn on mutations and valid edits of real files."""
    asked = (*packages, *more_packages) or ("held-out",)
    names = list(dict.fromkeys(name for each in asked for name in _GROUPS.get(each, (each,))))
    unknown = [name for name in names if name not in KNOWN]
    if unknown:
        raise click.BadParameter(f"unknown: {', '.join(unknown)}. Known: {', '.join(KNOWN)}.")
    if seed is None:
        seed = HELD_OUT_SEED if set(names) <= set(HELD_OUT) else TUNING_SEED
    try:
        from benchmarks.agreement.judging import compare
        from benchmarks.agreement.oracle import Oracle
        from benchmarks.agreement.report import print_run

        files = [file for name in names for file in load(name)]
        run = compare(Oracle(), files, seed, sample, sample)
    except FetchError as error:
        raise click.ClickException(str(error)) from error
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"{error.name} is not installed: pip install 'unity-snippet[roslyn]'."
        ) from error
    if as_json:
        body = {"packages": names, "seed": seed, "sample": sample, **run.to_json()}
        click.echo(json.dumps(body, ensure_ascii=False))
    else:
        print_run(run, f"Embedded validator against Roslyn: {', '.join(names)}; seed {seed}")


if __name__ == "__main__":
    main()
