"""Which processors a native library is for, told by its header (ELF, PE or Mach-O).

Part of docs/design/roslyn.md §3: the runtime's architecture must be that of the Python process.
"""

from __future__ import annotations

import struct

HEADER_SIZE = 4096
"""Bytes of a library that are enough to tell."""

_ELF = {0x03: "x86", 0x28: "arm", 0x3E: "x64", 0xB7: "arm64"}
_PE = {0x014C: "x86", 0x01C4: "arm", 0x8664: "x64", 0xAA64: "arm64"}
_MACH_O = {0x0100_0007: "x64", 0x0100_000C: "arm64", 0x7: "x86"}

_MACH_O_MAGIC = b"\xcf\xfa\xed\xfe"
_MACH_O_FAT_MAGIC = b"\xca\xfe\xba\xbe"
_MAX_FAT_SLICES = 16


def architectures(header: bytes) -> frozenset[str]:
    """The architectures, as .NET names them, of a library that begins with ``header``.

    None where it is no library, or for a processor that isn't known here. A Mach-O library may
    hold several.
    """
    try:
        if header.startswith(b"\x7fELF"):
            order = ">" if header[5] == 2 else "<"
            return _known(_ELF, struct.unpack_from(f"{order}H", header, 18))
        if header.startswith(b"MZ"):
            (at,) = struct.unpack_from("<I", header, 0x3C)
            if header[at : at + 4] == b"PE\0\0":
                return _known(_PE, struct.unpack_from("<H", header, at + 4))
        if header.startswith(_MACH_O_MAGIC):
            return _known(_MACH_O, struct.unpack_from("<I", header, 4))
        if header.startswith(_MACH_O_FAT_MAGIC):
            (count,) = struct.unpack_from(">I", header, 4)
            slices = range(min(count, _MAX_FAT_SLICES))
            types = [struct.unpack_from(">I", header, 8 + 20 * each)[0] for each in slices]
            return _known(_MACH_O, types)
    except (struct.error, IndexError):
        pass
    return frozenset()


def _known(table: dict[int, str], codes: tuple[int, ...] | list[int]) -> frozenset[str]:
    return frozenset(table[code] for code in codes if code in table)
