"""Python numbers that change, made tensors where they are set: their values are data then."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_reports.causes.findings import BakedNumber, GuardedValue, KeptByHook, PassedFlag, SetLater
from ca_reports.patching import (
    branches,
    calls,
    choices,
    constructors,
    formulas,
    imports,
    loops,
    rebinding,
    written_values,
)
from ca_reports.patching.assignments import Assignment
from ca_reports.patching.assignments import assigned as assigned_in
from ca_reports.patching.compilers import compiled_names
from ca_reports.patching.editing import (
    arithmetic_around,
    has_call,
    is_bool_or_none,
    is_none,
    is_number,
    is_string,
    positional,
)
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program import edits
from ca_reports.program.constructions import field_values
from ca_reports.program.edits import (
    arguments,
    insert_before,
    insert_first,
    is_docstring,
    words_in,
    wrap,
)
from ca_reports.program.names import Classes
from ca_reports.program.param_groups import is_group
from ca_reports.program.positions import walk
from ca_reports.program.syntax import (
    Definition,
    FunctionNode,
    Site,
    bound_function,
    is_entry_of,
    keyword,
    last_name,
    parameters_of,
    sets_computed_name,
    targets_of,
)
from ca_reports.sentences.places import in_brief
from ca_reports.torchlib.formulas import TAKES_ALPHA
from ca_reports.torchlib.optimizers import RATE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

# Operations by the node that they leave in the graph, with the arguments that it keeps.
_OPERATIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "PowBackward": (("pow",), ("exponent",)),
    "ClampBackward": (("clamp", "clip"), ("min", "max")),
    "LerpBackward": (("lerp",), ("weight",)),
}
# Nodes whose operation takes a factor of its first argument by name.
_FACTORS = (("ScaledDotProduct", "scaled_dot_product_attention", "scale"),)
_OPTIMIZERS = "torch.optim."
_UNKNOWN = Classes()
# A file's, or a function's: no attribute of an object.
_NO_OBJECT = Classes(is_sure=True)
# What the namespace is called that argparse makes.
_OPTIONS = ("opt", "opts", "args", "options", "config", "cfg", "hparams")


def operand(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA206: the number of ``pow`` or ``clamp`` as a tensor, in the call."""
    file = program.file(finding.location)
    detail = finding.detail
    if not isinstance(detail, BakedNumber):
        raise RefusedError("the number is not known")
    node = detail.node
    written = _written_out(file, node, finding, program) if file is not None else None
    if written is not None:
        return [written]
    moved = _moved_out(file, node, finding, program) if file is not None else None
    if moved is not None:
        return [moved]
    if detail.attribute == "alpha" and node.startswith(("AddBackward", "SubBackward")):
        return [_scaled(finding, program)]
    methods, names = next(
        (known for prefix, known in _OPERATIONS.items() if node.startswith(prefix)), ((), ())
    )
    if file is None or not methods:
        raise RefusedError(f"{node} needs another formula")
    powers = [
        one.right
        for one in loops.nodes_at(finding.location, program, ast.BinOp)[1]
        if isinstance(one.op, ast.Pow) and not _is_literal(one.right)
    ]
    if node.startswith("PowBackward") and len(powers) == 1:
        program.require_unchanged(file)
        torch, added = imports.torch(file, powers[0])
        what = f"{file.code(powers[0])} as a tensor at {file.place(powers[0])}"
        return [Patch(what, (*added, *_wrapped(file, powers[0], torch)))]
    found = [
        call
        for call in file.all(ast.Call)
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in methods
        and loops.is_at(finding.location, file, call, program)
    ]
    if not found or (len(found) > 1 and methods != ("pow",)):
        raise RefusedError(f"can't find a single call of {' or '.join(methods)} there")
    values = [value for call in found for value in _numbers(file, call, methods, names)]
    if all(_is_literal(value) for value in values):
        raise RefusedError(f"the call at {file.place(found[0])} has no number that changes")
    # Of two bounds both are tensors, or none is.
    values = [value for value in values if not is_none(value)]
    program.require_unchanged(file)
    torch, added = imports.torch(file, found[0])
    shown = ", ".join(file.code(value) for value in values)
    return [
        Patch(
            f"{shown} as a tensor at {file.place(found[0])}",
            (*added, *(one for value in values for one in _wrapped(file, value, torch))),
        )
    ]


def _numbers(
    file: SourceFile, call: ast.Call, methods: tuple[str, ...], names: tuple[str, ...]
) -> list[Any]:
    """Return the arguments of a call that the graph keeps as numbers."""
    receiver: Any = call.func
    is_method = not file.names(receiver.value) or not all(
        name.startswith("torch") for name in file.names(receiver.value)
    )
    values: list[Any] = positional(call)[0 if is_method else 1 :]
    if methods == ("lerp",):
        values = values[1:]  # the first one is the other end, a tensor
    return values + [given for name in names if (given := keyword(call, name)) is not None]


def _moved_out(
    file: SourceFile, node: str, finding: Finding, program: EditableProgram
) -> Patch | None:
    """Return a factor that an operation keeps as a number, multiplied before the call instead."""
    for prefix, function, name in _FACTORS:
        calls_ = [
            (call, given)
            for call in loops.nodes_at(finding.location, program, ast.Call)[1]
            if last_name(call.func) == function
            and (given := keyword(call, name)) is not None
            and not _is_literal(given)
        ]
        if not node.startswith(prefix) or len(calls_) != 1:
            continue
        call, given = calls_[0]
        first = arguments(call)[0]
        factor, code = file.code(given), file.code(first.value)
        if first.keyword or first.star == "**":
            return None
        program.require_unchanged(file)
        times = factor if isinstance(given, ast.Name | ast.Attribute) else f"({factor})"
        if first.star:
            text = f"{code}[0] * {times}, *{code}[1:]"
        else:
            text = f"{edits.operand(file, first.value)} * {times}"
        return Patch(
            f"{code} times {factor} before {function} at {file.place(call)}",
            (
                Replacement(file.name, *file.span(first.node), text),
                Replacement(file.name, *file.span(given), "1.0"),
            ),
        )
    return None


def _scaled(finding: Finding, program: EditableProgram) -> Patch:
    """Turn ``torch.add(x, y, alpha=a)`` into ``torch.add(x, y * a)``, also in a `partial`."""
    calls_ = [
        (file, call, given)
        for file, call in [
            *((file, call) for file in program.files.values() for call in file.all(ast.Call))
        ]
        if last_name(call.func) in (*TAKES_ALPHA, "partial")
        and (given := keyword(call, "alpha")) is not None
        and not _is_literal(given)
    ]
    near = [one for one in calls_ if loops.is_at(finding.location, *one[:2], program)]
    chosen = near if len(near) == 1 else calls_
    if len(chosen) != 1:
        raise RefusedError("can't find a single call that takes alpha")
    file, call, given = chosen[0]
    program.require_unchanged(file)
    place, alpha = file.place(call), file.code(given)
    factor = alpha if isinstance(given, ast.Name | ast.Attribute) else f"({alpha})"
    first = positional(call)
    what = f"{alpha} multiplied instead of alpha= at {place}"
    if bound_function(call) is not None:
        names = file.names(first[0]) if len(first) == 1 and len(arguments(call)) == 2 else ()
        if not names or not names <= {"torch.add", "torch.sub"}:
            raise RefusedError(f"the partial at {place} isn't one of torch.add")
        function = file.code(first[0])
        text = f"lambda one, other: {function}(one, {factor} * other)"
        return Patch(what, (Replacement(file.name, *file.span(call), text),))
    changes = formulas.multiplied(file, call)
    if not changes:
        raise RefusedError(f"the call at {place} has further options")
    return Patch(what, tuple(changes))


def _written_out(
    file: SourceFile, node: str, finding: Finding, program: EditableProgram
) -> Patch | None:
    """Return a function of the program's own for the one that takes Python numbers only."""
    calls_ = [
        (call, formula)
        for call in loops.nodes_at(finding.location, program, ast.Call)[1]
        if (formula := formulas.at_node(file, call)) is not None and _leaves(formula.name, node)
    ]
    if len(calls_) != 1:
        return None
    call, formula = calls_[0]
    number = formulas.number_of(formula, call)
    if number is None or _is_literal(number):
        return None
    torch, added = imports.torch(file, call)
    changes = [*added]
    alike = [
        (one, given)
        for one in file.all(ast.Call)
        if file.function(one) is file.function(call)
        and formulas.at_node(file, one) is formula
        and (given := formulas.number_of(formula, one)) is not None
        and file.code(given) == file.code(number)
    ]
    for one, given in alike:
        changes += formulas.written_out(file, one, formula, program)
        changes += _wrapped(file, given, torch)
    places = ", ".join(dict.fromkeys(file.place(one) for one, _ in alike))
    return Patch(
        f"{formula.name} written out with {formula.number} as a tensor at {places}",
        tuple(dict.fromkeys(changes)),
    )


def _leaves(function: str, node: str) -> bool:
    """Return whether ``function`` leaves ``node`` in the graph; some are made of smaller ones."""
    made_of = {"cross_entropy": "Mul"}
    return function.replace("_", "") in node.lower() or node.startswith(
        made_of.get(function, function)
    )


def number(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA401, CA402, CA701 to CA705: a Python number as a tensor, wherever it is kept."""
    known = finding.detail
    if isinstance(known, SetLater):
        return [_set_on_objects(_Attribute(known.attribute), program)]
    if isinstance(known, PassedFlag):
        return [_flag_given(known.name, finding, program)]
    if not isinstance(known, GuardedValue):
        raise RefusedError("the forward isn't recompiled for a known number")
    if known.holder == "group":
        return [_rate_of(known, finding, program)]
    if known.path.kind == "keyword":
        return [_bound(known.entry, finding, program)]
    if known.entry:
        return [_entries(known.entry, program)]
    if known.holder == "global" or (known.is_of_global and _is_variable(known, program)):
        return [_global(known.last, program)]
    if known.holder in ("attribute", "module"):
        _require_named(known.last, finding, program)
        return [_attribute(_Attribute.of(known.last, finding, program), program)]
    read = _read_from(known, finding, program)
    return [_attribute(_Attribute(read), program)] if read else _in_each_function(finding, program)


def _bound(name: str, finding: Finding, program: EditableProgram) -> Patch:
    """Return what a `partial` binds by ``name``, as a tensor where the partial is made.

    Raises `RefusedError` where the source does not show one of a function of the program's.
    """
    every = [
        (file, call, given)
        for file, call, given in program.calls_with(name)
        if bound_function(call) is not None
    ]
    near = [one for one in every if loops.is_at(finding.location, *one[:2], program)]
    found = near or every
    if len(found) != 1:
        raise RefusedError(f"can't find a single partial that binds {name}")
    ((file, call, given),) = found
    function = bound_function(call)
    taking = [
        one
        for one in program.definitions_of(last_name(function) if function is not None else "")
        if name in parameters_of(one[1])
    ]
    if not taking or _is_literal(given) or _is_text_or_flag(given):
        raise RefusedError(f"can't find what is done with {name}")
    program.require_unchanged(file)
    torch, added = imports.torch(file, given)
    changes = [*added, *_wrapped(file, given, torch)]
    for other, definition in taking:
        changes += _taken_as_tensor(other, definition, name, program)
    place = file.place(given)
    replacements = tuple(branches.merged(changes, program))
    return Patch(f"{name} a tensor where the partial binds it, at {place}", replacements)


def _require_named(name: str, finding: Finding, program: EditableProgram) -> None:
    """Raise `RefusedError` where what changes ``name`` is a `setattr` by a computed name."""
    for call in loops.nodes_at(finding.location, program, ast.Call)[1]:
        if last_name(call.func) == "setattr" and sets_computed_name(call):
            raise RefusedError(f"setattr sets {name} by a computed name, to a number")


def state(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA303: a number that a hook reads of an object, as a tensor in every assignment."""
    known = finding.detail
    if isinstance(known, KeptByHook) and known.entry:
        return [_entries(known.entry, program)]
    if not isinstance(known, KeptByHook) or not known.attribute:
        raise RefusedError("what changes is not an attribute")
    return [_attribute(_Attribute.of(known.attribute, finding, program), program)]


def _in_each_function(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return the patch for each of the compiled functions that one number is passed to, as one."""
    parts = [replace(finding, events=events) for events in program.by_function(finding)]
    first, *others = [_argument(part, program) for part in parts]
    changes = dict.fromkeys(change for patch in (first, *others) for change in patch.replacements)
    notes = dict.fromkeys(one.note for one in (first, *others) if one.note)
    return [replace(first, replacements=tuple(changes), note="; ".join(notes))]


def _read_from(known: GuardedValue, finding: Finding, program: EditableProgram) -> str:
    """Name the attribute that a broken function's variable is read from: ``w = self.w``.

    What comes after a graph break is given the variable. Empty for a parameter, and where several
    lines assign it.
    """
    thing = program.guarded(finding)
    if thing is None or not known.path.is_variable:
        return ""
    called = calls.compiled_of(thing, program)
    file, definition = called.file, called.definition
    if file is None or definition is None or called.takes(known.source):
        return ""
    found = [
        one.value
        for one in assigned_in(file)
        if file.function(one.node) is definition and file.code(one.target) == known.source
    ]
    is_read = len(found) == 1 and isinstance(found[0], ast.Attribute)
    return found[0].attr if is_read else ""


def _argument(finding: Finding, program: EditableProgram) -> Patch:
    """Return a parameter, passed as a tensor if its function only computes with it."""
    (passed,) = calls.tensor(finding, program)
    thing = program.guarded(finding)
    own = calls.parameter_of(thing, program) if thing is not None else None
    if thing is not None and own is None and thing.path.place is not None:
        raise RefusedError(f"can't tell what is done with {thing.ref}")
    if thing is None or own is None:
        return passed
    file, definition, name = own
    reads = [
        node for node in walk(*definition.body) if isinstance(node, ast.Name) and node.id == name
    ]
    for node in reads:
        formulas.require_unwritten(file, node)
    changes = [
        one
        for function in dict.fromkeys(
            file.function(node) for node in reads if _is_handed_on(file, node)
        )
        for one in _computed(name, function, program)
    ]
    names = {name} if reads else set()
    changes += _computed_in(file, definition, names, program)
    replacements = tuple(branches.merged([*passed.replacements, *changes], program))
    return replace(passed, what=f"{name} passed as a tensor", replacements=replacements)


def _is_handed_on(file: SourceFile, node: Any) -> bool:
    return file.call_given(node) is not None


def _computed(name: str, own: Any, program: EditableProgram) -> Iterator[Replacement]:
    """Yield what changes in functions that the number is handed to: by the name, but for ``own``.

    Others may call them with a number, so that it becomes a tensor there.
    """
    for other, definition in program.definitions_with(name):
        if definition is not own:
            yield from _taken_as_tensor(other, definition, name, program)


def _taken_as_tensor(
    file: SourceFile, definition: Definition, name: str, program: EditableProgram
) -> list[Replacement]:
    """Return the changes in a function that may be given a number or a tensor as ``name``.

    Raises `RefusedError` where Python needs the number.
    """
    changes = _computed_in(file, definition, {name}, program)
    if not changes:
        return []
    program.require_unchanged(file)
    torch, added = imports.torch(file, definition.body[0])
    try:
        line = insert_first(file, definition, [f"{name} = {torch}.as_tensor({name})"])
    except RefusedError:
        raise RefusedError(f"{file.place(definition)} needs {name} as a Python number") from None
    return [*added, *line, *changes]


def _computed_in(
    file: SourceFile, function: FunctionNode, names: set[str], program: EditableProgram
) -> list[Replacement]:
    """Return the changes where a function reads one of ``names``, and what it computes with them.

    ``alpha = progress * 8`` and ``max(alpha, 0)``.
    """
    reads = []
    body = function.body if isinstance(function.body, list) else [function.body]
    for one in walk(*body):
        if isinstance(one, ast.Assign) and names & words_in(one.value):
            names |= {file.code(each) for each in one.targets if _is_number(file, one.value)}
        if isinstance(one, ast.Name) and one.id in names and not _is_target(file, one):
            reads.append(one)
    return [change for one in reads for change in formulas.adapted(file, one, program)]


def _is_number(file: SourceFile, value: Any) -> bool:
    """Return whether what is computed with a number is one as well, as far as the source shows."""
    if isinstance(value, ast.Call):
        names = file.names(value.func)
        of_math = bool(names) and all(one.startswith("math.") for one in names)
        return of_math or file.code(value.func) in ("min", "max")
    return isinstance(value, ast.BinOp | ast.IfExp | ast.Name)


def _is_target(file: SourceFile, name: ast.Name) -> bool:
    return isinstance(file.parent(name), ast.Assign) and isinstance(name.ctx, ast.Store)


def _taking(
    file: SourceFile, node: Any, program: EditableProgram
) -> Iterator[tuple[SourceFile, Definition, str]]:
    """Yield the functions of the program that a call may hand ``node`` to, with the parameter."""
    call = file.call_given(node)
    if call is None:
        return
    given = next(one for one in arguments(call) if one.value is node)
    for other, definition in program.definitions_of(last_name(call.func)):
        names = other.own_parameters(definition)
        at = arguments(call).index(given)
        if given.keyword:
            yield other, definition, given.keyword
        elif not given.star and at < len(names):
            yield other, definition, names[at]


def default(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA304: the number that a hook has as the default of a parameter, or closes over."""
    state = finding.detail if isinstance(finding.detail, KeptByHook) else KeptByHook()
    file, functions = loops.nodes_at(finding.location, program, ast.Lambda)
    _, named = loops.functions_at(finding.location, program)
    every: list[Any] = [*(functions or named[-1:])]
    is_known = state.default is not None or state.cell is not None
    if not is_known or file is None or len(every) != 1:
        raise RefusedError("can't find where the hook has its number")
    if state.cell is not None:
        return [_closed_over(file, every[0], state.cell, program)]
    defaults = every[0].args.defaults
    number = state.default or 0
    if number >= len(defaults):
        raise RefusedError("the hook has no such default")
    program.require_unchanged(file)
    torch, added = imports.torch(file, every[0])
    code = file.code(defaults[number])
    given = every[0].args.args[number - len(defaults)].arg
    changes = (
        *_wrapped(file, defaults[number], torch), *_computed_in(file, every[0], {given}, program)
    )  # fmt: skip
    return [
        Patch(
            f"{code} a tensor as the default at {file.place(defaults[number])}", (*added, *changes)
        )
    ]


def _closed_over(file: SourceFile, function: Any, number: int, program: EditableProgram) -> Patch:
    """Make a tensor of the variable of an outer function that is ``__closure__[number]``."""
    free: dict[str, Any] = {}
    own = set(walk(function))
    for node in own:
        if not isinstance(node, ast.Name):
            continue
        variable = file.variable(node)
        for made_at in () if variable.is_global else variable.bound:
            if made_at not in own:
                free[node.id] = made_at
    # Python sorts them by name.
    names = sorted(free)
    if number >= len(names):
        raise RefusedError("can't tell what the hook closes over")
    name = names[number]
    made_at = free[name]
    program.require_unchanged(file)
    torch, added = imports.torch(file, function)
    if isinstance(made_at, ast.arg):
        around = file.function(made_at)
        rest = (
            [one for one in getattr(around, "body", ()) if not is_docstring(one)]
            if isinstance(around, Definition)
            else []
        )
        if not rest:
            raise RefusedError(f"{name} is a parameter of a lambda: make it a tensor in the call")
        is_apart = isinstance(rest[0], Definition | ast.ClassDef)
        line = f"{name} = {torch}.as_tensor({name})"
        changes = [*insert_before(file, rest[0], [line, ""] if is_apart else [line])]
        place = file.place(rest[0])
    else:
        value = _begins_as(file, made_at) if isinstance(made_at, ast.Name) else None
        if value is None:
            raise RefusedError(f"{name}, which the hook closes over, is assigned several times")
        changes, place = _wrapped(file, value, torch), file.place(value)
    changes += _computed_in(file, file.function(made_at), {name}, program)
    return Patch(f"{name} a tensor at {place}, where the hook closes over it", (*added, *changes))


def _begins_as(file: SourceFile, name: ast.Name) -> ast.expr | None:
    """Find the one value that a variable is assigned, apart from ``+=``; None if several.

    In place these change the tensor that it is then.
    """
    every = map(file.parent, file.variable(name).bound)
    first = [one for one in every if not isinstance(one, ast.AugAssign)]
    only = first[0] if len(first) == 1 else None
    is_one = isinstance(only, ast.Assign) and len(only.targets) == 1
    return only.value if isinstance(only, ast.Assign) and is_one else None


def _flag_given(name: str, finding: Finding, program: EditableProgram) -> Patch:
    """Pass ``True`` in the one compiled call that passes a flag of two values by its name."""
    compiled = compiled_names(program)
    found = [
        (file, given)
        for file in program.files.values()
        for call in (file.all(ast.Call) if name in file.text else ())
        if last_name(call.func) in compiled
        and (given := keyword(call, name)) is not None
        and not is_bool_or_none(given)
    ]
    if len(found) != 1:
        raise RefusedError(f"can't find a single call that passes {name} by its name")
    ((file, value_),) = found
    program.require_unchanged(file)
    return Patch(
        f"{name}=True at {file.place(value_)} in every step",
        (Replacement(file.name, *file.span(value_), "True"),),
        intention=f"runs every step with {name} True",
    )


def _rate_of(known: GuardedValue, finding: Finding, program: EditableProgram) -> Patch:
    """Return an optimizer's ``lr``: a tensor, which schedulers fill in place."""
    entry = known.path.group_entry
    if entry is None or entry.key != RATE:
        raise RefusedError(f"{known.ref} has to stay a number")
    found = [
        (file, call)
        for file in program.files.values()
        if "optim" in file.text
        for call in file.all(ast.Call)
        if file.names(call.func)
        and all(name.startswith(_OPTIMIZERS) for name in file.names(call.func))
        and not any("lr_scheduler" in name for name in file.names(call.func))
    ]
    named = [one for one in found if loops.is_at(finding.location, *one, program)] or found
    if len(named) != 1:
        raise RefusedError("can't tell which optimizer is compiled")
    file, call = named[0]
    given = keyword(call, RATE)
    in_order = positional(call)
    rate = given if given is not None else in_order[1] if len(in_order) > 1 else None
    home = file
    if rate is None and (of_options := written_values.given(call, file, RATE, 1, program)):
        home, rate = of_options
        _require_of_one(home, rate, call, found, program)
    of_groups = list(_rates_of_groups(program))
    if rate is None and not of_groups:
        raise RefusedError(f"the optimizer at {file.place(call)} takes its default lr")
    own_rate = None if rate is None or _is_made_tensor(home, rate) else rate
    if own_rate is None and not of_groups:
        raise RefusedError(f"lr is a tensor at {file.place(call)} already")
    program.require_unchanged(home)
    own, told = [], f"a tensor for each group's lr at {file.place(call)}"
    if own_rate is not None:
        torch, added = imports.torch(home, own_rate)
        own = [*added, *_wrapped(home, own_rate, torch)]
        told = f"lr={torch}.tensor({home.code(own_rate)}) at {home.place(own_rate)}"
    return Patch(
        told,
        tuple(dict.fromkeys([*own, *of_groups])),
        note="what reads the lr of a group gets a tensor",
    )


def _require_of_one(
    home: SourceFile,
    rate: Any,
    call: ast.Call,
    optimizers: Sequence[tuple[SourceFile, ast.Call]],
    program: EditableProgram,
) -> None:
    """Raise `RefusedError` where several optimizers would share the tensor.

    A scheduler fills it in place: each of them would change the rate of all.
    """
    for file, other in optimizers:
        if other is not call and (home, rate) == written_values.given(
            other, file, RATE, 1, program
        ):
            raise RefusedError(
                f"the optimizer at {file.place(other)} has its lr from {home.place(rate)}, too"
            )


def kept_rate(_: Finding, program: EditableProgram) -> list[Patch]:
    """CA707: a number that replaces the tensor of a group's ``lr``, as a tensor like it.

    A new one: groups may share the one that is there. Raises `RefusedError` where none is set.
    """
    changes: list[Replacement] = []
    places = []
    for file in program.files.values():
        for one in assigned_in(file) if RATE in file.text else ():
            is_rate = is_entry_of(one.target, RATE) and is_group(one.target.value, file)
            if not is_rate or one.is_in_place or _is_made_tensor(file, one.value):
                continue
            program.require_unchanged(file)
            torch, added = imports.torch(file, one.value)
            target, value = file.code(one.target), file.code(one.value)
            text = f"{torch}.full_like({target}, {value})"
            changes += [*added, Replacement(file.name, *file.span(one.value), text)]
            places.append(file.place(one.node))
    if not changes:
        raise RefusedError("no line of the program sets the lr of a group")
    what = f"the lr of a group stays a tensor at {', '.join(dict.fromkeys(places))}"
    return [Patch(what, tuple(dict.fromkeys(changes)))]


def _rates_of_groups(program: EditableProgram) -> Iterator[Replacement]:
    """Yield a tensor for each group of an optimizer, where the program makes it or sets its ``lr``.

    An assignment in place would change all groups that share the tensor.
    """
    for file in program.files.values():
        if "lr" not in file.text:
            continue
        for made in file.all(ast.Dict):
            entries = _entries_of(file, made)
            if "params" in [key for key, _ in entries]:
                for key, rate in entries:
                    if key == "lr":
                        yield from _rate(file, rate, program)
        for one in assigned_in(file):
            if not is_entry_of(one.target, "lr") or not is_group(one.target.value, file):
                continue
            if one.is_in_place:
                program.require_unchanged(file)
                name, text = choices.assignment(file, one.node)
                yield Replacement(file.name, *file.span(one.node), f"{name} = {text}")
            elif not _reads(file, one.value, one.target):
                yield from _rate(file, one.value, program)


def _entries_of(file: SourceFile, made: ast.Dict) -> list[tuple[str, ast.expr]]:
    """Return the keys of a dict that is written down, as texts, with their values."""
    return [
        (file.code(key).strip("\"'"), value)
        for key, value in zip(made.keys, made.values, strict=True)
        if key is not None
    ]


_TENSOR_MAKERS = ("tensor", "as_tensor", "scalar_tensor")


def _is_made_tensor(file: SourceFile, value_: Any) -> bool:
    """Return whether a value is a tensor already, by what is written."""
    return has_call(value_, *_TENSOR_MAKERS) or file.is_tensor(value_)


def _rate(file: SourceFile, rate: Any, program: EditableProgram) -> list[Replacement]:
    if _is_made_tensor(file, rate):
        return []
    program.require_unchanged(file)
    torch, added = imports.torch(file, rate)
    return [*added, *_wrapped(file, rate, torch)]


@dataclass(frozen=True, slots=True)
class _Attribute:
    """An attribute, and the classes of the object that has it."""

    name: str
    classes: Classes = _UNKNOWN

    @classmethod
    def of(cls, name: str, finding: Finding, program: EditableProgram) -> _Attribute:
        """Return the attribute ``name`` of what the line that noticed its change reads it from."""
        known = finding.detail
        held = known.path.names[-2:-1] if isinstance(known, GuardedValue) else ()
        if any(map(program.names.is_no_object, held)):
            return cls(name, _NO_OBJECT)
        return cls(name, program.names.with_own(name, program.line(finding.noticed_at)))


def _attribute(attribute: _Attribute, program: EditableProgram) -> Patch:
    """Return a number that is an attribute, as a tensor in every assignment."""
    name = attribute.name
    if not name.isidentifier():
        raise RefusedError(f"{name} is not an attribute")
    assigned = _assignments(program, attribute)
    fields = _fields(program, attribute)
    handed = list(_handed(attribute, program))
    _require_set(name, assigned, fields, handed, program)
    patch = _made_tensors(name, [*assigned, *fields], program, classes=attribute.classes)
    given = _wrapped_all(handed, name, program)
    places = ", ".join(dict.fromkeys(file.place(value) for file, value in handed))
    return replace(
        patch,
        what=patch.what if assigned or fields else f"{name} a tensor at {places}",
        replacements=tuple(dict.fromkeys([*patch.replacements, *given])),
    )


def _require_set(
    name: str,
    assigned: list[Assignment],
    fields: list[Assignment],
    handed: list[tuple[SourceFile, Any]],
    program: EditableProgram,
) -> None:
    """Raise `RefusedError` unless the source shows an object that gets ``name``."""
    is_set = any(
        one.file.is_own_attribute(one.target, name) and one.file.class_around(one.node) is not None
        for one in assigned
        if not one.is_in_place
    )
    if not (is_set or _is_of_options(name, assigned, program) or fields or handed):
        raise RefusedError(f"can't find the class that sets {name}")


def _is_of_options(name: str, assigned: list[Assignment], program: EditableProgram) -> bool:
    """Return whether the program adds a number to what argparse made: no option, which is parsed.

    ``self.opt.weight = …`` in each place that sets it.
    """
    own = [one for one in assigned if last_name(one.target.value) in _OPTIONS]
    options = [
        file.code(arg.value).strip("\"'").lstrip("-").replace("-", "_")
        for file, call in program.calls_named("add_argument")
        for arg in arguments(call)
        if arg.keyword in ("", "dest")
    ]
    is_plain = bool(own) and len(own) == len(assigned) and not any(one.is_in_place for one in own)
    return is_plain and bool(options) and name not in options


def _set_on_objects(attribute: _Attribute, program: EditableProgram) -> Patch:
    """Make a number a tensor of each object, which its class has until an object sets it."""
    name = attribute.name
    assigned, fields = _assignments(program, attribute), _fields(program, attribute)
    _require_set(name, assigned, fields, list(_handed(attribute, program)), program)
    owner = fields[0].file.class_around(fields[0].node) if len(fields) == 1 else None
    if owner is None:
        raise RefusedError(f"can't find a single class that has {name}")
    patch = _made_tensors(name, assigned, program)
    changes = constructors.with_own_tensor(fields[0].file, owner, name, program)
    return replace(
        patch,
        what=f"{name} a tensor of each {owner.name}, set in `__init__`",
        replacements=tuple(dict.fromkeys([*patch.replacements, *changes])),
    )


def _entries(name: str, program: EditableProgram) -> Patch:
    """Return a number that is an entry of a dict, as a tensor wherever it is set."""
    set_later = [
        one
        for file in program.files.values()
        if name in file.text
        for one in assigned_in(file)
        if is_entry_of(one.target, name)
    ]
    made = [
        (file, value_)
        for file in program.files.values()
        for one in (file.all(ast.Dict) if name in file.text else ())
        for key, value_ in _entries_of(file, one)
        if key == name
    ]
    made += [
        (file, given)
        for file, call in program.calls("builtins.dict")
        if (given := keyword(call, name)) is not None
    ]
    is_one = bool(made) or _is_of_one_variable(name, set_later, program)
    if not (set_later and is_one) and not _are_of(made, name, program):
        raise RefusedError(f"can't find a single dict that {name} is set in")
    patch = _made_tensors(name, set_later, program, is_entry=True)
    changes = [*patch.replacements, *_wrapped_all(made, name, program)]
    places = (file.place(value_) for file, value_ in made)
    return replace(
        patch,
        what=patch.what if set_later else f"{name} a tensor at {', '.join(places)}",
        replacements=tuple(dict.fromkeys(changes)),
    )


def _are_of(made: Sequence[tuple[SourceFile, Any]], name: str, program: EditableProgram) -> bool:
    """Return whether each place that reads the key has it of the dicts that are written down."""
    reads = [
        Site(file, node)
        for file in program.files.values()
        for node in (file.all(ast.Subscript) if name in file.text else ())
        if is_entry_of(node, name) and isinstance(node.ctx, ast.Load)
    ]
    values = {value_ for _, value_ in made}
    origins = [program.origins.of(one) for one in reads]
    return bool(reads) and all(
        found and all(one.site.node in values and not one.parts for one in found)
        for found in origins
    )


def _is_of_one_variable(
    name: str, set_later: Sequence[Assignment], program: EditableProgram
) -> bool:
    """Return whether each line that sets the key does so where it lacks, in a dict of one name.

    As the state of a parameter in an optimizer: `if not state: state["step"] = 0`.
    """
    owners = {
        file.code(node.value)
        for file in program.files.values()
        for node in (file.all(ast.Subscript) if name in file.text else ())
        if is_entry_of(node, name)
    }
    first = [one for one in set_later if not one.is_in_place]
    are_first = all(
        any(
            isinstance(around, ast.If)
            and owners & {one.file.code(part) for part in _tested(around)}
            for around in one.file.around(one.node)
        )
        for one in first
    )
    return len(owners) == 1 and bool(first) and are_first


def _tested(branch: ast.If) -> list[ast.AST]:
    return [one for one in walk(branch.test) if isinstance(one, ast.Name | ast.Attribute)]


def _handed(attribute: _Attribute, program: EditableProgram) -> Iterator[tuple[SourceFile, Any]]:
    """Yield ``SimpleNamespace(name=value)``, ``setattr(x, "name", value)``, and ``Record(value)``.

    Raises `RefusedError` where a value may be given that the source does not show.
    """
    name = attribute.name
    yield from _given_to_records(attribute, program)
    for file, call in program.calls("types.SimpleNamespace", "argparse.Namespace"):
        given = keyword(call, name)
        if given is not None:
            yield file, given
    for file, call in program.calls("builtins.setattr"):
        in_order = positional(call)
        if len(in_order) == 3 and file.code(in_order[1]).strip("\"'") == name:
            yield file, in_order[2]


def _given_to_records(
    attribute: _Attribute, program: EditableProgram
) -> Iterator[tuple[SourceFile, Any]]:
    """Yield what dataclasses, named tuples and their like that declare the field are made with."""
    name = attribute.name
    owners = {
        owner.name
        for file in program.files.values()
        for owner in (file.all(ast.ClassDef) if name in file.text else ())
        if any(_declares(one, name) for one in owner.body)
        and not program.names.are_others(owner.name, attribute.classes)
    }
    given = field_values(program.names.program, name, owners)
    for one in given.unseen:
        raise RefusedError(f"can't tell which {name} {in_brief(one.frame)} gives to what it makes")
    for one in given.values:
        if (file := program.file(one.frame)) is not None:
            yield file, one.node


def _declares(statement: ast.stmt, name: str) -> bool:
    """Return whether a class has a field by this: annotated, or what some library makes of it."""
    is_field = isinstance(statement, ast.AnnAssign) or (
        isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
    )
    return is_field and name in map(last_name, targets_of(statement))


def _wrapped_all(
    found: list[tuple[SourceFile, Any]], name: str, program: EditableProgram
) -> list[Replacement]:
    changes: list[Replacement] = []
    for file, value in found:
        program.require_unchanged(file)
        if _is_text_or_flag(value) or has_call(value, *_TENSOR_MAKERS):
            raise RefusedError(f"{name} is not a number at {file.place(value)}")
        torch, added = imports.torch(file, value)
        changes += [*added, *_wrapped(file, value, torch)]
    return changes


def _fields(program: EditableProgram, attribute: _Attribute) -> list[Assignment]:
    """Return where a class sets an attribute of all of its objects: ``heat: float = 1.0``."""
    return [
        one
        for file in program.files.values()
        if attribute.name in file.text
        for one in assigned_in(file)
        if isinstance(one.target, ast.Name)
        and one.target.id == attribute.name
        and one.value is not None
        and not one.is_in_place
        and isinstance(owner := file.parent(one.node), ast.ClassDef)
        and not program.names.are_others(owner.name, attribute.classes)
    ]


def _is_variable(known: GuardedValue, program: EditableProgram) -> bool:
    """Return whether a number reached by a global is one, and no attribute of an object.

    `config.scale` may be either: that of a module is a variable there.
    """
    is_shown = bool(_set_at_module(known.last, program))
    return known.holder == "variable" or (known.holder == "attribute" and is_shown)


def _set_at_module(name: str, program: EditableProgram) -> list[Assignment]:
    """Return where a module's variable is set, also by functions that declare it `global`."""
    return [
        one
        for file in program.files.values()
        if name in file.text
        for one in assigned_in(file)
        if isinstance(one.node, ast.Assign)
        and file.code(one.target) == name
        and (isinstance(file.function(one.node), ast.Module) or _is_global(file, one.node, name))
    ]


def _global(name: str, program: EditableProgram) -> Patch:
    """Return a module's number, as a tensor in every assignment."""
    assigned = _assignments(program, _Attribute(name, _NO_OBJECT))
    at_module = _set_at_module(name, program)
    owners = {
        one.file.name for one in at_module if isinstance(one.file.function(one.node), ast.Module)
    }
    if len(owners) != 1:
        raise RefusedError(f"can't find a single module that sets {name}")
    for one in at_module:
        _require_assigned(one.file, name)
    return _made_tensors(name, [*assigned, *at_module], program, classes=_NO_OBJECT)


def _require_assigned(file: SourceFile, name: str) -> None:
    """Raise `RefusedError` where a module's variable is set by a loop, or anything but ``=``."""
    kinds = (ast.Assign, ast.AnnAssign, ast.AugAssign)
    for bound in file.variable_at(name, file.tree).bound:
        if not isinstance(file.parent(bound), kinds):
            raise RefusedError(f"{file.place(bound)} sets {name}, but not by a plain assignment")


def _assignments(program: EditableProgram, attribute: _Attribute) -> list[Assignment]:
    """Return where an attribute is assigned, in place or not."""
    return [
        one
        for file in program.files.values()
        if attribute.name in file.text
        for one in assigned_in(file)
        if isinstance(one.target, ast.Attribute)
        and one.target.attr == attribute.name
        and not program.names.is_another(Site(file, one.target.value), attribute.classes)
    ]


def _made_tensors(
    name: str,
    assigned: list[Assignment],
    program: EditableProgram,
    *,
    is_entry: bool = False,
    classes: Classes = _UNKNOWN,
) -> Patch:
    changes: list[Replacement] = []
    places: list[str] = []
    note = f"code that needs {name} as a number reads it by `.item()`"
    for file in dict.fromkeys(one.file for one in assigned):
        program.require_unchanged(file)
        added: tuple[Replacement, ...] = ()
        for one in (one for one in assigned if one.file is file):
            if isinstance(one.node, ast.AugAssign):
                changes += rebinding.rebound(file, one.node)  # as numbers behave
                continue
            if one.value is None or _is_text_or_flag(one.value):
                raise RefusedError(f"{name} is not a number at {file.place(one.node)}")
            _require_same_kind(file, one.value)
            if _reads(file, one.value, one.target):
                continue  # computed from the tensor that it was: it is one
            torch, added = imports.torch(file, one.node)
            changes += _wrapped(file, one.value, torch)
            places.append(file.place(one.node))
        changes += added
    is_attribute = not any(
        isinstance(one.target, ast.Name) and isinstance(one.file.parent(one.node), ast.Module)
        for one in assigned
    )
    changes += _adapted_reads(
        name, program, is_attribute=is_attribute, is_entry=is_entry, classes=classes
    )
    return Patch(
        f"{name} a tensor at {', '.join(places)}",
        tuple(branches.merged(changes, program)),
        note=note,
    )


def _reads(file: SourceFile, value: Any, target: Any) -> bool:
    """Return whether ``value`` is computed from what ``target`` was: by the same expression."""
    return any(
        isinstance(node, type(target))
        and file.is_within(node, value)
        and file.code(node) == file.code(target)
        for node in file.nodes
    )


def _is_read_of(file: SourceFile, node: ast.AST, name: str, *, is_attribute: bool) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == name
    return not is_attribute and isinstance(node, ast.Name) and node.id == name


def _adapted_reads(
    name: str, program: EditableProgram, *, is_attribute: bool, is_entry: bool, classes: Classes
) -> list[Replacement]:
    """Return the changes where ``name`` is read. Raises `RefusedError` where a number is needed."""
    found: list[Replacement] = []
    for file in program.files.values():
        if name not in file.text:
            continue
        for node in file.nodes:
            is_read = (
                is_entry_of(node, name)
                if is_entry
                else _is_read_of(file, node, name, is_attribute=is_attribute)
            )
            held = node.value if isinstance(node, ast.Attribute) else None
            if is_read and held is not None and program.names.is_another(Site(file, held), classes):
                continue
            if is_read:
                found += formulas.adapted(file, node, program)
                for taking in _taking(file, arithmetic_around(file, node), program):
                    found += _taken_as_tensor(*taking, program)
    return found


def _require_same_kind(file: SourceFile, value: Any) -> None:
    code = file.code(value)
    is_counter = isinstance(value, ast.Call) and "itertools.count" in file.names(value.func)
    is_container = isinstance(
        value, ast.List | ast.Tuple | ast.Dict | ast.Set | ast.Lambda | ast.ListComp
    )
    if "torch." in code or is_counter or is_container:
        raise RefusedError(f"{code.splitlines()[0]} at {file.place(value)} is not a number")


def _is_text_or_flag(node: Any) -> bool:
    return is_string(node) or isinstance(node, ast.JoinedStr) or is_bool_or_none(node)


def _is_literal(node: Any) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return is_number(inner) or is_none(inner)


def _is_global(file: SourceFile, node: ast.AST, name: str) -> bool:
    function = file.function(node)
    return any(
        name in statement.names
        for statement in file.all(ast.Global)
        if file.function(statement) is function
    )


def _wrapped(file: SourceFile, value: Any, torch: str) -> list[Replacement]:
    return [*wrap(file, value, f"{torch}.tensor")]
