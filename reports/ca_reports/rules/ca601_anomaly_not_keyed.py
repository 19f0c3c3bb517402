"""CA601."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.findings import Evidence
from ca_reports.rules.base import Match, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts


class AnomalyNotKeyed(Rule):
    """Anomaly mode was switched after the capture, and the captured backward does not follow.

    ## What it is

    Under anomaly mode a captured backward looks for NaNs in what it computed. Whether it does is
    settled at the capture: the mode is no part of the cache's key. Switched on later, it is on,
    and nothing is checked.

    ## Why it costs

    Not time, but the search for a NaN: it passes without a word, and one believes that there is
    none. The other way round, a check that was captured stays, and reads every gradient back
    from the device at each step.

    ## Example

        for step in range(1000):
            with torch.autograd.set_detect_anomaly(step > 500):
                loss.backward()

    ## What to do

    Switch it on before the first backward, or forget what was captured where it is switched:

        torch._dynamo.compiled_autograd.reset()

    ## Measured

    A NaN in a weight's gradient: reported when the mode was on at the capture, silent when it
    was switched on after it.

    ## When the rule can be wrong

    It compares the mode at each backward with the one at its capture. With
    `check_nan=False` nothing is checked in either case, and nothing is reported.
    """

    code = "CA601"
    name = "anomaly-not-keyed"
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
                    "switch anomaly mode on before the first backward, or call "
                    "`torch._dynamo.compiled_autograd.reset()` after switching it"
                )
            else:
                message = (
                    f"anomaly mode is off, but {graph} still looks for NaNs in every step: it "
                    "was captured while it was on"
                )
                fix = "call `torch._dynamo.compiled_autograd.reset()` after switching it off"
            yield Match(
                message=message,
                fix=fix,
                location=hazard.backward_call,
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
