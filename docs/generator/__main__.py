"""Write the reference pages, or with ``--check`` check that they are current."""

from __future__ import annotations

import sys
from pathlib import Path

from docs.generator.reference_pages import reference_pages

FOLDER = Path(__file__).resolve().parents[1] / "reference"


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` name those that are old; returns the exit code."""
    old = 0
    for name, text in reference_pages().items():
        file = FOLDER / name
        if file.is_file() and file.read_text(encoding="utf-8") == text:
            continue
        if "--check" in arguments:
            print(f"{file} is old. Run: python -m docs.generator", file=sys.stderr)
            old = 1
        else:
            FOLDER.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
            print(file)
    return old


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
