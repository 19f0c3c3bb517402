"""What `requires_grad` of an argument differs for, which says whose flag may be changed.

A flag decides what is trained. So it is nobody's to change for a recompile, unless the tensor is
made in the step: a parameter, a copy of one or what an optimizer was given stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ca_reports.run.model import Compile

#   switched: it is one tensor, whose flag was set in between
#   unused: no call keeps gradients, so that the flag decides nothing
#   modules: it is a parameter of the compiled module, and that is another one: a frozen copy, say
#   parameter: a parameter is passed in some calls
#   both: one module, or one function on two lines, gets data and what the program computed, as a
#       discriminator gets real and generated samples
#   passed: other tensors, none of which is a parameter
#   unknown: the log does not have the arguments
GradientFlag = Literal["switched", "unused", "modules", "parameter", "both", "passed", "unknown"]

# Both kinds are to be, and each is compiled once.
MEANT: frozenset[GradientFlag] = frozenset(("both", "modules"))
_PARAMETER = "torch.nn.parameter.Parameter"


def gradient_flag(source: str, earlier: Compile | None, now: Compile) -> GradientFlag:
    """Tell what the flag of the argument ``source`` differs for, since the compile ``earlier``."""
    was = None if earlier is None else earlier.argument(source)
    came = now.argument(source)
    if was is None or came is None:
        return "unknown"
    if was.identity is not None and was.identity == came.identity:
        return "switched"
    if now.held is not None and now.held.gradients is False:
        return "unused"
    if _PARAMETER in (was.type, came.type):
        return "parameter"
    is_computed = any(held.requires_grad and held.leaf is False for held in (was, came))
    return "both" if is_computed and _are_two_calls(earlier, now) else "passed"


def _are_two_calls(earlier: Compile | None, now: Compile) -> bool:
    """Return whether one module is called, or two lines call one function."""
    if earlier is None or earlier.held is None or now.held is None:
        return False
    if earlier.own_object != now.own_object:
        return False
    return now.own_object is not None or earlier.held.stack != now.held.stack


def flag_of_parameter(earlier: Compile | None, now: Compile) -> GradientFlag:
    """Tell what the flag of a parameter of the compiled module differs for."""
    was = None if earlier is None else earlier.own_object
    return "modules" if None not in (was, now.own_object) and was != now.own_object else "switched"
