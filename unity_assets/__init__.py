"""Unity's assets: where a C# symbol's name stands in them, and how it is renamed there.

Implements docs/design/assets.md. May import nothing but the standard library, and knows neither
C# nor requests: what is known of a symbol comes as facts. ``Assets`` finds and renames.

- ``assets``: ``Assets``, put together.
- ``facts``: what is known of a symbol; ``results``: what is answered.
- ``renaming``: the texts that a rename changes.
- ``scripts``, ``objects``: which script a GUID is, and which object a reference names.
- ``property_paths``: ``waves.Array.data[0].hp``, in parts.
- ``asset_file``: an opened file, and where words stand in it.

Folders: ``index`` finds the files, ``yaml`` reads and changes them, ``places`` has the rules.
"""

from unity_assets.assets import Assets
from unity_assets.results import Conflict, Found, Hit, Left, Renamed, StoppedError

__all__ = ["Assets", "Conflict", "Found", "Hit", "Left", "Renamed", "StoppedError"]
