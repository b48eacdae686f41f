"""A change set whose process was killed right after its commit: nothing else has seen it yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import SnippetError
from snippet_engine.storage.files import temporary_name
from snippet_engine.storage.records.change_record import ChangeRecord, Mark

NAMES = [f"Assets/Torn{number}.cs" for number in range(4)]
OLD = b"class Torn\n{\n    int speed = 1;\n}\n"
NEW = OLD.replace(b"speed = 1", b"speed = 2")


def raising(old: int, new: int) -> dict[str, Any]:
    """A change set of all four."""
    anchor = {"type": "text", "target": f"speed = {old};"}
    instruction = {"operation": "replace", "anchor": anchor, "newText": f"speed = {new};"}
    changes = [{"path": name, "instructions": [instruction]} for name in NAMES]
    return {"mode": "apply", "changes": changes}


def torn(project: Path) -> str:
    """Leave one in ``project``, with no name changed yet; its id."""
    for name in NAMES:
        (project / name).write_bytes(OLD)
    engine = SnippetEngine.open(project)
    assert not isinstance(engine, SnippetError)
    result = engine.edit_scripts(raising(1, 2))
    assert not isinstance(result, SnippetError), result
    change_id = str(result["changeId"])
    state = project / "Library/SnippetEngine"
    (entry,) = state.glob(f"history/*{change_id}*")
    data = entry.read_bytes()
    entry.unlink()
    decoded = ChangeRecord.decode(data)
    assert decoded is not None
    for index, slot in enumerate(decoded[0].slots):
        path = project / slot.name
        temporary = temporary_name(path.name, f"{change_id}.{index}")
        path.with_name(temporary).write_bytes(path.read_bytes())
        assert slot.image is not None
        path.write_bytes(slot.image)
    record = state / f"pending/{decoded[0].lock_keys[0]}-{change_id}.set"
    record.write_bytes(data[:-1] + Mark.NONE)
    assert texts(project) == {OLD}
    return change_id


def texts(project: Path) -> set[bytes]:
    """What its files hold by now."""
    return {(project / name).read_bytes() for name in NAMES}


def note(change_id: str, became: str = "completed") -> str:
    """What is said by whoever has ended it."""
    return f"An earlier, unfinished change was {became} first: 4 files (changeId {change_id})."
