"""CA604."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.rules.base import Match, Rule
from ca_reports.facts.evidence import Evidence
from ca_reports.words.numbers import agreeing, counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts


class NotEngaged(Rule):
    """Compiled autograd is on, but a backward outside compiled functions ran eagerly.

    ## What it is

    `torch._dynamo.config.compiled_autograd = True` takes effect when a compiled function is
    called, and only until it returns. A `backward()` after that call runs eagerly: no capture,
    no error, no warning.

    ## Why it costs

    A backward that was meant to be compiled is not.

    ## Example

        torch._dynamo.config.compiled_autograd = True
        model = torch.compile(model)

        loss = model(x).sum()
        loss.backward()                 # in eager

    ## What to do

    Put the backward into a compiled function:

        @torch.compile
        def train(x):
            loss = model(x).sum()
            loss.backward()
            return loss

    Or turn it on for the whole program: `ca run --enable`.

    ## Measured

    The example: 0 captures; inside a compiled function 1, and hits from then on.

    ## When the rule can be wrong

    Where other backwards of the process are captured, this one may be eager on purpose; then
    the severity is info. Backwards under `compiled_autograd._disable()` are not counted.
    """

    code = "CA604"
    name = "not-engaged"
    needs_recorder = True

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        captured = any(not known.capture.error for known in facts.captures)
        for hazard in facts.process.hazards:
            if hazard.kind != "not_captured":
                continue
            several = f"{counted(hazard.count, 'backward')} here"
            backwards = agreeing(hazard.count, "this backward", several)
            others = ", unlike others of this process" if captured else ""
            yield Match(
                message=(
                    f"compiled autograd is on, but {backwards} ran eagerly{others}: the call is "
                    "outside every compiled function"
                ),
                fix=(
                    "call `backward()` inside a `torch.compile`d function, or run with "
                    "`ca run --enable`"
                ),
                noticed_at=hazard.backward_call,
                evidence=(
                    Evidence(
                        f"{hazard.count} × not captured, first before step {hazard.step}",
                        hazard.file,
                        hazard.line,
                    ),
                ),
                key="not captured",
                count=hazard.count,
                severity="info" if captured else "warning",
                confidence="medium" if captured else "high",
            )
