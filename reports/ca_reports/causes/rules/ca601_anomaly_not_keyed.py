"""CA601."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.located import modes
from ca_reports.causes.rules.base import Match, Rule
from ca_reports.facts.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts


class AnomalyNotKeyed(Rule):
    """Anomaly mode changed after the capture, and the captured backward ignores it.

    ## What it is

    Under anomaly mode a captured backward checks its results for NaNs. That is decided at the
    capture: the mode is not part of the cache key. If you turn it on later, nothing is checked.

    ## Why it costs

    You lose the check, not time: a NaN passes silently, and you believe there is none. The
    other way round, a captured check stays, and reads every gradient back from the device in
    each step.

    ## Example

        for step in range(1000):
            with torch.autograd.set_detect_anomaly(step > 500):
                loss.backward()

    ## What to do

    Turn it on before the first backward, or drop the captures when you change it:

        torch._dynamo.compiled_autograd.reset()

    ## Measured

    A NaN in a weight's gradient was reported when the mode was on at the capture, and passed
    silently when it was turned on later.

    ## When the rule can be wrong

    It compares the mode at each backward with the mode at its capture. With
    `check_nan=False` nothing is checked either way, and nothing is reported.
    """

    code = "CA601"
    name = "anomaly-not-keyed"
    place = modes.anomaly
    severity = "error"
    needs_recorder = True

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for hazard in facts.process.hazards:
            if hazard.kind != "anomaly":
                continue
            graph = "the captured graph" if hazard.capture is None else f"!{hazard.capture}"
            if hazard.now:
                message = (
                    f"anomaly mode is on, but NaNs pass unseen: {graph} was captured while it "
                    "was off"
                )
                fix = (
                    "turn anomaly mode on before the first backward, or call "
                    "`torch._dynamo.compiled_autograd.reset()` after changing it, which captures "
                    "the backward once more"
                )
            else:
                message = (
                    f"anomaly mode is off, but {graph} still checks for NaNs in every step: it "
                    "was captured while the mode was on"
                )
                fix = "call `torch._dynamo.compiled_autograd.reset()` after turning it off"
            yield Match(
                message=message,
                fix=fix,
                noticed_at=hazard.backward_call,
                evidence=(
                    Evidence(
                        f"from step {hazard.step} on: {hazard.count} × with anomaly mode "
                        f"{_on(hazard.now)}, captured with it {_on(hazard.then)}",
                        hazard.file,
                        hazard.line,
                    ),
                ),
                key=f"anomaly {bool(hazard.now)}",
                count=hazard.count,
                severity="error" if hazard.now else "warning",
            )


def _on(value: object) -> str:
    return "on" if value else "off"
