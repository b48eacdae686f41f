"""The pictures of the documentation, against what they show."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.pictures.guard import record_guard  # noqa: E402
from tests.pictures.renamed_scene import record_renamed_scene  # noqa: E402
from tests.pictures.session import record, session_svg  # noqa: E402
from tests.pictures.unity_window import (  # noqa: E402
    NOTE,
    VALIDATION,
    WINDOW,
    read_labels,
    window_svg,
)

ANEW = "run: python -m tests.pictures"


def texts(svg: str) -> list[str]:
    """The texts of a picture, in order."""
    return [
        unescape("".join(each.itertext())).replace("\xa0", " ").rstrip()
        for each in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
@pytest.mark.parametrize(
    ("name", "recorded", "words"),
    [
        ("session", record, ("offer 1", "applied", "undone", "amount <= 0 || !IsAlive")),
        ("guard", record_guard, ("CS1026", "edit_snippet", "!IsAlive return")),
        (
            "renamed-scene",
            record_renamed_scene,
            ("m_MethodName: set_Pace", "propertyPath: <Pace>k__BackingField"),
        ),
    ],
)
def test_a_session_is_what_the_commands_show_today(
    name: str, recorded: Callable[[], Any], words: tuple[str, ...]
) -> None:
    kept = texts((ROOT / "docs" / f"{name}.svg").read_text(encoding="utf-8"))
    assert kept == texts(session_svg(recorded())), ANEW
    for word in words:
        assert word in " ".join(kept)


def test_the_window_has_the_labels_of_the_source() -> None:
    kept = (ROOT / "docs" / "unity-window.svg").read_text(encoding="utf-8")
    assert kept == window_svg(), ANEW
    assert NOTE in texts(kept)
    assert "connected to port 48091" in texts(kept)


def test_a_change_of_the_window_that_is_not_drawn_is_noticed() -> None:
    window = WINDOW.read_text(encoding="utf-8-sig")
    validation = VALIDATION.read_text(encoding="utf-8-sig")
    assert read_labels(window.replace('"Port"', '"Server port"'), validation).port == "Server port"
    more = window.replace("GUI.FocusControl(null);", 'EditorGUILayout.Toggle("On", true);')
    for changed in (more, window.replace('IntField("Port"', "IntField(Names.Port")):
        assert changed != window
        with pytest.raises(ValueError, match=r"found 0 times|other controls"):
            read_labels(changed, validation)


def test_the_pictures_need_nothing_from_elsewhere() -> None:
    for name in ("session.svg", "unity-window.svg"):
        svg = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert re.findall(r'(?:href=|url\()["\']?https?:', svg) == []
        for document in ("README.md", "quickstart.md"):
            assert f"docs/{name}" in (ROOT / document).read_text(encoding="utf-8")
