"""A drawing of *Window > Unity MCP Settings*, with the labels that the package's source has.

There is no Unity where this is made: it is a drawing, and says so. Where the source changes in a
way that is not understood here, making it fails.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "unity_bridge" / "unity_package"
WINDOW = PACKAGE / "Editor" / "Settings" / "UnityMcpSettingsWindow.cs"
VALIDATION = PACKAGE / "Editor" / "Settings" / "SettingsValidation.cs"

NOTE = "A drawing, made from the labels in the package's source. Not a screenshot."


@dataclass(frozen=True, slots=True)
class Labels:
    """What the window shows: its menu and title, its fields, and each state of the connection."""

    menu: str
    title: str
    port: str
    default_port: str
    connection: str
    states: tuple[str, ...]
    button: str


def read_labels(window: str, validation: str) -> Labels:
    """The labels in the C# source of the window. Raises ``ValueError`` if one isn't found once."""
    default_port = _only(r"const int DefaultPort = (\d+);", validation)
    body = window[window.index("string StateText()") :]
    texts = re.findall(r'return \$?"([^"]+)";', body)
    states = tuple(re.sub(r"\{[^}]*\bPort\}", default_port, text) for text in texts)
    if len(states) != body.count("return ") or any("{" in state for state in states):
        raise ValueError("a state of the connection is not understood")
    controls = re.findall(r"\bGUILayout\.(\w+)\(|EditorGUILayout\.(\w+)\(", window)
    shown = sorted({first or second for first, second in controls} - {"HelpBox"})
    if shown != ["Button", "IntField", "LabelField"]:  # a notice is not always there
        raise ValueError(f"the window has other controls than are drawn here: {shown}")
    return Labels(
        menu=_only(r'\[MenuItem\("([^"]+)"\)\]', window),
        title=_only(r'GetWindow<\w+>\("([^"]+)"\)', window),
        port=_only(r'EditorGUILayout\.IntField\("([^"]+)"', window),
        default_port=default_port,
        connection=_only(r'EditorGUILayout\.LabelField\("([^"]+)"', window),
        states=states,
        button=_only(r'GUILayout\.Button\("([^"]+)"\)', window),
    )


def window_svg() -> str:
    """The drawing, of the package as it is in this repository."""
    sources = (file.read_text(encoding="utf-8-sig") for file in (WINDOW, VALIDATION))
    return draw(read_labels(*sources))


def draw(labels: Labels) -> str:
    """The drawing: the window when all is well, and what else it can say of the connection."""
    first, *others = labels.states
    rows = [f"{labels.connection}: {state}" for state in others]
    height = 172 + 20 * len(rows) + 44
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="{height}" role="img"'
        f' viewBox="0 0 640 {height}" font-family="Inter, Segoe UI, Helvetica, sans-serif"'
        ' font-size="13">',
        f"<title>{escape(labels.menu.replace('/', ' > '))} (a drawing)</title>",
        f'<rect width="640" height="{height}" fill="#ffffff"/>',
        '<rect x="16" y="16" width="608" height="128" rx="4" fill="#383838" stroke="#191919"/>',
        '<rect x="16" y="16" width="608" height="26" rx="4" fill="#282828"/>',
        '<rect x="16" y="16" width="160" height="26" rx="4" fill="#383838"/>',
        _text(28, 34, labels.title, "#d2d2d2"),
        _text(28, 66, labels.port, "#d2d2d2"),
        '<rect x="190" y="52" width="422" height="20" rx="3" fill="#2a2a2a" stroke="#212121"/>',
        _text(198, 66, labels.default_port, "#d2d2d2"),
        _text(28, 92, labels.connection, "#d2d2d2"),
        _text(194, 92, first, "#d2d2d2"),
        '<rect x="28" y="108" width="584" height="22" rx="3" fill="#585858" stroke="#303030"/>',
        _text(320, 123, labels.button, "#eeeeee", anchor="middle"),
        _text(16, 168, "Where it is not connected, it says instead:", "#555555"),
        *(_text(28, 190 + 20 * n, row, "#222222") for n, row in enumerate(rows)),
        _text(16, height - 16, NOTE, "#555555"),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _text(x: int, y: int, text: str, fill: str, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" fill="{fill}" text-anchor="{anchor}">{escape(text)}</text>'


def _only(pattern: str, source: str) -> str:
    found = re.findall(pattern, source)
    if len(found) != 1:
        raise ValueError(f"{pattern} is found {len(found)} times")
    return str(found[0])
