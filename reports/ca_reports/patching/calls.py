"""Changes the arguments of a compiled function where it is called."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ca_reports.causes.findings import BakedIndex, MadeAlike
from ca_reports.patching import (
    asked,
    choices,
    freezing,
    gradient_flags,
    imports,
    loops,
    moving,
    writes,
)
from ca_reports.patching.compilers import COMPILE
from ca_reports.patching.editing import is_signed_number, is_string, only_statement, positional
from ca_reports.patching.patches import ChangedSinceError, Patch, RefusedError, Replacement
from ca_reports.patching.program import places
from ca_reports.patching.sites import (
    CompiledSite,
    arguments,
    calls,
    compiled_at,
    site_of,
)
from ca_reports.patching.stances import under_stance
from ca_reports.program import edits
from ca_reports.program.positions import walk
from ca_reports.program.syntax import (
    Definition,
    bound_function,
    default_of,
    is_starred,
    keys_of,
    last_name,
)
from ca_reports.program.writes import shared_names
from ca_reports.torchlib import tensors

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.facts.guarded_things import GuardedThing
    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.program.stack import Frame

# Views whose values are computed when they are read, and what computes them at once.
_LAZY = (("Conjugate", "resolve_conj"), ("Negative", "resolve_neg"))
# Decorators that keep what a function returned, by its arguments.
_CACHES = ("cache", "lru_cache")


def kind(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA708: a dtype as at first, alike requires_grad, or the call that differs uncompiled."""
    thing = _thing(finding, program)
    if thing.guard.kind == "requires_grad":
        if thing.is_of_parameters:
            return freezing.frozen(finding, program)
        return gradient_flags.patches(thing, compiled_of(thing, program), program)
    called = compiled_of(thing, program)
    if thing.guard.kind == "dispatch_keys" and (alike := _no_inference_mode(program)) is not None:
        return [alike]
    try:
        found = _dtype(finding, thing, called, program)
    except ChangedSinceError:
        raise
    except RefusedError as refused:
        of_numpy = _of_numpy(finding, thing, program)
        if of_numpy is not None:
            return [of_numpy]
        try:
            return _other_call(thing, called, program)
        except RefusedError:
            raise refused from None
    with suppress(RefusedError):
        found += _other_call(thing, called, program)
    return found


def _no_inference_mode(program: EditableProgram) -> Patch | None:
    """Return ``no_grad`` for each ``inference_mode``, where the program has both.

    Tensors of inference mode are of another kind, so that both compile everything.
    """
    found = program.calls("torch.inference_mode")
    if not found or not program.calls("torch.no_grad"):
        return None
    if any(edits.arguments(call) or not isinstance(call.func, ast.Attribute) for _, call in found):
        return None
    for file, _ in found:
        program.require_unchanged(file)
    return Patch(
        f"no_grad instead of inference_mode at {places(found)}",
        tuple(
            one
            for file, call in found
            for one in edits.replace(file, call.func, f"{file.code(call.func.value)}.no_grad")  # type: ignore[attr-defined]
        ),
        note="tensors of inference mode are of another kind: each kind is compiled for itself",
    )


def _dtype(
    finding: Finding, thing: GuardedThing, called: CompiledSite, program: EditableProgram
) -> list[Patch]:
    """Convert an argument to the dtype that the finding names."""
    lazy = next((words for words in _LAZY if any(words[0] in one for one in thing.values)), None)
    if thing.guard.kind == "dispatch_keys" and lazy is not None:
        return _resolved(thing, called, program, *lazy)
    if thing.guard.kind != "dtype" or not isinstance(finding.detail, MadeAlike):
        raise RefusedError(f"the difference in {thing.ref} is not its dtype: {thing.guard.kind}")
    other = next((one for one in thing.values if one not in tensors.FLOATING), None)
    if other is not None:
        raise RefusedError(f"{thing.ref} in {other} means something else: convert it by hand")
    wanted = finding.detail.dtype
    found: list[Replacement] = []
    writes.require_only_read(thing.source, called, program)
    for file, argument in arguments(thing.source, called, program):
        torch, added = imports.torch(file, argument)
        # In inference mode, what is converted is of another kind than what need not be.
        copied = ", copy=True" if "inference_mode" in _texts(program) else ""
        found += [*added, *edits.append(file, argument, f".to({torch}.{wanted}{copied})")]
    return [
        Patch(
            f"{thing.ref} converted to {wanted} where it is passed",
            tuple(dict.fromkeys(found)),
            intention=f"computes with {thing.ref} in {wanted} in every step",
        )
    ]


def _of_numpy(finding: Finding, thing: GuardedThing, program: EditableProgram) -> Patch | None:
    """Return ``.float()`` on the one tensor of the line that has NumPy's double precision."""
    if thing.guard.kind != "dtype" or set(thing.values) != {"Double", "Float"}:
        return None
    file, found = loops.nodes_at(finding.location, program, ast.Call)
    made = [call for call in found if last_name(call.func) in tensors.OF_NUMPY]
    if file is None or len(made) != 1 or getattr(file.parent(made[0]), "attr", None):
        return None
    program.require_unchanged(file)
    return Patch(
        f"{file.code(made[0])}.float() at {file.place(made[0])}",
        edits.append(file, made[0], ".float()"),
        intention=f"computes with {thing.ref} in float32 in every step",
    )


def root_in_float(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA209 of a loss in double precision: ``.float()`` where NumPy's numbers become a tensor.

    Raises `RefusedError` where the line shows no such call.
    """
    file, found = loops.nodes_at(finding.location, program, ast.Call)
    made = [call for call in found if last_name(call.func) in tensors.OF_NUMPY]
    if file is None or len(made) != 1:
        raise RefusedError("the line makes no tensor of an array")
    if getattr(file.parent(made[0]), "attr", None):
        raise RefusedError(f"{file.place(made[0])} goes on with the tensor")
    program.require_unchanged(file)
    return [
        Patch(
            f"{file.code(made[0])}.float() at {file.place(made[0])}",
            edits.append(file, made[0], ".float()"),
            intention="computes the loss in float32 in every step",
        )
    ]


def _resolved(
    thing: GuardedThing, called: CompiledSite, program: EditableProgram, what: str, method: str
) -> list[Patch]:
    """Compute an argument before its call that is a conjugate or negative view in some."""
    writes.require_only_read(thing.source, called, program)
    found = arguments(thing.source, called, program)
    return [
        Patch(
            f"{thing.ref}.{method}() where it is passed",
            tuple(one for file, each in found for one in edits.append(file, each, f".{method}()")),
            note=f"copies {thing.ref} where it is a {what.lower()} view",
        )
    ]


def _texts(program: EditableProgram) -> str:
    return "".join(file.text for file in program.files.values())


def clone(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA714, CA212: a tensor is copied where it would come twice.

    In the branch of ``b = a if c else …`` that names it, or ``b = a``, else where it is passed on.
    """
    file = program.file(finding.location)
    argument: Any = _named(file, finding, program) if file is not None else None
    if file is not None and argument is not None:
        program.require_unchanged(file)
        writes.require_apart(file, argument, shared_names(file, argument), program)
    else:
        try:
            file, argument = _second(finding, program)
        except ChangedSinceError:
            raise
        except RefusedError:
            apart = _assigned_apart(program)
            if apart is None:
                raise
            return [apart]
    return [
        Patch(
            f"{file.code(argument)}.clone() at {file.place(argument)}",
            edits.append(file, argument, ".clone()"),
            note="copies the tensor in every call",
        )
    ]


def _assigned_apart(program: EditableProgram) -> Patch | None:
    """Turn ``a = b = zeros(…)`` into ``a = zeros(…)`` and ``b = a.clone()``, on one such line."""
    found = [
        (file, line)
        for file in program.files.values()
        for line in file.lines_of_code
        if isinstance(line, ast.Assign)
        and len(line.targets) == 2
        and isinstance(line.value, ast.Call)
        and any(name.startswith("torch.") for name in file.names(line.value.func))
    ]
    if len(found) != 1:
        return None
    file, line = found[0]
    program.require_unchanged(file)
    first, second = map(file.code, line.targets)
    writes.require_apart(file, line, shared_names(file, line), program)
    text = (
        f"{first} = {file.code(line.value)}{file.newline}"
        f"{file.indent_of(line)}{second} = {first}.clone()"
    )
    return Patch(
        f"{second} a tensor of its own at {file.place(line)}", edits.replace(file, line, text)
    )


def one_class(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA707 of a Tensor and a Parameter: a copy is a Tensor of either, with its gradient."""
    thing = _thing(finding, program)
    if not {"Tensor", "Parameter"} & set(thing.values):
        raise RefusedError(f"{thing.ref} is not a tensor")
    called = compiled_of(thing, program)
    writes.require_only_read(thing.source, called, program)
    found = arguments(thing.source, called, program)
    return [
        Patch(
            f"{thing.ref} copied where it is passed, so that it is a Tensor in every call",
            tuple(one for file, each in found for one in edits.append(file, each, ".clone()")),
            note="copies the tensor in every call",
        )
    ]


def tensor(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA702, CA703: a Python number or flag is passed as a 0-dim tensor."""
    thing = _thing(finding, program)
    found: list[Replacement] = []
    called = compiled_of(thing, program)
    _require_no_cache(called)
    try:
        passed = arguments(thing.source, called, program)
    except ChangedSinceError:
        raise
    except RefusedError:
        passed = _returned(finding, thing, program)
        if not passed:
            raise
    if called.file is not None and called.definition is not None:
        default = default_of(called.definition, thing.source)
        if default is not None and len(passed) < len(calls(called, program)):
            program.require_unchanged(called.file)
            passed.append((called.file, default))
    for file, argument in passed:
        if _is_of_call_before(file, argument):
            raise RefusedError(f"{thing.ref} is what the call before gave: a tensor from then on")
        torch, added = imports.torch(file, argument)
        start, end = file.span(argument)
        # Of one dtype, whichever type of number a call passes: each is compiled for.
        before, after = ("float(", ")") if thing.is_of_several_types else ("", "")
        found += [
            *added,
            Replacement(file.name, start, start, f"{torch}.tensor({before}"),
            Replacement(file.name, end, end, f"{after})"),
        ]
    return [Patch(f"{thing.ref} passed as a tensor", tuple(dict.fromkeys(found)))]


def _require_no_cache(called: CompiledSite) -> None:
    """Raise `RefusedError` where a function keeps what it returns by its arguments.

    A tensor is equal to no other as a key: each call would compute, and be kept.
    """
    definition = called.definition
    for made in definition.decorator_list if definition is not None else ():
        if definition and last_name(made.func if isinstance(made, ast.Call) else made) in _CACHES:
            raise RefusedError(
                f"{definition.name} keeps its results by its arguments, and a tensor "
                "is never the same key"
            )


def _returned(
    finding: Finding, thing: GuardedThing, program: EditableProgram
) -> list[tuple[SourceFile, ast.expr]]:
    """Find the one element of that name in the tuples that a function of the line returns."""
    file, around = loops.functions_at(finding.location, program)
    found = [
        element
        for returned in (walk(*around[-1].body) if file is not None and around else ())
        if isinstance(returned, ast.Return) and isinstance(returned.value, ast.Tuple)
        for element in returned.value.elts
        if last_name(element) == thing.source
    ]
    if file is None or len(found) != 1:
        return []
    program.require_unchanged(file)
    return [(file, found[0])]


def _is_of_call_before(file: SourceFile, argument: Any) -> bool:
    """Return whether the call's result is its own next argument: ``total = add(total, x)``."""
    only = only_statement(file, [file.statement(argument)])
    return isinstance(only, ast.Assign) and file.code(argument) in map(file.code, only.targets)


def definition_of(
    thing: GuardedThing, program: EditableProgram
) -> tuple[SourceFile, Definition] | None:
    """Find the function that was compiled, where it is one of the program's and takes the thing."""
    called = compiled_of(thing, program)
    if called.file is None or called.definition is None or not called.takes(thing.source):
        return None
    return called.file, called.definition


def parameter_of(
    thing: GuardedThing, program: EditableProgram
) -> tuple[SourceFile, Definition, str] | None:
    """Find the function that takes the thing, as which parameter; or None.

    ``args[1]`` of ``torch.compile(partial(loss, model))`` is the third one of `loss`.
    """
    own = definition_of(thing, program)
    if own is not None:
        return (*own, thing.source)
    called = compiled_of(thing, program)
    number = called.position(thing.source)
    names = {last_name(call.func) for _, call in calls(called, program, thing.source)}
    made = [
        call.args[0]
        for file, call in program.calls(COMPILE)
        if call.args and program.kept_as(file, call) & names
    ]
    function: Any = made[0] if len(made) == 1 and len(names) == 1 else None
    bound: list[ast.expr] = []
    is_plain = True
    if isinstance(function, ast.Call) and bound_function(function) is not None:
        is_plain = not function.keywords and not is_starred(function)
        function, *bound = function.args
    found = list(program.definitions_of(last_name(function))) if function is not None else []
    if number is None or len(found) != 1 or not isinstance(function, ast.Name) or not is_plain:
        return None
    taken = found[0][0].own_parameters(found[0][1])[len(bound) :]
    return (*found[0], taken[number]) if number < len(taken) else None


def made_once(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA706: an object that is made for each call, such as a function, is made once."""
    thing = _thing(finding, program)
    called = compiled_of(thing, program)
    name = thing.path.root
    passed = arguments(name, called, program)
    if len(passed) != 1:
        raise RefusedError(f"several calls pass {name}")
    return [moving.argument(*passed[0], program)]


def uncompiled(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA709: the call that is unlike the others runs uncompiled.

    Where the line is not that call, but makes what differs, the one that brought the recompiles.
    """
    location = finding.location
    on_the_way = {
        (frame.file, frame.line)
        for event in finding.events
        for frame in getattr(event, "stack", ())
    }
    if location is not None and (location.file, location.line) in on_the_way:
        _require_no_first_call(finding, location, program)
        return [_uncompiled(location, program)]
    thing = _thing(finding, program)
    return _other_call(thing, compiled_of(thing, program), program)


def _require_no_first_call(finding: Finding, line: Frame, program: EditableProgram) -> None:
    """Raise `RefusedError` where the first compile came by the same line: all calls would."""
    thing = program.guarded(finding)
    called = compiled_of(thing, program) if thing is not None else None
    first = called.compiles[0] if called is not None and called.compiles else None
    if first is not None and any(
        (at.file, at.line) == (line.file, line.line) for at in first.stack
    ):
        raise RefusedError("one call brings all kinds")


def _other_call(thing: GuardedThing, called: CompiledSite, program: EditableProgram) -> list[Patch]:
    """Run the one call uncompiled that brought all recompiles, where another was compiled."""
    first = site_of(called.compiles[0], called, program)
    later = [site_of(one.compiled, called, program) for one in thing.recompiles]
    if first is None or any(one != later[0] for one in later):
        raise RefusedError("several calls bring the recompiles")
    others = [
        one
        for one in calls(called, program, thing.source)
        if not loops.is_at(later[0], *one, program)
    ]
    if later[0] == first or not others:
        raise RefusedError("one call brings all kinds")
    return [_uncompiled(later[0], program)]


def _uncompiled(location: Frame | None, program: EditableProgram) -> Patch:
    file = program.file(location)
    if file is None or location is None:
        raise RefusedError("the call that differs is not known")
    found = [
        node
        for node in file.lines_of_code
        if file.lines(node)[0] <= location.line <= file.lines(node)[1]
    ]
    if len(found) != 1 or not any(isinstance(node, ast.Call) for node in walk(found[0])):
        raise RefusedError("the call that differs is not known")
    statement = found[0]
    return Patch(
        f"{file.place(statement)} runs uncompiled",
        (under_stance(file, statement, '"force_eager"', program),),
        note="this call gets eager's numbers, where the compiler's differ",
        runs_eager=True,
    )


def selected(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA104: ``x[i]`` or ``x[i:j]`` with Python ints becomes ``x.index_select(0, …)``."""
    file, found = loops.nodes_at(finding.location, program, ast.Subscript)
    if file is None:
        raise RefusedError("the index is not known")
    baked = finding.detail.of if isinstance(finding.detail, BakedIndex) else "other"
    if baked == "slice":
        return [_sliced(file, found, program)]
    if baked != "index":
        raise RefusedError("the index isn't a plain one")
    # `x[rows[name]]`: what stands within an index only says which.
    inside = {one for node in found for one in walk(node.slice)}
    shown = [
        (node, at)
        for node in found
        if node not in inside and (at := _selects(file, node)) is not None
    ]
    if len(shown) != 1:
        raise RefusedError("can't find a single index there that is a variable")
    node, (dimension, index) = shown[0]
    base = file.code(node.value)
    program.require_unchanged(file)
    torch, added = imports.torch(file, node)
    text = (
        f"{base}.index_select({dimension}, {torch}.tensor([{index}], device={base}.device))"
        f".squeeze({dimension})"
    )
    return [
        Patch(
            f"index_select instead of {file.code(node)} at {file.place(node)}",
            (*added, Replacement(file.name, *file.span(node), text)),
        )
    ]


def _sliced(file: SourceFile, found: list[ast.Subscript], program: EditableProgram) -> Patch:
    """Return ``x[:, i:j]`` as the rows ``i`` to ``j`` of ``x``: their numbers are data."""
    shown = [(node, at) for node in found if (at := _window(file, node)) is not None]
    if len(shown) != 1:
        raise RefusedError("can't find a single slice there that moves")
    node, (dimension, window) = shown[0]
    program.require_unchanged(file)
    torch, added = imports.torch(file, node)
    base = file.code(node.value)
    every = f"{torch}.arange({base}.shape[{dimension}], device={base}.device)"
    return Patch(
        f"index_select instead of {file.code(node)} at {file.place(node)}",
        (
            *added,
            Replacement(
                file.name,
                *file.span(node),
                f"{base}.index_select({dimension}, {every}[{window}])",
            ),
        ),
        note="copies the part, which a slice does not",
    )


def _window(file: SourceFile, node: ast.Subscript) -> tuple[int, str] | None:
    """Dimension and bounds of ``x[:, i:j]``, or of ``x[:, rows]`` where ``rows`` is a slice.

    None for anything else: with one bound that changes, so does the length.
    """
    parts = enumerate(keys_of(node))
    shown = [(number, one) for number, one in parts if file.code(one) != ":"]
    if len(shown) != 1 or not isinstance(node.value, ast.Name | ast.Attribute):
        return None
    if writes.is_written_at(file, node):
        return None
    number, part = shown[0]
    bounds = (part.lower, part.upper) if isinstance(part, ast.Slice) else (part,)
    if any(is_signed_number(one) or is_string(one) for one in bounds):
        return None
    return None if None in bounds else (number, file.code(part))


def _selects(file: SourceFile, node: ast.Subscript) -> tuple[int, str] | None:
    """Dimension and index of ``x[i]`` or ``x[:, i]``; None for anything else."""
    *whole, last = keys_of(node)
    if any(file.code(one) != ":" for one in whole):
        return None
    if not isinstance(last, ast.Name | ast.Attribute | ast.BinOp | ast.Call | ast.Subscript):
        return None
    if not isinstance(node.value, ast.Name | ast.Attribute) or writes.is_written_at(file, node):
        return None
    return len(whole), file.code(last)


def few(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA103 of a forward: calls with a size of 0 or 1 run uncompiled."""
    thing = program.guarded(finding)
    size_of = finding.subject
    if thing is None or not size_of.dimensions or thing.source != size_of.source:
        raise RefusedError("the argument of that size is not known")
    return [_few(finding, compiled_of(thing, program), program)]


def single(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA101 of a batch of 1: dynamic or not, that size is compiled for apart; it runs uncompiled.

    Raises `RefusedError` unless it is the size of an argument of one compiled function.
    """
    compiles = program.compiles_of(finding.events)
    size_of = finding.subject
    codes = {one.compile_id.partition("/")[0] for one in compiles}
    is_forward = all(one.capture is None for one in compiles)
    if not size_of.dimensions or len(codes) != 1 or not is_forward:
        raise RefusedError("can't find the size")
    site = compiled_at(size_of.source, compiles[0].location, compiles, program)
    return [_few(finding, site, program)]


def _few(finding: Finding, site: CompiledSite, program: EditableProgram) -> Patch:
    size_of = finding.subject
    passed = arguments(size_of.source, site, program)
    changes = []
    for file, argument in passed:
        call = file.call_given(argument)
        tensor, made = file.code(argument), None
        if any(isinstance(part, ast.Call) for part in walk(argument)):
            if call is None or not isinstance(argument, ast.Call):
                raise RefusedError(f"what is passed at {file.place(argument)} is made in the call")
            asked.require_movable(file, call, argument, program)
            tensor, made = (
                choices.new_name(file, size_of.source, f"{size_of.source}_given"),
                argument,
            )
        size = f"{tensor}.shape[{size_of.dimensions[0]}]"
        stance = f'"force_eager" if {size} < 2 else "default"'
        under = under_stance(file, argument, stance, program)
        changes.append(asked.kept_first(file, made, tensor, under))
    places = ", ".join(file.place(argument) for file, argument in passed)
    return Patch(
        f"calls at {places} with a size below 2 run uncompiled",
        tuple(dict.fromkeys(changes)),
        note="if the compiler changes their numbers, these calls get those of eager",
        runs_eager=True,
    )


def _named(file: SourceFile, finding: Finding, program: EditableProgram) -> ast.Name | None:
    """Return the plain variable that one of two branches on the line is, or all that it assigns."""
    assigned = [
        node.value
        for node in file.all(ast.Assign)
        if isinstance(node.value, ast.Name) and loops.is_at(finding.location, file, node, program)
    ]
    if len(assigned) == 1:
        return assigned[0]
    found = [
        node for node in file.all(ast.IfExp) if loops.is_at(finding.location, file, node, program)
    ]
    if len(found) != 1:
        return None
    names = [one for one in (found[0].body, found[0].orelse) if isinstance(one, ast.Name)]
    return names[0] if len(names) == 1 else None


def _second(finding: Finding, program: EditableProgram) -> tuple[SourceFile, Any]:
    """Return the second of two tensors: an argument of the compiled function, else of its like."""
    thing = program.guarded(finding)
    if thing is not None:
        called = compiled_of(thing, program)
        told = reversed(thing.tensors)
        names = [name for name in told if called.position(name) is not None]
        for name in names:
            writes.require_only_read(name, called, program)
        shown = [found for name in names for found in arguments(name, called, program)]
        if shown:
            return shown[0]
        raise RefusedError("can't find the call that takes both tensors")
    file, found = loops.nodes_at(finding.location, program, ast.Call)
    if file is None or not found:
        raise RefusedError("can't find the call that takes both tensors")
    alike = [call for call in found if file.code(call.func) == file.code(found[0].func)]
    if len(alike) != 2 or not positional(alike[1])[:1]:
        raise RefusedError(f"can't find two calls of one module at {file.place(found[0])}")
    program.require_unchanged(file)
    return file, alike[1].args[0]


def _thing(finding: Finding, program: EditableProgram) -> GuardedThing:
    thing = program.guarded(finding)
    if thing is None:
        raise RefusedError("the records do not say what the guard checked")
    return thing


def compiled_of(thing: GuardedThing, program: EditableProgram) -> CompiledSite:
    """Return the function whose guards on ``thing`` failed."""
    compiles = program.compiles_of(one.compiled for one in thing.recompiles)
    return compiled_at(thing.source, thing.first.compiled.location, compiles, program)
