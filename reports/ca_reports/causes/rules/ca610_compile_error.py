"""CA610."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.located import modes
from ca_reports.causes.rules import failing
from ca_reports.causes.rules.base import FALLBACK, Rule
from ca_reports.facts.failures import of_compiles
from ca_reports.sentences.failures import in_one_line, raised, went_on
from ca_reports.torchlib.errors import known_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.findings import Finding
    from ca_reports.causes.located.trail import Search
    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Failure


class CompileError(Rule):
    """A compile, a capture or a compiled graph raised an exception.

    ## What it is

    Dynamo, AOTAutograd, the backend or compiled autograd raised, or the code that they made did.
    This rule reports the exceptions that no other rule knows.

    ## Why it costs

    The program stops, unless it catches the exception. With
    `torch._dynamo.config.suppress_errors = True` it goes on, and the function runs uncompiled: at
    each call, if its caller catches the exception, Dynamo tries again.

    ## Example

        def backend(graph, inputs):
            raise NotImplementedError("no kernel for sin")

        torch.compile(wave, backend=backend)(x)

    ## What to do

    Run the program once with `TORCH_COMPILE_DISABLE=1`. If it fails there too, the operation
    itself is wrong, and torch's message says how. If it does not, `backend="eager"` and
    `backend="aot_eager"` tell whose exception it is: Dynamo's, AOTAutograd's or the backend's.

    ## Measured

    The example ends at its first call, with `BackendCompilerFailed`. Caught in a loop, it is
    raised by a compile at each of three calls; with `suppress_errors` by one compile. A block that
    is compiled for a second drop rate, a float, under DistributedDataParallel: `'float' object has
    no attribute 'meta'`; with `torch._dynamo.config.optimize_ddp = False`, or the rate in a
    buffer, it runs (torch 2.13.0, CPU).

    ## When the rule can be wrong

    It quotes torch's own exception, and knows the cause of few of them. A log without records of
    ours does not say whether the program caught it.
    """

    code = "CA610"
    name = "compile-error"
    severity = "error"
    specificity = FALLBACK

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for failure in of_compiles(facts.failures):
            told = went_on(failure)
            known = known_error(failure.text)
            says = "" if known is None else f"{known.says}: "
            yield failing.match(
                failure,
                f"{says}{raised(failure)}: {in_one_line(failure)}" + (f"; {told}" if told else ""),
                _fix(failure) if known is None else known.fix,
                key=f"{failure.stage} {failure.type}",
                specificity=self.specificity,
            )

    @classmethod
    def search(cls, finding: Finding) -> Search | None:
        """Find the `torch.compile` before which a setting is made, where that is the remedy."""
        known = None if finding.failure is None else known_error(finding.failure.text)
        return modes.compiling if known is not None and known.in_compile else None


def _fix(failure: Failure) -> str:
    without = "run once with `TORCH_COMPILE_DISABLE=1`: if it fails there too, correct this line"
    if failure.stage == "graph" and failure.in_backward:
        return (
            "run once with `TORCH_COMPILE_DISABLE=1`: if it fails there too, "
            "`torch.autograd.set_detect_anomaly(True)` names the line of the forward"
        )
    if failure.stage == "graph":
        return without
    return f'{without}; if not, `backend="eager"` tells whether Dynamo or the backend fails'
