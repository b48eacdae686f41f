"""Whether calls are held, and for how long: one file for each project, kept over a restart."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from mcp_server.calls.private_file import write_private
from snippet_engine.storage.system.plain_file import read_plain

MIN_LIMIT_S, MAX_LIMIT_S = 10, 3600

_FILE = "hold.json"
_MAX_BYTES = 4096


@dataclass(frozen=True, slots=True)
class HoldSetting:
    """Whether calls are held."""

    is_on: bool = False
    limit_s: int = 600
    """How long a call waits for a person, in seconds."""

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Return the setting stored in ``folder``; off if there is none.

        If it can't be read it is on, because someone has used the switch.
        """
        try:
            kept = json.loads(read_plain(folder / _FILE, _MAX_BYTES))
            is_on, limit_s = kept["is_on"], kept["limit_s"]
        except (FileNotFoundError, NotADirectoryError):
            return cls()
        except (OSError, ValueError, RecursionError, KeyError, TypeError):
            return cls(is_on=True)
        if not isinstance(is_on, bool) or type(limit_s) is not int:
            return cls(is_on=True)
        return cls(is_on, max(MIN_LIMIT_S, min(limit_s, MAX_LIMIT_S)))

    def keep(self, folder: Path) -> None:
        """Store the setting durably. Raises ``OSError``."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(folder / _FILE, asdict(self), durable=True)
