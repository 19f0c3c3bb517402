"""CA203."""

from __future__ import annotations

from collections import Counter
from math import gcd
from statistics import median_low
from typing import TYPE_CHECKING

from ca_reports.facts.events import ACCUMULATE_GRAD
from ca_reports.findings import Subject
from ca_reports.rules.base import SPECIFIC, Match, Rule, capture_events
from ca_reports.rules.structure import (
    by_call,
    compared,
    forward_line,
    makes_other_nodes,
    node_counts,
    node_gain,
)
from ca_reports.text.numbers import agreeing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.model import Change


# The key of such a finding.
UNROLL = "unroll"


class Unroll(Rule):
    """A Python loop of varying length is unrolled into the autograd graph.

    ## What it is

    The data decide how many iterations a loop over time steps, refinement steps or tokens has.
    Each iteration adds the same group of nodes, with the same parameters. An LSTM or GRU on a
    CPU is such a loop, inside torch.

    ## Why it costs

    Every iteration count that occurs is another graph, and the time to capture and compile it
    grows with that count.

    ## Example

        for x in sequence:                 # as many as this batch is long
            state = self.cell(x, state)

    ## What to do

    Pad to one length and mask: `state = torch.where(kept, self.cell(x, state), state)`. If that
    wastes too much, sort the data into a few lengths: each costs one capture.

    ## Measured

    6 captures and 6 compiles became 1 and 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    The rule sees that node counts differ by multiples of one group while the parameters stay
    the same. A shared layer applied a random number of times looks like such a loop. Where the
    first round makes other nodes than the next ones, the counts alone look like a branch (CA202);
    then the program's source tells that a loop with a variable count is around them.
    """

    code = "CA203"
    name = "unroll"
    needs_recorder = True
    located_in_forward = True
    leaves_largest = True

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for group in by_call(compared(facts)):
            first = facts.captures[0]
            family = [first, *group] if first.line == group[0].line else list(group)
            unrolled = _Unrolled.find(family)
            if unrolled is None:
                continue
            own = {found.capture.id for found in group}
            recaptures = [found for found in unrolled.captures if found.capture.id in own]
            if not recaptures:
                continue
            repeats = agreeing(unrolled.group.total(), "repeats", "repeat")
            yield Match(
                message=(
                    f"{node_counts(unrolled.group)} {repeats} {unrolled.told} times: "
                    "a Python loop of varying length"
                ),
                fix=(
                    "run the same number of iterations every step: pad to one length "
                    f"({unrolled.longest} was the largest seen) and mask the rest with "
                    "`torch.where`"
                ),
                events=capture_events(recaptures),
                noticed_at=group[0].line,
                location=forward_line(recaptures, unrolled.repeats),
                evidence=tuple(found.evidence for found in recaptures),
                confidence="high" if len(unrolled.times) > 2 else "medium",
                key=UNROLL,
                subject=Subject(values=tuple(unrolled.times)),
                specificity=SPECIFIC + 3,
                explains=makes_other_nodes,
            )


class _Unrolled:
    """Captures whose graphs differ in how often ``group`` is repeated, and nothing else.

    ``times`` are the iteration counts, exact only if no other code makes nodes of the group.
    """

    def __init__(
        self, group: Counter[str], captures: Sequence[CaptureFacts], times: Sequence[int]
    ) -> None:
        self.group = group
        self.captures = captures
        self.times = sorted(set(times))

    def repeats(self, change: Change) -> bool:
        return change.name in self.group

    @property
    def longest(self) -> int:
        return self.times[-1]

    @property
    def told(self) -> str:
        first, *others, last = self.times
        if last - first == len(others) + 1:
            return f"{first}–{last}"
        return ", ".join(map(str, (first, *others))) + f" or {last}"

    @classmethod
    def find(cls, family: Sequence[CaptureFacts]) -> _Unrolled | None:
        """The group that all of ``family`` repeat, as far as they do; None if they do not."""
        base = family[0]
        if not base.nodes:
            return None
        captures = [base]
        gains: list[Counter[str]] = []
        group: Counter[str] | None = None
        for found in family[1:]:
            gain = node_gain(found, base)
            unit = _unit(gain)
            # What is a multiple of a group has the same smallest one.
            if unit is None or (group is not None and unit != group):
                continue
            group = unit
            captures.append(found)
            gains.append(gain)
        if group is None:
            return None
        # How often the base repeats it: some nodes are one less, where the first state needs no
        # gradient, and other code has some more.
        rounds = median_low(base.node_names[name] // number for name, number in group.items())
        times = [rounds] + [rounds + (_multiple(gain, group) or 0) for gain in gains]
        # Two graphs that differ by one more of a kind are no loop yet: a branch is likelier.
        repeated = len(set(times)) > 2 or (len(group) > 1 and max(times) > 2)
        return cls(group, captures, times) if repeated and min(times) >= 0 else None


def _unit(gain: Counter[str]) -> Counter[str] | None:
    """The smallest group of which ``gain`` is a multiple; None if it is none.

    None too where leaves come or go: a loop uses the same parameters in every round.
    """
    values = list(gain.values())
    if not values or ACCUMULATE_GRAD in gain:
        return None
    if not (all(value > 0 for value in values) or all(value < 0 for value in values)):
        return None
    divisor = gcd(*values)
    return Counter({name: abs(value) // divisor for name, value in gain.items()})


def _multiple(gain: Counter[str], group: Counter[str]) -> int | None:
    """Count ``group`` in ``gain``, negative if it is gone; None if it does not fit."""
    if set(gain) != set(group):
        return None
    quotients = {divmod(gain[name], number) for name, number in group.items()}
    if len(quotients) != 1:
        return None
    quotient, rest = quotients.pop()
    return quotient if rest == 0 else None
