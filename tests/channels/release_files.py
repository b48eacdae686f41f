"""The files that a release attaches."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Built:
    """The files of one release."""

    wheel: Path
    sdist: Path
    bundle: Path
    tarball: Path
