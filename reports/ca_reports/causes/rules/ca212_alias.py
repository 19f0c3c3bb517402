"""CA212."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.findings import MadeAlike, TiedParameter
from ca_reports.causes.located import graphs, written
from ca_reports.causes.rules.base import SPECIFIC, Match, Rule, of_captures
from ca_reports.causes.rules.structure import (
    by_call,
    compared,
    forward_line,
    share,
    switched,
    weigh,
)
from ca_reports.words.values import short_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy
    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.program.syntax import Site
    from ca_reports.run.model import Change


class Alias(Rule):
    """One tensor is used in two places in some steps, and two tensors in others.

    ## What it is

    An operation saved its two operands, and in some steps they are one tensor: a view that
    was not augmented, a target network that is the network itself, `x * y` with `y = x`. Or
    two parameters are tied in the middle of training.

    ## Why it costs

    To compiled autograd each tensor is one input, and which places share one is part of its
    key. Each pattern of sharing is captured and compiled.

    ## Example

        view = augment(x) if step % 3 else x
        loss = (encoder(x) * encoder(view)).sum()

    ## What to do

    Use distinct tensors in every step: `.clone()` where two places would share one. Tie
    parameters before the first backward. Where your program writes to one of the two, a copy
    would get that, or miss it: then pass two tensors, or one, in every step, whichever you mean.

    ## Measured

    2 captures and 2 compiles became 1 and 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Only the tensors that nodes saved are compared; what only an unpack hook can restore is not
    seen.
    """

    code = "CA212"
    name = "alias"
    place = graphs.shared_tensor
    edits = ("clone",)
    needs_recorder = True
    located_in_forward = True

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """By what is written to: a copy would miss it."""
        return None if site is None else written.remedy_at(site, trail)

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        tied = [found for found in compared(facts) if switched(found, "is")]
        for group in by_call(tied):
            change = switched(group[0], "is")[0]
            yield Match(
                message=f"{change.name} was tied to another parameter: {_tie(change)}",
                fix="tie parameters once, before the first backward",
                **of_captures(group),
                key="tied",
                detail=TiedParameter(),
                specificity=SPECIFIC + 4,
            )
        aliased = [
            (found, part)
            for found in compared(facts)
            if found not in tied and (part := share(found, _is_alias))
        ]
        shares = {found.capture.id: part for found, part in aliased}
        for group in by_call(found for found, _ in aliased):
            specificity, confidence = weigh(shares[found.capture.id] for found in group)
            change = _first(group[0])
            slot = change.attribute.removesuffix(" is")
            yield Match(
                message=(
                    f"{slot} of {short_name(change.name)} (NodeCall {change.index}): "
                    f"{_told(change.before)} → {_told(change.after)}"
                ),
                fix=("use two tensors in every step: `.clone()` the one that is used twice"),
                **of_captures(group),
                confidence=confidence,
                key="alias",
                detail=MadeAlike(),
                location=forward_line(group, _is_alias),
                specificity=specificity,
                explains=_explains,
            )


def _explains(found: CaptureFacts, change: Change) -> bool:
    """Other nodes save other tensors: then it is a consequence."""
    return _is_alias(change) and not (found.added or found.removed)


def _is_alias(change: Change) -> bool:
    return change.index is not None and change.attribute.endswith(" is")


def _first(found: CaptureFacts) -> Change:
    return next(change for change in found.changes if _is_alias(change))


def _told(value: object) -> str:
    text = str(value)
    return text if text.startswith("a tensor") else f"the same tensor as {text}"


def _tie(change: Change) -> str:
    before = "its own" if change.before == change.name else str(change.before)
    after = "its own" if change.after == change.name else str(change.after)
    return f"{before} → {after}"
