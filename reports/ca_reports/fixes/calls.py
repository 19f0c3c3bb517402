"""Changes the arguments of a compiled function where it is called."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import freezing, imports, loops, moving
from ca_reports.fixes.editing import keyword, positional
from ca_reports.fixes.patches import ChangedSinceError, Patch, RefusedError, Replacement
from ca_reports.fixes.program import walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.facts.guarded import GuardedThing
    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile
    from ca_reports.stack import Frame

# A guard like ``2 <= boxes.size()[0]`` in a finding's message: the dimension.
_SMALL = re.compile(r"\bsize\(\)\[(\d{1,3})\]")
_DTYPES = {"Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16"}


def kind(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA708: a dtype as at first, requires_grad as at last, or the call that differs uncompiled."""
    thing = _thing(finding, program)
    if "requires_grad" in thing.guard.kind:
        return freezing.frozen(finding, program)
    try:
        found = _dtype(finding, thing, program)
    except ChangedSinceError:
        raise
    except RefusedError as refused:
        try:
            return _other_call(finding, thing, program)
        except RefusedError:
            raise refused from None
    with suppress(RefusedError):
        found += _other_call(finding, thing, program)
    return found


def _dtype(finding: Finding, thing: GuardedThing, program: EditableProgram) -> list[Patch]:
    """An argument is converted to the dtype that it had first."""
    wanted = _DTYPES.get(thing.values[0]) if thing.values else None
    if thing.guard.kind != "dtype" or wanted is None:
        raise RefusedError(f"the difference in {thing.name} is not its dtype")
    found = []
    for file, argument in _arguments(thing.source, thing, program):
        torch = moving.name_of_torch(file, argument)
        found.append(_appended(file, argument, f".to({torch}.{wanted})"))
    return [
        Patch(
            f"{thing.name} converted to {wanted} where it is passed",
            tuple(found),
            intention=f"computes with {thing.name} in {wanted} in every step",
        )
    ]


def clone(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA714, CA212: a tensor is copied where it would come twice.

    In the branch of ``b = a if c else …`` that names it, else where it is passed on.
    """
    file = program.file(finding.location)
    named = _named_branch(file, finding, program) if file is not None else None
    if file is not None and named is not None:
        program.require_unchanged(file)
        argument = named
    else:
        file, argument = _second(finding, program)
    return [
        Patch(
            f"{file.code(argument)}.clone() at {file.place(argument)}",
            (_appended(file, argument, ".clone()"),),
            note="copies the tensor in every call",
        )
    ]


def one_class(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA707 of a Tensor and a Parameter: a copy is a Tensor of either, with its gradient."""
    thing = _thing(finding, program)
    if not {"Tensor", "Parameter"} & set(thing.values):
        raise RefusedError(f"{thing.name} is not a tensor: {finding.fix}")
    found = _arguments(thing.source, thing, program)
    return [
        Patch(
            f"{thing.name} copied where it is passed, so that it is a Tensor in every call",
            tuple(_appended(file, argument, ".clone()") for file, argument in found),
            note="copies the tensor in every call",
        )
    ]


def tensor(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA702, CA703: a Python number or flag is passed as a 0-dim tensor."""
    thing = _thing(finding, program)
    found: list[Replacement] = []
    arguments = _arguments(thing.source, thing, program)
    own = definition_of(thing, program)
    if own is not None:
        file, definition = own
        default = _default(definition, thing.source)
        if default is not None and len(arguments) < len(_calls(thing, definition, program)):
            program.require_unchanged(file)
            arguments.append((file, default))
    for file, argument in arguments:
        torch, added = imports.torch(file, argument)
        start, end = file.span(argument)
        found += [
            *added,
            Replacement(file.name, start, start, f"{torch}.tensor("),
            Replacement(file.name, end, end, ")"),
        ]
    return [Patch(f"{thing.name} passed as a tensor", tuple(dict.fromkeys(found)))]


def definition_of(
    thing: GuardedThing, program: EditableProgram
) -> tuple[SourceFile, cst.FunctionDef] | None:
    """The function that was compiled, where it is one of the program's and takes the thing."""
    definition = _definition(thing, program)
    file = program.file(thing.first.compiled.location)
    if file is None or definition is None or thing.source not in _parameters(definition):
        return None
    return file, definition


def _default(definition: cst.FunctionDef, name: str) -> cst.BaseExpression | None:
    every = [*definition.params.posonly_params, *definition.params.params]
    return next((one.default for one in every if one.name.value == name), None)


def uncompiled(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA709: the call that is unlike the others runs uncompiled."""
    return [_uncompiled(finding.location, program)]


def _other_call(finding: Finding, thing: GuardedThing, program: EditableProgram) -> list[Patch]:
    """The one call that brought all recompiles runs uncompiled, where others came before it."""
    definition = _definition(thing, program)
    sites = {_call_site(one.compiled.stack, definition, program) for one in thing.recompiles}
    site = sites.pop()
    if sites or site is None or definition is None:
        raise RefusedError("several calls bring the recompiles")
    own = program.file(site)
    others = [
        (file, call)
        for file, call in _calls(thing, definition, program)
        if file is not own or not loops.is_at(site, file, call, program)
    ]
    if not others:
        raise RefusedError(f"one call of {definition.name.value} brings all kinds: {finding.fix}")
    return [_uncompiled(site, program)]


def _call_site(
    stack: Sequence[Frame], definition: cst.FunctionDef | None, program: EditableProgram
) -> Frame | None:
    """The innermost line of the program's that is not in the compiled function."""
    for frame in reversed(stack):
        file = program.file(frame)
        if file is None:
            continue
        if definition in file.nodes and definition and _holds(file, definition, frame.line):
            continue
        return frame
    return None


def _uncompiled(location: Frame | None, program: EditableProgram) -> Patch:
    file = program.file(location)
    if file is None or location is None:
        raise RefusedError("the call that differs is not known")
    found = [
        node
        for node in file.all(cst.SimpleStatementLine)
        if file.lines(node)[0] <= location.line <= file.lines(node)[1]
    ]
    if len(found) != 1 or not any(isinstance(node, cst.Call) for node in walk(found[0])):
        raise RefusedError("the call that differs is not known")
    statement = found[0]
    if any(isinstance(part, cst.Yield | cst.Await) for part in walk(statement)):
        raise RefusedError(f"{file.place(statement)} yields: run it uncompiled by hand")
    torch = moving.name_of_torch(file, statement)
    return Patch(
        f"{file.place(statement)} runs uncompiled",
        (under_stance(file, statement, '"force_eager"', torch),),
        note="this call gets eager's numbers, where the compiler's differ",
    )


def under_stance(file: SourceFile, statement: Any, stance: str, torch: str) -> Replacement:
    """``statement`` in a ``with torch.compiler.set_stance(…)``. Raises `RefusedError`."""
    for part in walk(statement):
        if isinstance(part, cst.SimpleString | cst.FormattedString) and "\n" in file.code(part):
            raise RefusedError(f"{file.place(statement)} has a text over several lines")
    indent = file.indent_of(statement)
    start, end = file.line_start(statement), file.line_end(file.span(statement)[1])
    lines = file.text[start:end].split("\n")
    body = "\n".join(f"    {line}" if line.strip() else line for line in lines)
    head = f"{indent}with {torch}.compiler.set_stance({stance}):{file.newline}"
    return Replacement(file.name, start, end, head + body)


def selected(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA104: ``x[i]`` of a tensor and a Python int becomes ``x.index_select(0, …)``."""
    file, found = loops.nodes_at(finding.location, program, cst.Subscript)
    if "Select" not in finding.key or file is None:
        raise RefusedError(f"the index is no plain one: {finding.fix}")
    shown = [(node, at) for node in found if (at := _selects(file, node)) is not None]
    if len(shown) != 1:
        raise RefusedError("the line does not show one index that is a variable")
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


def _selects(file: SourceFile, node: cst.Subscript) -> tuple[int, str] | None:
    """Dimension and index of ``x[i]`` or ``x[:, i]``; None for anything else."""
    *whole, last = node.slice
    if any(file.code(one.slice) != ":" for one in whole) or not isinstance(last.slice, cst.Index):
        return None
    value: Any = last.slice.value
    if not isinstance(value, cst.Name | cst.Attribute | cst.BinaryOperation | cst.Call):
        return None
    if not isinstance(node.value, cst.Name | cst.Attribute):
        return None
    return len(whole), file.code(value)


def few(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA103 of a forward: calls with a size of 0 or 1 run uncompiled."""
    thing = program.guarded(finding)
    shown = _SMALL.search(finding.message)
    if thing is None or shown is None or thing.source not in finding.message:
        raise RefusedError(f"the source does not show the size: {finding.fix}")
    arguments = _arguments(thing.source, thing, program)
    changes = []
    for file, argument in arguments:
        statement = file.statement(argument)
        if not isinstance(statement, cst.SimpleStatementLine):
            raise RefusedError(f"the call at {file.place(argument)} is part of a larger statement")
        if any(isinstance(part, cst.Call) for part in walk(argument)):
            raise RefusedError(f"what is passed at {file.place(argument)} is made in the call")
        if any(isinstance(part, cst.Yield | cst.Await) for part in walk(statement)):
            raise RefusedError(f"{file.place(statement)} yields: run it uncompiled by hand")
        torch = moving.name_of_torch(file, statement)
        size = f"{file.code(argument)}.shape[{shown[1]}]"
        stance = f'"force_eager" if {size} < 2 else "default"'
        changes.append(under_stance(file, statement, stance, torch))
    places = ", ".join(file.place(argument) for file, argument in arguments)
    return [
        Patch(
            f"calls at {places} with a size below 2 run uncompiled",
            tuple(changes),
            note="if the compiler changes their numbers, these calls get those of eager",
        )
    ]


def _named_branch(file: SourceFile, finding: Finding, program: EditableProgram) -> Any:
    """The plain variable that one of the two branches of a choice on the line is."""
    found = [
        node for node in file.all(cst.IfExp) if loops.is_at(finding.location, file, node, program)
    ]
    if len(found) != 1:
        return None
    names = [one for one in (found[0].body, found[0].orelse) if isinstance(one, cst.Name)]
    return names[0] if len(names) == 1 else None


def _second(finding: Finding, program: EditableProgram) -> tuple[SourceFile, Any]:
    """The second of two tensors: an argument of the compiled function, else of its like."""
    thing = program.guarded(finding)
    if thing is not None:
        shown = [
            found
            for name in reversed(re.findall(r"\w+", finding.key))
            if _is_parameter(name, thing, program)
            for found in _arguments(name, thing, program)
        ]
        if shown:
            return shown[0]
        raise RefusedError("no call shows the two tensors")
    file, found = loops.nodes_at(finding.location, program, cst.Call)
    if file is None or not found:
        raise RefusedError("no call shows the two tensors")
    alike = [call for call in found if file.code(call.func) == file.code(found[0].func)]
    if len(alike) != 2 or not alike[1].args or alike[1].args[0].star:
        raise RefusedError(f"{file.place(found[0])} does not show two calls of one module")
    program.require_unchanged(file)
    return file, alike[1].args[0].value


def _thing(finding: Finding, program: EditableProgram) -> GuardedThing:
    thing = program.guarded(finding)
    if thing is None:
        raise RefusedError("the records do not say what the guard checked")
    return thing


def _arguments(
    parameter: str, thing: GuardedThing, program: EditableProgram
) -> list[tuple[SourceFile, cst.BaseExpression]]:
    """Return what is passed for ``parameter``, in every call of the compiled function.

    Raises `RefusedError` unless it is a plain parameter of a function of the program's, and the
    source shows the calls.
    """
    definition = _definition(thing, program)
    if definition is None or parameter not in _parameters(definition):
        raise RefusedError(f"{parameter} is not a parameter of any function of the program")
    number = _parameters(definition).index(parameter)
    found = []
    for file, call in _calls(thing, definition, program):
        if any(arg.star for arg in call.args):
            raise RefusedError(f"the call at {file.place(call)} takes its arguments from a list")
        given = keyword(call, parameter)
        in_order = positional(call)
        if given is None and number < len(in_order):
            given = in_order[number]
        if given is not None and not isinstance(given.value, cst.GeneratorExp):
            found.append((file, given.value))
    if not found:
        raise RefusedError(f"no call shows what is passed for {parameter}")
    for file, _ in found:
        program.require_unchanged(file)
    return found


def _is_parameter(name: str, thing: GuardedThing, program: EditableProgram) -> bool:
    definition = _definition(thing, program)
    return definition is not None and name in _parameters(definition)


def _definition(thing: GuardedThing, program: EditableProgram) -> cst.FunctionDef | None:
    """The function that was compiled, where it is one of the program's."""
    location = thing.first.compiled.location
    file = program.file(location)
    if file is None or location is None:
        return None
    found = [
        node
        for node in file.all(cst.FunctionDef)
        if node.name.value == thing.function and _holds(file, node, location.line)
    ]
    return found[-1] if found else None


def _parameters(definition: cst.FunctionDef) -> list[str]:
    """The parameters that are given by position, without ``self``."""
    every = [*definition.params.posonly_params, *definition.params.params]
    names = [one.name.value for one in every]
    return names[1:] if names[:1] == ["self"] else names


def _calls(
    thing: GuardedThing, definition: cst.FunctionDef, program: EditableProgram
) -> list[tuple[SourceFile, cst.Call]]:
    """The calls of the compiled function: of its name, else those on the lines that called it."""
    name = definition.name.value
    lines = {
        (file.name, frame.line)
        for recompile in thing.recompiles
        for frame in recompile.compiled.stack
        if (file := program.file(frame)) is not None
    }
    found = []
    for file in program.files.values():
        for call in file.all(cst.Call):
            called = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
            by_name = isinstance(called, cst.Name) and called.value == name and name != "forward"
            first, last = file.lines(call)
            by_line = any((file.name, line) in lines for line in range(first, last + 1))
            fits = len(positional(call)) <= len(_parameters(definition)) and not _is_torchs(
                file, call
            )
            if by_name or (by_line and fits and not _has_name(called, "backward", "step")):
                found.append((file, call))
    named = [
        one for one in found if isinstance(one[1].func, cst.Name) and one[1].func.value == name
    ]
    chosen = named or found
    # Of calls within one another on a line, the innermost that can take the argument.
    return [
        (file, call)
        for file, call in chosen
        if not any(other is not call and _contains(call, other) for _, other in chosen)
    ]


def _is_torchs(file: SourceFile, call: cst.Call) -> bool:
    names = file.names(call.func)
    return any(name.startswith(("torch.", "builtins.")) for name in names)


def _has_name(called: cst.CSTNode, *names: str) -> bool:
    return isinstance(called, cst.Name) and called.value in names


def _contains(node: cst.CSTNode, other: cst.CSTNode) -> bool:
    return any(part is other for part in walk(node))


def _holds(file: SourceFile, node: cst.FunctionDef, line: int) -> bool:
    first = min([file.lines(node)[0], *(file.lines(one)[0] for one in node.decorators)])
    return first <= line <= file.lines(node)[1]


def _appended(file: SourceFile, node: cst.BaseExpression, text: str) -> Replacement:
    start, end = file.span(node)
    code = file.code(node)
    simple = isinstance(node, cst.Name | cst.Attribute | cst.Call | cst.Subscript) or node.lpar
    whole = code if simple else f"({code})"
    return Replacement(file.name, start, end, whole + text)
