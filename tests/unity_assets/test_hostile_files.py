"""Files that nobody should write: each is searched or named, and the work stays in proportion.

Work that grows with the square of these sizes would take hours.
"""

from __future__ import annotations

import pytest
from assets_project import (
    HEADER,
    SmallProject,
    component,
    holder,
    instance,
    override,
    target,
    type_name,
)

N = 100_000
START = HEADER + "--- !u!114 &1\nMonoBehaviour:\n"
FILES = {
    "a huge line": f"{START}  a: " + "speed " * (20 * N),
    "a huge word": f"{START}  a: " + "0a1b" * (20 * N) + "\n  speed: 1\n",
    "deep braces": f"{START}  a: " + "{speed: " * (N // 2),
    "deep blocks": HEADER + "--- !u!114 &1\n" + "".join(" " * n + "speed:\n" for n in range(2000)),
    "many lines that begin no document": HEADER + "---x speed\n" * N,
    "many equal keys": START + "  speed: 1\n" * (N // 10),
    "many quotes without end": START + "  a: 'speed\n" * N,
    "many escapes without end": f'{START}  a: "' + "\\speed " * N + "\n",
    "many blank lines": f"{START}  a:" + " \n" * N + "  speed: 1\n",
    "a line of colons": f"{START}  a: 1\n  " + "speed:x" * N + "\n",
    "blanks in a text": f"{START}  a: x" + " " * N + "speed\n  b: 'x\n" + " " * N + "speed'\n",
    "blanks in a key": f"{START}  speed" + " " * N + "x: 2\n",
    "many brackets": f"{START}  propertyPath: " + "Demo.speed[[," * N + "\n",
    "many overrides": HEADER + instance(2200, 10, *[override(1100, 10, "speed", "9")] * (N // 50)),
}


@pytest.mark.parametrize("file", FILES)
def test_the_work_on_any_file_is_bounded(project: SmallProject, file: str) -> None:
    project.script("Assets/Player.cs", 1)
    project.asset("Assets/p.prefab", component(1, 1100, ""), number=10)
    project.write("Assets/a.unity", FILES[file])
    for facts in (
        project.field("speed", holder("Player", "", "a[]")),
        project.method("speed", target("Player")),
        project.type_named(type_name("Demo.speed"), type_name("Demo.pace")),
    ):
        renamed = project.rename(facts, "pace", "rewrite")
        for path, before, after in renamed.files:
            assert path == "Assets/a.unity"
            assert len(after) < len(before)


@pytest.mark.parametrize("file", ["deep braces", "many quotes without end"])
def test_what_cannot_be_read_is_named(project: SmallProject, file: str) -> None:
    project.script("Assets/Player.cs", 1)
    project.write("Assets/a.unity", FILES[file])
    found = project.find(project.field("speed", holder("Player")))
    assert [path for path, _ in found.not_searched] == ["Assets/a.unity"]
