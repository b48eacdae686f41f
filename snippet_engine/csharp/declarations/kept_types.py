"""Which types of a field Unity's serializer leaves out, by how the type is written."""

from __future__ import annotations

import re
from collections.abc import Collection

_LEFT_OUT = frozenset(
    {
        *("Action", "AsyncCallback", "Comparison", "Delegate", "EventHandler", "Func"),
        *("MulticastDelegate", "Predicate", "UnityAction"),
        *("object", "dynamic", "decimal", "nint", "nuint"),
        *("DateTime", "DateTimeOffset", "Decimal", "Guid", "TimeSpan", "Type", "Uri"),
        *("Task", "ValueTask", "UniTask", "Awaitable", "Coroutine", "Thread"),
        *("CancellationToken", "CancellationTokenSource", "StringBuilder", "Regex"),
        *("ArrayList", "Hashtable", "Queue", "Stack", "Random", "Stopwatch"),
    }
)
"""Types without type arguments, and delegates, that are never kept."""

_PLAIN = re.compile(r"\w+")
_LIST = re.compile(r"List<(\w+)>")
_GENERIC_KEPT = re.compile(r"(?:UnityEvent|LazyLoadReference|AssetReferenceT)<[\w,<>\[\]]+>")
_INTERFACE = re.compile(r"I[A-Z]\w*[a-z]\w*")


def may_be_kept(type_name: str, left_out: Collection[str] = ()) -> bool:
    """Whether Unity may serialize a field of ``type_name``, which has no namespaces or spaces.

    ``left_out`` are the delegates and interfaces that the same file declares. A plain name that
    nothing is known of may be kept; of generic types, only lists of such and a few of Unity's are.
    """
    if _GENERIC_KEPT.fullmatch(type_name):
        return True
    within = _LIST.fullmatch(type_name)
    element = within[1] if within else type_name.removesuffix("[]")
    if not _PLAIN.fullmatch(element) or element in _LEFT_OUT or element in left_out:
        return False
    return not _INTERFACE.fullmatch(element)
