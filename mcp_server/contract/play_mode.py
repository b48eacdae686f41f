"""Whether the Editor came, or is on its way, to the play mode that it accepted to go to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def play_mode_reached(result: Mapping[str, Any]) -> bool:
    """Whether a result of ``control_play_mode`` has the Editor where its ``action`` leads, or going
    there."""
    action, playing = result["action"], result["is_playing"]
    will_play = result["is_playing_or_will_change_playmode"]
    if action == "start":
        return bool(playing or will_play)
    if action == "pause":
        return bool(result["is_paused"])
    return not (playing and will_play)
