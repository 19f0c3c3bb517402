"""CA602."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_reports.findings import Evidence
from ca_reports.rules import failing
from ca_reports.rules.base import Match, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts

_WRONG_DTYPE = "attempting to assign a gradient with dtype"
_OPTION = "torch._functorch.config.backward_pass_autocast"
# What `torch.autocast` takes where no dtype is given.
_DEFAULT_DTYPES = {"cpu": "bfloat16", "cuda": "float16"}


class AutocastMismatch(Rule):
    """A backward runs under a different autocast than its compiled forward assumed.

    ## What it is

    AOTAutograd traces the backward of a compiled forward when that forward is first called, for
    the autocast that `torch._functorch.config.backward_pass_autocast` names: that of the
    forward by default, `"off"`, or a list of keyword arguments. Compiled autograd then compiles
    this backward under the autocast that is on where `backward()` is called, which casts what
    was meant to stay in full precision.

    ## Why it costs

    The gradients are silently wrong; or the backward fails, because a gradient's dtype differs
    from its parameter's.

    ## Example

        loss = compiled(x).mean()
        with torch.autocast("cuda"):
            loss.backward()

    ## What to do

    Call `backward()` outside autocast. If it is meant to run under a different one from the
    forward's, say so before the forward is compiled:

        torch._functorch.config.backward_pass_autocast = [{"device_type": "cuda"}]

    ## Measured

    A two-layer model on CPU, forward in float32, backward under bfloat16: gradients off by
    5e-3, or `attempting to assign a gradient with dtype 'c10::BFloat16'`. Forward under
    autocast and backward outside it: the same gradients, bit for bit.

    ## When the rule can be wrong

    Forward under autocast, backward outside: that is the intended use of autocast, so it is not
    reported unless the option was set and says otherwise. Your own Function can still differ
    there if its backward depends on autocast.
    """

    code = "CA602"
    name = "autocast-mismatch"
    severity = "error"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        hazards = [found for found in facts.process.hazards if found.kind == "autocast"]
        # The error, if there is one, is what came of it.
        failures = [one for one in facts.failures if _WRONG_DTYPE in one.text]
        for hazard in hazards:
            yield Match(
                message=(
                    f"the backward runs {_words(hazard.now)}; the compiled forward was traced for "
                    f"a backward {_words(hazard.then)}"
                ),
                fix=_fix(hazard.now),
                events=(hazard, *failures),
                specificity=failing.QUOTES,
                noticed_at=hazard.backward_call,
                evidence=(
                    Evidence(
                        f"from step {hazard.step} on: {hazard.count} ×, with "
                        f"backward_pass_autocast={hazard.option!r}",
                        hazard.file,
                        hazard.line,
                    ),
                ),
                count=hazard.count,
            )
        for failure in () if hazards else failures:
            yield failing.match(
                failure,
                "a gradient's dtype differs from its parameter's: " + failure.text.split(".", 1)[0],
                _fix(None),
                confidence="medium",
            )


def _words(autocast: Any) -> str:
    if not isinstance(autocast, dict):
        return "under an unknown autocast"
    if not autocast:
        return "without autocast"
    told = ", ".join(f"{device} {dtype}" for device, dtype in sorted(autocast.items()))
    return f"under autocast {told}"


def _fix(now: Any) -> str:
    if now == {}:
        return f"call `backward()` under that autocast, or set `{_OPTION}` to match"
    device, dtype = next(iter(now.items())) if isinstance(now, dict) else ("cuda", None)
    other = "" if dtype in (None, _DEFAULT_DTYPES.get(device)) else f', "dtype": torch.{dtype}'
    return (
        "call `backward()` outside `torch.autocast`; or, if it is meant to run under it, set "
        f'`{_OPTION} = [{{"device_type": "{device}"{other}}}]` before the forward is compiled'
    )
