"""Advice where the program's source says more than the records of its run.

A batch may be cut by hand, where no `drop_last` helps; a trainer may be the one that drops the
gradients.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.findings import ShortBatch, ToggledHooks
from ca_reports.causes.located import parametrized, written
from ca_reports.causes.located.hook_keys import keyed_hook
from ca_reports.causes.located.rounds import growing
from ca_reports.causes.rules.size_advice import MASKED
from ca_reports.program import hooks
from ca_reports.program.sizes import is_rest
from ca_reports.program.syntax import Site, last_name
from ca_reports.run.model import Capture
from ca_reports.sentences.places import in_brief
from ca_reports.torchlib import loaders, shapes, tensors

if TYPE_CHECKING:
    from ca_reports.causes.located.trail import Trail

_IN_EVERY_STEP = "register it in every step, and let a tensor inside it decide"
_TOGGLED: dict[hooks.HookEffect, str] = {
    "gives_another": f"changes the gradient: {_IN_EVERY_STEP} whether it acts (`torch.where`)",
    "in_place": f"changes what it gets in place: {_IN_EVERY_STEP} whether it acts (`torch.where`)",
    "adds_up": f"adds up what it gets: {_IN_EVERY_STEP} how much, which is 0 in the other steps",
    "keeps": (
        "appends or writes what it gets: register it in every step, let it store one tensor "
        "instead, and read that in the steps that need it"
    ),
}


def advice(trail: Trail, site: Site) -> str | None:
    """Another fix than the finding's, now that its line is ``site``; None if its own is right."""
    code = trail.finding.code
    if code == "CA101" and trail.compiles and all(one.is_of_evaluation for one in trail.compiles):
        return None  # of an evaluation no sample is to be left out
    if isinstance(trail.finding.detail, ShortBatch):
        is_captured = any(isinstance(event, Capture) for event in trail.finding.events)
        return _of_batches(site, trail.finding.detail, captured=is_captured)
    if code == "CA102":
        return _of_a_filling(site, trail.finding.fix)
    if code == "CA201":
        return _of_trainer(site) or _of_receiver(site, trail.finding.fix)
    if code in ("CA202", "CA203") and (added := growing(site, trail.flow)) is not None:
        return _of_a_growing_list(added)
    if code == "CA202":
        return parametrized.advice(trail, site) or _of_detached(site)
    if isinstance(trail.finding.detail, ToggledHooks):
        return _of_toggled(trail.finding.detail.functions, site, trail)
    if code == "CA211" and isinstance(site.node, ast.If):
        return (
            "each branch combines in an order of its own: choose what differs first "
            "(`torch.where`), and run one path in every step"
        )
    if (apart := written.advice_at(site, trail)) is not None:
        return apart
    if (hook := keyed_hook(trail)) is not None and site.node is hook.hook.node:
        return hook.advice
    return None


def _of_toggled(names: tuple[str, ...], site: Site, trail: Trail) -> str | None:
    """A hook that comes and goes: what to do by what it does, where the source shows that."""
    registers = site.module.statement_at(site.line)
    if registers is None or len(names) != 1:
        return None
    functions = trail.program.functions
    effect = hooks.effect_of(registers, lambda name: functions.get(name, ()))
    return None if effect is None else f"`{names[0]}` {_TOGGLED[effect]}"


def _of_batches(site: Site, batch: ShortBatch, *, captured: bool) -> str | None:
    node, rest = site.node, batch.keeping
    what = "both the forward and the backward " if captured else ""
    otherwise = f"if you need those samples, compile {what}with dynamic=True"
    if batch.samples == 1:
        otherwise = rest  # dynamic sizes do not help
    if isinstance(node, ast.Call) and last_name(node.func).endswith(("Arguments", "Config")):
        return f"set dataloader_drop_last=True in the {last_name(node.func)}; {otherwise}"
    if isinstance(node, ast.Call) and last_name(node.func) == "dict":
        return f"pass drop_last=True among these options of the loader; {rest}"
    if is_rest(site):
        return (
            f"`{last_name(node)}` is what the full batches leave over: do not give it, or fill it "
            f"up to the size of the others; {rest}"
        )
    if isinstance(node, ast.If):
        return (
            f"a batch is also given where `{ast.unparse(node.test)}` holds for another reason than "
            f"its length: give full ones only; {rest}"
        )
    if isinstance(node, ast.Call) and last_name(node.func) in shapes.SIZED:
        return (
            "make each batch of one size here: drop the smaller ones, or pad them, "
            f"{MASKED}; {rest}"
        )
    if isinstance(node, ast.Call) and last_name(node.func) not in (*loaders.BATCHING, *shapes.CUTS):
        reader = last_name(node.func)
        if not reader:  # one of several, by a key: `SAMPLERS[kind](rows)`
            made = ast.unparse(node.func)
            return f"pass drop_last=True to the loader that `{made}` makes; {rest}"
        return (
            f"the last batch that `{reader}` gives is short: skip it where the batches are made, "
            f"or give `{reader}` a size that divides the number of rows; {rest}"
        )
    is_cut = isinstance(node, ast.Subscript)
    if not is_cut and not (isinstance(node, ast.Call) and last_name(node.func) in shapes.CUTS):
        return None
    part = "slice" if is_cut else "piece"
    return (
        f"the batches are cut by hand, and the last {part} is short: cut a multiple of the batch "
        f"size (`n // size * size` samples) or drop that {part}; {otherwise}"
    )


def _of_a_filling(site: Site, fix: str) -> str | None:
    """A memory gives as many samples as it holds: `sample(memory, min(count, len(memory)))`."""
    for call in ast.walk(site.node):
        if not isinstance(call, ast.Call) or last_name(call.func) != "min":
            continue
        for given in call.args:
            if isinstance(given, ast.Call) and last_name(given.func) == "len" and given.args:
                of = ast.unparse(given.args[0])
                return (
                    f"the batch is smaller while `{of}` holds less than a whole one: start "
                    f"training once it holds a full batch; or {fix}"
                )
    return None


def _of_trainer(site: Site) -> str | None:
    """A trainer of a library drops the gradients; the site is what it was given."""
    node = site.node
    if isinstance(node, ast.ClassDef):
        return (
            f"in `{node.name}`, let `optimizer_zero_grad` call "
            "`optimizer.zero_grad(set_to_none=False)`, and make the gradients in "
            "`on_train_start`: `for p in self.parameters(): p.grad = torch.zeros_like(p)`; you "
            "need both"
        )
    if isinstance(node, ast.Call) and last_name(node.func) != "zero_grad":
        return (
            "before the trainer is made, `for p in model.parameters(): p.grad = "
            "torch.zeros_like(p)` and `model.zero_grad = functools.partial(model.zero_grad, "
            "set_to_none=False)`, which the trainer calls; you need both"
        )
    return None


def _of_receiver(site: Site, fix: str) -> str | None:
    """What the program calls zero_grad of: its optimizer by its own name, or a module."""
    called = site.node.func if isinstance(site.node, ast.Call) else None
    if not isinstance(called, ast.Attribute) or called.attr != "zero_grad":
        return None
    receiver = ast.unparse(called.value)
    if "opt" not in receiver.lower():
        fix = fix.replace("model.parameters()", f"{receiver}.parameters()")
    return fix.replace("optimizer.zero_grad", f"{receiver}.zero_grad")


def _of_detached(site: Site) -> str | None:
    """A part that always runs and is cut off the graph in some steps."""
    detached = next(
        (
            part
            for part in ast.walk(site.node)
            if isinstance(part, ast.Call) and last_name(part.func) in tensors.DETACHES
        ),
        None,
    )
    if detached is None or not isinstance(detached.func, ast.Attribute):
        return None
    what = ast.unparse(detached.func.value)
    return (
        f"`{what}` is detached in some steps only, which takes what made it out of the graph: "
        f"write `keep * {what} + (1 - keep) * {what}.detach()` with a 0-or-1 tensor `keep`, so "
        "that the graph is the same in every step"
    )


def _of_a_growing_list(added: Site) -> str:
    """A list that keeps something of each task or epoch, and a loop that uses all of it."""
    assert isinstance(added.node, ast.Call)
    assert isinstance(added.node.func, ast.Attribute)
    kept = ast.unparse(added.node.func.value)
    return (
        f"`{kept}` gets longer ({in_brief(added.frame)}), and each entry "
        "adds the same operations: "
        "fold what is collected into one tensor of fixed size (a running sum), or stack it, padded "
        "to one length, and mask the rest with `torch.where`"
    )
