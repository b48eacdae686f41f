"""Scripts for which there is no room where git has them: command-line.md ``bundle``."""

from __future__ import annotations

import pytest

from mcp_server.bundles.git_program import TreeEntry
from mcp_server.bundles.left_out import without_crowded
from snippet_engine.changes.between import ScriptChange

TEXT = b"class A { }\n"
FILES = ("Assets/A.cs", "Assets/Sub/B.cs")
TREE = {
    **{path: TreeEntry("1", is_folder=False) for path in FILES},
    **{path: TreeEntry("2", is_folder=True) for path in ("Assets", "Assets/Sub")},
}


def new(*paths: str) -> list[ScriptChange]:
    return [ScriptChange(path, None, TEXT) for path in paths]


def told(*scripts: ScriptChange) -> dict[str, str]:
    kept, unmade = without_crowded(scripts, TREE)
    assert len(kept) + len(unmade) == len(scripts)
    return {each.path: each.reason for each in unmade}


@pytest.mark.parametrize(
    ("scripts", "names"),
    [
        (new("Assets/a.cs"), {"Assets/a.cs": "Assets/A.cs exists already"}),
        (new("Assets/sub/T.cs"), {"Assets/sub/T.cs": "Assets/Sub exists already"}),
        (
            new("Assets/K.cs", "Assets/k.cs", "Assets/L.cs"),
            {"Assets/K.cs": "Assets/k.cs is new", "Assets/k.cs": "Assets/K.cs is new"},
        ),
        (
            new("Assets/New/K.cs", "Assets/new/L.cs"),
            {"Assets/New/K.cs": "Assets/new is new", "Assets/new/L.cs": "Assets/New is new"},
        ),
        (
            new("Assets/\u00e9.cs", "Assets/e\u0301.cs"),
            {
                "Assets/\u00e9.cs": "Assets/e\u0301.cs is new",
                "Assets/e\u0301.cs": "Assets/\u00e9.cs is new",
            },
        ),
        (new("Assets/A.cs/In.cs"), {"Assets/A.cs/In.cs": "Assets/A.cs is a file"}),
    ],
)
def test_what_apply_would_refuse_is_told(
    scripts: list[ScriptChange], names: dict[str, str]
) -> None:
    reasons = told(*scripts)
    assert reasons.keys() == names.keys()
    assert {path: reasons[path].startswith(why) for path, why in names.items()} == dict.fromkeys(
        names, True
    )


def test_a_spelling_that_is_left_is_free() -> None:
    moved = ScriptChange("Assets/A.cs", TEXT, TEXT, "Assets/a.cs")
    assert told(moved) == {}
    assert told(ScriptChange("Assets/A.cs", TEXT, None), *new("Assets/a.cs")) == {}
    assert told(ScriptChange("Assets/A.cs", TEXT, TEXT + b"\n"), *new("Assets/B.cs")) == {}


def test_what_is_left_out_is_in_the_way_of_others() -> None:
    """It would have left the path that another one is to have, by another spelling."""
    reasons = told(
        ScriptChange("Assets/A.cs", TEXT, TEXT, "Assets/sub/A.cs"),
        *new("Assets/a.cs", "Assets/C.cs"),
    )
    assert reasons.keys() == {"Assets/sub/A.cs", "Assets/a.cs"}
    assert "depends on Assets/sub/A.cs" in reasons["Assets/a.cs"]
