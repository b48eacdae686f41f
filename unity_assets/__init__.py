"""Find and rename a C# symbol's names in Unity's assets.

Implements docs/design/assets.md. May import nothing but the standard library, and knows neither C#
nor requests: callers pass a symbol's facts. ``Assets`` finds and renames.

- ``assets``: ``Assets``, put together.
- ``facts``: a symbol's facts; ``results``: the answers.
- ``renaming``: the texts that a rename changes.
- ``scripts``, ``objects``: which script a GUID is, and which object a reference names.
- ``property_paths``: ``waves.Array.data[0].hp``, in parts.
- ``asset_file``: an opened file, and the offsets of words in it.

Folders: ``index`` finds the files, ``yaml`` reads and changes them, ``places`` has the rules.
"""

from unity_assets.assets import Assets
from unity_assets.results import Conflict, Found, Hit, Left, Renamed, StoppedError

__all__ = ["Assets", "Conflict", "Found", "Hit", "Left", "Renamed", "StoppedError"]
