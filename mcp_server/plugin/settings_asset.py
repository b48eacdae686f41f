"""The package's settings asset in a project: whether Unity reads it at all.

Unity loads an asset of settings only if it names the script that it is of, and takes the defaults
without a word where it doesn't: one that was written by hand, as a rule.
"""

from __future__ import annotations

import re
from pathlib import Path

from snippet_engine.storage.system.plain_file import NotARegularFileError, read_plain

SETTINGS_ASSET = Path("ProjectSettings", "UnityMcpPluginSettings.asset")
"""Where it is, from the project's folder."""

SETTINGS_SCRIPT = "c730635e6b59a900f69d073105a3dc60"
"""What names the settings' script in assets, as its ``.meta`` file in the package has it."""

_MOST_BYTES = 65_536
_SCRIPT = re.compile(rb"^\s*m_Script:\s*\{[^}\n]*\bguid:\s*([0-9a-f]{32})\b", re.MULTILINE)


def settings_problem(project: Path) -> str | None:
    """That Unity ignores the settings asset of ``project``, and what to do.

    ``None`` where it doesn't, where there is none, or where that can't be told.
    """
    try:
        asset = read_plain(project / SETTINGS_ASSET, _MOST_BYTES)
    except (IsADirectoryError, NotARegularFileError):
        return (
            f"{SETTINGS_ASSET.as_posix()} is not a regular file: Unity can't read it. Move it "
            "away: Apply under Window > Unity MCP Settings writes it anew."
        )
    except OSError:
        return None
    if b"\0" in asset:  # Unity's binary form, which nobody writes by hand
        return None
    script = _SCRIPT.search(asset)
    if asset.startswith(b"%YAML") and script and script[1].decode() == SETTINGS_SCRIPT:
        return None
    return (
        f"{SETTINGS_ASSET.as_posix()} is ignored by Unity: its m_Script is not this package's. "
        "Write it with Apply under Window > Unity MCP Settings."
    )
