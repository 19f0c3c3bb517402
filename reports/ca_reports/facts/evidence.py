"""Evidence of a finding: the records of its events."""

from __future__ import annotations

from typing import Literal

from ca_engine.lazy_classes import dataclass

# Why the sizes of one input cost compiles, which decides what helps.
#   varies: each size, or each until Dynamo gives up on it
#   became_dynamic: one compile, since which any size will do
#   turned_off: dynamic sizes are turned off where it is compiled (`dynamic=False`)
#   zero_or_one: a size of 0 or 1 is compiled for by itself, also with `dynamic=True`
#   second_phase: the same, by design: a text is read at once, and then one token after another
#   of_list: each of the tensors in a list
SizeKind = Literal[
    "varies", "became_dynamic", "turned_off", "zero_or_one", "second_phase", "of_list"
]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One observation, and its place in the log: ``line`` is one-based, 0 if it has no one line."""

    text: str
    file: str = ""
    line: int = 0
