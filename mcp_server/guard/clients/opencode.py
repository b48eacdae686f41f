"""opencode: a plugin of ours, ``opencode.js``, which runs the hook and passes its answer on.

The payload and the answer are our own form. A plugin can't keep a session from ending.
"""

from __future__ import annotations

from pathlib import Path

from mcp_server.guard.clients.adapter import TEXT, Adapter, HookFile
from mcp_server.guard.events import Moment

_FILE = "opencode/plugins/unity-snippet.js"

ADAPTER = Adapter(
    name="opencode",
    events={"tool.execute.before": Moment.BEFORE, "tool.execute.after": Moment.AFTER},
    writers=frozenset({"edit", "write", "multiedit", "apply_patch", "patch"}),
    shells=frozenset({"bash"}),
    replies={
        (Moment.BEFORE, "refuse"): {"refuse": TEXT},
        (Moment.AFTER, "tell"): {"tell": TEXT},
    },
    files=(
        HookFile(
            dict.fromkeys(("darwin", "win32"), f"~/.config/{_FILE}")
            | {"linux": f"$CONFIG/{_FILE}"},
            Path(__file__).with_name("opencode.js").read_text(encoding="utf-8"),
            own=True,
        ),
    ),
)
