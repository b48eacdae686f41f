"""A real file system that ignores letter case, as macOS' and Windows' do: exFAT in a file.

Linux mounts it for root, with Debian's ``exfatprogs`` and ``exfat-fuse`` or by itself.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_SIZE = 16 * 1024 * 1024


@contextmanager
def mounted_exfat(folder: Path) -> Iterator[Path]:
    """An empty exFAT volume, mounted below ``folder``; the test is skipped where that can't be."""
    make = shutil.which("mkfs.exfat")
    if make is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("needs root and mkfs.exfat to mount a file system that ignores case")
    image, place = folder / "exfat.image", folder / "exfat"
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(_SIZE)
    subprocess.run([make, image], check=True, capture_output=True)
    device = _output("losetup", "--find", "--show", str(image))
    try:
        if not _mount(device, place):
            pytest.skip("exFAT can't be mounted here")
        try:
            yield place
        finally:
            subprocess.run(["umount", "--lazy", place], check=True)
    finally:
        subprocess.run(["losetup", "--detach", device], check=True)


def _mount(device: str, place: Path) -> bool:
    # In user space first: the kernel's needs a module.
    programs = (["mount.exfat-fuse"], ["mount", "-t", "exfat"])
    return any(
        shutil.which(program[0])
        and not subprocess.run(
            [*program, device, place], check=False, capture_output=True
        ).returncode
        for program in programs
    )


def _output(*command: str) -> str:
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no loop device here: {error}")
    return done.stdout.strip()
