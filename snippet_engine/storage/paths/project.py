"""A Unity project on disk, and where a request's path really leads (docs/design/engine.md §6).

A path is allowed if the *real* path of a regular file is inside the real ``Assets`` or
``Packages``. No file is opened before it is known to be regular, so no FIFO can make a request
wait.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.source_text import MAX_FILE_BYTES
from snippet_engine.storage.os_failure import in_use, reason_of
from snippet_engine.storage.paths.path_refusal import (
    in_package_cache,
    kind_of,
    nearest_scripts,
    not_allowed,
    refuse_other_project,
    why_no_project,
)
from snippet_engine.storage.paths.request_path import (
    FILE_ROOTS,
    MAX_PATH_LENGTH,
    PACKAGE_CACHE,
    SCRIPT_ROOTS,
    file_segments,
    outside_roots,
    parse_request_path,
)
from snippet_engine.storage.system.folder import FileTooLargeError, Folder
from snippet_engine.storage.system.names import (
    folded,
    is_link,
    link_on_the_way,
    names_alike,
    real_path,
    true_names,
    within_reach,
)
from snippet_engine.storage.system.plain_file import NotARegularFileError
from snippet_engine.storage.system.replace_file import FileInUseError

META = ".meta"
"""Suffix of the file that holds a file's GUID in Unity."""

SCRIPT = ".cs"
MAX_ASSET_BYTES = 128 * 1024 * 1024
"""Largest file of a change set other than scripts: a scene of 100 MB fits."""

_LONGEST_NAME = 255 - len(".meta")
"""Most bytes in the name of a script or folder, so that the name of its ``.meta`` is allowed,
too.
"""
_PACKAGE_CACHE = "/".join(PACKAGE_CACHE)


def why_too_long(names: Iterable[str]) -> str | None:
    """Return why a script can't have this path, to continue a sentence; ``None`` if it can."""
    if any(len(each.encode()) > _LONGEST_NAME for each in names):
        return f"has a name of over {_LONGEST_NAME} bytes, for which Unity can't make a .meta"
    return None


@dataclass(frozen=True, slots=True)
class FileSnapshot:
    """A script's content at one moment: its bytes and its status."""

    data: bytes
    status: os.stat_result


@dataclass(frozen=True, slots=True)
class ScriptPath:
    """A script that a request may name, or another file of a change set.

    Made by :class:`Project`: ``locate`` finds scripts, ``locate_file`` any existing file.
    """

    relative: str
    """The path as the request named it, with ``/``."""
    canonical: str
    """The real file's path in the same form, so that one file has one name."""
    real_root: Path
    """The real path of ``Assets`` (or ``Packages``)."""
    inside: tuple[str, ...]
    """The segments of the path below ``real_root``."""

    @property
    def real(self) -> Path:
        """Return the real path of the file."""
        return self.real_root.joinpath(*self.inside)

    @property
    def reachable(self) -> Path:
        """Return the real path in a form that the system accepts at any length."""
        return Path(within_reach(self.real))

    def lstat(self) -> os.stat_result:
        """Return the status of the file, folder or link at the real path. Raise ``OSError``."""
        # Strings: every request calls this twice, and path objects take several times as long.
        return os.lstat(within_reach(os.path.join(self.real_root, *self.inside)))  # noqa: PTH118

    @property
    def name(self) -> str:
        """The real file's name."""
        return self.inside[-1]

    @property
    def max_bytes(self) -> int:
        """Return the size above which the file is neither read nor written."""
        return MAX_FILE_BYTES if self.is_script else MAX_ASSET_BYTES

    @property
    def is_script(self) -> bool:
        """Return whether it is a C# file."""
        return self.name.endswith(SCRIPT)

    @property
    def meta(self) -> ScriptPath:
        """Return the file with the script's GUID and import settings; it need not exist."""
        inside = (*self.inside[:-1], self.name + META)
        return replace(
            self, relative=self.relative + META, canonical=self.canonical + META, inside=inside
        )

    def open_folder(self, *, in_place: bool = False) -> Folder:
        """Open the real file's folder; ``in_place`` to write in it. Raise ``OSError``."""
        return Folder.open(self.real_root, self.inside[:-1], in_place=in_place)

    def leads_to(self, folder: Folder) -> bool:
        """Return whether its folder's path still leads to the open ``folder``; true if unknown."""
        try:
            with self.open_folder() as there:
                return there.identity() == folder.identity()
        except OSError as error:
            return error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)

    def read(self) -> FileSnapshot | SnippetError:
        """Return the file's bytes now. Errors: those of :meth:`read_in`."""
        try:
            folder = self.open_folder()
        except OSError as error:
            return self.unreadable(error)
        with folder:
            return self.read_in(folder)

    def read_in(self, folder: Folder) -> FileSnapshot | SnippetError:
        """Return the file's bytes now, through its open folder.

        Errors: ``file_too_large``, ``file_not_found``, ``path_not_allowed`` if it isn't a regular
        file now.
        """
        try:
            return FileSnapshot(*folder.read(self.name, self.max_bytes))
        except OSError as error:
            return self.unreadable(error)

    def check_writable(self) -> SnippetError | None:
        """Return ``read_only`` if its owner can't write the file, even for root.

        ``None`` if there is no file.
        """
        try:
            status = self.lstat()
        except OSError:
            return None
        return self.refuse_read_only(status)

    @property
    def is_taken(self) -> bool:
        """Return whether anything has the script's name now."""
        try:
            self.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True
        return True

    def new_names(self) -> tuple[str, ...]:
        """Return the last names of the path, from the first one that doesn't exist yet."""
        folder = self.real_root
        for depth, name in enumerate(self.inside):
            folder /= name
            if not os.path.lexists(within_reach(folder)):
                return self.inside[depth:]
        return ()

    def refuse_read_only(self, status: os.stat_result) -> SnippetError | None:
        """Return ``read_only`` if the owner has no right to write.

        Return ``path_not_allowed`` if the owner has no right to read, either.
        """
        if status.st_mode & stat.S_IWUSR:
            return None
        if not status.st_mode & stat.S_IRUSR:
            return SnippetError(
                ErrorCode.PATH_NOT_ALLOWED,
                f"{show(self.relative)} can't be read: its own permissions forbid its owner to "
                "read and to write it. Change them (chmod u+rw).",
            )
        return SnippetError(
            ErrorCode.READ_ONLY,
            f"{show(self.relative)} is read-only. Under version control such as Perforce that "
            "means it is not checked out: check it out, or make it writable.",
        )

    def unreadable(self, error: OSError) -> SnippetError:
        """Return why the file, or a folder on the way to it, could not be opened."""
        path = show(self.relative)
        if isinstance(error, FileInUseError):
            return in_use(error, f"Reading {path}")
        if isinstance(error, FileTooLargeError):
            return SnippetError(
                ErrorCode.FILE_TOO_LARGE,
                f"{path} has more than {self.max_bytes:,} bytes, the limit. "
                "Edit it with another tool, or split the file.",
                details={"limit": self.max_bytes},
            )
        if isinstance(error, FileNotFoundError):
            return SnippetError(
                ErrorCode.FILE_NOT_FOUND, f"{path} no longer exists; it was there a moment ago."
            )
        link = link_on_the_way(self.real_root, self.inside[:-1])
        if link is not None:
            folder = show("/".join((self.canonical.partition("/")[0], *link)))
            return SnippetError(
                ErrorCode.PATH_NOT_ALLOWED,
                f"{path} can't be reached: {folder} is a link now. Put the folder itself back.",
            )
        if isinstance(error, NotARegularFileError) or error.errno in (errno.ELOOP, errno.ENOTDIR):
            return SnippetError(
                ErrorCode.PATH_NOT_ALLOWED,
                f"{path} changed into something else than a regular file while it was in use.",
            )
        return SnippetError(
            ErrorCode.PATH_NOT_ALLOWED,
            f"{path} can't be read: {reason_of(error)}. Check its permissions.",
        )


@dataclass(frozen=True, slots=True)
class Project:
    """A Unity project. Make one with :meth:`open`."""

    root: Path
    """Its real path."""

    @classmethod
    def open(cls, root: Path) -> Project | SnippetError:
        """Return the project at ``root``; ``invalid_request`` if that has no ``Assets`` folder."""
        real = Path(os.path.realpath(root))
        if not os.path.isdir(real / "Assets"):
            return SnippetError(ErrorCode.INVALID_REQUEST, why_no_project(real))
        return cls(real)

    def locate(self, path: str, *, for_writing: bool = False) -> ScriptPath | SnippetError:
        """Return the script that ``path`` leads to, links followed.

        Errors: ``path_not_allowed``, ``file_not_found`` (both with ``suggestion`` or ``nearest`` in
        the details if a script has that name), and for writing ``read_only`` below
        ``Library/PackageCache``.
        """
        segments = self._segments(path)
        if isinstance(segments, SnippetError):
            return segments if segments.details else self._by_name(path, segments)
        relative = "/".join(segments)
        script = self._follow(relative, os.path.join(self.root, *segments))  # noqa: PTH118
        if isinstance(script, SnippetError):
            return script
        if script.canonical.startswith(_PACKAGE_CACHE) and for_writing:
            return in_package_cache(relative)
        refused = _refuse_other_kind(script, "a C# script")
        if refused is not None and refused.code is ErrorCode.FILE_NOT_FOUND:
            return self._not_found(relative, for_writing=for_writing)
        if refused is not None:
            return refused
        if isinstance(parse_request_path(script.canonical, str(self.root)), SnippetError):
            return not_allowed(relative, "is a link to a file that is not named like a script")
        return script

    def locate_file(self, path: str) -> ScriptPath | SnippetError:
        """Return the existing file, of any kind, at a project-relative path, to be written.

        Errors: ``path_not_allowed``, ``file_not_found``, ``read_only``.
        """
        segments = file_segments(path)
        if segments is None:
            return not_allowed(path, f"is not a file below {', '.join(FILE_ROOTS)}")
        named = os.path.join(self.root, *segments)  # noqa: PTH118
        found = self._follow(path, named, FILE_ROOTS)
        if isinstance(found, SnippetError):
            return found
        if found.canonical.startswith(_PACKAGE_CACHE):
            return in_package_cache(path)
        return _refuse_other_kind(found, "a file") or found

    def locate_new(self, path: str) -> ScriptPath | SnippetError:
        """Return where a new script with this ``path`` would be, links to its folder followed.

        Its folders need not exist, and the path may be taken. Errors: ``path_not_allowed``;
        ``read_only`` below ``Library/PackageCache``.
        """
        segments = self._segments(path)
        if isinstance(segments, SnippetError):
            return segments
        relative = "/".join(segments)
        too_long = why_too_long(segments)
        if too_long is not None:
            return not_allowed(relative, too_long)
        script = self._follow(relative, os.path.join(self.root, *segments))  # noqa: PTH118
        if isinstance(script, SnippetError):
            return script
        if script.canonical.startswith(_PACKAGE_CACHE) or self._cached_package(relative):
            return in_package_cache(relative)
        if self.is_link(script):
            return not_allowed(relative, "is a link")
        above = next(
            (each for each in script.real.parents if os.path.exists(each)), script.real_root
        )
        if not os.path.isdir(above):
            return not_allowed(relative, "leads through something that is not a folder")
        return script

    def is_link(self, script: ScriptPath) -> bool:
        """Return whether the script's path, as the request named it, is a link to the file."""
        return is_link(within_reach(self.root.joinpath(*script.relative.split("/"))))

    def named(self, canonical: str) -> ScriptPath | None:
        """Return the file of a path, existing or not; ``None`` if the path isn't canonical."""
        segments = file_segments(canonical)
        if segments is None:
            return None
        return ScriptPath(canonical, canonical, self._real(segments[0]), segments[1:])

    def _real(self, folder: str) -> Path:
        return Path(real_path(str(self.root / folder)))

    def _follow(
        self, relative: str, named: str, roots: Sequence[str] = SCRIPT_ROOTS
    ) -> ScriptPath | SnippetError:
        """Return where ``named`` really leads, if that is inside one of the real ``roots``.

        This is checked before existence, so that the answer reveals nothing about other folders.
        """
        # As strings: every request comes through here, and path objects take several times as long.
        # If no link was followed, the project's folder is still real, and so are folders in it
        # without a link on the way.
        try:
            real = real_path(named)
        except OSError as error:  # on Windows, for example of a name that is too long
            return not_allowed(relative, f"can't be looked up: {reason_of(error)}")
        # The package cache first: its files are read-only, whichever root contains them.
        for root in (_PACKAGE_CACHE, *roots):
            folder = os.path.join(self.root, root)  # noqa: PTH118
            real_root = folder if real == named and self._is_plain(root) else real_path(folder)
            above = os.path.join(real_root, "")  # noqa: PTH118
            if os.path.normcase(real).startswith(os.path.normcase(above)):
                segments = real[len(above) :].split(os.sep)  # noqa: PTH206
                inside = true_names(real_root, segments)
                return ScriptPath(relative, "/".join((root, *inside)), Path(real_root), inside)
        return not_allowed(relative, "leads outside the project's Assets/ and Packages/")

    def _segments(self, path: str) -> tuple[str, ...] | SnippetError:
        segments = parse_request_path(path, str(self.root), self._spelled)
        if isinstance(segments, SnippetError) and len(path) <= MAX_PATH_LENGTH:
            return refuse_other_project(path, self.root) or segments
        return segments

    def _spelled(self, relative: str) -> str:
        top, *inside = relative.split("/")
        if not self._is_plain(top):
            return relative
        return "/".join((top, *names_alike(str(self.root / top), inside)))

    def _is_plain(self, root: str) -> bool:
        folder = str(self.root)
        for name in root.split("/"):
            folder = os.path.join(folder, name)  # noqa: PTH118
            if is_link(folder):
                return False
        return True

    def _not_found(self, relative: str, *, for_writing: bool) -> SnippetError:
        cached = self._cached_package(relative)
        if cached and for_writing:
            return in_package_cache(relative)
        nearest = [cached] if cached else nearest_scripts(self.root, SCRIPT_ROOTS, relative)
        hint = f"Did you mean {show(nearest[0])}?" if nearest else "Check the path."
        return SnippetError(
            ErrorCode.FILE_NOT_FOUND,
            f"{show(relative)} does not exist. {hint}",
            details={"nearest": nearest},
        )

    def _by_name(self, path: str, refused: SnippetError) -> SnippetError:
        """Add to ``refused`` the scripts with the same file name as ``path``, which has no root."""
        named = outside_roots(path)
        if named is None:
            return refused
        name = folded(named.rpartition("/")[2])
        near = nearest_scripts(self.root, SCRIPT_ROOTS, named)
        meant = [each for each in near if folded(each.rpartition("/")[2]) == name]
        if not meant:
            return refused
        why = f"{show(named)} is not below Assets/ or Packages/."
        details: dict[str, str | list[str]] = {"nearest": meant}
        hint = f"Did you mean {show(meant[0])}?"
        if len(meant) == 1:
            hint, details = f"Send {show(meant[0])} instead.", {"suggestion": meant[0]}
        return replace(refused, message=f"{why} {hint}", details=details)

    def _cached_package(self, relative: str) -> str | None:
        top, package, *rest = relative.split("/")
        if top != "Packages":
            return None
        for folder in sorted((self.root / _PACKAGE_CACHE).glob("*")):
            if folder.name.partition("@")[0] == package and os.path.isfile(folder.joinpath(*rest)):
                return "/".join((_PACKAGE_CACHE, folder.name, *rest))
        return None


def _refuse_other_kind(script: ScriptPath, wanted: str) -> SnippetError | None:
    """Return an error unless a regular file has the script's path."""
    try:
        mode = script.lstat().st_mode
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
            return script.unreadable(error)
        return SnippetError(ErrorCode.FILE_NOT_FOUND, f"{show(script.relative)} does not exist.")
    if stat.S_ISREG(mode):
        return None
    return not_allowed(script.relative, f"is {kind_of(mode)}, not {wanted}")
