"""The shell commands that a page of the documentation prints."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def bash_blocks(page: str) -> list[str]:
    """Return the page's blocks of shell commands, in order.

    A block that can't run in a test has a comment above it: ``<!-- not run: REASON -->``.
    """
    found = re.finditer(
        r"(?P<mark><!-- not run: .+? -->\s+)?^(?P<indent> *)```bash\n(?P<code>.*?)^ *```$",
        (ROOT / page).read_text(encoding="utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    return [
        re.sub(f"^{each['indent']}", "", each["code"], flags=re.MULTILINE)
        for each in found
        if each["mark"] is None
    ]
