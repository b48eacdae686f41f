"""Who is left of a server's processes: a FIFO that all of them hold open tells."""

from __future__ import annotations

import os
from pathlib import Path


class Witness:
    """A FIFO whose writers are a server and everything that it forks."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "witness"
        os.mkfifo(self.path)
        # A reader that doesn't wait, so that writers don't have to either.
        self._reader = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)

    @property
    def environment(self) -> dict[str, str]:
        """What the server has to be started with."""
        return {"HOSTILE_WITNESS": str(self.path)}

    def wait_until_none_is_left(self) -> None:
        """Returns once no process holds the FIFO: for ever, if one stays."""
        os.set_blocking(self._reader, True)
        assert os.read(self._reader, 1) == b""

    def none_is_left(self) -> bool:
        """Whether no process holds the FIFO at this moment."""
        try:
            return os.read(self._reader, 1) == b""
        except BlockingIOError:
            return False

    def close(self) -> None:
        os.close(self._reader)
