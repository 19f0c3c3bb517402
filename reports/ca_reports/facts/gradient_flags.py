"""What `requires_grad` of an argument differs for, which says whose flag may be changed.

A flag decides what is trained. So it is nobody's to change for a recompile, unless the tensor is
made in the step: a parameter, a copy of one or what an optimizer was given stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ca_reports.held import Held
    from ca_reports.model import Compile

#   switched: it is one tensor, whose flag was set in between
#   unused: no call keeps gradients, so that the flag decides nothing
#   parameter: a parameter is passed in some calls
#   passed: other tensors, none of which is a parameter
#   unknown: the log does not have the arguments
GradientFlag = Literal["switched", "unused", "parameter", "passed", "unknown"]

_PARAMETER = "torch.nn.parameter.Parameter"


def gradient_flag(source: str, earlier: Compile | None, now: Compile) -> GradientFlag:
    """Tell what the flag of the argument ``source`` differs for, since the compile ``earlier``."""
    was, came = _held(earlier, source), _held(now, source)
    if was is None or came is None:
        return "unknown"
    if was.identity is not None and was.identity == came.identity:
        return "switched"
    if now.held is not None and now.held.gradients is False:
        return "unused"
    return "parameter" if _PARAMETER in (was.type, came.type) else "passed"


def _held(compiled: Compile | None, source: str) -> Held | None:
    record = None if compiled is None else compiled.held
    return None if record is None else record.argument(source)
