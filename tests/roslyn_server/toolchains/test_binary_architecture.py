"""A library's header tells which processors it is for."""

import struct
import sys
from pathlib import Path

import pytest
from pretended_machine import ELF_X64, MACH_O_ARM64, MACH_O_X64, PE_X64

from roslyn_server.toolchains.machine import this_machine
from roslyn_server.toolchains.pairing import architectures

_FAT = b"\xca\xfe\xba\xbe" + struct.pack(">I", 2)
_FAT += struct.pack(">5I", 0x0100_0007, 3, 0, 0, 0) + struct.pack(">5I", 0x0100_000C, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (ELF_X64, {"x64"}),
        (ELF_X64[:18] + struct.pack("<H", 0xB7), {"arm64"}),
        (ELF_X64[:18] + struct.pack("<H", 0x1234), set()),
        (PE_X64, {"x64"}),
        (PE_X64[:-2] + struct.pack("<H", 0xAA64), {"arm64"}),
        (MACH_O_X64, {"x64"}),
        (MACH_O_ARM64, {"arm64"}),
        (_FAT, {"x64", "arm64"}),
        (b"", set()),
        (b"\x7fELF", set()),
        (b"MZ", set()),
        (b"#!/bin/sh\n", set()),
        (_FAT[:20], set()),
    ],
)
def test_headers_are_read(header: bytes, expected: set[str]) -> None:
    assert architectures(header) == expected


def test_this_python_is_for_this_architecture() -> None:
    header = Path(sys.executable).read_bytes()[:4096]
    assert this_machine().architecture in architectures(header)
