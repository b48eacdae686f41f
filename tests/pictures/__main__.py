"""``python -m tests.pictures [FOLDER]``: write the pictures, into ``docs`` by default."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.pictures.guard import record_guard
from tests.pictures.renamed_scene import record_renamed_scene
from tests.pictures.session import record, session_svg
from tests.pictures.unity_window import window_svg

DOCS = Path(__file__).resolve().parents[2] / "docs"


def main(arguments: list[str]) -> int:
    """Write the pictures; returns the process's exit code."""
    folder = Path(arguments[0]) if arguments else DOCS
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {
        "session.svg": session_svg(record()),
        "guard.svg": session_svg(record_guard()),
        "renamed-scene.svg": session_svg(record_renamed_scene()),
        "unity-window.svg": window_svg(),
    }
    for name, svg in pictures.items():
        (folder / name).write_text(svg, encoding="utf-8", newline="\n")
        print(folder / name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
