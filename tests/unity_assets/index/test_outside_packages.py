"""Packages that lie outside the project are named as not searched."""

from __future__ import annotations

import json

import pytest
from small_project import SmallProject, target


def test_a_package_outside_the_project_is_named(project: SmallProject) -> None:
    project.script("Assets/Player.cs", 1)
    (project.root.parent / "ext").mkdir()
    named = {"a": "file:../../ext", "b": "file:../Gone", "c": "file:own", "d": "1.0.0", "e": 1}
    (project.root / "Packages/own").mkdir(parents=True)
    project.write("Packages/manifest.json", json.dumps({"dependencies": named}))
    found = project.find(project.method("Fire", target("Demo.Player")))
    assert [path for path, _ in found.not_searched] == ["../../ext"]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"dependencies": []}', '{"dependencies": {}}'])
def test_a_manifest_that_names_none(project: SmallProject, text: str) -> None:
    project.script("Assets/Player.cs", 1)
    project.write("Packages/manifest.json", text)
    assert project.find(project.method("Fire", target("Demo.Player"))).not_searched == []
