"""Finds where a value that a guard reads is changed (CA401, CA402, CA7xx)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.findings import DictKeys, MadeAlike, TensorSubclass
from ca_reports.causes.located import chosen, graphs, param_groups
from ca_reports.causes.located.arguments import call, inside, one_list
from ca_reports.causes.located.batches import names_in_target
from ca_reports.causes.located.changes import (
    find_variable,
    free_variables,
    is_one_key,
    parameters_of,
    set_later,
    where_it_is_changed,
)
from ca_reports.causes.located.hook_keys import keyed_hook
from ca_reports.causes.located.trail import best, conditions, is_conditional, unique
from ca_reports.facts.guard_paths import aliases, guard_path
from ca_reports.facts.guarded_things import closure_variable, named
from ca_reports.program.positions import nodes_of, own_nodes
from ca_reports.program.stack import Frame, in_torch
from ca_reports.program.syntax import (
    FunctionNode,
    Site,
    is_constant,
    keyword,
    last_name,
    names_in,
    scope_name,
    targets_of,
)
from ca_reports.torchlib import modes, tensors
from ca_reports.torchlib.optimizers import ADDS_GROUP, GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_engine.guards import Guard
    from ca_reports.causes.located.trail import Trail
    from ca_reports.program.flow import Flow
    from ca_reports.run.model import Compile

_DEFAULT_DTYPE = "Float"
_PAIR = 2
# Loops over numbers, or with one beside each element.
_COUNTING = ("range", "enumerate", "trange")
# What is asked of a text.
_ASKED = ("startswith", "endswith")
# An object that is another one; what it replaced may be gone by then.
_OF_ANOTHER = frozenset(("identity", "deallocated"))
_SHAPES = frozenset(("size", "stride", "rank", "size_relation", "duck_size"))


def changed_value(trail: Trail) -> list[Site]:
    """Find the assignment, call or argument that changes what the failed guard reads."""
    hook = keyed_hook(trail)
    if hook is not None:
        return [hook.hook]
    found = _changed_value(trail)
    if any(guard.kind == "length" for _, guard in _own_first(trail)):
        # What has one key in every step makes it longer once.
        found = [site for site in found if not is_one_key(site)] or found
    if found and all(map(_counts, found)):
        # Nobody changes how a loop counts: the call hands the number over.
        return call(trail) or found
    return found


def tensor_kind(trail: Trail) -> list[Site]:
    """Find the call that gives a tensor of another kind, where torch names another guard."""
    start = _of_unnamed(trail)
    if start is not None and _is_given(trail.finding.key, start):
        return call(trail)
    return changed_value(trail)


def shared_argument(trail: Trail) -> list[Site]:
    """Find what makes two arguments one tensor, also where torch names another guard."""
    start, alike = _of_unnamed(trail), trail.finding.detail
    if start is None or not isinstance(alike, MadeAlike) or len(alike.names) != _PAIR:
        return changed_value(trail)
    left, right = (trail.origins.entering(name, start) for name in alike.names)
    return chosen.sharing(left, right, trail.flow)


def _of_unnamed(trail: Trail) -> Site | None:
    """Find the function recompiled for what torch, which names one guard, does not name."""
    failed = _own_first(trail)
    if not failed or _is_about(failed[0][1], trail.finding.key):
        return None
    return inside(failed[0][0].location, trail.flow)


def parameters(trail: Trail) -> list[Site]:
    """Find the lines that put another parameter in the place of one, else the call with them."""
    steps = trail.finding.subject.path.steps
    members = [step.key for step in steps if step.kind != "attribute" and isinstance(step.key, str)]
    if not members:
        return call(trail)
    line = trail.program.at(trail.finding.noticed_at)
    begun: list[Site] = []
    # The whole module may be another one: `self.head = nn.Linear(width, classes)`.
    for before, member in reversed([*zip(("", *members), members, strict=False)]):
        classes = trail.names.of_read(member, before, line)
        changes = trail.names.of_objects(trail.names.changes_of(member), classes)
        assigned = [site for site, _, _ in changes if not isinstance(site.node, ast.AugAssign)]
        later = [site for site in assigned if scope_name(site.scope) != "__init__"]
        if later:
            return later
        begun = begun or assigned
    return begun


def _counts(site: Site) -> bool:
    node = site.node
    return (
        isinstance(site.module.parents.get(node), ast.For)
        and isinstance(node, ast.Call)
        and last_name(node.func) in _COUNTING
    )


def _changed_value(trail: Trail) -> list[Site]:
    failed = _own_first(trail)
    if failed and guard_path(failed[0][1].source).group_entry is not None:
        return param_groups.lines(failed[0][1].source, trail.flow)
    key = trail.finding.key
    # Torch names one guard of a recompile; of what else had changed, the finding alone tells.
    if failed and not _is_about(failed[0][1], key):
        frame = failed[0][0].location
        start = inside(frame, trail.flow)
        is_argument = start is not None and _is_given(key, start)
        path = guard_path(key)
        if is_argument or path.steps:
            # Where another attribute of the same object differs as well, it is another object.
            other = failed[0][1]
            is_other = other.kind == "identity" and path.holder.leads_to(guard_path(other.source))
            look = _selected if is_other else where_it_is_changed
            found = look(key, frame, trail) or (call(trail) if is_argument else [])
            if found:
                return found
    for compiled, guard in failed:
        if guard.kind == "metadata":
            return _flattened(compiled, trail)
        if isinstance(trail.finding.detail, TensorSubclass):
            return call(trail)  # which makes a plain tensor of each
        if guard.kind == "requires_grad":
            found = _switched_gradients(guard, compiled.location, trail) or _of_layers(guard, trail)
            if found:
                return found
        if guard.kind in ("size_relation", "size_condition"):
            found = _quoted(guard, trail)
            if found:
                return found
        if guard.kind in _SHAPES and (module := guard_path(guard.source).given_module):
            return _selected(module, compiled.location, trail) or call(trail)
        if guard.kind in _SHAPES or not guard.source:
            continue
        if guard.source == "self" and guard.kind == "type":
            # Nobody chooses the class of `self` there, but what is compiled one by one.
            return compiled_one_by_one(trail) or call(trail)
        if guard.source == "self" and compiled.code is not None and in_torch(compiled.code.file):
            continue  # an object of torch's, which is no `self` of the line that calls it
        handed = _handed_by_name(guard.source, compiled.location, trail)
        if handed is not None:
            name = last_name(handed.node)
            changed = find_variable(name, handed.frame, trail) if name else []
            return changed if len(changed) == 1 else [handed]
        if guard.kind == "dtype":
            # What torch makes by itself is no conversion: then it is the other that was made.
            for dtype in (guard.actual, guard.expected):
                if dtype in (None, _DEFAULT_DTYPE):
                    continue
                found = _converted(guard.source, compiled.location, dtype, trail)
                if found:
                    return found
        if guard.kind == "membership":
            key = (guard.expected or "").removeprefix("no ").strip("'")
            found = set_later(key, trail.flow, is_key=True)
            if found:
                return found
        if guard.kind == "attribute":
            found = set_later(guard_path(named(guard)).attribute, trail.flow)
            if found:
                return found
        if guard_path(guard.source).attribute == GROUPS:
            found = unique(trail.program.calls(ADDS_GROUP))
            return list(filter(trail.flow.is_in_steps, found)) or found
        if guard.kind == "length":
            found = _length(guard.source, compiled.location, trail)
            if found:
                return found
        if guard.kind == "keys":
            found = _in_that_order(guard.source, compiled.location, trail)
            if found:
                return found
        if guard.kind == "dispatch_keys":
            found = _gradient_modes(guard.source, compiled, trail)
            if found:
                return found
        if guard.kind == "value" and (guard.expected or "").startswith("'"):
            start = inside(compiled.location, trail.flow)
            found = [] if start is None else _picking(guard.source, start)
            if found:
                return found[:1]
        found = _by_origins(guard, compiled.location, trail)
        if found:
            return found
        found = _of_closure(guard, compiled.location, trail)
        if not found and _is_about(guard, key):
            found = _in_a_closure(guard, trail)
        if found:
            return found
        # Of two arguments that are one tensor, the second is usually made of the first.
        both = aliases(guard.source) if guard.kind == "duplicate" else ()
        for source in both[::-1] or (guard.source,):
            found = where_it_is_changed(source, compiled.location, trail)
            if found:
                return _filling(found) if guard.expected == "None" else found
        start = inside(compiled.location, trail.flow)
        if start is not None and all(_is_given(name, start) for name in both or (guard.source,)):
            return call(trail)
    return []


def _selected(module: str, frame: Frame | None, trail: Trail) -> list[Site]:
    """Find where another module is selected; if its object's constructor sets it, where that is."""
    holder = guard_path(module).holder.text
    found = where_it_is_changed(module, frame, trail)
    if holder and all(scope_name(one.scope) == "__init__" for one in found):
        return where_it_is_changed(holder, frame, trail) or found
    return found


def _handed_by_name(source: str, frame: Frame | None, trail: Trail) -> Site | None:
    """Find what the line's call passes for ``kwargs['flag']``, an argument of a torch wrapper.

    None for a variable of the program's own.
    """
    path, line = guard_path(source), trail.program.at(frame)
    option = path.entry if path.root == "kwargs" and len(path.steps) == 1 else ""
    start = inside(frame, trail.flow)
    if not option or line is None or (start is not None and _is_given("kwargs", start)):
        return None
    given = [
        Site(line.module, one.value)
        for part in nodes_of(line.node)
        if isinstance(part, ast.Call)
        for one in part.keywords
        if one.arg == option
    ]
    return given[0] if len(given) == 1 else None


def _length(source: str, frame: Frame | None, trail: Trail) -> list[Site]:
    """Find the one line that decides how long a list is that a compiled function is given."""
    start = inside(frame, trail.flow)
    if start is None or not guard_path(source).is_variable or not _is_given(source, start):
        return []
    made = trail.origins.entering(source, start)
    dictionaries = [origin.site for origin in made if _is_dictionary(origin.site.node)]
    # As long as it has keys, and not as its batch: `super().observe() | {"dice": dice}`
    more = unique(site for site in dictionaries if isinstance(site.node, ast.BinOp))
    if dictionaries and (more or len(dictionaries) == len(made)):
        chosen_keys = more or unique(key for site in dictionaries for key in _optional(site, trail))
        return chosen_keys if len(chosen_keys) == 1 else []
    found = one_list(trail.sizes.of_variable(source, start, 0), trail.flow)
    return found if len(found) == 1 else []


def _optional(made: Site, trail: Trail) -> Iterator[Site]:
    """Yield what decides whether a dictionary gets a key: the `if` around `batch[key] = …`."""
    if isinstance(made.node, ast.DictComp):
        if any(each.ifs for each in made.node.generators):
            yield made
        return
    statement = made.module.statement_at(made.line)
    for target in targets_of(statement) if statement is not None else ():
        if isinstance(target, ast.Name):
            for filling in trail.names.filling_in(made.scope, made.module, target.id):
                yield from conditions(filling)[:1]


def _in_that_order(source: str, frame: Frame | None, trail: Trail) -> list[Site]:
    """Find the dictionary that has its keys in the last order in which they came.

    Empty unless another one of them has the same keys in another order.
    """
    start = inside(frame, trail.flow)
    known = trail.finding.detail
    if start is None or not isinstance(known, DictKeys) or not _is_given(source, start):
        return []
    written = [
        (origin.site, tuple(key.value for key in node.keys if isinstance(key, ast.Constant)))
        for origin in trail.origins.entering(source, start)
        if isinstance(node := origin.site.node, ast.Dict)
    ]
    found = [site for site, keys in written if keys == known.last]
    turned = [keys for _, keys in written if sorted(map(str, keys)) == sorted(known.last)]
    return found if len(set(turned)) > 1 else []


def _filling(sites: list[Site]) -> list[Site]:
    """Of the lines that set what was None, those that set something else."""
    return [
        site
        for site in sites
        if not (isinstance(site.node, ast.Assign) and is_constant(site.node.value, value=None))
    ] or sites


def _is_dictionary(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _is_dictionary(node.left) or _is_dictionary(node.right)
    return isinstance(node, ast.Dict | ast.DictComp) or (
        isinstance(node, ast.Call) and last_name(node.func) == "dict"
    )


def _own_first(trail: Trail) -> list[tuple[Compile, Guard]]:
    """Return the guards on what the finding is about, then those that other compiles failed for."""
    failed = [(compiled, guard) for compiled in trail.compiles for guard in compiled.failed_guards]
    key = trail.finding.key
    return sorted(failed, key=lambda one: not _is_about(one[1], key))


def _is_about(guard: Guard, key: str) -> bool:
    return key in (named(guard), guard.kind)


def _by_origins(guard: Guard, frame: Frame | None, trail: Trail) -> list[Site]:
    """Find what decides that a variable is None or of another class, or that two are one tensor."""
    flow = trail.flow
    start = inside(frame, flow)
    if start is None:
        return []
    if guard.kind == "duplicate":
        names = aliases(guard.source)
        if len(names) != _PAIR:
            return []
        left, right = (trail.origins.entering(name, start) for name in names)
        return chosen.sharing(left, right, flow)
    name, *parts = guard_path(guard.source).names or ("",)
    if not name or not _is_given(name, start):
        return []
    found = trail.origins.entering(name, start, tuple(parts))
    known = (guard.expected or "", guard.actual or "", trail.finding.message)
    if any("None" in each for each in known):
        key = parts[-1] if parts else name
        return chosen.presence(found, flow) or _dropped(key, trail) or _stored_at_times(key, trail)
    if guard.kind in _OF_ANOTHER and all(part.startswith("__") for part in parts):
        return chosen.identity(trail.origins.entering(name, start), flow)
    if guard.kind == "type":
        return chosen.kind(found, guard.expected, guard.actual, flow)
    return []


def _gradient_modes(source: str, compiled: Compile, trail: Trail) -> list[Site]:
    """Find what turns gradients off around the recompile's call, or where its argument is made."""
    flow = trail.flow
    start = inside(compiled.location, flow)
    called = filter(None, map(trail.program.at, reversed(compiled.stack)))
    made = () if start is None else (
        site for site in flow.feeding(*flow.assigned(source, start))
    )  # fmt: skip
    for site in (*called, *made):
        entered = [
            Site(site.module, node)
            for part in site.module.around(site.node)
            for node in _entered(part)
            if last_name(node.func if isinstance(node, ast.Call) else node) in modes.GRADIENTS
        ]
        if entered:
            return entered[:1]
    return []


def _entered(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the contexts of a `with`, the decorators of a function."""
    if isinstance(node, ast.With):
        yield from (item.context_expr for item in node.items)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from node.decorator_list


def _dropped(key: str, trail: Trail) -> list[Site]:
    """Find where a dictionary loses ``key`` in some steps."""
    return unique(
        site
        for site in trail.program.calls("pop")
        if isinstance(site.node, ast.Call)
        and site.node.args
        and isinstance(given := site.node.args[0], ast.Constant)
        and given.value == key
        and is_conditional(site)
    )


def _stored_at_times(key: str, trail: Trail) -> list[Site]:
    """Find the `if` under which a dictionary gets ``key``; those made of it may go on without."""
    return unique(
        condition for site in trail.origins.keyed(key) for condition in conditions(site)[:1]
    )


def _is_given(name: str, start: Site) -> bool:
    """Return whether ``name`` is a parameter of the function that ``start`` begins."""
    return name in parameters_of(start.scope)


def _switched_gradients(guard: Guard, frame: Frame | None, trail: Trail) -> list[Site]:
    """Find what freezes parameters, or gives an argument with a gradient in some calls only."""
    # Of what was switched itself, the kind of guard is the key.
    if guard_path(guard.source).is_parameter or trail.finding.key == guard.kind:
        return graphs.frozen(trail)
    start = inside(frame, trail.flow)
    if start is None or not guard_path(guard.source).is_variable:
        return []
    made = [
        site
        for given in trail.flow.assigned(guard.source, start)
        for site in trail.flow.feeding(given)
    ]
    found = [
        site
        for site in made
        if isinstance(site.node, ast.Call)
        and (
            last_name(site.node.func) in ("requires_grad_", "detach")
            or keyword(site.node, "requires_grad") is not None
        )
    ]
    found += [switch for site in made for switch in _switches(site)]
    # What is frozen before the first step is meant to be.
    found = [site for site in found if trail.flow.is_in_steps(site)]
    if found:
        return best(found, trail.flow)
    # What is computed, or was kept before: `if known: return torch.stack(kept)`.
    origins = trail.origins.entering(guard.source, start)
    by_turns = unique(one.site for one in origins if is_conditional(one.site))
    if len(unique(one.site for one in origins)) < _PAIR:
        return []
    return trail.flow.nearest(list(filter(_is_in_a_branch, by_turns)) or by_turns)


def _is_in_a_branch(site: Site) -> bool:
    """Return whether an `if` is around ``site``, and not only one before it that returns."""
    for part in site.module.around(site.node):
        if isinstance(part, ast.If):
            return True
        if isinstance(part, FunctionNode):
            break
    return False


def _switches(site: Site) -> Iterator[Site]:
    """Yield ``x.requires_grad_(…)``, ``x.requires_grad = …`` of the variable ``site`` reads."""
    for node in nodes_of(site.scope) if isinstance(site.node, ast.Name) else ():
        changed: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            changed = [each for each in node.targets if last_name(each) == "requires_grad"]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            changed = [node.value.func] if last_name(node.value.func) == "requires_grad_" else []
        else:
            continue
        owners = [each.value for each in changed if isinstance(each, ast.Attribute)]
        if any(
            isinstance(site.node, ast.Name) and names_in(one) == {site.node.id} for one in owners
        ):
            yield Site(site.module, node)


def _flattened(compiled: Compile, trail: Trail) -> list[Site]:
    """Find what `__tensor_flatten__` returns: of an argument's class, else of every such class."""
    given = () if compiled.held is None else compiled.held.arguments
    classes = {held.type.rpartition(".")[2] for _, held in given if held.attributes}
    returned = [
        site
        for site in trail.program.sites(ast.Return)
        if scope_name(site.scope) == "__tensor_flatten__"
    ]
    own = [
        site
        for site in returned
        if (owner := site.module.owner(site.scope)) is not None and owner.name in classes
    ]
    return unique(own or returned)


def _of_closure(guard: Guard, frame: Frame | None, trail: Trail) -> list[Site]:
    """Find what binds a variable of a closure, by its cell in an argument of the compiled one."""
    path, start = guard_path(guard.source), inside(frame, trail.flow)
    cell = path.cell
    if cell is None or len(path.steps) > 1 or start is None:
        return []
    bound: list[Site] = []
    for origin in trail.origins.entering(path.root, start):
        module, function = origin.site.module, origin.site.node
        free = free_variables(module, function) if isinstance(function, FunctionNode) else []
        if cell >= len(free):
            return []
        bound += [
            Site(module, statement)
            for node in own_nodes(*ast.iter_child_nodes(module.scope(function)))
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Store)
            and node.id == free[cell]
            and (statement := module.statement_at(node.lineno)) is not None
        ]
    return chosen.changing(bound, trail.flow)


def _in_a_closure(guard: Guard, trail: Trail) -> list[Site]:
    """Find assignments to a variable in the closure of a function that is an argument."""
    name = closure_variable(guard)
    sites = _quoted(guard, trail) if name else []
    return [found for site in sites for found in find_variable(name, site.frame, trail)]


def _of_layers(guard: Guard, trail: Trail) -> list[Site]:
    """Find where the first layer's input is made, before a loop over layers; else the call in it.

    The first gets the data, the others what it made of them. A helper may make the call.
    """
    if not guard_path(guard.source).is_variable:
        return []
    called = [one for site in call(trail) for one in _on_line(site)]
    around = [trail.program.at(frame) for frame in reversed(trail.flow.stack)]
    above = [site for site in around if site is not None and site.place not in map(_place, called)]
    for site, is_call in (*((one, True) for one in called), *((one, False) for one in above)):
        for loop in site.module.around(site.node):
            if not isinstance(loop, ast.For):
                continue
            given = [one.func if is_call else one for one in _calls_in(site)]
            if any(names_in(one) & names_in_target(loop.target) for one in given):
                found = _before(loop, site, trail)
                if found or is_call:
                    return found or [site]
    return []


def _on_line(site: Site) -> list[Site]:
    """Find each statement of a line: `x = layer(x); count(1)`."""
    return [
        Site(site.module, node)
        for node in site.module.nodes
        if isinstance(node, ast.Assign | ast.Expr | ast.Return)
        and node.lineno <= site.line <= (node.end_lineno or node.lineno)
    ] or [site]


def _place(site: Site) -> tuple[str, int]:
    return site.place


def _calls_in(site: Site) -> Iterator[ast.Call]:
    return (node for node in nodes_of(site.node) if isinstance(node, ast.Call))


def _before(loop: ast.For, site: Site, trail: Trail) -> list[Site]:
    """Find what a variable is made of before ``loop`` whose rounds hand it on: `x = layer(x)`.

    None if several lines give it, or the function was given it.
    """
    module = site.module
    parts = (site.node, *module.around(site.node))
    statement = next((one for one in parts if isinstance(one, ast.stmt)), None)
    if not isinstance(statement, ast.Assign):
        return []
    names = {name for target in statement.targets for name in names_in_target(target)}
    made = {
        module.statement_at(definition.lineno): None
        for node in nodes_of(statement.value)
        if isinstance(node, ast.Name) and node.id in names
        for definition in module.bindings.definitions(node)
        if isinstance(definition, ast.Name) and loop not in module.around(definition)
    }
    first = next(iter(made), None)
    if len(made) != 1 or not isinstance(first, ast.Assign):
        return []
    origins = unique(one.site for one in trail.origins.of(Site(module, first.value)))
    return origins if len(origins) == 1 else [Site(module, first)]


def _quoted(guard: Guard, trail: Trail) -> list[Site]:
    """Find the line that torch quotes beside a guard, which may be a helper's in another file."""
    place = guard.place
    if place is None:
        return []
    # Torch cuts the front of the path.
    sites = (
        trail.program.at(Frame(module.file, place.line, place.function, place.code))
        for module in trail.program.modules.values()
        if module.file.endswith(place.file) or place.file.endswith(module.file)
    )
    return unique(site for site in sites if site is not None)


def _converted(source: str, frame: Frame | None, dtype: str, trail: Trail) -> list[Site]:
    """Find what gives an argument another dtype: `torch.from_numpy(…)`, `.double()`."""
    flow = trail.flow
    made = list(flow.feeding(*_given(source, frame, trail)))
    found = [site for site in made if _makes_dtype(site.node, dtype)]
    changing = [site for site in unique(found) if flow.is_in_steps(site)]
    if not changing:
        changing = _under_autocast(made, flow)
    return changing[:1] if len({site.scope for site in changing}) == 1 else changing


def _given(source: str, frame: Frame | None, trail: Trail) -> list[Site]:
    """Return what an argument of a compiled function is given.

    Modules of torch's own are called through a wrapper: their arguments have numbers, and the
    frame is the call's.
    """
    flow = trail.flow
    path = guard_path(source)
    number = path.place
    if number is None:
        start = inside(frame, flow)
        if start is None or path.is_variable:
            return [] if start is None else flow.assigned(source, start)
        # An attribute of an object that is given: what its maker was given for it. A key of a
        # dictionary is set where that is (`set_later`).
        are_attributes = all(step.kind == "attribute" for step in path.steps)
        if not are_attributes or not _is_given(path.root, start):
            return []
        found = trail.origins.entering(path.root, start, path.parts)
        return [site for origin in found for site in (*origin.way, origin.site)]
    line = flow.program.at(frame)
    calls = [] if line is None else [
        Site(line.module, node)
        for node in nodes_of(line.node)
        if isinstance(node, ast.Call) and len(node.args) > number
    ]  # fmt: skip
    return [
        Site(call.module, call.node.args[number])
        for call in calls
        if isinstance(call.node, ast.Call)
        and any(
            isinstance(one.site.node, ast.Call) and last_name(one.site.node.func) == "compile"
            for one in trail.origins.of(Site(call.module, call.node.func))
        )
    ]


def _under_autocast(made: Iterable[Site], flow: Flow) -> list[Site]:
    """Find the `with autocast(…)` that an argument is computed under in some steps."""
    found = [
        Site(site.module, item.context_expr)
        for site in made
        for part in site.module.around(site.node)
        if isinstance(part, ast.With)
        for item in part.items
        if isinstance(item.context_expr, ast.Call)
        and last_name(item.context_expr.func) == "autocast"
    ]
    return [site for site in unique(found) if flow.is_in_steps(site)]


def _makes_dtype(node: ast.AST, dtype: str) -> bool:
    if isinstance(node, ast.Compare):
        of_objects = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
        return dtype == "Bool" and not isinstance(node.ops[0], of_objects)
    if not isinstance(node, ast.Call):
        return False
    name = last_name(node.func)
    if name in tensors.OF_NUMPY:
        return dtype in ("Double", "Long")
    written = {last_name(part) for part in (*node.args, *(one.value for one in node.keywords))}
    names = {dtype.lower(), *(name for name, told in tensors.SCALAR_TYPES.items() if told == dtype)}
    return name == dtype.lower() or bool(written & names)


def compile_call(trail: Trail) -> list[Site]:
    """Find the `torch.compile` that runs in each step, else one with a new backend per call."""
    found = _compilings(trail)
    in_steps = list(filter(trail.flow.is_in_steps, found))
    return trail.flow.nearest(unique(in_steps or [one for one in found if _has_own(one, trail)]))


def compiled_one_by_one(trail: Trail) -> list[Site]:
    """Find the calls of the compiler in a loop, as over the layers of a model."""
    loops = ast.For | ast.While | ast.ListComp
    found = [
        site
        for site in _compilings(trail)
        if any(isinstance(one, loops) for one in site.module.around(site.node))
    ]
    return trail.flow.nearest(unique(found))


def _compilings(trail: Trail) -> list[Site]:
    """Find the calls of a compiler, which is none of regular expressions."""
    return [
        site
        for site in trail.program.calls("compile")
        if isinstance(site.node, ast.Call)
        and last_name(getattr(site.node.func, "value", site.node.func)) != "re"
    ]


def _has_own(compiling: Site, trail: Trail) -> bool:
    """Return whether a call of the compiler is given a backend that is made for it."""
    return any(
        isinstance(setting.site.scope, FunctionNode) and _is_object(setting.site.node)
        for setting in trail.options.of(compiling, "backend")
    )


def _is_object(node: ast.AST) -> bool:
    """Return whether a function of another one, a lambda, or what a call makes."""
    return isinstance(node, ast.Name | ast.Lambda | ast.Call)


def _picking(name: str, start: Site) -> list[Site]:
    """Find what a word picks to be called in the compiled function: `self.heads[name](x)`.

    Else the text that it is written into, if nothing else reads it: `{f"{phase}_loss": loss}`, or
    what it is asked for: `mode.startswith("train")`.
    """
    picked = [
        node
        for node in nodes_of(start.scope)
        if (isinstance(node, ast.Subscript) and last_name(node.slice) == name)
        or (
            isinstance(node, ast.Call)
            and last_name(node.func) in ("getattr", "get")
            and name in map(last_name, node.args)
        )
    ]
    parents = start.module.parents
    read = [
        node
        for node in nodes_of(start.scope)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]
    if read and all(isinstance(parents[node], ast.FormattedValue) for node in read):
        return [Site(start.module, node) for node in read]
    # Several words give one answer: that may be asked before.
    if read and all(
        isinstance(asked := parents[node], ast.Attribute) and asked.attr in _ASKED for node in read
    ):
        return [Site(start.module, node) for node in read]
    called = {
        last_name(node.func)
        for node in nodes_of(start.scope)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return [
        Site(start.module, node)
        for node in picked
        if (isinstance(parent := parents[node], ast.Call) and parent.func is node)
        or (isinstance(parent, ast.Assign) and called.intersection(map(last_name, parent.targets)))
    ]
