"""The demo of ``dev.py``: a real Unity package's script is edited, checked and taken back."""

import hashlib
import itertools
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from dev_environment import (
    BIN,
    NETWORK_HINT,
    PYTHON,
    ROOT,
    Command,
    StepError,
    as_typed,
    captured,
    heading,
    say,
    shown_path,
    tail,
)

PACKAGE = "com.neuecc.unirx"
SCRIPT = "Assets/Plugins/UniRx/Notifiers/CountNotifier.cs"
EDIT = {
    "operation": "replace",
    "anchor": {
        "type": "symbol",
        "symbolPath": "UniRx.CountNotifier.Increment(int)",
        "target": "incrementCount + Count > Max",
    },
    "newText": "incrementCount > Max - Count",
    "metadata": {"why": "the sum overflows when Max is int.MaxValue"},
}


def run_demo() -> int:
    """Edit one script, and check each step with another program; 0, or raise a ``StepError``."""
    project = ROOT / "build" / "demo"
    _lay_out_project(project)
    script = project / SCRIPT
    original = _sha256(script)

    heading("1. Preview: what would change? Nothing is written.")
    _call(project, "edit_snippet", {"path": SCRIPT, "mode": "preview", "instructions": [EDIT]})
    _expect(_sha256(script) == original, "the preview changed the file")
    say("The file on disk still has the hash it had before.")

    heading("2. Apply the same edit.")
    applied = _call(
        project, "edit_snippet", {"path": SCRIPT, "mode": "apply", "instructions": [EDIT]}
    )
    hash_after = _hash_after(applied)

    heading("3. Check it with another program.")
    on_disk = _independent_sha256(script)
    _expect(f"sha256:{on_disk}" == hash_after, "the file does not have the announced hash")
    say("Equal: the file on disk is, byte for byte, what hashAfter promised.")

    heading("4. Undo it.")
    _call(project, "undo_snippet", {"path": SCRIPT, "hashAfter": hash_after})
    _expect(_sha256(script) == original, "undo did not restore the original bytes")
    say("Equal again: the original bytes are back, BOM and CRLF line endings included.")
    unity_cli = as_typed([BIN / "unity-cli"])
    heading("Done. To go on")
    say(
        f"The project is in {shown_path(project)}: try other edits on it, or on your own project's."
    )
    say(f"  {unity_cli} symbols {as_typed([project / SCRIPT])}")
    say(f"  {unity_cli} --help\n  {unity_cli} doctor --project {as_typed([project])}")
    activate = as_typed([BIN / ("Activate.ps1" if os.name == "nt" else "activate")])
    say(f"unity-cli can be typed without its folder after `. {activate}`.")
    return 0


def _lay_out_project(project: Path) -> None:
    """Make a small Unity project with a real package's unedited source as its plugin.

    One that is there and was edited is moved aside: the demo itself asks for edits of it.
    """
    say(f"Laying out a Unity project in {shown_path(project)}, with {PACKAGE} got by npm")
    try:
        project.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="demo-", dir=project.parent) as scratch:
            fresh = Path(scratch) / "demo"
            _fill_project(fresh)
            aside = _put_in_place(fresh, project)
    except OSError as error:
        where = shown_path(Path(error.filename or project))
        raise StepError(
            f"{where}: {error.strerror}. See to it that {shown_path(project.parent)} is a folder "
            "that you may write in, then run this again."
        ) from None
    if aside is not None:
        say(f"What was there before was edited, and is in {shown_path(aside)} now")


def _put_in_place(fresh: Path, project: Path) -> Path | None:
    """Make ``fresh`` the project, unless that has the same; where what it had is now, if moved."""
    aside = None
    if os.path.lexists(project):
        if not project.is_symlink() and _readable_contents(project) == _contents(fresh):
            return None
        aside = _free_name(project)
        project.rename(aside)
    fresh.rename(project)
    return aside


def _fill_project(project: Path) -> None:
    """Make the project's files. Raises :class:`StepError`."""
    version = project / "ProjectSettings" / "ProjectVersion.txt"
    manifest = project / "Packages" / "manifest.json"
    for file in (version, manifest, project / SCRIPT):
        file.parent.mkdir(parents=True, exist_ok=True)
    version.write_text("m_EditorVersion: 2022.3.62f1\n", encoding="utf-8")
    manifest.write_text(
        json.dumps({"dependencies": {"com.unity.ugui": "1.0.0"}}, indent=2) + "\n",
        encoding="utf-8",
    )
    fetch = ROOT / "benchmarks" / "unity_packages.py"
    done = captured([PYTHON, fetch, PACKAGE, project / "Assets" / "Plugins" / "UniRx"])
    if done.returncode != 0:
        raise StepError(f"{tail(done).strip()}\n{NETWORK_HINT}")


def _readable_contents(project: Path) -> dict[str, str]:
    """:func:`_contents`. Raises :class:`StepError` for a file that can't be read."""
    try:
        return _contents(project)
    except OSError as error:
        where = shown_path(Path(error.filename or project))
        raise StepError(
            f"{where} can't be read: {error.strerror}. Make it readable, or move "
            f"{shown_path(project)} away, then run this again."
        ) from None


def _contents(project: Path) -> dict[str, str]:
    """The files below ``project`` with their hashes, and what is neither file nor folder; not what
    edits keep of themselves."""
    kept = {project / "Library" / "SnippetEngine", project / ".unity-snippet"}
    return {
        str(each.relative_to(project)): _sha256(each) if each.is_file() else ""
        for each in (project, *project.rglob("*"))
        if not each.is_dir() and kept.isdisjoint(each.parents)
    }


def _free_name(project: Path) -> Path:
    """A name beside ``project`` that nothing has yet."""
    names = (project.with_name(f"{project.name}-{number}") for number in itertools.count(1))
    return next(name for name in names if not os.path.lexists(name))


def _call(project: Path, tool: str, params: dict[str, object]) -> str:
    """Run ``unity-cli tool call``, showing the command and then its output; the output."""
    shown = json.dumps(params, indent=2)
    command: Command = [
        BIN / "unity-cli",
        "--project",
        project,
        "tool",
        "call",
        tool,
        "--verbose",
        "--json",
        shown,
    ]
    print(f"$ {as_typed(command)}", flush=True)
    done = captured(command)
    output: str = done.stdout
    print(output, end="", flush=True)
    print(done.stderr, end="", file=sys.stderr, flush=True)
    if done.returncode != 0:
        raise StepError(f"unity-cli ended with exit code {done.returncode}.")
    return output


def _hash_after(output: str) -> str:
    """The second of the two hashes that an edit's text result names."""
    hashes = re.findall(r"sha256:[0-9a-f]{64}", output)
    if len(hashes) < 2:
        raise StepError("the result names no hashes")
    return str(hashes[1])


def _independent_sha256(file: Path) -> str:
    """The file's SHA-256 as ``sha256sum`` prints it, or Python where there is no such program."""
    program = shutil.which("sha256sum")
    if program is None:
        found = _sha256(file)
        say(f"SHA-256 of {shown_path(file)}: {found}")
        return found
    print(f"$ {as_typed(['sha256sum', file])}", flush=True)
    done = captured([program, file])
    print(done.stdout, end="", flush=True)
    digest: str = done.stdout.lstrip("\\").split(" ", 1)[0]
    return digest


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise StepError(f"This must not happen: {otherwise}. Please report it.")
