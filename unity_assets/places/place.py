"""A place with the symbol's name, and how it keeps working after a rename."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unity_assets.asset_file import AssetFile
    from unity_assets.index.project_index import ProjectIndex
    from unity_assets.objects import Objects, Reference
    from unity_assets.renaming import Renaming
    from unity_assets.yaml.documents import Document
    from unity_assets.yaml.edits import Edit
    from unity_assets.yaml.nodes import Entry, Node


class Reach(Enum):
    """How a place keeps working when its symbol gets another name."""

    NOTHING = "nothing but new bytes"
    ATTRIBUTE = "an attribute in C#"
    EDITOR = "Unity, which writes it anew at the next save"
    LISTED = "nothing: the place is only listed"


@dataclass(frozen=True)
class Place:
    """A place: its byte, its kind, the edits that rename it."""

    offset: int
    kind: str
    reach: Reach
    edits: tuple[Edit, ...] = ()
    why: str = ""
    lost: bool = False
    clash: str = ""
    """Why a rename is refused because of this place."""


@dataclass
class Search:
    """The data of a search that rules use: the renaming, the project's objects and files."""

    renaming: Renaming
    objects: Objects
    index: ProjectIndex
    overrides: dict[Node, dict[tuple[Reference, str], list[Node]]] = field(default_factory=dict)
    """Overrides that were looked up, by their object and property path."""


@dataclass
class Site:
    """One occurrence of the word: its document, and the entries that lead to it."""

    search: Search
    file: AssetFile
    document: Document
    chain: list[Entry]
    in_key: bool
    keys: tuple[str | int, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.keys = tuple(each.key for each in self.chain)

    @property
    def entry(self) -> Entry:
        """Return the entry that has the word, in its key or in its value."""
        return self.chain[-1]

    @property
    def value(self) -> Node:
        """Return the value of the entry that has the word."""
        return self.chain[-1].value

    @property
    def body(self) -> Node:
        """Return the properties of the document's object."""
        return self.chain[0].value

    @property
    def holder(self) -> Node:
        """Return the mapping or sequence that the entry is in."""
        return self.chain[-2].value if len(self.chain) > 1 else self.document.root


def listed(offset: int, kind: str, why: str, *, lost: bool = True) -> Place:
    """Return a place that stays, and is listed with its reason."""
    return Place(offset, kind, Reach.LISTED, why=why, lost=lost)
