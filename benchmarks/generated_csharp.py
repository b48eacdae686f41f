"""C# files of any length for the benchmarks, composed from varied members, always the same.

The code is what Unity scripts are made of: fields with attributes, properties, guards, loops,
switches, coroutines, LINQ, generics, interpolated and verbatim strings, comments. Every member
has a number of its own in its names, so that any of its lines can be anchored.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

_NOUNS = (
    "speed", "health", "range", "cooldown", "score", "distance", "charge", "weight",
    "shield", "energy", "fuel", "combo", "angle", "volume", "damage", "count",
)  # fmt: skip
_VERBS = (
    "Update", "Apply", "Resolve", "Collect", "Spawn", "Track", "Reset", "Measure",
    "Queue", "Blend", "Notify", "Restore",
)  # fmt: skip
_TYPES = ("Transform", "Rigidbody", "Collider", "AudioSource", "Animator", "Camera")
_SYMBOLS = ("UNITY_EDITOR", "UNITY_IOS || UNITY_ANDROID", "!UNITY_WEBGL", "ENABLE_PROFILER")

_SEED = 20_240_229
_MEMBERS_PER_CLASS = 30


def csharp_of_lines(lines: int, *, directives: bool = False) -> str:
    """Return a file of exactly ``lines`` lines (40 at least), with ``#if`` blocks if asked."""
    body = lines - len(_FOOTER)
    text = list(_HEADER)
    for member in _members(Random(_SEED), directives):
        if len(text) + len(member) > body:
            break
        text += member
    text += [f"        private int filler{number};" for number in range(len(text), body)]
    return _joined([*text, *_FOOTER])


def csharp_of_bytes(size: int) -> str:
    """Return a file of ``size`` bytes, or at most one member more."""
    text = list(_HEADER)
    missing = size - len(_joined([*text, *_FOOTER]))
    for member in _members(Random(_SEED), directives=False):
        if missing <= 0:
            break
        text += member
        missing -= len(_joined(member))
    return _joined([*text, *_FOOTER])


def _joined(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def _class_start(noun: str, number: int) -> list[str]:
    return [
        "    /// <summary>",
        f"    /// Keeps the {noun} of everything in section {number}.",
        "    /// </summary>",
        "    [DisallowMultipleComponent]",
        f"    public sealed class {noun.capitalize()}Keeper{number} : MonoBehaviour",
        "    {",
        f"        private const int Section{number} = {number};",
    ]


_HEADER = [
    "using System;",
    "using System.Collections;",
    "using System.Collections.Generic;",
    "using System.Linq;",
    "using UnityEngine;",
    "",
    "namespace Benchmarks.Generated",
    "{",
    *_class_start("state", 0),
]
_FOOTER = ["    }", "}"]


def _members(rng: Random, directives: bool) -> Iterator[list[str]]:
    """Yield members without end, each after a blank line; now and then a new class begins."""
    makers = [
        _fields, _property, _guarded_method, _guarded_method, _loop_method, _switch_method,
        _coroutine, _linq_method, _generic_method, _text_method,
    ]  # fmt: skip
    number = 0
    while True:
        number += 1
        lines = rng.choice(makers)(rng, number)
        if directives and rng.random() < 0.2:
            symbol = rng.choice(_SYMBOLS)
            lines = [f"#if {symbol}", *lines, "#else", f"private int without{number};", "#endif"]
        yield ["", *(_indented(line) for line in lines)]
        if number % _MEMBERS_PER_CLASS == 0:
            yield ["    }", "", *_class_start(rng.choice(_NOUNS), number)]


def _indented(line: str) -> str:
    return f"        {line}" if line and not line.startswith("#") else line


def _fields(rng: Random, number: int) -> list[str]:
    noun, component = rng.choice(_NOUNS), rng.choice(_TYPES)
    return [
        f"[SerializeField, Range(0f, {rng.randint(2, 90)}f)]",
        f"private float {noun}{number} = {rng.randint(1, 99)}.5f;",
        f"private {component} target{number}; // cached in Awake",
        f"private readonly Dictionary<string, List<int>> lookup{number} =",
        "    new Dictionary<string, List<int>>();",
    ]


def _property(rng: Random, number: int) -> list[str]:
    noun = rng.choice(_NOUNS)
    return [
        f"/// <summary>The {noun}, never below zero.</summary>",
        f"public float {noun.capitalize()}{number}",
        "{",
        f"    get => current{number};",
        f"    private set => current{number} = Mathf.Max(0f, value);",
        "}",
        f"private float current{number};",
    ]


def _guarded_method(rng: Random, number: int) -> list[str]:
    noun, verb = rng.choice(_NOUNS), rng.choice(_VERBS)
    return [
        f"private void {verb}{noun.capitalize()}{number}(float {noun}{number}, bool forced)",
        "{",
        f"    if ({noun}{number} > {rng.randint(10, 999)})",
        "    {",
        f'        Debug.LogWarning("{noun} of " + name + " is out of range");',
        "        return;",
        "    }",
        "",
        f"    // Only the {rng.choice(_NOUNS)} decides from here on.",
        f"    transform.position += Vector3.up * ({noun}{number} * Time.deltaTime);",
        f"    if (forced && transform.childCount == {rng.randint(1, 9)})",
        "    {",
        f"        enabled = {noun}{number} < {rng.randint(1, 9)}.25f;",
        "    }",
        "    else",
        "    {",
        "        enabled = !enabled;",
        "    }",
        "}",
    ]


def _loop_method(rng: Random, number: int) -> list[str]:
    noun, verb = rng.choice(_NOUNS), rng.choice(_VERBS)
    return [
        f"public int {verb}All{number}(IReadOnlyList<{rng.choice(_TYPES)}> items, int limit)",
        "{",
        f"    var {noun}{number} = 0;",
        "    for (var i = 0; i < items.Count && i < limit; i++)",
        "    {",
        "        if (items[i] == null || !items[i].gameObject.activeInHierarchy)",
        "        {",
        "            continue;",
        "        }",
        "",
        f"        {noun}{number} += items[i].transform.childCount * {rng.randint(2, 9)};",
        f"        if ({noun}{number} > {rng.randint(10, 999)})",
        "        {",
        "            break;",
        "        }",
        "    }",
        f"    return {noun}{number};",
        "}",
    ]


def _switch_method(rng: Random, number: int) -> list[str]:
    first, second, third = rng.sample(_NOUNS, 3)
    return [
        f"private string Describe{number}(KeyCode key, int state)",
        "{",
        "    switch (key)",
        "    {",
        "        case KeyCode.Space when state > 0:",
        f'            return "{first}";',
        "        case KeyCode.Return:",
        "        case KeyCode.Escape:",
        f'            return state == {rng.randint(1, 9)} ? "{second}" : "{third}";',
        "        default:",
        f'            throw new ArgumentOutOfRangeException(nameof(key), "no {first} {number}");',
        "    }",
        "}",
    ]


def _coroutine(rng: Random, number: int) -> list[str]:
    noun, verb = rng.choice(_NOUNS), rng.choice(_VERBS)
    return [
        f"private IEnumerator {verb}Routine{number}(float duration)",
        "{",
        f"    var {noun}{number} = 0f;",
        f"    while ({noun}{number} < duration)",
        "    {",
        f"        {noun}{number} += Time.unscaledDeltaTime;",
        f"        transform.localScale = Vector3.one * Mathf.Lerp(1f, 2f, {noun}{number});",
        "        yield return null;",
        "    }",
        f"    yield return new WaitForSeconds({rng.randint(1, 9)}.5f);",
        "}",
    ]


def _linq_method(rng: Random, number: int) -> list[str]:
    noun = rng.choice(_NOUNS)
    return [
        f"private IEnumerable<(string name, int {noun})> Rank{number}(IEnumerable<Transform> all)",
        "{",
        "    return all",
        f"        .Where(item => item != null && item.childCount > {rng.randint(1, 9)})",
        "        .OrderByDescending(item => item.position.sqrMagnitude)",
        f"        .Select(item => (item.name, item.childCount + {number}))",
        f"        .Take({rng.randint(3, 30)});",
        "}",
    ]


def _generic_method(rng: Random, number: int) -> list[str]:
    verb = rng.choice(_VERBS)
    return [
        f"public static T {verb}Or{number}<T>(IDictionary<string, T> map, string key, T fallback)",
        "    where T : class, IComparable<T>",
        "{",
        "    if (map == null || !map.TryGetValue(key, out var found))",
        "    {",
        "        return fallback;",
        "    }",
        "    return found.CompareTo(fallback) >= 0 ? found : fallback;",
        "}",
    ]


def _text_method(rng: Random, number: int) -> list[str]:
    noun = rng.choice(_NOUNS)
    return [
        "/*",
        f' * The line shown beside the {noun} bar; braces {{ }} and "quotes" are part of it.',
        " */",
        f"public string Label{number}(int {noun}{number}, DateTime since)",
        "{",
        f"    var path = @\"Assets\\Data\\{noun}\" + '\\\\' + '\"';",
        f"    if ({noun}{number} > {rng.randint(10, 999)})",
        "    {",
        f'        return $"{{path}}: {{{noun}{number}:N0}} of {{since.Day}} {{{{max}}}}";',
        "    }",
        f'    return string.Format("{{0}} has {noun} {{1}}", name, {noun}{number});',
        "}",
    ]
