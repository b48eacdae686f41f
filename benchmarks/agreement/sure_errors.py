"""Errors that no missing reference can cause: a text with one never compiles.

Roslyn is asked with the runtime's core library alone, so that most of what it says is about
names that it doesn't know. The ids below follow from the file's own text. Left out are those that
hang on what a name means (it may be inherited from an unknown base) and on what is reached (a
condition may be a constant that isn't known), however likely they are.
"""

from __future__ import annotations

_BY_REASON: dict[str, str] = {
    "modifiers stand in the text": (
        "CS0106 CS0107 CS0112 CS0238 CS0267 CS0275 CS0418 CS0503 CS0513 CS0515 CS0524 CS0567 "
        "CS0621 CS0681 CS0751 CS0753 CS1004 CS1057 CS1107 CS1609 CS1671 CS8112"
    ),
    "a member's body is there or it isn't": (
        "CS0065 CS0073 CS0500 CS0501 CS0514 CS0531 CS0548 CS0840 CS1007 CS1008 CS8050 CS8051 "
        "CS8052 CS8053 CS8180"
    ),
    "what a namespace, interface, struct or static class can hold": (
        "CS0116 CS0525 CS0526 CS0568 CS0573 CS0574 CS0575 CS0708 CS0710 CS0713 CS0715 CS0720 "
        "CS1520 CS1521 CS1527 CS7000 CS7021"
    ),
    "statements outside of types are a program's, and Unity compiles libraries": (
        "CS8802 CS8803 CS8804 CS8805 CS8937"
    ),
    "a form that is no statement, no target, no variable, no operand": (
        "CS0131 CS0132 CS0201 CS1023 CS1059 CS1611 CS1612 CS8057 CS8598 CS8715 CS0439"
    ),
    "no loop, iterator, async function or object is around it": (
        "CS0026 CS0027 CS0139 CS0153 CS0157 CS0175 CS0127 CS1511 CS1512 CS1621 CS1625 CS1626 "
        "CS1627 CS1629 CS1631 CS1992 CS1995 CS1996 CS4032 CS4033 CS4034 CS7020"
    ),
    "a declaration's own parts: values, sizes, types left out or too many": (
        "CS0145 CS0209 CS0210 CS0270 CS0443 CS0622 CS0623 CS0670 CS0818 CS0819 CS0820 CS0821 "
        "CS0822 CS0825 CS1547 CS1551 CS1575 CS1586 CS1641 CS1642 CS7003 CS7014 CS8172 CS8174"
    ),
    "parameters, their order and modifiers": (
        "CS0231 CS0257 CS0449 CS0450 CS1100 CS1105 CS1106 CS1109 CS1737 CS1741 CS1743 CS1751 CS1988"
    ),
    "two of one name in one place, both in the file": (
        "CS0100 CS0101 CS0102 CS0111 CS0128 CS0136 CS0140 CS0152 CS0412 CS0542 CS0692 CS0841 CS0844"
    ),
    "an alias is declared in the file itself": "CS0431 CS0432 CS1537 CS1681",
    "pointers need unsafe, which stands in the text": "CS0214 CS0227",
    "what the language version lacks": ("CS8370 CS8400 CS8652 CS8703 CS8706 CS8773 CS8967"),
}

SURE: dict[str, str] = {id_: reason for reason, ids in _BY_REASON.items() for id_ in ids.split()}
"""Each id, and why no reference rescues what has it."""
