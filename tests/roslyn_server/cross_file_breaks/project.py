"""A built Unity project of three assemblies, with a library and a user for each kind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import laid_out

from cross_file_breaks.kind import FRIEND, LIBRARY, USER, Kind

REFERENCES = {LIBRARY: (), FRIEND: (), USER: (LIBRARY, FRIEND)}


def library(kind: Kind) -> str:
    """Return the path of the kind's library."""
    return f"Assets/{kind.owner}/{kind.space}.cs"


def user(kind: Kind) -> str:
    """Return the path of the kind's user."""
    return f"Assets/{kind.used_in}/{kind.space}_Use.cs"


def lay_out(root: Path, kinds: Sequence[Kind], libraries: Path, editor: str) -> None:
    """Write the project into a folder that isn't there yet; ``libraries`` has .NET's own."""
    texts = {library(each): each.library_text for each in kinds}
    texts |= {user(each): each.user_text for each in kinds}
    laid_out.project(root, editor)
    for name, references in REFERENCES.items():
        own = {path: text for path, text in texts.items() if path.startswith(f"Assets/{name}/")}
        laid_out.built(root, libraries, own, name, references)
