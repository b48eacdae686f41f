"""Who is left of a server's processes: a file that all of them hold open tells."""

from __future__ import annotations

import os
import time
from pathlib import Path


class Witness:
    """A file that a server and everything that it starts hold open.

    A FIFO, which ends for its reader with the last writer. On Windows, which has none, a file that
    can't be renamed as long as anybody has it open.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "witness"
        self._reader = -1
        if os.name == "nt":
            self.path.touch()
        else:
            os.mkfifo(self.path)
            # A reader that doesn't wait, so that writers don't have to either.
            self._reader = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)

    @property
    def environment(self) -> dict[str, str]:
        """What the server has to be started with."""
        return {"HOSTILE_WITNESS": str(self.path)}

    def wait_until_none_is_left(self) -> None:
        """Returns once no process holds the file: for ever, if one stays."""
        if os.name == "nt":
            while not self.none_is_left():
                time.sleep(0.01)
        else:
            os.set_blocking(self._reader, True)
            assert os.read(self._reader, 1) == b""

    def none_is_left(self) -> bool:
        """Whether no process holds the file at this moment."""
        try:
            if os.name == "nt":
                renamed = self.path.rename(self.path.with_suffix(".free"))
                renamed.rename(self.path)
                return True
            return os.read(self._reader, 1) == b""
        except (BlockingIOError, PermissionError):
            return False

    def close(self) -> None:
        if self._reader >= 0:
            os.close(self._reader)
