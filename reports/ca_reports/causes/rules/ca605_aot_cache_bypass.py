"""CA605."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.rules.base import Match, Rule
from ca_reports.facts.events import common_call
from ca_reports.facts.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts


class AotCacheBypass(Rule):
    """Nothing compiled is cached for the next start: AOTAutogradCache was bypassed.

    ## What it is

    With Inductor, AOTAutogradCache keeps compiled forwards and backwards on disk. It saves an
    entry once the backward is compiled, which with compiled autograd never happens separately;
    and it refuses the captured graph, which calls functions it does not know.

    ## Why it costs

    Every start of the program compiles everything. Inductor's own cache of generated code
    still works, so the cost is that of Dynamo, AOTAutograd and the lowering.

    ## Example

        torch._dynamo.config.compiled_autograd = True     # and backend "inductor"

    ## What to do

    No change is needed. `torch._functorch.config.enable_autograd_cache = False` saves the
    look-ups. If starts matter more than steps, leave compiled autograd off.

    ## Measured

    A linear layer: 1 miss and 1 bypass at every start, nothing saved.

    ## When the rule can be wrong

    It reads torch's own counters at the end of the process; a killed process has none. A
    bypass can have other reasons.
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
                "nothing compiled is cached for the next start: AOTAutogradCache does not accept "
                "captured backwards"
            ),
            fix=(
                "none needed; `torch._functorch.config.enable_autograd_cache = False` saves the "
                "look-ups"
            ),
            noticed_at=common_call(facts.captures),
            evidence=(Evidence(f"AOTAutogradCache: {counted}", facts.process.file),),
            count=bypassed,
            is_note=True,
        )
