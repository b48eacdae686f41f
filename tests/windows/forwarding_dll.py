"""A DLL without code: every export leads to a function of another library.

For libraries that extension modules load by name and that a machine lacks: ``python3.dll``, which
some builds of CPython for Windows come without, and ``bcryptprimitives.dll``, which Wine has since
9.0. Such a DLL is a PE image with one section, the export table, whose addresses are names of other
libraries' functions (*forwarders*, in Microsoft's description of the format).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

_SECTION_START = 0x1000
"""Where the section begins in memory, relative to the image."""
_FILE_ALIGNMENT = 0x200
_HEADERS = 0x200


def exported_names(image: bytes) -> list[str]:
    """The names that a 64-bit DLL exports, sorted. Raises ``struct.error`` if it is none."""
    (pe,) = struct.unpack_from("<I", image, 0x3C)
    sections, optional = struct.unpack_from("<6xH12xH", image, pe)
    (table,) = struct.unpack_from("<I", image, pe + 24 + 112)
    headers = [
        struct.unpack_from("<8xIIII", image, pe + 24 + optional + 40 * n) for n in range(sections)
    ]

    def offset(address: int) -> int:
        for size, start, _, at in headers:
            if start <= address < start + size:
                return address - start + at
        raise struct.error(f"no section holds {address:#x}")

    count, _, names = struct.unpack_from("<III", image, offset(table) + 24)
    found = []
    for (name,) in struct.iter_unpack("<I", image[offset(names) :][: 4 * count]):
        start = offset(name)
        found.append(image[start : image.index(b"\0", start)].decode("ascii"))
    return sorted(found)


def forwarding_dll(name: str, forwards: Mapping[str, str]) -> bytes:
    """A 64-bit DLL called ``name``; ``forwards`` has, for each export, ``LIBRARY.FUNCTION``."""
    section = _export_section(name, forwards)
    raw = -len(section) % _FILE_ALIGNMENT + len(section)
    image_size = _SECTION_START + (-len(section) % 0x1000 + len(section))
    dos = b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x40)
    # x86-64, one section, executable image, large addresses, DLL.
    file_header = b"PE\0\0" + struct.pack("<HHIIIHH", 0x8664, 1, 0, 0, 0, 240, 0x2022)
    optional = struct.pack(
        "<HBBIIIIIQIIHHHHHHIIIIHHQQQQII",
        *(0x20B, 14, 0, 0, raw, 0, 0, _SECTION_START, 0x180000000, 0x1000, _FILE_ALIGNMENT),
        *(6, 0, 0, 0, 6, 0, 0, image_size, _HEADERS, 0, 2, 0x160),
        *(0x100000, 0x1000, 0x100000, 0x1000, 0, 16),
    )
    directories = struct.pack("<II", _SECTION_START, len(section)).ljust(16 * 8, b"\0")
    # Initialized data, readable.
    header = struct.pack(
        "<8sIIIIIIHHI",
        b".rdata",
        len(section),
        _SECTION_START,
        raw,
        _HEADERS,
        0,
        0,
        0,
        0,
        0x40000040,
    )
    headers = dos + file_header + optional + directories + header
    return headers.ljust(_HEADERS, b"\0") + section.ljust(raw, b"\0")


def _export_section(name: str, forwards: Mapping[str, str]) -> bytes:
    exports = sorted(forwards)  # the loader searches them by halves
    count = len(exports)
    functions = _SECTION_START + 40
    names = functions + 4 * count
    ordinals = names + 4 * count
    texts_start = ordinals + 2 * count
    texts = bytearray(name.encode("ascii") + b"\0")
    name_at: list[int] = []
    forward_at: list[int] = []
    for each in exports:
        name_at.append(texts_start + len(texts))
        texts += each.encode("ascii") + b"\0"
        forward_at.append(texts_start + len(texts))
        texts += forwards[each].encode("ascii") + b"\0"
    directory = struct.pack(
        "<IIHHIIIIIII", 0, 0, 0, 0, texts_start, 1, count, count, functions, names, ordinals
    )
    return (
        directory
        + struct.pack(f"<{count}I", *forward_at)
        + struct.pack(f"<{count}I", *name_at)
        + struct.pack(f"<{count}H", *range(count))
        + bytes(texts)
    )
