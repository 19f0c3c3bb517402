"""CA612."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.rules import failing
from ca_reports.causes.rules.base import Rule
from ca_reports.facts.failures import of_compiles
from ca_reports.run.refusals import LIMIT_IS_ERROR
from ca_reports.sentences.limits import in_force, in_its_thread
from ca_reports.words.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.facts.recompile_limits import RecompileLimit
    from ca_reports.run.model import Failure


class LimitIsError(Rule):
    """A function was recompiled up to the limit, and the next compile is an error.

    ## What it is

    Dynamo compiles a function `torch._dynamo.config.recompile_limit` times, 8 by default. Then it
    runs it in Python, but with `fullgraph=True` or `fail_on_recompile_limit_hit` it raises
    `FailOnRecompileLimitHit`.

    ## Why it costs

    The program stops.

    ## Example

        fast = torch.compile(scale, fullgraph=True, dynamic=False)
        for k in range(20):
            fast(x, k)

    ## What to do

    Remove what the function is recompiled for: the findings about its recompiles name it. Since
    torch 2.12 a limit holds in the thread that sets it only: where another one compiles, pass
    `recompile_limit=64` to `torch.compile` (torch 2.13), or set it where that thread begins.

    ## Measured

    The example: 8 compiles, and the error at the ninth call. With `k` as a tensor one compile. An
    optimizer for 12 weights in a thread of a pool: the error at the ninth, though the main thread
    had set 48; 12 compiles and no error with either remedy (torch 2.13.0, CPU).

    ## When the rule can be wrong

    It quotes torch's own error.
    """

    code = "CA612"
    name = "limit-is-error"
    severity = "error"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for failure in of_compiles(facts.failures):
            if failure.type != LIMIT_IS_ERROR:
                continue
            function = f"`{failure.function}`" if failure.function else "the function"
            versions = _versions(failure, facts)
            made = f" after {counted(versions, 'compile')}" if versions else ""
            raised = (one for one in facts.limit_errors if _is_of(failure, one))
            limit = next(raised, None)
            found = failing.match(
                failure,
                f"{function} reached its recompile limit{in_force(limit) if limit else ''}{made}, "
                "and here that is an error",
                f"remove what {function} is recompiled for: see its other findings",
                key="limit",
            )
            if limit is not None and (in_thread := in_its_thread(limit)):
                yield replace(found, fix=in_thread, edits=("limit_of_compile",))
            else:
                yield found


def _is_of(failure: Failure, limit: RecompileLimit) -> bool:
    return limit.given_up.compile_id == failure.compile_id


def _versions(failure: Failure, facts: ProcessFacts) -> int:
    """Count the compiles of the function that succeeded; 0 if unknown."""
    refused = next(
        (one for one in facts.process.compiles if one.compile_id == failure.compile_id), None
    )
    if refused is None:
        return 0
    return sum(
        one.function == refused.function and one.capture == refused.capture and not one.failed
        for one in facts.process.compiles
    )
