"""The assets of the generated project: each field stands in as many as it says, always the same."""

from __future__ import annotations

from pathlib import Path

from benchmarks.rename.generated_assets import Stored, write_assets
from unity_assets import Assets


def test_a_field_stands_in_so_many_assets(tmp_path: Path) -> None:
    roots = [tmp_path / "one", tmp_path / "other"]
    for root in roots:
        (root / "Assets").mkdir(parents=True)
        write_assets(root, [Stored("sought", 3, 5)], scripts=9, assets=40, size=200_000)
    one, other = (
        {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in roots
    )
    assert one == other
    assert len(one) == 80
    assert sum(b"sought" in data for data in one.values()) == 5
    assert 100_000 < sum(map(len, one.values())) < 400_000


def test_half_of_them_have_an_override_of_it(tmp_path: Path) -> None:
    (tmp_path / "Assets").mkdir()
    write_assets(tmp_path, [Stored("sought", 3, 5)], scripts=9, assets=40, size=100_000)
    script = tmp_path / "Assets" / "Component3.cs"
    script.write_text("class Component3 { }\n")
    script.with_name("Component3.cs.meta").write_text(f"guid: {4:032x}\n")
    own = {"namespace": "", "name": "Component3", "assembly": "Assembly-CSharp"}
    holder = {"type": own, "scripts": ["Assets/Component3.cs"], "managed": False, "paths": [""]}
    facts = {
        **{"name": "sought", "kind": "field", "type": own, "key": "sought", "holders": [holder]},
        **{"declarations": [], "renamedTypes": [], "targets": [], "parameters": None},
        **{
            "overloads": [],
            "sameName": 0,
            "isVisualElement": False,
            "managed": [],
            "keepsKey": True,
        },
    }
    kinds = [each.kind for each in Assets(tmp_path, None).find(facts).hits]
    assert sorted(kinds) == ["override"] * 2 + ["serialized value"] * 3
