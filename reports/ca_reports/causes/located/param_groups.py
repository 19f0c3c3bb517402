"""Where an optimizer's parameter groups get the number that a compiled step is compiled for.

The rate is made a tensor where a group is made with it. What a scheduler writes besides, such as
`betas`, is the scheduler's to leave alone.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.located.changes import set_later
from ca_reports.causes.located.chosen import changing
from ca_reports.facts.guard_paths import guard_path
from ca_reports.program.options import OptionOrigins
from ca_reports.program.origins import Origins
from ca_reports.program.param_groups import is_group
from ca_reports.program.syntax import Site, keyword, last_name, names_in, targets_of
from ca_reports.program.tensors import is_tensor
from ca_reports.sentences.places import in_brief
from ca_reports.torchlib.optimizers import OPTIMIZERS, RATE, SCHEDULERS
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.facts.guard_paths import GroupEntry
    from ca_reports.program.flow import Flow

_PARAMETERS = "params"
# The parameters of every optimizer of torch's: what it trains, and then the rate.
_PLACE_OF_RATE = 1


def lines(source: str, flow: Flow) -> list[Site]:
    """Find lines that decide about the entry of a group that ``source`` names; empty if none does.

    `{"params": …, "lr": 0.1}`, else the optimizer that is made, else what sets it later; for what a
    scheduler writes besides the rate the scheduler.
    """
    entry = guard_path(source).group_entry
    if entry is None:
        return []
    if entry.key != RATE:
        return cycled(entry, flow) or set_later(entry.key, flow)
    made = _made(flow)
    return (
        own_rates(flow)
        or _replacing_tensors(made, flow)
        or made
        or set_later(RATE, flow)
        or _schedule_steps(flow)
    )


def advice(source: str, flow: Flow) -> str | None:
    """Return what to do about that entry; None where the source shows no more than its guard."""
    entry = guard_path(source).group_entry
    if entry is None:
        return None
    if entry.key != RATE:
        return _of_cycled(entry, flow)
    rates, written = own_rates(flow), _written(flow)
    fills = "; a scheduler then fills it in place"
    later = f" and where it is set later ({_places(written)})" if written else fills
    if rates:
        return (
            'make the rate of each group a tensor, `"lr": torch.tensor(…)`, where the optimizer '
            f"gets it ({_places(rates)}){later}"
        )
    made = _made(flow)
    if replacing := _replacing_tensors(made, flow):
        return (
            f"the optimizer's rate is a tensor ({in_brief(made[0].frame)}) that a number replaces "
            f'({in_brief(replacing[0].frame)}): fill it in place, `group["lr"].fill_(…)`'
        )
    if not written:
        return None
    at = f" ({_places(made)})" if made else ""
    return (
        f"make the learning rate a tensor, `torch.tensor(…)`, where the optimizer gets it{at}"
        f"{later}"
    )


def _places(sites: Iterable[Site]) -> str:
    return listed([in_brief(site.frame) for site in sites])


def _written(flow: Flow) -> list[Site]:
    """Find the lines that set the rate of a group themselves."""
    return [
        site
        for site in flow.program.sites(ast.Assign, ast.AugAssign)
        if any(
            isinstance(target, ast.Subscript)
            and isinstance(target.slice, ast.Constant)
            and target.slice.value == RATE
            and is_group(target.value, site.module)
            for target in targets_of(site.node)
        )
    ]


def own_rates(flow: Flow) -> list[Site]:
    """Find the rates that groups are made with, each a Python number as yet."""
    found = []
    for site in flow.program.sites(ast.Dict):
        assert isinstance(site.node, ast.Dict)
        entries = {
            key.value: value
            for key, value in zip(site.node.keys, site.node.values, strict=True)
            if isinstance(key, ast.Constant)
        }
        rate = entries.get(RATE)
        if rate is not None and _PARAMETERS in entries and not is_tensor(site.module, rate):
            found.append(Site(site.module, rate))
    return sorted(found, key=lambda site: site.place)


def cycled(entry: GroupEntry, flow: Flow) -> list[Site]:
    """Find the schedulers of the program that write the entry besides the rate."""
    return [
        site
        for name, one in SCHEDULERS.items()
        if entry.key in one.writes
        for site in flow.program.calls(name)
        if isinstance(site.node, ast.Call) and not _is_only_rate(site.node, one.only_rate)
    ]


def _is_only_rate(call: ast.Call, option: str) -> bool:
    name, _, value = option.partition("=")
    given = keyword(call, name)
    return given is not None and ast.unparse(given) == value


def _of_cycled(entry: GroupEntry, flow: Flow) -> str | None:
    found = cycled(entry, flow)
    if not found or not isinstance(found[0].node, ast.Call):
        return None
    name = last_name(found[0].node.func)
    return (
        f"`{name}` ({in_brief(found[0].frame)}) writes `{entry.key}` in every step, a Python "
        f"number also where the rate is a tensor: `{SCHEDULERS[name].only_rate}` leaves it as it "
        "is, which changes the training; or leave the optimizer's step uncompiled"
    )


def _made(flow: Flow) -> list[Site]:
    """Find the one optimizer that is made, or, of several, the one that a schedule was given."""
    made = [
        site
        for name in flow.program.all_calls
        if OPTIMIZERS.match(name)
        for site in flow.program.calls(name)
    ]
    given = {name for node in _schedules(flow) for name in names_in(node.value)}
    scheduled = [
        site
        for site in made
        if isinstance(parent := site.module.parents.get(site.node), ast.Assign)
        and given.intersection(map(last_name, parent.targets))
    ]
    return next((found for found in (made, scheduled) if len(found) == 1), [])


def _replacing_tensors(made: list[Site], flow: Flow) -> list[Site]:
    """Find the lines that set a rate later, where each optimizer that is made is given a tensor."""
    options = OptionOrigins(Origins(flow))
    rates = [options.of(one, RATE, _PLACE_OF_RATE) for one in made]
    are_tensors = all(
        given and all(is_tensor(one.site.module, one.site.node) for one in given) for given in rates
    )
    return set_later(RATE, flow) if rates and are_tensors else []


def _schedules(flow: Flow) -> list[ast.Assign]:
    return [
        site.node
        for site in flow.program.sites(ast.Assign)
        if isinstance(site.node, ast.Assign) and _makes_schedule(site.node.value)
    ]


def _schedule_steps(flow: Flow) -> list[Site]:
    """Find the `scheduler.step()` of the program's schedules."""
    schedules = {target for node in _schedules(flow) for target in map(last_name, node.targets)}
    return changing(flow.program.methods_of(schedules, "step"), flow)


def _makes_schedule(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call):
        return False
    name = last_name(value.func)
    return (
        name in SCHEDULERS
        or name.endswith(("LR", "Restarts", "Plateau"))
        or ("schedule" in name.lower())
    )
