"""A dropout that works in some steps only: a mode or a probability, which looks as a branch does.

On a CPU its node is a product as others are; the source tells that the line is a dropout's.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.causes.located import graphs
from ca_reports.causes.located.trail import conditions, unique
from ca_reports.program.syntax import Site, called_name, is_constant, keyword
from ca_reports.torchlib import modules

if TYPE_CHECKING:
    from ca_reports.causes.located.trail import Trail

_NODES = frozenset(("MulBackward0", "NativeDropoutBackward0"))
_CLASS = "Dropout"


@dataclass(frozen=True)
class ToggledDropout:
    """The line that turns a dropout on and off: its probability, or what restores its mode."""

    site: Site
    by_probability: bool


def toggled(trail: Trail) -> ToggledDropout | None:
    """Find what makes a dropout come and go; None where none did, or the source does not show."""
    calls = _calls(trail)
    if not calls:
        return None
    given = unique(one for call in calls for one in _probability(call, trail))
    found = given or (graphs.mode_restored(trail) if _takes_mode(calls) else [])
    return ToggledDropout(found[0], bool(given)) if len(found) == 1 else None


def _calls(trail: Trail) -> list[Site]:
    """Find calls of dropouts in the lines whose nodes came or went; empty if others did, too."""
    changes = [change for change in trail.changes if change.attribute == "node"]
    names = {name for change in changes for name in (change.before, change.after) if name}
    if not changes or not names <= _NODES:
        return []
    found: list[Site] = []
    for line in dict.fromkeys(change.forward for change in changes):
        site = trail.program.at(line)
        own = [] if site is None else _dropouts(site, trail)
        if not own or any(map(conditions, own)):
            return []
        found += own
    return found


def _dropouts(site: Site, trail: Trail) -> list[Site]:
    calls = (node for node in ast.walk(site.node) if isinstance(node, ast.Call))
    return [Site(site.module, call) for call in calls if _is_dropout(call, trail)]


def _is_dropout(call: ast.Call, trail: Trail) -> bool:
    name = called_name(call)
    if name in modules.DROPOUTS:
        return True
    return any(
        isinstance(part, ast.Call) and called_name(part).endswith(_CLASS)
        for _, value in trail.names.attributes.get(name, ())
        for part in ast.walk(value)
    )


def _probability(call: Site, trail: Trail) -> list[Site]:
    """Return the call of a function whose `p` is no literal."""
    assert isinstance(call.node, ast.Call)
    if called_name(call.node) not in modules.DROPOUTS:
        return []
    p = keyword(call.node, "p") or next(iter(call.node.args[1:2]), None)
    return [] if p is None or isinstance(p, ast.Constant) else [call]


def _takes_mode(calls: list[Site]) -> bool:
    """Return whether the mode of a module decides, and no literal."""
    return not any(
        isinstance(call.node, ast.Call) and is_constant(keyword(call.node, "training"), value=True)
        for call in calls
    )
