"""A temporary folder whose content a rename puts in place.

Part of docs/design/systems.md "Files that others have open".
"""

from __future__ import annotations

import contextlib
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def scratch_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Make a folder in ``parent``, and remove it afterwards as far as possible."""
    folder = Path(tempfile.mkdtemp(dir=parent, prefix=prefix))
    try:
        yield folder
    finally:
        # Not tempfile's own cleanup, which loops forever over a folder that is held open.
        _make_writable(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _make_writable(folder: Path) -> None:
    """Make files writable, because Windows doesn't remove read-only files."""
    with contextlib.suppress(OSError):
        for path in folder.rglob("*"):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | stat.S_IWRITE)
