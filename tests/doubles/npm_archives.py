"""Archives as npm packs them, of files in memory."""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile


def archive_of(files: dict[str, bytes]) -> bytes:
    """A gzipped tar file with these contents by name."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def integrity_of(data: bytes) -> str:
    """npm's digest of an archive."""
    return "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
