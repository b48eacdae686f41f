"""Ask Roslyn about texts, and record its verdicts as examples of a check.

    python -m benchmarks.agreement.record "try alone" "BEFORE" "AFTER" ["AFTER" …]

The tests demand that the validator refuses those that are broken or of form, and no valid one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.agreement.oracle import Oracle, Truth

EXAMPLES = Path(__file__).parents[2] / "tests" / "fixtures" / "agreement"


def record(check: str, before: str, edited: list[str]) -> None:
    """Append an example of ``check`` for each edited text, and print what Roslyn says of it."""
    for after, verdict in zip(edited, Oracle().judge(before, edited), strict=True):
        # The embedded validator needn't know every form; it must know those of this file.
        name = "never_compiles" if verdict.truth is Truth.FORM else "structural"
        file = EXAMPLES / f"{name}.json"
        example = {
            "check": check,
            "before": before,
            "after": after,
            "roslyn": verdict.truth.value,
            "errors": list(dict.fromkeys(each.split(" ", 1)[0] for each in verdict.errors)),
        }
        examples = [*json.loads(file.read_text(encoding="utf-8")), example]
        text = json.dumps(examples, indent=1, ensure_ascii=False) + "\n"
        file.write_text(text, encoding="utf-8", newline="\n")
        print(f"{verdict.truth.value} ({file.name}): {after}", *verdict.errors, sep="\n  ")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    record(sys.argv[1], sys.argv[2], sys.argv[3:])
