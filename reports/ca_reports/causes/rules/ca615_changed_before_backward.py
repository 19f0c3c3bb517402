"""CA615."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ca_reports.causes.rules.base import PATTERN, Match, Rule
from ca_reports.facts.evidence import Evidence
from ca_reports.sentences.compiles import function_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Compile, Frame


class ChangedBeforeBackward(Rule):
    """A compiled forward changes a tensor in place, and its backward reads it as it was before.

    ## What it is

    AOTAutograd saves for the backward what it needs of the forward, or what it can compute that
    from once more. Among the latter may be a tensor that the forward changes in place: a buffer
    with running statistics, a counter. The change is written at the end of the forward, so the
    backward starts from the new value and takes it for the old one. It is torch's fault
    ([pytorch#197039](https://github.com/pytorch/pytorch/pull/197039)).

    ## Why it costs

    The loss is right and the gradients are silently wrong.

    ## Example

        def forward(self, x):
            self.calls += 1                              # a buffer
            return self.loss(x) * (self.calls / 100)     # its gradient: calls + 1

    ## What to do

    Set a new tensor instead of changing the one that is there:

        self.calls = self.calls + 1

    Or change it outside of the compiled function, after the backward. A `clone` of what is read
    does not help: it is made again in the backward.

    ## Measured

    Ten ways to change a counter that scales a loss, four steps each (torch 2.13.0, CPU). With the
    eight that change it in place, under `no_grad` and with a clone as well, Inductor's gradients
    were off by factors of 1.25 to 2, and not zero where the counter was; `aot_eager`'s alike, but
    for `fill_`, where it saved the new value. With the two that set a new tensor both were right.
    Running statistics changed by `lerp_`: off by 1% to 3% with Inductor, right with `aot_eager`.

    ## When the rule can be wrong

    It reads the graphs of the forward and the backward that torch logs: that the backward is given
    the changed tensor itself is certain, how far the gradients are off is not told. Where a start
    takes its graphs from AOTAutograd's cache, torch logs none and nothing is said.
    """

    code = "CA615"
    name = "changed-before-backward"
    severity = "error"
    specificity = PATTERN
    edits = ("rebind_tensor",)

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        groups: dict[tuple[int, Frame | None], list[Compile]] = defaultdict(list)
        for compiled in facts.process.compiles:
            for line in compiled.read_after_change:
                groups[compiled.function, line].append(compiled)
        for (_, line), compiles in groups.items():
            own = function_of(compiles[0])
            who, whose = ("this line", f"of {own} ") if line is not None else (own, "")
            yield Match(
                message=(
                    f"{who} changes a tensor in place that the compiled backward {whose}reads "
                    "after that: gradients are computed with the new value"
                ),
                fix=(
                    "set a new tensor instead (`x = x + 1` for `x += 1` or `x.add_(1)`), or change "
                    "it after the backward, outside of the compiled function"
                ),
                location=line,
                noticed_at=compiles[0].location,
                evidence=tuple(
                    Evidence(
                        f"the forward of {one.compile_id} copies a new value into what its "
                        "backward is given",
                        facts.process.file,
                        one.line,
                    )
                    for one in compiles
                ),
                key=line.function if line is not None else "",
                count=len(compiles),
            )
