"""Write a Unity project with many scripts and assets, the same for a seed.

Seven in ten scripts are those of public packages (``benchmarks.project_check.layout``). The others
are components that use one another. Some of their fields are *sought*: each stands in 5 places of
scripts and in 5 assets, or in 500 of each. Assets are prefabs, scenes with instances and overrides,
and data such as meshes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.project_check.compilers import Compiler
from benchmarks.project_check.layout import LaidOutAssembly, lay_out, write_build
from benchmarks.rename.generated_assets import Stored, write_assets, write_meta
from benchmarks.rename.unity_library import unity_library

FEW, MANY = 5, 500
FEW_FIELDS, MANY_FIELDS = 60, 12
_ASSEMBLIES = 5
_METHODS = 12


@dataclass(frozen=True, slots=True)
class Sought:
    """A field that stands in ``count`` places of scripts and in as many assets."""

    count: int
    number: int

    @property
    def name(self) -> str:
        """Return the field's name: letters only, as assets are indexed by words without digits."""
        letters = chr(65 + self.number // 26) + chr(97 + self.number % 26)
        return f"soughtBy{'Few' if self.count == FEW else 'Many'}{letters}"


SOUGHT = tuple(
    Sought(count, number)
    for count, fields in ((FEW, FEW_FIELDS), (MANY, MANY_FIELDS))
    for number in range(fields)
)


def generate(root: Path, compiler: Compiler, scripts: int, assets: int, size: int) -> None:
    """Write a built project with so many scripts, assets, and bytes of assets.

    Raises ``FetchError`` if the packages can't be had.
    """
    project = lay_out(root, compiler, files=scripts * 7 // 10, assemblies=max(4, scripts // 130))
    # Unity has every assembly refer to the project's plug-ins, and to its own libraries.
    plugins = (*project.assemblies[0].plugins, str(unity_library(compiler)))
    texts = _texts(scripts - len(project.sources))
    built = [replace(each, plugins=plugins) for each in project.assemblies]
    game: list[LaidOutAssembly] = []
    for name, sources in _by_assembly(list(texts)).items():
        for path in sources:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(texts[path], encoding="utf-8")
        names = tuple(each.name for each in game)
        game.append(LaidOutAssembly(name, tuple(sources), names, plugins))
    whole = replace(project, assemblies=(*built, *game))
    for number, path in enumerate([*texts, *project.sources]):
        write_meta(root / path, number)
    stored = [
        Stored(each.name, script_of(each, len(texts)), min(each.count, assets // 2))
        for each in SOUGHT
    ]
    write_assets(root, stored, len(texts), assets, size)
    write_build(whole, compiler)


def script_of(field: Sought, components: int) -> int:
    """Return the number of the component that declares a field: one of the lowest assembly."""
    return (field.number * 7 + field.count) % max(1, components // _ASSEMBLIES)


def component_path(number: int, components: int) -> str:
    """Return the path of a component's script."""
    assembly = number * _ASSEMBLIES // components
    return f"Assets/Game{assembly}/Component{number}.cs"


def _by_assembly(paths: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(path.split("/")[1], []).append(path)
    return found


def _texts(components: int) -> dict[str, str]:
    """Return each component's text: fields, methods that use others, and the sought fields."""
    rng = random.Random(5)
    uses: dict[int, list[Sought]] = {}
    for field in SOUGHT:
        # The declaration is one of the places.
        for _ in range(field.count - 1):
            uses.setdefault(rng.randrange(components), []).append(field)
    return {
        component_path(number, components): _text(rng, number, components, uses.get(number, []))
        for number in range(components)
    }


def _text(rng: random.Random, number: int, components: int, uses: list[Sought]) -> str:
    lines = ["using System.Collections.Generic;", "using UnityEngine;", "", "namespace Game", "{"]
    lines += [f"    public class Component{number} : MonoBehaviour", "    {"]
    lines += [
        f"        public float {field.name} = 1f;"
        for field in SOUGHT
        if script_of(field, components) == number
    ]
    for at in range(_METHODS):
        other = rng.randrange(number + 1)
        lines += [
            f"        [SerializeField] private int count{at};",
            f"        private readonly List<Component{other}> others{at} = new();",
            "",
            f"        public int Step{at}(Component{other} other, float by)",
            "        {",
            f"            count{at} += Mathf.RoundToInt(by * {rng.randrange(9)});",
            f"            foreach (var each in others{at}) if (each != other) count{at}++;",
            f"            return other.Step{rng.randrange(at + 1)}(null, by) + count{at};",
            "        }",
            "",
        ]
    for at, field in enumerate(uses):
        owner = script_of(field, components)
        lines.append(f"        public float Use{at}(Component{owner} it) => it.{field.name};")
    return "\n".join([*lines, "    }", "}", ""])
