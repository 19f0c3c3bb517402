"""CA605."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.facts.events import common_call
from ca_reports.findings import Evidence
from ca_reports.rules.base import Match, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts


class AotCacheBypass(Rule):
    """Nothing of this process is kept for the next start: AOTAutogradCache was bypassed.

    ## What it is

    With Inductor, AOTAutogradCache keeps compiled forwards and backwards on disk. It saves an
    entry once the backward was compiled, which with compiled autograd never happens on its own;
    and it refuses the captured graph, which calls functions that it does not know.

    ## Why it costs

    Every start of the program compiles all of it again. Inductor's own cache of generated code
    still holds, so what is left is Dynamo, AOTAutograd and the lowering.

    ## Example

        torch._dynamo.config.compiled_autograd = True     # and backend "inductor"

    ## What to do

    Nothing has to be done. `torch._functorch.config.enable_autograd_cache = False` spares the
    look-ups. Where starts matter more than steps, leave compiled autograd off.

    ## Measured

    A linear layer: 1 miss and 1 bypass at every start, nothing saved.

    ## When the rule can be wrong

    It reads torch's own counters, at the end of the process: one that was killed has none. A
    bypass can have other reasons too.
    """

    code = "CA605"
    name = "aot-cache-bypass"
    severity = "info"
    needs_recorder = True

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        end = facts.process.end
        if end is None or not facts.captures:
            return
        bypassed, saved = end.aot_cache.get("bypass", 0), end.aot_cache.get("saved", 0)
        if not bypassed or saved:
            return
        counted = ", ".join(f"{count} {name}" for name, count in sorted(end.aot_cache.items()))
        yield Match(
            message=(
                "nothing that was compiled is kept for the next start: AOTAutogradCache does not "
                "take captured backwards"
            ),
            fix=(
                "nothing has to be done; `torch._functorch.config.enable_autograd_cache = False` "
                "spares the look-ups"
            ),
            location=common_call(facts.captures),
            evidence=(Evidence(f"AOTAutogradCache: {counted}", facts.process.file),),
            count=bypassed,
        )
