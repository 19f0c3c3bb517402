"""Words for recompiles and captures that the program asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ca_reports.facts.costs import Inherent

# How it is known, behind what varied.
SEEN: dict[Inherent, str] = {
    "warm_up": "all of it in a warm-up, and no later call compiled the function",
    "switch": "switched once, and no graph from before it ran again",
    "accumulation": (
        "each step stores gradients once and adds to them after that, and both are captured once"
    ),
}
NOTHING = "nothing: these are chosen, and compiled before the first real call"
NO_EDITS = "a warm-up compiles each once, before the first real call"
# Before and behind what a fix would still save.
SAVED: dict[Inherent, str] = {
    "switch": "nothing, if both are meant: each is compiled once; to save even that, ",
    "accumulation": "nothing, if gradients are to be accumulated; to save even that capture, ",
}
COSTS: dict[Inherent, str] = {
    "accumulation": "; it fills every gradient in each step, and keeps their memory",
}
