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
    return is_marked or not is_like_an_interface(name)


def is_like_an_interface(name: str) -> bool:
    """Whether a type is spelled as interfaces are, which says nothing for sure."""
    return _INTERFACE.fullmatch(name) is not None


_NAMES = {
    **{"SByte": "sbyte", "Byte": "byte", "Int16": "short", "UInt16": "ushort"},
    **{"Int32": "int", "UInt32": "uint", "Int64": "long", "UInt64": "ulong"},
    **{"Boolean": "bool", "Char": "char", "Single": "float", "Double": "double"},
    "String": "string",
}
"""The runtime's names of what C# has words for."""

_BITS = {
    **{"sbyte": (7, 7), "short": (15, 15), "int": (31, 31), "long": (63, 63)},
    **{"byte": (0, 8), "ushort": (0, 16), "uint": (0, 32), "ulong": (0, 64)},
}
"""Of each type of whole numbers, how many bits it has below zero and above."""


def keeps_value(old: str, new: str) -> bool:
    """Whether a value that Unity kept of the type ``old`` is read as one of ``new``, unchanged.

    A list is kept as an array is, and a whole number by its digits.
    """
    was, becomes = as_kept(old), as_kept(new)
    if was == becomes:
        return True
    if was.endswith("[]") != becomes.endswith("[]"):
        return False
    bits, room = (_BITS.get(each.removesuffix("[]")) for each in (was, becomes))
    return bits is not None and room is not None and bits[0] <= room[0] and bits[1] <= room[1]


def as_kept(type_name: str) -> str:
    """``type_name`` in the words of C#, a list as an array."""
    within = _LIST.fullmatch(type_name)
    element = within[1] if within else type_name.removesuffix("[]")
    is_many = element != type_name
    return _NAMES.get(element, element) + ("[]" if is_many else "")
