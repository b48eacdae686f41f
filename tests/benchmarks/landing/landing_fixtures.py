"""A small script in two versions, and what the landing benchmark makes of their difference."""

from __future__ import annotations

from random import Random

from benchmarks.landing.intent import Intent
from benchmarks.landing.packages import Change
from benchmarks.landing.phrasing import word
from benchmarks.landing.true_edits import TrueEdit, true_edits
from benchmarks.landing.wording import Wording

OLD = """\
using System;
using UnityEngine;

namespace Game
{
    /// <summary> Moves the player over the ground and keeps
    /// what it has met on its way in mind for later. </summary>
    public class Player : MonoBehaviour
    {
        private const string Name = "player café";
        private float speed = 10f;
        private float health = 10f;

        private void Update()
        {
            if (speed > 10)
            {
                // The body is asked for each time, since it may have been
                // replaced by another one meanwhile.
                Rigidbody body = GetComponent<Rigidbody>();
                body.velocity = transform.forward * speed;
                speed = Clamp(speed - 1, 10);
                health = Clamp(health, 10);
            }
        }

        private float Clamp(float value, float most)
        {
            return value > most ? most : value;
        }

        private void Heal()
        {
            Debug.Log("healed");
            health = Clamp(health, 20);
        }

        private void Revive()
        {
            Debug.Log("healed");
            health = Clamp(health, 20);
        }

        private void Reset()
        {
            speed = Clamp(speed, 10);
            Debug.Log("reset - " + Name);
            Debug.Log("speed is " + speed);
            health = Clamp(health, 10);
        }
    }
}
"""

HUNKS = 5

NEW = (
    OLD.replace("transform.forward * speed;", "transform.forward * Mathf.Max(speed, health);")
    .replace("value > most ? most : value", "Mathf.Min(value, most)")
    .replace('Debug.Log("speed is " + speed);', "enabled = false;")
    .replace(
        "health, 20);\n        }\n\n        private void Reset",
        "health, 25);\n        }\n\n        private void Reset",
    )
    .replace("private float speed = 10f;", "private float speed = 12f;")
)


def edits(old: str = OLD, new: str = NEW, *, newline: str = "\n") -> list[TrueEdit]:
    """The edits of the change, as they come from a package."""
    data = [text.replace("\n", newline).encode() for text in (old, new)]
    return list(true_edits([Change("somebody/game", "Runtime/Player.cs", data[0], data[1])]))


def worded(edit: TrueEdit, seed: int) -> Intent:
    """The edit as an agent says it."""
    wording: Wording | None = word(edit, Random(seed))
    assert wording is not None
    return Intent.of(edit, wording)


def intents() -> list[Intent]:
    """Every edit in many ways of saying it."""
    return [worded(edit, seed) for edit in edits() for seed in range(25)]
