"""The line that decides which autograd nodes a backward has (CA201 to CA212)."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from typing import TYPE_CHECKING

from ca_reports.located.batches import operation
from ca_reports.located.choosing import choosing, choosing_calls
from ca_reports.located.trail import (
    best,
    conditions,
    deciders,
    has_graph,
    is_appended,
    is_conditional,
    not_restoring,
    unique,
    varies,
)
from ca_reports.source.names import targets_of
from ca_reports.source.program import (
    FunctionNode,
    Site,
    called_name,
    is_constant,
    keyword,
    last_name,
    names_in,
    scope_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.located.trail import Trail
    from ca_reports.source.flow import Flow
    from ca_reports.source.program import Program

# Of Transformers and TRL.
TRAINERS = ("Trainer", "Seq2SeqTrainer", "SFTTrainer", "DPOTrainer", "RewardTrainer")
_DETACHES = frozenset(("detach", "detach_", "item", "tolist", "numpy", "float", "int", "no_grad"))
_QUOTED = re.compile(r"`(?:self\.)?([A-Za-z_]\w*)")
_PARAMETRIZATIONS = (
    "weight_norm", "spectral_norm", "orthogonal", "register_parametrization",
    "remove_parametrizations", "remove_weight_norm", "remove_spectral_norm",
)  # fmt: skip
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
_LOOPS = (ast.For, ast.AsyncFor, ast.While, *_COMPREHENSIONS)
# Methods, and short names of torch's, by the dtype that they are.
_DTYPES = {"double": "float64", "float": "float32", "half": "float16"}
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
    """What the user gives a trainer that drops the gradients: the class with the hook for it."""
    program = trail.program
    files = [frame.file.replace("\\", "/") for frame in trail.flow.stack]
    if any("/lightning/" in file or "/pytorch_lightning/" in file for file in files):
        modules = [*derived(program, "LightningModule"), *derived(program, "LightningLite")]
        made = [site for site in modules if program.calls(site.node.name)]  # type: ignore[union-attr]
        return made or modules
    if any("/transformers/" in file for file in files):
        own = [site.node.name for site in derived(program, *TRAINERS)]  # type: ignore[union-attr]
        return program.calls(*TRAINERS, *own)
    return []


def derived(program: Program, *bases: str) -> list[Site]:
    """The classes of the program that derive from one of ``bases``, also by way of others."""
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


def branch(trail: Trail) -> list[Site]:
    """The `if` above the operations that come and go."""
    flow = trail.flow
    found: list[Site] = []
    if trail.finding.key == "parametrization":
        found = trail.program.calls(*_PARAMETRIZATIONS)
        registered = [
            site
            for site in found
            if isinstance(site.node, ast.Call) and not last_name(site.node.func).startswith("rem")
        ]
        return best(registered or found, flow)
    for site in unique([*operation(trail), *_operations(trail)]):
        found = deciders(site, trail)
        if found:
            return found[:1] if len({one.scope for one in found}) == 1 else found
    cut = cut_off(trail)
    if cut:
        return cut
    near = [capture.nearest_module or "" for capture in trail.captures]
    for path in (*trail.finding.subject.modules, *near):
        for name in _module_names(path):
            uses = [
                site
                for site in trail.program.reads(name)
                if flow.is_in_steps(site) and not _is_bookkeeping(site)
            ]
            uses = [one for use in uses for one in _looped_over(use)]
            found = unique(one for use in uses for one in deciders(use, trail)[:1])
            if found:
                return flow.nearest(found)
    return [site for site in _rounds(operation(trail), flow) if is_counted(site.node)]


def is_counted(node: ast.AST) -> bool:
    """Return whether ``node`` is a loop that counts to a variable, or that ends by a condition."""
    if isinstance(node, ast.While):
        return True
    return (
        isinstance(node, ast.For)
        and isinstance(node.iter, ast.Call)
        and last_name(node.iter.func) == "range"
        and not all(isinstance(each, ast.Constant) for each in node.iter.args)
    )


def _operations(trail: Trail) -> list[Site]:
    """The lines of the nodes that came or went, those of most nodes first."""
    lines = Counter(
        change.forward
        for change in trail.changes
        if change.attribute == "node" and change.forward is not None
    )
    sites = (trail.program.at(line) for line, _ in lines.most_common())
    return [site for site in sites if site is not None]


def cut_off(trail: Trail) -> list[Site]:
    """Find where the operation's result is detached, or made without a graph, in some steps."""
    flow = trail.flow
    results = {name for site in operation(trail) for name in _targets(site)}
    found = [
        site
        for site in trail.program.calls("detach", "detach_")
        if isinstance(site.node, ast.Call)
        and (names_in(site.node.func) & results)
        and flow.is_in_steps(site)
    ]
    found += [
        site
        for site in trail.program.calls("no_grad", "set_grad_enabled", "inference_mode")
        if flow.is_in_steps(site) and varies(site)
    ]
    return [site for site in unique(found) if is_conditional(site) or varies(site)]


def _looped_over(use: Site) -> list[Site]:
    """The calls of each module in turn, where ``use`` is what a loop goes over."""
    for part in use.module.around(use.node):
        if isinstance(part, ast.For) and use.node in set(ast.walk(part.iter)):
            bound = {node.id for node in ast.walk(part.target) if isinstance(node, ast.Name)}
            return [
                Site(use.module, node)
                for node in ast.walk(part)
                if isinstance(node, ast.Call) and last_name(node.func) in bound
            ]
        if isinstance(part, ast.stmt):
            break
    return [use]


def _is_bookkeeping(site: Site) -> bool:
    """Uses of a module that are no call of it: its parameters for an optimizer, its mode."""
    parent = site.module.parents.get(site.node)
    return isinstance(parent, ast.Attribute) and parent.attr in (
        "parameters", "named_parameters", "train", "eval", "requires_grad_", "state_dict", "weight",
    )  # fmt: skip


def _module_names(path: str) -> list[str]:
    """``['extra', 'blocks']`` of ``blocks.1.extra.weight``, innermost first."""
    parts = [part for part in path.split(".") if part.isidentifier()]
    return [part for part in reversed(parts) if part not in ("weight", "bias", "_orig_mod")]


def loop(trail: Trail) -> list[Site]:
    """The loop that runs more or less often."""
    flow = trail.flow
    steps = {site.node for site in flow.loops}
    waiting = operation(trail)
    if all(_own_loop(site, steps) is None for site in waiting):
        # What stands behind a loop may make nodes of the same kinds as what is in it.
        scopes = {site.scope for site in waiting}
        beside = (site for site in _operations(trail) if site.scope in scopes)
        waiting = [site for site in beside if _own_loop(site, steps)][:1] or waiting
    return _rounds(waiting, flow) or [
        site
        for site in trail.program.sites(ast.For, ast.While)
        if site.node not in steps
        and flow.is_in_steps(site)
        and has_graph(site)
        and _is_variable_loop(site)
    ]


def order(trail: Trail) -> list[Site]:
    """The loop over what is combined, else the `if` of which each branch combines in its order."""
    loops = _rounds(operation(trail), trail.flow)
    return [site for site in loops if not is_counted(site.node)] or branch(trail)


def _rounds(waiting: list[Site], flow: Flow) -> list[Site]:
    """Return the loops that ``waiting`` are in: in their functions, else around calls of these."""
    steps = {site.node for site in flow.loops}
    seen: set[ast.AST] = set()
    while waiting:
        found: list[Site] = []
        callers: list[Site] = []
        for site in waiting:
            own = _own_loop(site, steps)
            if own is not None:
                found.append(own)
            elif isinstance(site.scope, FunctionNode) and site.scope not in seen:
                seen.add(site.scope)
                callers += flow.callers(Site(site.module, site.scope))
        if found:
            return unique(found)
        waiting = flow.in_steps(callers)
    return []


def _own_loop(site: Site, steps: set[ast.expr | ast.stmt]) -> Site | None:
    """The innermost loop that ``site`` is in, in its function; none of the ``steps``."""
    for part in (site.node, *site.module.around(site.node), *_inside(site)):
        if isinstance(part, _LOOPS) and part not in steps and _is_of(site, part):
            return Site(site.module, part)
    return None


def _inside(site: Site) -> list[ast.AST]:
    """Loops within the statement itself: `sum(step(x) for x in xs)`."""
    if not isinstance(site.node, ast.stmt) or isinstance(site.node, ast.For | ast.While):
        return []
    return [node for node in ast.walk(site.node) if isinstance(node, _COMPREHENSIONS)]


def _is_of(site: Site, part: ast.AST) -> bool:
    return site.module.scope(part) is site.scope or part is site.node


def _is_variable_loop(site: Site) -> bool:
    """A loop whose number of rounds is no literal, and that does something with tensors."""
    node = site.node
    if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node)):
        return False  # it gives the steps their data
    if isinstance(node, ast.For):
        over = node.iter
        if isinstance(over, ast.Call) and last_name(over.func) == "range":
            return is_counted(node)
        return not (names_in(over) & {"parameters", "named_parameters", "optimizers", "modules"})
    return True


def carried_state(trail: Trail) -> list[Site]:
    """The assignment that carries a graph from one step into the next."""
    flow = trail.flow
    program = trail.program
    found = [
        site
        for site in program.sites(ast.Assign, ast.AugAssign, ast.AnnAssign)
        if flow.is_in_steps(site) and not _is_detached(site.node) and _is_carried(trail, site)
    ]
    found += [
        call
        for call in program.calls("append", "appendleft", "add", "extend", "insert")
        if flow.is_in_steps(call)
        and isinstance(call.node, ast.Call)
        and isinstance(call.node.func, ast.Attribute)
        and not any(map(_is_detached, call.node.args))
        and _is_read_as_tensor(trail, call)
    ]
    found = unique(found)
    named = set(_QUOTED.findall(trail.finding.fix))
    used = {name for site in operation(trail) for name in names_in(site.node)}
    for names in (named | used, used, named):
        chosen = [site for site in found if _targets(site) & names]
        if len(chosen) == 1:
            return chosen
    attributes = [site for site in found if _is_attribute(site)]
    return attributes if len(attributes) == 1 else found


def _is_detached(node: ast.AST) -> bool:
    value = getattr(node, "value", node)
    return any(
        isinstance(part, ast.Call) and last_name(part.func) in _DETACHES for part in ast.walk(value)
    ) or isinstance(value, ast.Constant)


def _targets(site: Site) -> set[str]:
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return {last_name(node.func.value)}
    targets = targets_of(node)
    parts = (
        part.value if isinstance(part, ast.Subscript) else part
        for target in targets
        for part in (target.elts if isinstance(target, ast.Tuple | ast.List) else [target])
    )
    return {last_name(part) for part in parts} - {""}


def _is_attribute(site: Site) -> bool:
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return isinstance(node.func.value, ast.Attribute)
    return any(
        isinstance(target.value if isinstance(target, ast.Subscript) else target, ast.Attribute)
        for target in targets_of(node)
    )


def _is_carried(trail: Trail, site: Site) -> bool:
    """Return whether what is assigned is read in the next step before it is assigned again."""
    node = site.node
    steps = {loop.node for loop in trail.flow.loops}
    if _is_made_anew(site) or _is_bookkept(node):
        return False
    for name in _targets(site):
        if _is_attribute(site):
            if any(map(trail.flow.is_in_steps, trail.program.reads(name))):
                return True
            continue
        if isinstance(node, ast.AugAssign) and not isinstance(node.target, ast.Subscript):
            if _begins_outside(site, name, steps):
                return True
            continue
        if _begins_outside(site, name, steps) and _is_read_before(site, name, steps):
            return True
    return False


def _is_made_anew(site: Site) -> bool:
    value = getattr(site.node, "value", None)
    return isinstance(value, ast.List | ast.Dict) or value is None


def _is_bookkept(node: ast.AST) -> bool:
    """Counters: `step += 1`."""
    return isinstance(node, ast.AugAssign) and isinstance(node.value, ast.Constant)


def _loop_around(site: Site, steps: set[ast.expr | ast.stmt]) -> ast.AST | None:
    """The outermost loop of the steps that is around ``site`` in its function."""
    return next(
        (part for part in reversed(list(site.module.around(site.node))) if part in steps), None
    )


def _begins_outside(site: Site, name: str, steps: set[ast.expr | ast.stmt]) -> bool:
    """Return whether ``name`` is assigned before the loop of the steps as well as in it."""
    around = _loop_around(site, steps)
    if around is None:
        return False
    inside = set(ast.walk(around))
    scope = site.scope
    arguments = {argument.arg for argument in ast.walk(scope) if isinstance(argument, ast.arg)}
    return name in arguments or any(
        isinstance(part, ast.Name)
        and part.id == name
        and isinstance(part.ctx, ast.Store)
        and part not in inside
        for part in ast.walk(scope)
    )


def _is_read_before(site: Site, name: str, steps: set[ast.expr | ast.stmt]) -> bool:
    around = _loop_around(site, steps)
    assert around is not None
    reads = [
        part.lineno
        for part in ast.walk(around)
        if isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)
    ]
    return any(line <= (site.node.end_lineno or site.line) for line in reads)


def _is_read_as_tensor(trail: Trail, call: Site) -> bool:
    """Return whether the container that ``call`` fills is one that outlives a step, and is read."""
    assert isinstance(call.node, ast.Call)
    assert isinstance(call.node.func, ast.Attribute)
    held = call.node.func.value
    name = last_name(held)
    steps = {loop.node for loop in trail.flow.loops}
    outlives = isinstance(held, ast.Attribute) or _begins_outside(call, name, steps)
    reads = [
        site
        for site in trail.program.reads(name)
        if site.node is not held
        and trail.flow.is_in_steps(site)
        and not (
            isinstance(parent := site.module.parents.get(site.node), ast.Attribute)
            and parent.attr in ("append", "pop", "popleft", "clear")
        )
    ]
    return outlives and bool(reads)


def mode(trail: Trail) -> list[Site]:
    """The `.train()` or `.eval()` that flips."""
    after = next((change.after for change in trail.changes if change.attribute == "training"), None)
    found = trail.program.calls("train", "eval")
    found += [
        site for site, target, _ in trail.names.attribute_changes if target.attr == "training"
    ]
    found = [
        site
        for site in trail.flow.in_steps(found)
        if _is_about_modules(site) and not _is_overridden(site)
    ]
    varying = [site for site in found if _takes_variable(site)]
    if varying:
        return trail.flow.nearest(varying)
    wanted = (
        [site for site in found if _sets_mode(site) is bool(after)] if after is not None else []
    )
    return trail.flow.nearest(best(wanted or found, trail.flow))


def _is_about_modules(site: Site) -> bool:
    node = site.node
    return not isinstance(node, ast.Call) or isinstance(node.func, ast.Attribute)


def _is_overridden(site: Site) -> bool:
    """Whether it is the rest of what a method does: `super().train(mode)` within `train`."""
    return isinstance(site.node, ast.Call) and scope_name(site.scope) == last_name(site.node.func)


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
    """The expression with the changing number."""
    known = operation(trail)
    if known:
        return _held_by_partial(known, trail) or known
    node, _, _ = trail.finding.key.partition(" ")
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
    """The `partial(huber_loss, delta=…)` that an operation calls, and that has its number."""
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
        and called_name(site.node) == "partial"
        and not all(isinstance(each.value, ast.Constant) for each in site.node.keywords)
    )


def frozen(trail: Trail) -> list[Site]:
    """`requires_grad_(…)` or `p.requires_grad = …`."""
    found = trail.program.calls("requires_grad_")
    found += [
        site for site, target, _ in trail.names.attribute_changes if target.attr == "requires_grad"
    ]
    return best(not_restoring(found), trail.flow)


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
    """All lines that set `requires_grad`."""
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
    """The expression that makes another tensor for the backward to start from."""
    known = operation(trail)
    call = trail.program.at(trail.finding.noticed_at)
    picked = [] if call is None else _picked_roots(trail, call)
    if len(picked) == 1:
        return picked
    if any(change.attribute == "output_dtypes" for change in trail.changes):
        cast = _casts(trail)
        if len(cast) == 1 or not known:
            return cast
    if known or call is None:
        is_other = any(change.attribute == "outputs" for change in trail.changes)
        chosen = choosing_calls(_in_lambdas(known, trail), trail.flow) if is_other else []
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
    """The conversions to a dtype that the loss had; of several those that not every step runs."""
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


def _dtypes_of(call: ast.Call) -> set[str]:
    """``{"float64"}`` of `x.double()`, `x.to(torch.float64)` and `zeros(3, dtype=torch.double)`."""
    given = [*call.args, *(one.value for one in call.keywords)]
    names = {last_name(each) for each in given if isinstance(each, ast.Attribute)}
    if isinstance(call.func, ast.Attribute) and not given:
        names.add(call.func.attr)
    if last_name(call.func) == "from_numpy":
        names.add("double")  # what NumPy computes with
    return {_DTYPES.get(name, name) for name in names}


def _added_to_root(trail: Trail, call: Site | None, known: list[Site]) -> list[Site]:
    """The `if` under which something is added to a loss that is made in every step."""
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


def _in_lambdas(known: list[Site], trail: Trail) -> list[Site]:
    """The operation's line, of a table of lambdas the one that it is in."""
    line = trail.operation
    scopes = [] if line is None else [
        (site.module, site.module.scope_at(line.line)) for site in known
    ]  # fmt: skip
    return [
        Site(module, scope.body) for module, scope in scopes if isinstance(scope, ast.Lambda)
    ] or known


def _picked_roots(trail: Trail, statement: Site) -> list[Site]:
    """Where some of several tensors are picked, or one is added, for a backward to begin at."""
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


def _is_picking(site: Site) -> bool:
    return isinstance(site.node, ast.Subscript) and bool(names_in(site.node.slice))


def _function_of(node: str) -> str:
    """``l1loss`` of ``['L1LossBackward0']``: the function that makes such a node."""
    return re.sub(r"\W|Backward\d*", "", node).lower()


def local_function(trail: Trail) -> list[Site]:
    """The class or function that is made again in each step."""
    names = set(re.split(r"[\W]+", trail.finding.key + " " + trail.finding.message))
    found = [
        site
        for site in trail.program.sites(ast.ClassDef, ast.FunctionDef)
        if trail.flow.is_in_steps(site)
        and not isinstance(site.scope, ast.Module)
        and trail.flow.program.classes.get(getattr(site.node, "name", "")) is not None
    ]
    own = [site for site in found if getattr(site.node, "name", "") in names]
    return own or found


def shared_tensor(trail: Trail) -> list[Site]:
    """The line that shares a tensor in some steps and copies it in others."""
    known = operation(trail)
    tied_names = {
        change.name.rpartition(".")[2]
        for change in trail.changes
        if trail.finding.key == "tied" and change.attribute == "is"
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
    """One tensor under several names: `h = c = zeros(…)`, `(zero, zero)`, `[zeros(…)] * n`."""
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
