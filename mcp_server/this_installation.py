"""Return the commands to type for a change of the running installation.

For docs/design/command-line.md ``doctor``. The program may be in a clone, a virtual environment, or
one from pipx or uv. There, a ``pip`` on PATH belongs to another Python.
"""

from __future__ import annotations

import filecmp
import json
import os
import shlex
import shutil
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

DISTRIBUTION = "unity-snippet"


def program() -> str:
    """Return the command that starts ``unity-cli`` here: its name, if PATH finds it."""
    found = shutil.which("unity-cli")
    # Next to Python in an environment; else, on Windows, in a folder of its own.
    places = (str(Path(sys.executable).parent), sysconfig.get_path("scripts"))
    beside = shutil.which("unity-cli", path=os.pathsep.join(places))
    if found is not None and beside is not None and _are_same(found, beside):
        return "unity-cli"
    path = beside or found
    return quoted_program(path) if path is not None else "unity-cli"


def _are_same(one: str, other: str) -> bool:
    """Return whether two files are the same program: pipx and uv link or copy it."""
    try:
        return filecmp.cmp(one, other, shallow=False)
    except OSError:
        return False


def pip_install(*requirements: str) -> str:
    """Return the command that installs ``requirements`` into the running Python."""
    words = " ".join(f'"{each}"' for each in requirements)
    if find_spec("pip") is None and shutil.which("uv") is not None:
        return f"uv pip install --python {quoted_word(sys.executable)} {words}"
    if find_spec("pip") is None and (Path(sys.prefix) / "pipx_metadata.json").is_file():
        return f"pipx inject --force {DISTRIBUTION} {words}"
    return f"{quoted_program(sys.executable)} -m pip install {words}"


def onto_path() -> str:
    """Return a sentence: how to put ``unity-cli`` on PATH, for every terminal."""
    if (Path(sys.prefix) / "pipx_metadata.json").is_file():
        return "Run pipx ensurepath."
    if (Path(sys.prefix) / "uv-receipt.toml").is_file():
        return "Run uv tool update-shell."
    origin = _origin()
    url = str(origin.get("url", ""))
    source = DISTRIBUTION
    if "vcs_info" in origin:
        source = f"{origin['vcs_info']['vcs']}+{url}"
    elif url.startswith("file:"):
        source = quoted_word(_folder_of(url))
    if shutil.which("pipx") is None and shutil.which("uv") is not None:
        return f"Run uv tool install {source}, then uv tool update-shell."
    return f"Run pipx install {source}, then pipx ensurepath."


def lacks_pythonnet(*, compiler_found: bool = False) -> str | None:
    """Return what a hosted compiler still needs, and the command for it; ``None`` if nothing."""
    from roslyn_server.toolchains.pythonnet_cache import find_pythonnet  # noqa: PLC0415 - seldom asked

    if find_pythonnet():
        return None
    command = install_roslyn(compiler_found=compiler_found)
    return f"the C# compiler is not set up (pythonnet is missing): run `{command}`"


def install_roslyn(*, compiler_found: bool = False) -> str:
    """Return the command that installs a compiler.

    With ``compiler_found``, the command fetches no compiler.
    """
    return f"{program()} roslyn install{' --no-compiler' if compiler_found else ''}"


def upgrade() -> str:
    """Return the command that updates this program from where it came."""
    origin = _origin()
    url = str(origin.get("url", ""))
    if "vcs_info" in origin:
        return pip_install("--upgrade", f"{DISTRIBUTION} @ {origin['vcs_info']['vcs']}+{url}")
    if url.startswith("file:"):
        folder = _folder_of(url)
        if origin.get("dir_info", {}).get("editable"):
            return f"git -C {quoted_word(folder)} pull"
        return f"{pip_install('--upgrade', folder)} after having updated that folder"
    return pip_install("--upgrade", DISTRIBUTION)


def _folder_of(url: str) -> str:
    from urllib.request import url2pathname  # noqa: PLC0415 - loads ssl

    return url2pathname(unquote(urlsplit(url).path))


def _origin() -> dict[str, Any]:
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 - loads email

    try:
        text = distribution(DISTRIBUTION).read_text("direct_url.json")
        found = json.loads(text) if text else {}
    except (PackageNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def quoted_word(path: str, system: str = sys.platform) -> str:
    """Return ``path`` as one word for the shell: PowerShell on Windows, else a POSIX shell."""
    if system != "win32":
        return shlex.quote(path)
    plain = all(letter.isalnum() or letter in "\\/:._-" for letter in path)
    return path if plain else "'" + path.replace("'", "''") + "'"


def quoted_program(path: str, system: str = sys.platform) -> str:
    """Return ``path`` as the program at the beginning of a command."""
    word = quoted_word(path, system)
    # PowerShell takes a quoted word for a text, unless `&` calls it.
    return f"& {word}" if system == "win32" and word != path else word
