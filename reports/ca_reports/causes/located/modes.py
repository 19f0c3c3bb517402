"""The line that changes a mode, a layout or the hooks of a tensor (CA111, CA112, CA3xx, CA6xx)."""

from __future__ import annotations

import ast
from math import inf
from typing import TYPE_CHECKING

from ca_reports.causes.findings import KeptByHook, SharedSetting, ToggledHooks, UnknownHook
from ca_reports.causes.located import changes
from ca_reports.causes.located.arguments import argument, call, inside
from ca_reports.causes.located.counted_keys import counted_key
from ca_reports.causes.located.trail import (
    best,
    deciders,
    is_conditional,
    not_restoring,
    unique,
)
from ca_reports.program.positions import own_nodes
from ca_reports.program.restoring import unrestored
from ca_reports.program.syntax import (
    FunctionNode,
    Site,
    is_slice,
    keys_of,
    keyword,
    last_name,
    names_in,
)
from ca_reports.run.model import Hazard
from ca_reports.torchlib import modes, modules, shapes

if TYPE_CHECKING:
    from ca_reports.causes.located.trail import Trail
    from ca_reports.program.restoring import Unrestored
    from ca_reports.program.stack import Frame

_CREATE_GRAPH = "create_graph"
# `.calls` of a hook's state as a guard names it: `hooks[0].log['head'].calls`.


def layout(trail: Trail) -> list[Site]:
    """Find the call that changes a layout in some steps."""
    flow = trail.flow
    if trail.finding.subject.path.is_parameter and (converting := _converting(trail)):
        return converting
    # What a captured graph is given has no name in the program, as an argument has.
    if any(compiled.is_forward for compiled in trail.compiles):
        made = _made_of(trail)
        if made:
            return made
        if _begins_elsewhere(trail):
            return _parts(trail) or call(trail)
    found = [
        site
        for site in trail.program.calls(*shapes.STRIDED, *shapes.TAKES_MEMORY_FORMAT)
        if isinstance(site.node, ast.Call)
        and (
            keyword(site.node, "memory_format") is not None
            or last_name(site.node.func) in shapes.STRIDED
        )
    ]
    found += [
        site
        for site in trail.program.sites(ast.Attribute)
        if isinstance(site.node, ast.Attribute) and site.node.attr in shapes.TRANSPOSED
    ]
    found += [
        site
        for site in trail.program.sites(ast.Subscript)
        if isinstance(site.node, ast.Subscript) and _has_stride(site.node)
    ]
    given = argument(trail)
    found = unique(found)
    if given is not None:
        changing = {site.node for site in found}
        near = [site for site in given.made_of if site.node in changing or _is_narrow(site)]
        if near and _is_narrow(near[0]):
            return near[:1]
    inside = flow.in_steps(found) if given is None else given.of_those(found)
    # A column is cut out in nearly every program: `target[:, t] if forced else guess.argmax(-1)`.
    columns = [site for site in trail.program.sites(ast.Subscript) if _is_column(site)]
    chosen = [
        site
        for site in unique((*inside, *filter(flow.is_in_steps, columns)))
        if is_conditional(site) or _in_choice(site)
    ]
    return flow.nearest(_returned(chosen or inside))


def _converting(trail: Trail) -> list[Site]:
    """Find the lines that give the parameters of a module another layout.

    A module is converted in place, so that nobody needs what the call returns.
    """
    return [
        site
        for site in trail.program.calls(*shapes.TAKES_MEMORY_FORMAT)
        if isinstance(site.node, ast.Call)
        and keyword(site.node, "memory_format") is not None
        and _is_of_own_name(site)
    ]


def _is_of_own_name(site: Site) -> bool:
    """Return whether a method's result is dropped, or is given the name that it was called on."""
    call, around = site.node, site.module.parents.get(site.node)
    if not isinstance(around, ast.Assign):
        return isinstance(around, ast.Expr)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    return [*map(ast.unparse, around.targets)] == [ast.unparse(call.func.value)]


def _made_of(trail: Trail) -> list[Site]:
    """Find the slice that an argument's element or field is: `kept[:, -length:]`; else its call.

    Empty for a plain argument, and where a stride changed by itself.
    """
    path = trail.finding.subject.path
    frame = trail.compiles[0].location if trail.compiles else None
    start = inside(frame, trail.flow)
    if not path.is_plain or not path.steps or start is None:
        return []
    handed = [
        site
        for origin in trail.origins.entering(path.root, start, path.parts)
        for site in (*origin.way, origin.site)
    ]
    return unique(site for site in handed if _is_part(site.node))[:1] or call(trail)


def _begins_elsewhere(trail: Trail) -> bool:
    """Return whether an argument is a part of a larger tensor in some calls only."""
    return any(
        guard.kind == "storage_offset"
        for compiled in trail.compiles
        for guard in compiled.failed_guards
    )


def _parts(trail: Trail) -> list[Site]:
    """Find the slice or split that the argument is a part by, nearest first."""
    given = argument(trail)
    made = () if given is None else given.made_of
    return [
        site
        for site in made
        if _is_part(site.node)
        or (isinstance(site.node, ast.Call) and last_name(site.node.func) in shapes.PARTS)
    ][:1]


def _is_part(node: ast.AST) -> bool:
    """Return whether ``node`` is a slice, or one that is detached or converted."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value
    return is_slice(node)


def _returned(sites: list[Site]) -> list[Site]:
    """Of several in one function those in what it returns, whose layout is what comes out."""
    if len({site.scope for site in sites}) != 1:
        return sites
    found = [
        site
        for site in sites
        if any(isinstance(part, ast.Return) for part in site.module.around(site.node))
    ]
    return found or sites


def _is_narrow(site: Site) -> bool:
    """Return whether a slice keeps a part of the rows, as `words[:, -1:]`, with their stride.

    One of the first dimension alone has the strides of the whole.
    """
    keys = keys_of(site.node) if isinstance(site.node, ast.Subscript) else []
    last = keys[-1] if len(keys) > 1 else None
    return isinstance(last, ast.Slice) and (last.lower is not None or last.upper is not None)


def _has_stride(node: ast.Subscript) -> bool:
    return any(isinstance(key, ast.Slice) and key.step is not None for key in keys_of(node))


def _is_column(site: Site) -> bool:
    node = site.node
    assert isinstance(node, ast.Subscript)
    keys = [] if isinstance(node.ctx, ast.Store) else keys_of(node)
    return bool(keys) and isinstance(keys[0], ast.Slice) and not isinstance(keys[-1], ast.Slice)


def _in_choice(site: Site) -> bool:
    return any(isinstance(part, ast.IfExp) for part in site.module.around(site.node))


def global_state(trail: Trail) -> list[Site]:
    """Find the `with` or call that changes torch's global state."""
    setting = trail.finding.detail
    assert isinstance(setting, SharedSetting)
    if setting.by == "modes":
        return _function_modes(trail)
    if setting.by == "backward":
        return _recorded_graphs(trail)
    if setting.by in ("checkpoint", "function", "evaluation"):
        return _applying(trail)
    if setting.by == "thread" and (called := trail.program.at(trail.finding.location)) is not None:
        return [called]
    if (left := left_changed(trail)) is not None:
        return [left.line]
    names = {name for one in setting.names for name in modes.SETTERS.get(one, ())} or {
        name for calls in modes.SETTERS.values() for name in calls
    }
    found = _changing(trail, tuple(names))
    return found if len(found) < 2 else _last(found, trail) or found


def left_changed(trail: Trail) -> Unrestored | None:
    """Return the one function of the program that leaves the setting as it sets it, if one does.

    What the recompiled calls run in is none: they are made with the setting of it.
    """
    setting = trail.finding.detail
    if not isinstance(setting, SharedSetting) or len(setting.names) != 1 or setting.by != "call":
        return None
    setters = modes.SETTERS.get(setting.names[0], ())
    calling = [site.scope for frame in trail.flow.stack if (site := trail.program.at(frame))]
    found = [
        left
        for call in trail.program.calls(*setters)
        if call.scope not in calling and (left := unrestored(call, setters)) is not None
    ]
    if len(found) != 1:
        return None
    (left,) = found
    return left if left.branch is not None or trail.flow.is_in_steps(left.setting) else None


def _last(setting: list[Site], trail: Trail) -> list[Site]:
    """Find the last of the calls that ran before the recompile: the state there is what it set.

    By the lines above those of the stack, innermost first, and what these call.
    """
    nodes = {part: site for site in setting for part in ast.walk(site.node)}
    seen: set[ast.AST] = set()

    def last_in(function: ast.AST, line: float) -> Site | None:
        calls = [
            node
            for node in own_nodes(*ast.iter_child_nodes(function))
            if isinstance(node, ast.Call) and node.lineno < line
        ]
        for one in sorted(calls, key=lambda own: (own.lineno, own.col_offset), reverse=True):
            if one in nodes:
                return nodes[one]
            for called in trail.names.callees(one):
                if called.node in seen:
                    continue
                seen.add(called.node)
                if (found := last_in(called.node, inf)) is not None:
                    return found
        return None

    for frame in reversed(trail.flow.stack):
        at = trail.program.at(frame)
        if at is not None and (found := last_in(at.scope, frame.line)) is not None:
            return [found]
    return []


def _applying(trail: Trail) -> list[Site]:
    """Find the line that the rule saw apply an `autograd.Function`; else what turns checkpoints on.

    A library's own call of `checkpoint` is nothing to edit.
    """
    known = trail.program.at(trail.finding.location)
    if known is not None:
        return [known]
    return _calls(trail, "gradient_checkpointing_enable", "checkpoint", "checkpoint_sequential")


def _recorded_graphs(trail: Trail) -> list[Site]:
    """Find what passes `create_graph`, by itself or among options; else the backward's line."""
    keys = [
        Site(found.module, key)
        for found in trail.program.sites(ast.Dict)
        if isinstance(found.node, ast.Dict)
        for key in found.node.keys
        if isinstance(key, ast.Constant) and key.value == _CREATE_GRAPH
    ]
    given = [
        Site(found.module, found.node)
        for found in trail.program.sites(ast.Call)
        if isinstance(found.node, ast.Call) and keyword(found.node, _CREATE_GRAPH) is not None
    ]
    called = trail.program.at(trail.finding.noticed_at)
    return best([*given, *keys], trail.flow) or ([] if called is None else [called])


def _function_modes(trail: Trail) -> list[Site]:
    """Find what sets the default device, or enters a device or a `TorchFunctionMode`."""
    program = trail.program
    own = [
        name
        for name, classes in program.classes.items()
        if any(
            isinstance(one.node, ast.ClassDef)
            and any(last_name(base) in modes.FUNCTION_MODES for base in one.node.bases)
            for one in classes
        )
    ]
    entered = [
        call
        for call in program.calls("device", *own, *modes.FUNCTION_MODES)
        if isinstance(call.module.parents.get(call.node), ast.withitem)
    ]
    found = [*entered, *program.calls("set_default_device")]
    return best(not_restoring(found), trail.flow)


def _changing(trail: Trail, names: tuple[str, ...]) -> list[Site]:
    found = trail.program.calls(*names)
    found += [
        site
        for site, target, _ in trail.names.attribute_changes
        if target.attr in modes.BACKEND_FLAGS and names
    ]
    return best(not_restoring(found), trail.flow)


def anomaly(trail: Trail) -> list[Site]:
    """Find where anomaly mode is entered or left."""
    return _changing(trail, modes.SETTERS["anomaly"])


def autocast(trail: Trail) -> list[Site]:
    """Find the `with autocast`; where a part of the forward has another precision, that part."""
    hazards = [event for event in trail.finding.events if isinstance(event, Hazard)]
    parts = [trail.program.at(one.lines[-1]) for one in hazards if one.lines]
    known = unique([part for part in parts if part is not None])
    return known or _changing(trail, modes.SETTERS["autocast"])


def entered_autocast(trail: Trail) -> list[Site]:
    """Return where the compiled function enters autocast, or the one place that does."""
    calls = [
        site
        for site in trail.program.calls(modes.AUTOCAST)
        if isinstance(site.node, ast.Call)
        and site.module.full_name(site.node.func) in modes.AUTOCAST_NAMES
    ]
    return _of_the_function(calls, trail)


def checkpoint_context(trail: Trail) -> list[Site]:
    """Return where the compiled function gives a checkpoint its context, or the one place."""
    calls = [
        site
        for site in trail.program.sites(ast.Call)
        if isinstance(site.node, ast.Call) and keyword(site.node, "context_fn") is not None
    ]
    return _of_the_function(calls, trail)


def _of_the_function(sites: list[Site], trail: Trail) -> list[Site]:
    """Find those of ``sites`` in the function where the finding was noticed; else the only."""
    start = inside(trail.finding.noticed_at, trail.flow)
    own = [site for site in sites if start is not None and site.scope is start.scope]
    return own or (sites if len(sites) == 1 else [])


def hook(trail: Trail) -> list[Site]:
    """Find the registration of a hook that comes and goes, or is added in each step."""
    flow = trail.flow
    names = _hook_names(trail)
    registering = trail.program.calls(*modules.BACKWARD_HOOKS)
    calls = unique(list(filter(flow.is_in_steps, registering)) or registering)
    own = [site for site in calls if names & names_in(site.node)]
    found = flow.nearest(best(own or calls, flow))
    known = trail.finding.detail
    if isinstance(known, ToggledHooks) and known.of_saved_tensors and len(found) == 1:
        # A context that is made in a function of its own is entered elsewhere, or is not.
        return deciders(found[0], trail) or found
    return found


def module_hook(trail: Trail) -> list[Site]:
    """Find the registration of a module's hook that comes and goes."""
    calls = unique(trail.program.calls(*modules.HOOKS_OF_MODULES))
    return best([site for site in calls if trail.flow.is_in_steps(site)] or calls, trail.flow)


def late_hook(trail: Trail) -> list[Site]:
    """Find the registration of a hook that a compiled graph does not know, by its function.

    Where the source shows no other of its kind, that one.
    """
    hook = trail.finding.detail
    if not isinstance(hook, UnknownHook):
        return []
    calls = unique(trail.program.calls(*modules.HOOKS_BY_KIND.get(hook.kind, ())))
    # `AlignLoss.keep`, or `make.<locals>.hook`, which a call of `make` gives.
    names = {part for part in hook.function.split(".") if part.isidentifier()}
    given = [
        site
        for site in calls
        if isinstance(site.node, ast.Call) and any(names & names_in(one) for one in site.node.args)
    ]
    return given if len(given) == 1 else calls if len(calls) == 1 else []


def retained_gradient(trail: Trail) -> list[Site]:
    """Find the call of `retain_grad`."""
    return _calls(trail, "retain_grad")


def _hook_names(trail: Trail) -> set[str]:
    """Return the function that the hook runs, by name, from where it is defined."""
    known = trail.finding.detail
    found = {*known.functions} if isinstance(known, ToggledHooks) else set()
    for frame in (trail.finding.location, trail.finding.noticed_at):
        site = trail.program.at(frame)
        if site is not None and isinstance(site.node, ast.FunctionDef):
            found.add(site.node.name)
    return found


def hook_state(trail: Trail) -> list[Site]:
    """Find what changes the Python value that a hook or a Function's ``ctx`` keeps.

    Else the line of the hook that reads it.
    """
    state = trail.finding.detail
    if not isinstance(state, KeptByHook):
        return []
    if state.bound:
        made = [
            call
            for call in trail.program.calls("partial")
            if isinstance(call.node, ast.Call) and keyword(call.node, state.bound) is not None
        ]
        if len(made) == 1:
            return made
    counted = None if state.lacks is None else counted_key(state, trail)
    if counted is not None:
        return [counted.counting]
    name = state.attribute
    if state.of_function:
        return [site for site, target, _ in trail.names.attribute_changes if target.attr == name]
    line = trail.finding.location
    classes = trail.names.with_own(name, trail.program.at(line))
    changed = changes.set_later(name, trail.flow, classes) if name else []
    if len(changed) == 1:
        return changed
    changed = [] if state.cell is None else _in_a_closure(state.cell, line, trail)
    if len(changed) == 1:
        return changed
    called = {(frame.file, frame.line) for frame in trail.flow.stack}
    own = None if line is None or (line.file, line.line) in called else trail.program.at(line)
    if own is not None and state.default is not None:
        # `def scaled(grad, share=share)` takes the number when the hook is made; so does a lambda.
        own = inside(line, trail.flow) or own
        return [Site(own.module, own.scope)] if isinstance(own.scope, FunctionNode) else [own]
    return [] if own is None else [own]


def _in_a_closure(cell: int, line: Frame | None, trail: Trail) -> list[Site]:
    """Find where a hook changes what a variable of the function around it holds."""
    name = changes.variable_of_cell(cell, line, trail.flow)
    start = inside(line, trail.flow)
    return changes.filled_in(start.scope, start.module, name) if name and start else []


def checkpoint(trail: Trail) -> list[Site]:
    """Find the call of `checkpoint`."""
    return _calls(trail, "checkpoint", "checkpoint_sequential")


def reentrant_checkpoint(trail: Trail) -> list[Site]:
    """Find the call of `checkpoint` with `use_reentrant=True`, else what runs a backward in one."""
    return _calls(trail, "checkpoint", "checkpoint_sequential")


def save_on_cpu(trail: Trail) -> list[Site]:
    """Find the `with save_on_cpu`."""
    return _calls(trail, "save_on_cpu", "saved_tensors_hooks")


def sparse(trail: Trail) -> list[Site]:
    """Find the embedding with sparse gradients."""
    return [
        site
        for site in trail.program.calls("Embedding", "EmbeddingBag", "embedding", "embedding_bag")
        if isinstance(site.node, ast.Call) and keyword(site.node, "sparse") is not None
    ]


def marked(trail: Trail) -> list[Site]:
    """Find where compiled autograd is given its compiler, of a captured backward; else the mark."""
    failure = trail.finding.failure
    compilers = unique(trail.program.calls("_enable"))
    if failure is not None and failure.in_backward and len(compilers) == 1:
        return compilers
    return unique(trail.program.calls("mark_dynamic"))


def data_parallel(trail: Trail) -> list[Site]:
    """Find where a model is wrapped for data-parallel training, with the size of its buckets."""
    return [
        site
        for site in trail.program.calls("DistributedDataParallel", "DDP")
        if isinstance(site.node, ast.Call) and keyword(site.node, "bucket_cap_mb") is not None
    ]


def compiling(trail: Trail) -> list[Site]:
    """Find the calls of `torch.compile`."""
    return [
        site
        for site in unique(trail.program.calls("compile"))
        if isinstance(site.node, ast.Call)
        and site.module.full_name(site.node.func) == "torch.compile"
    ]


def create_graph(trail: Trail) -> list[Site]:
    """Find the backward with `create_graph=True`."""
    return [
        site
        for site in trail.program.calls("backward", "grad")
        if isinstance(site.node, ast.Call) and keyword(site.node, "create_graph") is not None
    ]


def _calls(trail: Trail, *names: str) -> list[Site]:
    return trail.flow.in_steps(unique(trail.program.calls(*names)))
