"""All kinds of changes that break a file which uses the changed one."""

from __future__ import annotations

from benchmarks.cross_file_breaks.kind import Kind
from benchmarks.cross_file_breaks.member_kinds import MEMBERS
from benchmarks.cross_file_breaks.method_kinds import METHODS
from benchmarks.cross_file_breaks.type_kinds import TYPES
from benchmarks.cross_file_breaks.use_kinds import USES

KINDS: tuple[Kind, ...] = (*METHODS, *MEMBERS, *TYPES, *USES)
