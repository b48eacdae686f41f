"""Whether Unity reads the package's settings asset in a project.

Unity loads such an asset only if it names its script; otherwise Unity silently takes the defaults.
An asset that was written by hand usually does not.
"""

from __future__ import annotations

import re
from pathlib import Path

from snippet_engine.storage.system.plain_file import NotARegularFileError, read_plain

SETTINGS_ASSET = Path("ProjectSettings", "UnityMcpPluginSettings.asset")
"""Its path in the project."""

SETTINGS_SCRIPT = "c730635e6b59a900f69d073105a3dc60"
"""The GUID of the settings' script, from its ``.meta`` file in the package."""

_MOST_BYTES = 65_536
_SCRIPT = re.compile(rb"^\s*m_Script:\s*\{[^}\n]*\bguid:\s*([0-9a-f]{32})\b", re.MULTILINE)


def settings_problem(project: Path) -> str | None:
    """Return why Unity ignores the settings asset of ``project``, and what to do, if it does."""
    try:
        asset = read_plain(project / SETTINGS_ASSET, _MOST_BYTES)
    except (IsADirectoryError, NotARegularFileError):
        return (
            f"{SETTINGS_ASSET.as_posix()} is not a regular file: Unity can't read it. Move it "
            "away, then write it with Apply under Window > Unity MCP Settings."
        )
    except OSError:
        return None
    if b"\0" in asset:  # Unity's binary form, which is not written by hand
        return None
    script = _SCRIPT.search(asset)
    if asset.startswith(b"%YAML") and script and script[1].decode() == SETTINGS_SCRIPT:
        return None
    return (
        f"{SETTINGS_ASSET.as_posix()} is ignored by Unity: its m_Script is not this package's. "
        "Write it with Apply under Window > Unity MCP Settings."
    )
