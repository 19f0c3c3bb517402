"""CA203."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import replace
from math import gcd
from statistics import median_low
from typing import TYPE_CHECKING

from ca_reports.causes.findings import OtherNodes, RepeatedNodes, Subject
from ca_reports.causes.located import branches, rounds
from ca_reports.causes.rules.base import SPECIFIC, Match, Rule, of_captures
from ca_reports.causes.rules.structure import (
    by_call,
    compared,
    forward_line,
    makes_other_nodes,
    node_counts,
    node_gain,
)
from ca_reports.facts.events import ACCUMULATE_GRAD
from ca_reports.sentences.places import in_brief
from ca_reports.words.numbers import agreeing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy
    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.program.syntax import Site
    from ca_reports.run.model import Change


_KEY = "unroll"
_OF_VARYING_LENGTH = ": a Python loop of varying length"
_AS_MANY = (
    "run the same number of rounds in every step, and mask those that are too many with "
    "`torch.where`"
)
# Each is compared with all captures.
_MOST_GROUPS = 8


class Unroll(Rule):
    """A Python loop of varying length is unrolled into the autograd graph.

    ## What it is

    The data decide how many iterations a loop over time steps, refinement steps or tokens has. Or
    a list that the loop goes over gets longer: what was kept of each task, epoch or round.
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
    wastes too much, sort the data into a few lengths: each costs one capture. Of a list that gets
    longer, fold the entries into one tensor of fixed size, such as a running sum.

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
    place = branches.loop
    edits = ("fixed_rounds",)
    needs_recorder = True
    located_in_forward = True
    leaves_largest = True

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """By what the loop goes over: a list that gets longer has no one length to pad to."""
        added = None if site is None else rounds.growing(site, trail.flow)
        return None if added is None else trail.finding.remedy.by_hand(_of_a_growing_list(added))

    @classmethod
    def adopt(cls, trail: Trail, site: Site | None) -> Finding | None:
        """Take what looks as a branch, where a loop's first round makes other nodes."""
        if site is None or not isinstance(trail.finding.detail, OtherNodes):
            return None
        if not rounds.is_counted(site.node) and rounds.growing(site, trail.flow) is None:
            return None
        message = trail.finding.message
        own = cls.taken(
            trail.finding,
            site,
            key=_KEY,
            message=f"{message}{_OF_VARYING_LENGTH}",
            fix=_AS_MANY,
            detail=RepeatedNodes(message),
        )
        return replace(own, remedy=cls.remedy(replace(trail, finding=own), site) or own.remedy)

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for group in by_call(compared(facts)):
            first = facts.captures[0]
            family = [first, *group] if first.line == group[0].line else list(group)
            unrolled = _Unrolled.find(family)
            if unrolled is None:
                continue
            own = {found.capture.id for found in group}
            explained = {found.capture.id for found in unrolled.captures}
            recaptures = [
                found
                for found in unrolled.captures
                if found.capture.id in own
                and found.capture.closest_capture in explained
                and (found.added or found.removed)
            ]
            if not recaptures:
                continue
            repeats = agreeing(unrolled.group.total(), "repeats", "repeat")
            told = f"{node_counts(unrolled.group)} {repeats} {unrolled.told} times"
            yield Match(
                message=f"{told}{_OF_VARYING_LENGTH}",
                detail=RepeatedNodes(told),
                fix=(
                    "run the same number of iterations every step: pad to one length (at least "
                    f"{unrolled.longest}) and mask the rest with `torch.where`"
                ),
                **of_captures(recaptures, group[0].line),
                location=forward_line(recaptures, unrolled.repeats),
                confidence="high" if len(unrolled.times) > 2 else "medium",
                key=_KEY,
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
        """Return the group that most of ``family`` repeat; None if they do not repeat one."""
        if not family[0].nodes:
            return None
        explained = [cls._of(group, family) for group in _groups(family)]
        found = [one for one in explained if one is not None]
        return max(found, key=lambda one: len(one.captures), default=None)

    @classmethod
    def _of(cls, group: Counter[str], family: Sequence[CaptureFacts]) -> _Unrolled | None:
        """Return captures that are equal but for their rounds, and those without any round."""
        rounds = {found.capture.id: _rounds(found, group) for found in family}
        alike: dict[tuple[frozenset[str], frozenset[tuple[str, int]]], list[CaptureFacts]] = {}
        for found in family:
            rest = Counter(found.node_names)
            for name, number in group.items():
                rest[name] -= rounds[found.capture.id] * number
            # The parameters too: a loop uses the same ones in every round.
            key = found.parameters, frozenset((name, n) for name, n in rest.items() if n)
            alike.setdefault(key, []).append(found)
        most = max(alike.values(), key=len)
        if len(most) < 2:
            return None
        least = min(most, key=lambda found: rounds[found.capture.id])
        chosen = {found.capture.id for found in most}
        for found in family:
            if found.capture.id not in chosen and _has_no_round(
                found, least, group, rounds[least.capture.id]
            ):
                rounds[found.capture.id] = 0
                chosen.add(found.capture.id)
        captures = [found for found in family if found.capture.id in chosen]
        times = [rounds[found.capture.id] for found in captures]
        # Two graphs that differ by one more of a kind are no loop yet: a branch is likelier.
        repeated = len(set(times)) > 2 or (len(group) > 1 and max(times) > 2)
        return cls(group, captures, times) if repeated and min(times) >= 0 else None


def _groups(family: Sequence[CaptureFacts]) -> list[Counter[str]]:
    """Return the groups that captures may repeat, by what they have more than others.

    Than the first one, and than the one each is closest to: the first may have had no round, and
    lacks what is made of all rounds together.
    """
    base = family[0]
    gains = [node_gain(found, base) for found in family[1:]]
    gains += [node_gain(found, found.closest) for found in family if found.closest is not None]
    units = [unit for unit in map(_unit, gains) if unit is not None]
    often = Counter(frozenset(unit.items()) for unit in units)
    first = {frozenset(unit.items()): unit for unit in reversed(units)}
    return [first[one] for one, _ in often.most_common(_MOST_GROUPS)]


def _rounds(found: CaptureFacts, group: Counter[str]) -> int:
    """Return how often a capture repeats ``group``.

    Some nodes are one less, where the first state needs no gradient, and other code has some more.
    """
    return median_low(found.node_names[name] // number for name, number in group.items())


def _has_no_round(
    found: CaptureFacts, least: CaptureFacts, group: Counter[str], rounds: int
) -> bool:
    """Return whether ``found`` lacks all ``rounds`` of ``least``, and at most what joins them."""
    gain = node_gain(least, found)
    if rounds < 1 or ACCUMULATE_GRAD in gain or found.parameters != least.parameters:
        return False
    return all(number > 0 for number in gain.values()) and all(
        gain[name] >= rounds * number for name, number in group.items()
    )


def _unit(gain: Counter[str]) -> Counter[str] | None:
    """Return the smallest group of which ``gain`` is a multiple; None if it is none.

    None too where leaves come or go: a loop uses the same parameters in every round.
    """
    values = list(gain.values())
    if not values or ACCUMULATE_GRAD in gain:
        return None
    if not (all(value > 0 for value in values) or all(value < 0 for value in values)):
        return None
    divisor = gcd(*values)
    return Counter({name: abs(value) // divisor for name, value in gain.items()})


def _of_a_growing_list(added: Site) -> str:
    """Return a list that keeps something of each task or epoch, and a loop that uses all of it."""
    assert isinstance(added.node, ast.Call)
    assert isinstance(added.node.func, ast.Attribute)
    kept = ast.unparse(added.node.func.value)
    return (
        f"`{kept}` gets longer ({in_brief(added.frame)}), and each entry "
        "adds the same operations: "
        "fold what is collected into one tensor of fixed size (a running sum), or stack it, padded "
        "to one length, and mask the rest with `torch.where`"
    )
