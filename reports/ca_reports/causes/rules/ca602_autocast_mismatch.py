"""CA602."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_reports.causes.located import modes
from ca_reports.causes.rules import failing
from ca_reports.causes.rules.base import Match, Rule
from ca_reports.facts.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Hazard

_WRONG_DTYPE = "attempting to assign a gradient with dtype"
_OPTION = "torch._functorch.config.backward_pass_autocast"
_DEFAULT_OPTION = "same_as_forward"
_OFF = "off"


class AutocastMismatch(Rule):
    """A backward runs under a different autocast than its compiled forward assumed.

    ## What it is

    AOTAutograd traces the backward of a compiled forward when that forward is first called, for
    the autocast that `torch._functorch.config.backward_pass_autocast` names: that of the
    forward by default, `"off"`, or a list of keyword arguments. Compiled autograd then compiles
    this backward under the autocast that is on where `backward()` is called, which casts what
    was meant to stay in full precision.

    A part of the forward that turns autocast off, or chooses another dtype (a router kept in full
    precision), is no exception to AOTAutograd: the whole backward is traced under the autocast that
    was on where the forward was called. Called outside of autocast, as it should be, eager's
    backward keeps the precision of that part, and the compiled one casts it. Where a backward runs
    under autocast, compiled autograd also casts what a checkpoint recomputes in full precision.

    ## Why it costs

    The gradients are silently wrong; or the backward fails, because a gradient's dtype differs
    from its parameter's.

    ## Example

        loss = compiled(x).mean()
        with torch.autocast("cuda"):
            loss.backward()

    ## What to do

    Call `backward()` outside autocast, and set this before the forward is compiled:

        torch._functorch.config.backward_pass_autocast = "off"

    The option also takes the autocast that a backward is meant to run under, as a list
    (`[{"device_type": "cuda"}]`). Only where the forward has no checkpoint and no Function with
    `custom_bwd` does that give eager's gradients.

    ## Measured

    A two-layer model on CPU, forward in float32, backward under bfloat16: gradients off by
    5e-3, or `attempting to assign a gradient with dtype 'c10::BFloat16'`. Forward under
    autocast and backward outside it: the same gradients, bit for bit; with one linear layer of
    three in full precision off by 3e-3 under bfloat16 and 6e-4 under float16, the same without
    compiled autograd. Of 10 models (parts in another precision, checkpoints, Functions with and
    without `custom_fwd`) in 10 modes, 47 of 100 differ from eager's, and those are reported. Called
    outside of autocast and with the option `"off"`, all 47 are eager's bit for bit (torch 2.13.0,
    CPU; the figures are in `docs/autocast.md`).

    ## When the rule can be wrong

    Forward under autocast, backward outside: that is the intended use of autocast, so it is not
    reported unless the option was set and says otherwise, or the traced backward casts what the
    forward did not, as that of a Function of your own without `custom_bwd` is. One that enters
    `torch.autocast` in its backward itself is taken for one that does not.
    Backwards that compiled autograd has no part in are not watched: plain `torch.compile` gives the
    same numbers.
    """

    code = "CA602"
    name = "autocast-mismatch"
    place = modes.autocast
    severity = "error"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        hazards = [found for found in facts.process.hazards if found.kind == "autocast"]
        # The error, if there is one, is what came of it.
        failures = [one for one in facts.failures if _WRONG_DTYPE in one.text]
        for hazard in hazards:
            yield Match(
                message=_message(hazard),
                fix=_fix(hazard),
                events=(hazard, *failures),
                specificity=failing.QUOTES,
                location=hazard.lines[-1] if hazard.lines else None,
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


def _is_of_a_part(hazard: Hazard) -> bool:
    """Return whether a part of the forward had another precision than its autocast's."""
    if hazard.now == {}:
        return bool(hazard.option == _DEFAULT_OPTION)
    return bool(hazard.then == hazard.now)


def _message(hazard: Hazard) -> str:
    if not _is_of_a_part(hazard):
        return (
            f"the backward runs {_words(hazard.now)}; the compiled forward was traced for a "
            f"backward {_words(hazard.then)}"
        )
    if hazard.now:
        return (
            f"the backward runs {_words(hazard.now)}, and casts what the forward and eager's "
            "backward compute in another precision"
        )
    return (
        f"part of the compiled forward has another precision than the rest of it, "
        f"{_words(hazard.then)}; its backward casts that part, and eager's does not"
    )


def _words(autocast: Any) -> str:
    if not isinstance(autocast, dict):
        return "under an unknown autocast"
    if not autocast:
        return "without autocast"
    told = ", ".join(f"{device} {dtype}" for device, dtype in sorted(autocast.items()))
    return f"under autocast {told}"


def _fix(hazard: Hazard | None) -> str:
    """Say what gives eager's gradients: measured bit for bit in all cases of `docs/autocast.md`."""
    off = f'set `{_OPTION} = "off"` before the forward is compiled'
    if hazard is None:
        return f"call `backward()` outside `torch.autocast`, and {off}"
    if hazard.now == {}:
        is_default = hazard.option == _DEFAULT_OPTION
        return off if is_default else f"{off}, or call `backward()` under that autocast"
    outside = "call `backward()` outside `torch.autocast`"
    return outside if hazard.option == _OFF else f"{outside}, and {off}"
