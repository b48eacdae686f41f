"""All kinds of changes that break a file which uses the changed one."""

from __future__ import annotations

from cross_file_breaks.kind import Kind
from cross_file_breaks.member_kinds import MEMBERS
from cross_file_breaks.method_kinds import METHODS
from cross_file_breaks.type_kinds import TYPES
from cross_file_breaks.use_kinds import USES

KINDS: tuple[Kind, ...] = (*METHODS, *MEMBERS, *TYPES, *USES)
