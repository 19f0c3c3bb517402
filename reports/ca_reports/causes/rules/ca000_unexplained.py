"""CA000."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.located import guarded_values
from ca_reports.causes.rules.base import FALLBACK, Match, Rule
from ca_reports.causes.rules.differences import in_words
from ca_reports.facts.guard_paths import verbatim
from ca_reports.words.values import first_line, short_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.events import CaptureFacts, RecompileFacts
    from ca_reports.facts.process import ProcessFacts


class Unexplained(Rule):
    """A backward was recaptured or recompiled for a reason that no rule knows.

    ## What it is

    The finding says how this backward differs from the closest earlier one: nodes added or
    removed, another saved value, a failed guard. No rule covers that difference.

    ## Why it costs

    The step waits while the backward is captured and compiled.

    ## Example

        activation = random.choice([torch.relu, torch.tanh])
        backward(outer(activation(inner(x))).sum())

    ## What to do

    Look at the difference: it names the first thing that changed. What varies from step to
    step can often become data (a tensor), or be computed in every step and multiplied by 0 or 1.

    ## Measured

    Nothing: every cause that was measured has its own rule.

    ## When the rule can be wrong

    It is silent where another rule fits. The closest earlier backward is one of the last few
    captures, and only saved attributes are compared: what a node hides stays unknown.
    """

    code = "CA000"
    name = "unexplained"
    place = guarded_values.changed_value
    specificity = FALLBACK
    located_in_forward = True
    suggests_trial = "shapes"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for recapture in facts.recaptures:
            yield _capture(recapture, facts)
        for recompile in facts.recompiles:
            yield _recompile(recompile)


def _capture(found: CaptureFacts, facts: ProcessFacts) -> Match:
    capture = found.capture
    words = in_words(found)
    node = capture.node
    if words is not None:
        message = f"the backward was recaptured: {words}"
    elif node is not None:
        message = f"the backward was recaptured: {short_name(node.name)} is new there"
    elif capture.kind == "changed_shapes":
        message = "the backward was recaptured: its sizes changed"
    else:
        message = "the backward was recaptured, and this log does not say why"
    fix = (
        "make this part of the step the same every time; a number that is only computed with can "
        "be a tensor"
    )
    if not facts.recorded:
        fix = "record with `ca run`, which compares the autograd graphs and names what changed"
    return Match(
        message=message,
        fix=fix,
        events=(capture,),
        noticed_at=found.line,
        location=capture.forward,
        evidence=(found.evidence,),
        confidence="low",
        key=_what_differs(found) or (short_name(node.name) if node is not None else capture.kind),
        group=words or message,
    )


def _what_differs(found: CaptureFacts) -> str:
    """Return nodes and attributes without their values, which are others in every run."""
    changed = {f"{short_name(change.name)} {change.attribute}" for change in found.changes}
    return ", ".join(sorted(changed))


def _recompile(found: RecompileFacts) -> Match:
    what = "captured graph" if found.capture is not None else "forward"
    guard = first_line(found.guard.text) or "unknown"
    return Match(
        message=f"the {what} was recompiled because a guard failed: {verbatim(guard)}",
        fix="keep what the guard checks the same in every step; a number that is only computed "
        "with can be a tensor",
        events=(found.compiled,),
        noticed_at=found.line,
        evidence=(found.evidence,),
        confidence="low",
        key=f"{what}: {found.guard.source or found.guard.kind}",
        group=found.guard.source or guard,
    )
