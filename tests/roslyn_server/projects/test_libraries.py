"""Libraries that no build knows, and that came with old times."""

from pathlib import Path

import pytest
from built_project import BuiltProject

_LIBRARY = "Assets/Plugins/Foo.dll"


def _meta(*, any_: int, editor: int, excluded: int = 0, more: str = "") -> str:
    return f"""\
fileFormatVersion: 2
guid: 0123
PluginImporter:
  serializedVersion: 2
{more or "  defineConstraints: []"}
  platformData:
  - first:
      : Any
    second:
      enabled: 0
      settings:
        Exclude Editor: {excluded}
  - first:
      Any:{" "}
    second:
      enabled: {any_}
      settings: {{}}
  - first:
      Editor: Editor
    second:
      enabled: {editor}
      settings:
        DefaultValueInitialized: true
"""


@pytest.fixture
def project(tmp_path: Path) -> BuiltProject:
    """A project with a library that its build doesn't know, and that is older."""
    made = BuiltProject(tmp_path)
    made.write("Assets/Player.cs", "class Player { }")
    made.built("Assembly-CSharp", '"Assets/Player.cs"')
    made.write(_LIBRARY, "MZ BSJB", when=1)
    return made


@pytest.mark.parametrize(
    "meta", [_meta(any_=1, editor=0), _meta(any_=0, editor=1), _meta(any_=0, editor=1, excluded=1)]
)
def test_one_that_unity_would_have_referred_to_is_new(project: BuiltProject, meta: str) -> None:
    project.write(f"{_LIBRARY}.meta", meta, when=1)
    assert f"{_LIBRARY} was added" in project.unknown()["Assembly-CSharp"]


@pytest.mark.parametrize(
    "meta",
    [
        _meta(any_=0, editor=0),
        _meta(any_=1, editor=0, excluded=1),
        _meta(any_=1, editor=0, more="  isExplicitlyReferenced: 1"),
        _meta(any_=1, editor=0, more="  defineConstraints:\n  - NOT_THERE"),
    ],
)
def test_one_that_unity_passes_over_is_not(project: BuiltProject, meta: str) -> None:
    project.write(f"{_LIBRARY}.meta", meta, when=1)
    assert project.unknown() == {}
