"""CA207, CA208: what asks for gradients, the same in every step."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ca_reports.patching import conditions, loops, moving, written_values
from ca_reports.patching.editing import has_call, is_not, only_call, only_target
from ca_reports.patching.gradient_flags import is_parameter
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.patching.program import places
from ca_reports.program.edits import arguments, insert_after, is_simple, words_in
from ca_reports.program.positions import walk
from ca_reports.program.syntax import Definition, For, is_constant, is_entry_of, keyword, last_name
from ca_reports.torchlib import modules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

_MARK = "is_frozen"
_FLAGS = {"requires_grad", "requires_grad_"}
# How often a tensor is followed to where it was made.
_CALLS = 4
_INPUT_NOTE = "computes the gradient of the input in every step"


class _Site(NamedTuple):
    """A statement that turns gradients of ``receiver`` on or off, by ``value``."""

    file: SourceFile
    statement: Any
    receiver: Any
    value: Any
    is_method: bool
    program: EditableProgram


def frozen(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA207: gradients are computed for every parameter; those of frozen ones are dropped.

    Raises `RefusedError` unless the source shows what is frozen and which optimizer steps.
    """
    thing = program.guarded(finding)
    is_tensor = thing is not None and not thing.path.is_parameter
    return _frozen(program, _sites_of(finding, program), is_tensor=is_tensor)


def _frozen(program: EditableProgram, sites: list[_Site], *, is_tensor: bool) -> list[Patch]:
    _require_not_read(program, sites)
    _require_mode_kept(program, sites)
    file, backward, optimizer = _backward(program)
    held = any(_is_held(one, call) for one, call in _zeroing(program))
    if is_tensor and len(sites) != 1:
        raise RefusedError("several lines set requires_grad")
    changes = [change for site in sites for change in _marked(site, is_tensor=is_tensor)]
    dropped = "grad.zero_()" if held else "grad = None"
    each = "each_parameter" if _uses(file, "parameter") else "parameter"
    has_gradient = f" and {each}.grad is not None" if held else ""
    lines = [
        f'for {each} in (one for group in {optimizer}.param_groups for one in group["params"]):',
        f'{file.unit}if getattr({each}, "{_MARK}", False){has_gradient}:',
        f"{2 * file.unit}{each}.{dropped}",
    ]
    for one in {site.file.name: site.file for site in sites}.values():
        program.require_unchanged(one)
    program.require_unchanged(file)
    return [
        Patch(
            "gradients of frozen parameters dropped after the backward, instead of requires_grad "
            f"at {places([(site.file, site.statement) for site in sites])}",
            (*changes, *insert_after(file, backward, lines)),
            intention=(
                "lets momentum and weight decay go on for frozen parameters, by gradients of zero"
                if held
                else ""
            ),
            note="computes the gradients of frozen parameters, too",
            keeps_requires_grad=True,
        )
    ]


def required(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA208: the input asks for its gradient in every step.

    Of a tensor that an optimizer trains the gradients of the other steps are dropped.
    """
    file = program.file(finding.location)
    if file is None:
        raise RefusedError("the line that asks for the gradient is not known")
    trained = [
        one
        for one in _sites(program)
        if loops.is_at(finding.location, one.file, one.statement, program) and _is_trained(one)
    ]
    if trained:
        return _frozen(program, trained, is_tensor=True)
    replaced = _always(file, finding, program)
    if replaced is not None:
        place, receiver, replacement = replaced
        _require_new_in_step(file, receiver, program)
        _require_not_asked(program)
        program.require_unchanged(file)
        what = f"requires_grad at {place} in every step"
        return [Patch(what, (replacement,), note=_INPUT_NOTE)]
    file, condition, statement = conditions.condition_in_loop(finding, program, "the gradient")
    _require_new_in_step(file, _receiver(file, statement), program)
    _require_not_asked(program)
    return [
        Patch(
            f"requires_grad at {file.place(statement)} in every step",
            (conditions.without_condition(file, condition, statement, program),),
            note=_INPUT_NOTE,
        )
    ]


def _require_not_asked(program: EditableProgram) -> None:
    """Raise `RefusedError` where the program asks whether an input has a gradient.

    It would do in every step what it does in some: add it up, say, or count.
    """
    for file in program.files.values():
        for node in file.all(ast.Compare):
            asked: Any = node.left
            if not isinstance(node.ops[0], ast.Is | ast.IsNot) or last_name(asked) != "grad":
                continue
            loops_around = [one for one in file.around(node) if isinstance(one, For)]
            of_parameters = any(
                _is_group(one.iter) or has_call(one.iter, "parameters", "named_parameters")
                for one in loops_around
            )
            if isinstance(asked, ast.Attribute) and not of_parameters:
                raise RefusedError(
                    f"{file.place(node)} asks whether {file.code(asked.value)} has a gradient, and "
                    "would find one in every step"
                )


def _is_trained(site: _Site) -> bool:
    """Return whether the tensor is a variable that an optimizer of its file is made with."""
    file, receiver = site.file, site.receiver
    return isinstance(receiver, ast.Name) and any(
        isinstance(name, ast.Name) and name.id == receiver.id
        for call in file.all(ast.Call)
        if any(one.startswith("torch.optim.") for one in file.names(call.func))
        for argument in arguments(call)
        for name in walk(argument.value)
    )


def _always(
    file: SourceFile, finding: Finding, program: EditableProgram
) -> tuple[str, Any, Replacement] | None:
    """Turn ``requires_grad=c``, ``x.requires_grad_(c)``, ``x.requires_grad = c`` to True.

    With its place and the tensor that asks, None of one that is made there.
    """
    for call in file.all(ast.Call):
        if not loops.is_at(finding.location, file, call, program):
            continue
        given, receiver = keyword(call, "requires_grad"), None
        func = call.func
        if isinstance(func, ast.Attribute) and last_name(func) == "requires_grad_" and call.args:
            given, receiver = call.args[0], func.value
        if given is None or file.code(given) in ("True", "False"):
            continue
        return file.place(call), receiver, Replacement(file.name, *file.span(given), "True")
    for node in file.all(ast.Assign):
        if loops.is_at(finding.location, file, node, program):
            target = node.targets[0]
            if isinstance(target, ast.Attribute) and target.attr == "requires_grad":
                if file.code(node.value) in ("True", "False"):
                    continue
                asked = Replacement(file.name, *file.span(node.value), "True")
                return file.place(node), target.value, asked
            if isinstance(node.value, ast.IfExp):
                sides = (node.value.body, node.value.orelse)
                asking = [one for one in sides if _FLAGS & words_in(one)]
                if len(asking) == 1:
                    span = file.span(node.value)
                    chosen = Replacement(file.name, *span, file.code(asking[0]))
                    return file.place(node), _asking(asking[0]), chosen
    return None


def _asking(value: Any) -> Any:
    """Find the tensor of ``x.requires_grad_()``; None of any other expression, which makes one."""
    is_method = isinstance(value, ast.Call) and last_name(value.func) == "requires_grad_"
    return value.func.value if is_method and isinstance(value.func, ast.Attribute) else None


def _require_new_in_step(file: SourceFile, receiver: Any, program: EditableProgram) -> None:
    """Raise `RefusedError` where one tensor would gather the gradients of all steps."""
    if not _is_new_in_step(file, receiver, program):
        raise RefusedError(
            f"{file.code(receiver)} is one tensor for all steps: its gradient would add up"
        )


def _is_new_in_step(
    file: SourceFile, receiver: Any, program: EditableProgram, calls: int = _CALLS
) -> bool:
    """Return whether each step makes the tensor: a loop assigns it, or one of the callers does."""
    if isinstance(receiver, ast.Attribute | ast.Subscript):
        return False
    if not isinstance(receiver, ast.Name) or not calls:
        return True
    if is_parameter(file, receiver):
        given = written_values.sources(file, receiver, program) or ()
        return all(_is_new_in_step(*one, program, calls - 1) for one in given)
    loop = moving.outermost_loop(file, receiver)
    if loop is None:
        return isinstance(file.function(receiver), Definition)
    bound = file.variable(receiver).bound
    own = file.statement(receiver)
    begin, asked = file.span(loop)[0], file.span(receiver)[0]
    # What is assigned after it is what the next step keeps.
    return any(
        begin <= file.span(node)[0] < asked and file.statement(node) is not own for node in bound
    )


def _receiver(file: SourceFile, statement: Any) -> Any:
    """Return the variable that a statement assigns, or the tensor whose method it calls."""
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
        return target.value if isinstance(target, ast.Attribute) else target
    call = only_call(file, [statement])
    func = call.func if call is not None else None
    return func.value if isinstance(func, ast.Attribute) else None


def _sites_of(finding: Finding, program: EditableProgram) -> list[_Site]:
    """Return the statements that freeze or unfreeze what the finding names."""
    every = list(_sites(program))
    named = [
        one for one in every if loops.is_at(finding.location, one.file, one.statement, program)
    ]
    words = {word for name in finding.subject.modules for word in name.split(".")}
    words = {word for word in words if not word.isdigit()}
    for site in named:
        words |= _words(site)
    words -= {"self", *modules.OF_ITSELF}
    found = [one for one in every if one in named or (_words(one) & words and not _is_input(one))]
    if not found:
        raise RefusedError("the line that freezes or unfreezes is not known")
    held = [f"{one.file.code(one.receiver)}." for one in found]
    found += [
        one
        for one in every
        if one not in found
        and any(each.startswith(f"{one.file.code(one.receiver)}.") for each in held)
    ]
    return found


def _is_input(site: _Site) -> bool:
    """Return whether the program reads the tensor's own gradient: it is no parameter then."""
    code = site.file.code(site.receiver)
    return not _is_one_parameter(site) and f"{code}.grad" in site.file.text


def _sites(program: EditableProgram) -> Iterator[_Site]:
    for file in program.files.values():
        if "requires_grad" not in file.text:
            continue
        for line in file.lines_of_code:
            if isinstance(line, ast.Expr) and isinstance(line.value, ast.Call):
                func, given = line.value.func, arguments(line.value)
                if isinstance(func, ast.Attribute) and last_name(func) == "requires_grad_":
                    value = given[0].value if given else None
                    yield _Site(file, line, func.value, value, is_method=True, program=program)
            target = only_target(line)
            if isinstance(target, ast.Attribute) and target.attr == "requires_grad":
                value = line.value  # type: ignore[attr-defined]
                yield _Site(file, line, target.value, value, is_method=False, program=program)


def _words(site: _Site) -> set[str]:
    """Return the names in what is frozen, and in the loops over it."""
    code = site.file.code(site.receiver)
    for around in site.file.around(site.statement):
        if isinstance(around, Definition):
            break
        if isinstance(around, For):
            code += " " + site.file.code(around.iter)
    return set(re.findall(r"[A-Za-z_]\w*", code))


def _marked(site: _Site, *, is_tensor: bool) -> list[Replacement]:
    """Write the mark for ``requires_grad`` in a statement; beside it for a tensor."""
    file, code = site.file, site.file.code(site.receiver)
    given = "True" if site.value is None else file.code(site.value)
    value: Any = site.value
    if given in ("True", "False"):
        frozen_ = str(given == "False")
    elif is_not(value):
        frozen_ = file.code(value.operand)
    else:
        frozen_ = f"not ({given})" if not isinstance(value, ast.Name) else f"not {given}"
    start, end = file.span(site.statement)
    if is_tensor:
        # Nothing but this line makes a plain tensor ask for its gradient.
        below = f"{file.newline}{file.indent_of(site.statement)}{code}.{_MARK} = {frozen_}"
        return [Replacement(file.name, start, end, f"{code}.requires_grad_(){below}")]
    if not site.is_method or _is_one_parameter(site):
        return [Replacement(file.name, start, end, f"{code}.{_MARK} = {frozen_}")]
    each = "each_parameter" if _uses(file, "parameter") else "parameter"
    inner = f"{file.newline}{file.indent_of(site.statement)}{file.unit}"
    text = f"for {each} in {code}.parameters():{inner}{each}.{_MARK} = {frozen_}"
    return [Replacement(file.name, start, end, text)]


def _is_one_parameter(site: _Site) -> bool:
    """Return whether the receiver is a parameter by its loop or its name, and no module."""
    code = site.file.code(site.receiver)
    if code.rpartition(".")[2] in ("weight", "bias"):
        return True
    for around in site.file.around(site.statement):
        if not isinstance(around, For):
            continue
        is_target = code in words_in(around.target)
        if has_call(around.iter, "parameters", "named_parameters") or _is_group(around.iter):
            return is_target
        if is_target and isinstance(around.iter, ast.Call):
            return _gives_parameters(last_name(around.iter.func), site.program)
    return False


def _is_group(node: ast.AST) -> bool:
    """Return whether ``node`` is the parameters of an optimizer's group: ``group["params"]``."""
    return is_entry_of(node, "params")


def _gives_parameters(name: str, program: EditableProgram) -> bool:
    """Return whether each ``return`` of the program's function gives a list of parameters."""
    gives = [_is_of_parameters(*one) for one in program.returned_by(name)]
    return bool(gives) and all(gives)


def _is_of_parameters(file: SourceFile, value: Any) -> bool:
    """Return whether ``value`` is ``[p for n, p in m.named_parameters() …]`` or the like."""
    if isinstance(value, ast.ListComp | ast.GeneratorExp):
        loop = value.generators[0]
        target: Any = loop.target
        if _is_call_of(loop.iter, "named_parameters") and isinstance(target, ast.Tuple):
            target = target.elts[-1]
        elif not _is_call_of(loop.iter, "parameters"):
            return False
        return len(value.generators) == 1 and file.code(value.elt) == file.code(target)
    return _is_call_of(value, "parameters")


def _is_call_of(node: ast.AST, method: str) -> bool:
    """Return whether ``node`` calls a method of this name with nothing."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr == method and not arguments(node)


def _require_not_read(program: EditableProgram, sites: list[_Site]) -> None:
    """Raise `RefusedError` if the program asks which parameters are frozen."""
    own = {site.statement for site in sites}
    for file in program.files.values():
        if ".requires_grad" not in file.text:
            continue
        for node in file.all(ast.Attribute):
            if node.attr != "requires_grad" or file.statement(node) in own:
                continue
            if not isinstance(node.ctx, ast.Store):
                raise RefusedError(f"{file.place(node)} reads requires_grad: freeze by hand")


def _require_mode_kept(program: EditableProgram, sites: list[_Site]) -> None:
    """Raise `RefusedError` if modules are put into eval mode where parameters are frozen.

    Gradients flow through them then, and the backward is that of the mode.
    """
    for file, statement in [place for site in sites for place in _done_at(site)]:
        if not isinstance(file.parent(statement), ast.If):
            continue
        for line in file.block(statement):
            if line is not statement and _sets_eval(line, program):
                raise RefusedError(
                    f"{file.place(line)} changes a mode with what is frozen: give the frozen "
                    "parameters a group with lr = 0 instead"
                )


def _done_at(site: _Site) -> list[tuple[SourceFile, Any]]:
    """Return the statement that freezes, or the calls of the function that it is in."""
    function = site.file.function(site.statement)
    name = function.name if isinstance(function, Definition) else ""
    called = [(file, file.statement(call)) for file, call in site.program.calls_named(name)]
    return [(site.file, site.statement), *called]


def _sets_eval(statement: ast.stmt, program: EditableProgram) -> bool:
    """Return whether ``statement`` sets eval mode, itself or by a function of the program."""
    calls = [one for one in walk(statement) if isinstance(one, ast.Call)]
    called = {last_name(one.func) for one in calls}
    is_off = any(
        last_name(one.func) == "train" and is_constant(given, value=False)
        for one in calls
        for given in one.args
    )
    return is_off or any(
        name == "eval" or any(has_call(one, "eval") for _, one in program.definitions_of(name))
        for name in called
    )


def _backward(program: EditableProgram) -> tuple[SourceFile, Any, str]:
    """Return the one statement of a backward in a function with one optimizer's step."""
    found = []
    for file in program.files.values():
        for call in file.all(ast.Call):
            if isinstance(call.func, ast.Attribute) and last_name(call.func) == "backward":
                statement = file.statement(call)
                if is_simple(statement):
                    found.append((file, statement))
    if len(found) != 1:
        raise RefusedError("can't find a single backward of the training")
    file, statement = found[0]
    if not file.is_line(statement):
        # What comes after the line is too late: it may have stepped.
        raise RefusedError(f"{file.place(statement)} does more than the backward: freeze by hand")
    function = file.function(statement)
    steps = {
        file.code(call.args[0]) if call.args else file.code(call.func.value)
        for call in file.all(ast.Call)
        if isinstance(call.func, ast.Attribute)
        and last_name(call.func) == "step"
        and file.function(call) is function
        and not any("sched" in name.lower() for name in words_in(call.func.value))
    }
    if len(steps) != 1:
        raise RefusedError("can't find a single optimizer that steps after the backward")
    return file, statement, steps.pop()


def _zeroing(program: EditableProgram) -> list[tuple[SourceFile, ast.Call]]:
    return program.methods_named("zero_grad")


def _is_held(file: SourceFile, call: ast.Call) -> bool:
    given = keyword(call, "set_to_none") or (call.args[0] if call.args else None)
    return given is not None and file.code(given) == "False"


def _uses(file: SourceFile, name: str) -> bool:
    return name in words_in(file.tree)
