"""Scripts as a checkout here has them: git may keep them with other line endings, or encoded.

Part of docs/design/command-line.md ``bundle``. A bundle is applied to files, not to what git keeps.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from pathlib import Path

from mcp_server.bundles.git_program import git_output


def as_checked_out(
    project: Path, wanted: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], bytes]:
    """Contents by git's name of them and the path in the project, as a checkout would write them.

    Raises what :func:`git_output` does. What git can't be asked for isn't in it.
    """
    asked = sorted(each for each in wanted if "\n" not in each[1])  # git reads lines
    if not asked:
        return {}
    root = git_output(project, "rev-parse", "--show-prefix").removesuffix(b"\n")
    # git tells how much it keeps, not how much it gives: what it hasn't says where each one ends.
    end = f"end-{secrets.token_hex(16)}".encode()
    given = b"".join(
        b"%s %s%s\n%s\n" % (name.encode(), root, path.encode("utf-8", "surrogateescape"), end)
        for name, path in asked
    )
    out = git_output(project, "cat-file", "--batch", "--filters", given=given)
    found: dict[tuple[str, str], bytes] = {}
    for each, answer in zip(asked, out.split(end + b" missing\n"), strict=False):
        header, _, content = answer.partition(b"\n")
        if header.split(b" ")[1:2] == [b"blob"]:
            found[each] = content.removesuffix(b"\n")
    return found


def ends_lines_as(new: bytes, checked_out: bytes, kept: bytes) -> bytes:
    """What a changed script was before: ``kept`` where only that ends its lines as ``new`` does.

    An editor may have saved a script otherwise than a checkout writes it, which git passes over.
    """
    in_new, in_checked_out, in_kept = (b"\r\n" in each for each in (new, checked_out, kept))
    return kept if in_new == in_kept and in_new != in_checked_out else checked_out
