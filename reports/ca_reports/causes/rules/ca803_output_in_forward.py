"""CA803."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.causes.findings import SplitGraph
from ca_reports.causes.located.trail import recorded_line
from ca_reports.causes.rules.splitting import (
    Split,
    SplittingRule,
    named_setting,
    option_for,
    setting_for,
    with_setting,
)
from ca_reports.program.reordering import objects_written
from ca_reports.torchlib.dynamo import IGNORED, REORDERED

if TYPE_CHECKING:
    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy
    from ca_reports.facts.forward_breaks import ForwardBreak
    from ca_reports.program.syntax import Site

_LOGGER = expression(r"<Logger [^<>]{1,200}>\.(?P<name>\w+)")
_WARNING = expression(r"\bwarn(?:ings?\.warn)?\b|_warnings")


class OutputInForward(SplittingRule):
    """Printing, logging or a warning splits the compiled forward.

    ## What it is

    Dynamo cannot put an output into a graph, so it ends the graph there, even if the message
    is never shown because of its level.

    ## Example

        @torch.compile
        def forward(x):
            hidden = torch.tanh(x)
            logger.info("hidden is ready")
            return hidden * 2

    ## What to do

    Write it outside the compiled code. Or have Dynamo leave out calls of a logger's method,
    also those in a library:

        torch._dynamo.config.ignore_logging_functions.add(logging.Logger.info)

    or write after the graph what it would have written in it (`print`, `warnings.warn`):

        torch._dynamo.config.reorderable_logging_functions.add(print)

    torch does that with tensors, constants and texts only: with a warning's category
    (`warnings.warn(text, FutureWarning)`) or a `file=` it ends the graph there as before, and
    `ignore_logging_functions` leaves the call out.

    ## Measured

    The example: 2 compiled graphs, though the message is never shown; with the setting 1. The
    setting also removes the break at `logger.warning_once` in Transformers (torch 2.13.0, CPU).

    ## When the rule can be wrong

    The settings are those that this version of torch names in its hint. An output that is left
    out is not written when the compiled code runs.
    """

    code = "CA803"
    name = "output-in-forward"
    breaks = "output"
    edits = ("write_after",)
    place = recorded_line

    def split(self, found: ForwardBreak) -> Split:
        name = _function(found)
        return Split(
            f"`{name}`",
            _fix(setting_for(found, name)),
            key=name,
            member=name,
            option=option_for(found),
        )

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """Leave out what torch can't move behind the graph, where a call over several lines is.

        Nor does it write, of anything but `print`, what functions write that are inlined.
        """
        known = trail.finding.detail
        if site is None or not isinstance(known, SplitGraph) or known.option != REORDERED:
            return None
        if objects_written(site):
            setting = with_setting(IGNORED, trail.finding.key)
            return trail.finding.remedy.instead(_fix(setting))
        function = known.compiled
        if function is None or trail.finding.key == "print":
            return None
        if trail.program.runs(site.frame, function):
            return None
        setting = f"{named_setting(REORDERED, trail.finding.key)}, which leaves it out here"
        return trail.finding.remedy.instead(
            f"write outside the compiled code; or call {setting}: the function that writes is "
            "inlined (torch 2.13)"
        )


def _fix(setting: str | None) -> str:
    outside = "write outside the compiled code"
    if setting is not None:
        return f"call {setting}; or {outside}"
    return f"{outside}, or only while nothing is compiled (`if not torch.compiler.is_compiling():`)"


def _function(found: ForwardBreak) -> str:
    """Return the function that writes, as a setting takes it: ``logging.Logger.info``."""
    method = _LOGGER.search(found.words)
    if method is not None:
        return f"logging.Logger.{method['name']}"
    return "warnings.warn" if _WARNING.search(found.words) else "print"
