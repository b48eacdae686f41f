"""Style sheets of UI Toolkit: selectors by a control's type."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unity_assets.places.place import Place, listed

if TYPE_CHECKING:
    from unity_assets.asset_file import AssetFile
    from unity_assets.places.place import Search

_COMMENT = rb"/\*.*?\*/"
_NO_SELECTOR = rb'%b|"[^"\n]*"|\{(?:%b|[^}])*\}' % (_COMMENT, _COMMENT)
_WHY = "it selects by the type's own name: change it by hand"


def places_in_style_sheet(search: Search, file: AssetFile) -> list[Place]:
    """Return the selectors by a control's name, which another namespace may have, too."""
    facts = search.renaming.facts
    if not facts.is_visual_element or facts.kind != "type":
        return []
    name = re.escape(facts.name.encode())
    selector = rb"(?<![\w.#:\-\x80-\xff])(?P<name>%b)(?![\w\-\x80-\xff])" % name
    found = re.finditer(rb"%b|%b" % (_NO_SELECTOR, selector), file.data, re.DOTALL)
    return [listed(each.start(), "USS selector", _WHY) for each in found if each["name"]]
