"""Which types of a field Unity's serializer leaves out, by how the type is written."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

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

_GENERIC_LEFT_OUT = frozenset(
    {
        *("Action", "Comparison", "Converter", "EventHandler", "Func", "Predicate", "UnityAction"),
        *("Dictionary", "HashSet", "LinkedList", "List", "Queue", "Stack"),
        *("SortedDictionary", "SortedList", "SortedSet", "ConcurrentDictionary", "ConcurrentQueue"),
        *("KeyValuePair", "Lazy", "Nullable", "Tuple", "ValueTuple", "WeakReference"),
        *("NativeArray", "NativeList", "Memory", "ReadOnlyMemory", "ReadOnlySpan", "Span"),
        *("Task", "UniTask", "ValueTask", "Awaitable"),
    }
)
"""Types with type arguments that are never kept; lists of what is are told apart before."""

_PLAIN = re.compile(r"\w+")
_LIST = re.compile(r"List<(\w+)>")
_GENERIC = re.compile(r"(\w+)<[\w,<>\[\]]+>")
_GENERIC_KEPT = re.compile(r"(?:UnityEvent|LazyLoadReference|AssetReferenceT)<[\w,<>\[\]]+>")
_INTERFACE = re.compile(r"I[A-Z]\w*[a-z]\w*")


@dataclass(frozen=True, slots=True)
class DeclaredTypes:
    """Names of the types that a file declares: those that can be serialized, and others."""

    kept: Collection[str] = ()
    left_out: Collection[str] = ()


def may_be_kept(type_name: str, declared: DeclaredTypes, *, is_marked: bool) -> bool:
    """Whether Unity may serialize a field of ``type_name``, which has no namespaces or spaces.

    A plain name that nothing is known of may be kept, unless it is spelled as an interface's. So
    may be a generic type of which nothing is known where the field ``is_marked`` as one to keep.
    """
    if _GENERIC_KEPT.fullmatch(type_name):
        return True
    within = _LIST.fullmatch(type_name)
    element = within[1] if within else type_name.removesuffix("[]")
    generic = _GENERIC.fullmatch(element)
    name = generic[1] if generic else element
    if name in declared.kept:
        return generic is None or is_marked
    if generic is not None:
        return is_marked and name not in _GENERIC_LEFT_OUT and name not in declared.left_out
    if not _PLAIN.fullmatch(name) or name in _LEFT_OUT or name in declared.left_out:
        return False
    return is_marked or not _INTERFACE.fullmatch(name)
