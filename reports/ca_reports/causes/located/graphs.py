"""The line that decides which autograd nodes a backward has (CA201 to CA212)."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from typing import TYPE_CHECKING

from ca_reports.causes.findings import BakedNumber, MadeAgain, TiedParameter
from ca_reports.causes.located.batches import operation
from ca_reports.causes.located.choosing import choosing, choosing_calls
from ca_reports.causes.located.rounds import in_constructor
from ca_reports.causes.located.trail import (
    best,
    conditions,
    deciders,
    in_lambda,
    is_appended,
    is_conditional,
    not_restoring,
    turns_gradients_off,
    unique,
    varies,
)
from ca_reports.program.origins import is_context
from ca_reports.program.syntax import (
    Site,
    bound_function,
    given_to,
    is_constant,
    keyword,
    last_name,
    names_in,
    scope_name,
)
from ca_reports.torchlib import loaders, tensors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.causes.located.trail import Trail
    from ca_reports.program.flow import Flow
    from ca_reports.program.syntax import Program

_NUMBERS = {
    "Pow": ("pow", "float_power", "pow_"),
    "LeakyRelu": ("leaky_relu", "LeakyReLU"),
    "Elu": ("elu", "ELU"),
    "Clamp": ("clamp", "clip", "clamp_min", "clamp_max"),
    "Dropout": ("dropout", "Dropout"),
    "HuberLoss": ("huber_loss", "HuberLoss"),
    "SmoothL1Loss": ("smooth_l1_loss", "SmoothL1Loss"),
    "Softplus": ("softplus", "Softplus"),
    "Norm": ("norm",),
}


def zeroed_gradients(trail: Trail) -> list[Site]:
    """`zero_grad(…)` or `p.grad = None`."""
    flow = trail.flow
    found = [
        site
        for site in trail.program.calls("zero_grad")
        if isinstance(site.node, ast.Call)
        and not is_constant(keyword(site.node, "set_to_none"), value=False)
    ]
    found += [
        site
        for site, target, value in flow.names.attribute_changes
        if target.attr == "grad" and is_constant(value, None)
    ]
    found = flow.in_steps(unique(found)) or _dropped_by_a_library(trail)
    inner = {node for loop in flow.loops[-1:] for node in ast.walk(loop.node)}
    return flow.nearest([site for site in found if site.node in inner] or found)


def _dropped_by_a_library(trail: Trail) -> list[Site]:
    """Find what the user gives a trainer that drops gradients: the class with the hook for it."""
    program = trail.program
    files = [frame.file.replace("\\", "/") for frame in trail.flow.stack]
    if any("/lightning/" in file or "/pytorch_lightning/" in file for file in files):
        modules = [*derived(program, "LightningModule"), *derived(program, "LightningLite")]
        made = [site for site in modules if program.calls(site.node.name)]  # type: ignore[union-attr]
        return made or modules
    if any("/transformers/" in file for file in files):
        own = [site.node.name for site in derived(program, *loaders.TRAINERS)]  # type: ignore[union-attr]
        return program.calls(*loaders.TRAINERS, *own)
    return []


def derived(program: Program, *bases: str) -> list[Site]:
    """Find the classes of the program that derive from one of ``bases``, also by way of others."""
    found: list[Site] = []
    names = set(bases)
    while True:
        more = [
            site
            for sites in program.classes.values()
            for site in sites
            if site not in found
            and isinstance(site.node, ast.ClassDef)
            and names.intersection(map(last_name, site.node.bases))
        ]
        if not more:
            return found
        found += more
        names.update(site.node.name for site in more)  # type: ignore[union-attr]


def applied(trail: Trail) -> list[Site]:
    """Find the calls of ``apply`` of the program's autograd functions."""
    functions = {site.node.name for site in derived(trail.program, "Function")}  # type: ignore[union-attr]
    return unique(trail.program.methods_of(functions, "apply"))


def mode(trail: Trail) -> list[Site]:
    """Find the `.train()` or `.eval()` that flips."""
    modules = [change for change in trail.changes if change.index is None]
    after = next((change.after for change in modules if change.attribute == "training"), None)
    if after is None and any(change.attribute == "p" for change in modules):
        return _probabilities(trail)
    found = trail.program.calls("train", "eval")
    found += [
        site for site, target, _ in trail.names.attribute_changes if target.attr == "training"
    ]
    found = [site for site in found if _is_about_modules(site) and not _is_overridden(site)]
    if after is False:
        found = _not_restored(found, trail)
    in_steps = trail.flow.in_steps(found)
    if after is None and any(change.attribute in ("training", "train") for change in trail.changes):
        in_steps = _before_restoring(in_steps)  # a node's own flag: the module is back in its mode
    varying = [site for site in in_steps if _takes_variable(site)]
    if varying:
        return trail.flow.nearest(varying)
    for some in (in_steps, found):
        wanted = [site for site in some if after is not None and _sets_mode(site) is bool(after)]
        if wanted:
            return trail.flow.nearest(best(wanted, trail.flow))
    return trail.flow.nearest(best(in_steps, trail.flow))


def mode_restored(trail: Trail) -> list[Site]:
    """Find the call that switches a mode which is put back before the backward."""
    found = trail.program.calls("train", "eval")
    found = [site for site in found if _is_about_modules(site) and not _is_overridden(site)]
    in_steps = [site for site in found if trail.flow.is_in_steps(site)]
    return trail.flow.nearest(_before_restoring(_not_restored(in_steps, trail)))


def _probabilities(trail: Trail) -> list[Site]:
    """Find where a dropout gets another `p`, else the line that it works in."""
    found = [site for site, target, _ in trail.names.attribute_changes if target.attr == "p"]
    found += [
        site
        for site in trail.program.calls("setattr")
        if isinstance(site.node, ast.Call) and is_constant(site.node.args[1], "p")
    ]
    return best((site for site in found if not in_constructor(site)), trail.flow) or operation(
        trail
    )


def _before_restoring(found: Iterable[Site]) -> list[Site]:
    """Of those of one function the first, behind which the others put the mode back."""
    firsts: dict[ast.AST, Site] = {}
    for site in sorted(not_restoring(found), key=lambda site: site.line):
        firsts.setdefault(site.scope, site)
    return list(firsts.values())


def _not_restored(found: list[Site], trail: Trail) -> list[Site]:
    """Without the `eval()` of an evaluation, where the steps switch back by themselves.

    What stays in evaluation mode then was switched apart: batch norms that a function freezes.
    """
    if not any(_sets_mode(site) and trail.flow.is_in_steps(site) for site in found):
        return found
    apart = [site for site in found if not _is_of_an_evaluation(site)]
    return apart if any(not _sets_mode(site) for site in apart) else found


def _is_of_an_evaluation(site: Site) -> bool:
    return any(map(turns_gradients_off, ast.walk(site.scope)))


def _is_about_modules(site: Site) -> bool:
    node = site.node
    return not isinstance(node, ast.Call) or isinstance(node.func, ast.Attribute)


def _is_overridden(site: Site) -> bool:
    """Return whether it is the rest of what a method does: `super().train(mode)` within `train`."""
    node = site.node
    is_method = site.module.owner(site.scope) is not None  # no function `train(model, loader)`
    return (
        is_method and isinstance(node, ast.Call) and scope_name(site.scope) == last_name(node.func)
    )


def _takes_variable(site: Site) -> bool:
    node = site.node
    given = node.args if isinstance(node, ast.Call) else [getattr(node, "value", None)]
    return any(each is not None and not isinstance(each, ast.Constant) for each in given)


def _sets_mode(site: Site) -> bool:
    node = site.node
    if isinstance(node, ast.Call):
        if last_name(node.func) == "eval":
            return False
        return not (node.args and is_constant(node.args[0], value=False))
    return is_constant(getattr(node, "value", None), value=True)


def number(trail: Trail) -> list[Site]:
    """Find the expression with the changing number."""
    known = operation(trail)
    if known:
        return _held_by_partial(known, trail) or known
    detail = trail.finding.detail
    node = detail.node if isinstance(detail, BakedNumber) else ""
    names = next((calls for part, calls in _NUMBERS.items() if node.startswith(part)), ())
    found = [
        site
        for site in trail.program.calls(*names)
        if isinstance(site.node, ast.Call)
        and any(
            not isinstance(each, ast.Constant)
            for each in (*site.node.args[-1:], *(given.value for given in site.node.keywords))
        )
    ]
    if node.startswith("Pow"):
        found += [
            site
            for site in trail.program.sites(ast.BinOp)
            if isinstance(site.node, ast.BinOp)
            and isinstance(site.node.op, ast.Pow)
            and not isinstance(site.node.right, ast.Constant)
        ]
    return unique(site for site in found if trail.flow.is_in_steps(site))


def _held_by_partial(operations: Iterable[Site], trail: Trail) -> list[Site]:
    """Find the `partial(huber_loss, delta=…)` that an operation calls, and that has its number."""
    called = (
        Site(site.module, call.func)
        for site in operations
        for call in ast.walk(site.node)
        if isinstance(call, ast.Call) and all(isinstance(each, ast.Name) for each in call.args)
    )
    held = (origin.site for function in called for origin in trail.origins.of(function))
    return unique(
        site
        for site in held
        if isinstance(site.node, ast.Call)
        and bound_function(site.node) is not None
        and not all(isinstance(each.value, ast.Constant) for each in site.node.keywords)
    )


def frozen(trail: Trail) -> list[Site]:
    """`requires_grad_(…)` or `p.requires_grad = …`."""
    found = trail.program.calls("requires_grad_")
    found += [
        site for site, target, _ in trail.names.attribute_changes if target.attr == "requires_grad"
    ]
    found = not_restoring(found)
    steps = [site for site in found if trail.flow.is_in_steps(site)]
    contexts = {site.scope for site in steps if is_context(site.scope)}
    if contexts:
        # What a context of the user's sets comes before what it puts back.
        others = [site for site in found if site.scope not in contexts]
        found = [*others, *_before_restoring(site for site in steps if site.scope in contexts)]
    return best(found, trail.flow)


def input_gradients(trail: Trail) -> list[Site]:
    """Find what turns the gradient of an input on and off."""
    flow = trail.flow
    names = {change.name for change in trail.changes if change.attribute == "input requires_grad"}
    found = frozen_sites(trail)
    found += [
        site
        for site in trail.program.sites(ast.Call)
        if isinstance(site.node, ast.Call)
        and (given := keyword(site.node, "requires_grad")) is not None
        and not is_constant(given, value=False)
    ]
    found = [site for site in unique(found) if flow.is_in_steps(site)] or unique(found)
    own = [site for site in found if _concerns(site, names)]
    found = own or found
    found = [site for site in found if varies(site)] or found
    return flow.nearest(found)


def frozen_sites(trail: Trail) -> list[Site]:
    """Find all lines that set `requires_grad`."""
    return [
        *trail.program.calls("requires_grad_"),
        *(
            site
            for site, target, _ in trail.names.attribute_changes
            if target.attr == "requires_grad"
        ),
    ]


def _concerns(site: Site, names: Iterable[str]) -> bool:
    statement = site.module.statement_at(site.line)
    if statement is None:
        return False
    own = {
        last_name(part)
        for part in ast.walk(statement)
        if isinstance(part, ast.Name | ast.Attribute)
    }
    return bool(own & set(names))


def root(trail: Trail) -> list[Site]:
    """Find the expression that makes another tensor for the backward to start from."""
    known = operation(trail)
    call = trail.program.at(trail.finding.noticed_at)
    picked = [] if call is None else _picked_roots(trail, call)
    if len(picked) == 1:
        return picked
    if any(change.attribute == "output_dtypes" for change in trail.changes):
        cast = _casts(trail)
        if len(cast) > 1 and call is not None:
            cast = _read_by_root(cast, call, trail.flow) or cast
        if len(cast) == 1 or not known:
            return cast
    if known or call is None:
        is_other = any(change.attribute == "outputs" for change in trail.changes)
        chosen = choosing_calls(in_lambda(known, trail.operation), trail.flow) if is_other else []
        return chosen or _added_to_root(trail, call, known) or known
    found: list[Site] = []
    for name in names_in(call.node) - {"backward", "torch", "autograd", "grad"}:
        values = trail.flow.assigned(name, call)
        found += [value for value in values if deciders(value, trail)]
    made = {_function_of(str(change.after)) for change in trail.changes}
    named = [
        site
        for site in found
        if isinstance(site.node, ast.Call) and last_name(site.node.func).replace("_", "") in made
    ]
    return unique(named or found)


def _casts(trail: Trail) -> list[Site]:
    """Find conversions to a dtype that the loss had; of several those that not every step runs."""
    dtypes = {
        name
        for change in trail.changes
        if change.attribute == "output_dtypes"
        for name in re.findall(r"\w*float\d+", f"{change.before} {change.after}")
    }
    found = [
        site
        for site in trail.program.sites(ast.Call)
        if isinstance(site.node, ast.Call)
        and trail.flow.is_in_steps(site)
        and not dtypes.isdisjoint(_dtypes_of(site.node))
    ]
    chosen = [site for site in found if is_conditional(site) or choosing(site, trail.flow)]
    return unique(chosen or found)


def _read_by_root(casts: list[Site], call: Site, flow: Flow) -> list[Site]:
    """Find ``casts`` that make what the loss reads of a batch: `criterion(out, batch["y"])`."""
    assigned = [
        each for name in names_in(call.node) - {"backward"} for each in flow.assigned(name, call)
    ]
    read = {
        part.slice.value
        for site in assigned
        for part in ast.walk(site.node)
        if isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Constant)
    }
    return [site for site in casts if _key_of(site) in read]


def _key_of(site: Site) -> object:
    """Return ``"y"`` of `{"y": torch.from_numpy(rows)}`; None for what has no key."""
    around = site.module.parents.get(site.node)
    if not isinstance(around, ast.Dict) or site.node not in around.values:
        return None
    key = around.keys[around.values.index(site.node)]
    return key.value if isinstance(key, ast.Constant) else None


def _dtypes_of(call: ast.Call) -> set[str]:
    """Return ``{"float64"}`` of `x.double()`, `x.to(torch.float64)`, `zeros(3, dtype=…)`."""
    given = given_to(call)
    names = {last_name(each) for each in given if isinstance(each, ast.Attribute)}
    if isinstance(call.func, ast.Attribute) and not given:
        names.add(call.func.attr)
    if last_name(call.func) == "from_numpy":
        names.add("double")  # what NumPy computes with
    return {tensors.DTYPE_OF_METHOD.get(name, name) for name in names}


def _added_to_root(trail: Trail, call: Site | None, known: list[Site]) -> list[Site]:
    """Find the `if` under which something is added to a loss that is made in every step."""
    if call is None or any(map(is_conditional, known)):
        return []
    found = [
        condition
        for name in names_in(call.node) - {"backward", "torch", "autograd", "grad"}
        for value in trail.flow.assigned(name, call)
        if value.scope is call.scope and _is_grown(value, name)
        for condition in conditions(value)[:1]
    ]
    return unique(found)


def _is_grown(value: Site, name: str) -> bool:
    """Return whether ``value`` is what a variable gets added to itself: `loss + 0.1 * penalty`."""
    is_added = isinstance(value.module.parents.get(value.node), ast.AugAssign)
    return is_added or name in names_in(value.node)


def _picked_roots(trail: Trail, statement: Site) -> list[Site]:
    """Find where some of several tensors are picked, or one is added, to begin a backward at."""
    found: list[Site] = []
    for node in ast.walk(statement.node):
        if not isinstance(node, ast.Call) or last_name(node.func) not in ("backward", "grad"):
            continue
        roots = node.func.value if isinstance(node.func, ast.Attribute) else None
        if roots is None or last_name(roots) in ("autograd", "torch"):
            roots = node.args[0] if node.args else None
        if roots is None:
            continue
        given = Site(statement.module, roots)
        for origin in (*trail.origins.of(given), *trail.origins.of(given, (None,))):
            route = (*origin.way, origin.site)
            found += [site for site in route if _is_picking(site)]
            if is_appended(origin.site):
                found += conditions(origin.site)[:1]
    return unique(found)


def asked_for(trail: Trail) -> list[Site]:
    """Find what chooses the tensors whose gradients a backward is asked for."""
    call = trail.program.at(trail.finding.noticed_at)
    found: list[Site] = []
    for node in () if call is None else ast.walk(call.node):
        if call is None or not isinstance(node, ast.Call):
            continue
        given = keyword(node, "inputs")
        if given is None and last_name(node.func) == "grad" and len(node.args) > 1:
            given = node.args[1]
        for origin in () if given is None else trail.origins.of(Site(call.module, given)):
            route = (*origin.way, origin.site)
            found += [site for site in route if _is_picking(site)]
            found += conditions(origin.site)[:1]
    return unique(found) or ([] if call is None else [call])


def _is_picking(site: Site) -> bool:
    return isinstance(site.node, ast.Subscript) and bool(names_in(site.node.slice))


def _function_of(node: str) -> str:
    """Return ``l1loss`` of ``['L1LossBackward0']``: the function that makes such a node."""
    return re.sub(r"\W|Backward\d*", "", node).lower()


def local_function(trail: Trail) -> list[Site]:
    """Find the class or function that is made again in each step."""
    detail = trail.finding.detail
    name = detail.name if isinstance(detail, MadeAgain) else ""
    found = [
        site
        for site in trail.program.sites(ast.ClassDef, ast.FunctionDef)
        if trail.flow.is_in_steps(site)
        and not isinstance(site.scope, ast.Module)
        and trail.flow.program.classes.get(getattr(site.node, "name", "")) is not None
    ]
    own = [site for site in found if getattr(site.node, "name", "") == name]
    return own or found


def shared_tensor(trail: Trail) -> list[Site]:
    """Find the line that shares a tensor in some steps and copies it in others."""
    known = operation(trail)
    tied_names = {
        change.name.rpartition(".")[2]
        for change in trail.changes
        if isinstance(trail.finding.detail, TiedParameter) and change.attribute == "is"
    }
    chosen = [
        site
        for site in trail.program.sites(ast.IfExp)
        if trail.flow.is_in_steps(site)
        and isinstance(site.node, ast.IfExp)
        and isinstance(site.node.orelse, ast.Name | ast.Attribute)
    ]
    tied = [
        site
        for site, target, value in trail.names.attribute_changes
        if trail.flow.is_in_steps(site)
        and isinstance(value, ast.Name | ast.Attribute)
        and (is_conditional(site) or (target.attr in tied_names and deciders(site, trail)))
    ]
    return chosen or unique(tied) or _made_once(trail) or known


def _made_once(trail: Trail) -> list[Site]:
    """Find one tensor under several names: `h = c = zeros(…)`, `(zero, zero)`, `[zeros(…)] * n`."""
    program = trail.program
    found = [
        site
        for site in program.sites(ast.Assign)
        if isinstance(site.node, ast.Assign)
        and len(site.node.targets) > 1
        and isinstance(site.node.value, ast.Call)
    ]
    found += [
        site
        for site in program.sites(ast.Tuple, ast.List)
        if isinstance(site.node, ast.Tuple | ast.List)
        and isinstance(site.node.ctx, ast.Load)
        and _has_twice(trail, site, site.node.elts)
    ]
    found += [
        site
        for site in program.sites(ast.BinOp)
        if isinstance(site.node, ast.BinOp)
        and isinstance(site.node.op, ast.Mult)
        and isinstance(site.node.left, ast.List | ast.Tuple)
        and any(_is_tensor(trail, Site(site.module, each)) for each in site.node.left.elts)
    ]
    return [site for site in unique(found) if _is_reached(trail, site)]


def _has_twice(trail: Trail, site: Site, elements: Iterable[ast.expr]) -> bool:
    names = [each for each in elements if isinstance(each, ast.Name)]
    counted = Counter(each.id for each in names)
    return any(
        counted[each.id] > 1 and _is_tensor(trail, Site(site.module, each)) for each in names
    )


def _is_tensor(trail: Trail, site: Site) -> bool:
    """Return whether a call makes it, and no size: `zeros(rows, width)`, not `(width, width)`."""
    origins = [site] if isinstance(site.node, ast.Call) else [
        origin.site for origin in trail.origins.of(site)
    ]  # fmt: skip
    return any(
        isinstance(one.node, ast.Call) and not hasattr(builtins, last_name(one.node.func))
        for one in origins
    )


def _is_reached(trail: Trail, site: Site) -> bool:
    """Return whether the steps run it, or a function that they are begun with."""
    scope = site.scope
    if not isinstance(scope, ast.FunctionDef):
        return True
    return trail.flow.is_in_steps(site) or bool(trail.flow.callers(Site(site.module, scope)))
