"""CA201: gradients that are made once and zeroed, not dropped."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NamedTuple

from ca_reports.causes.findings import LackedGradients
from ca_reports.patching import imports, loops, moving
from ca_reports.patching.editing import is_bool_or_none, is_none, only_statement, positional
from ca_reports.patching.patches import Patch, RefusedError
from ca_reports.patching.program import places
from ca_reports.program.edits import (
    add_keyword,
    arguments,
    insert_after,
    insert_before,
    replace,
    words_in,
)
from ca_reports.program.syntax import (
    LOOPS,
    Definition,
    is_starred,
    is_text,
    keyword,
    last_name,
    parameters_of,
    parts_of,
)
from ca_reports.torchlib import containers, tensors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.patches import Replacement
    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.program.syntax import For

_BY_HAND = "make the gradients once, and zero them, by hand"
_NOTE = "a parameter without a gradient in some step now gets one of zeros"
_INTENTION = "lets momentum, weight decay and step counts go on where a parameter has no gradient"
_KEEP_NOTHING = ("SGD",)
_KEEPING = ("momentum", "weight_decay")
# What `SGD` takes by place before those: parameters and lr.
_BEFORE = 2
# How often the object that is cleared is looked for one call further out.
_CALLERS = 3
_LIGHTNING = """
    def on_train_start(self):
        for parameter in self.parameters():
            if parameter.requires_grad and parameter.grad is None:
                parameter.grad = {torch}.zeros_like(parameter)

    def optimizer_zero_grad(self, epoch, batch_idx, optimizer):
        optimizer.zero_grad(set_to_none=False)
"""


class _Anchor(NamedTuple):
    """The place where gradients of ``name`` are made: before ``statement``, or after it."""

    file: SourceFile
    statement: Any
    is_after: bool
    name: str


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Add ``set_to_none=False`` where gradients are dropped, and tensors before the loop."""
    _require_not_kept(program)
    if isinstance(finding.detail, LackedGradients):
        _require_nothing_moved(program)
    found = _zeroing(finding, program)
    if not found:
        dropped = _dropped(program)
        return [_kept_by_hand(*dropped, program) if dropped else _of_lightning(program)]
    changes: list[Replacement] = []
    for file, call in found:
        program.require_unchanged(file)
        changes += _flag(file, call)
    anchors: dict[tuple[str, int, str], tuple[_Anchor, str]] = {}
    for file, call in found:
        kind = _parameters_of(file, call.func.value)
        anchor = _anchor(file, call.func.value, call, program)
        program.require_unchanged(anchor.file)
        anchors[anchor.file.name, id(anchor.statement), anchor.name] = anchor, kind
    made = [change for anchor, kind in anchors.values() for change in _made(anchor, kind)]
    names = ", ".join(dict.fromkeys(anchor.name for anchor, _ in anchors.values()))
    return [
        Patch(
            f"gradients of {names} made once, zeroed and kept at {places(found)}",
            tuple(dict.fromkeys([*changes, *made])),
            intention=_intention(program),
            note=_NOTE,
        )
    ]


def _require_not_kept(program: EditableProgram) -> None:
    """Raise `RefusedError` where a gradient is kept: zeroed in place it would be one of zeros."""
    for file in program.files.values():
        for node in file.all(ast.Attribute):
            if node.attr == "grad" and isinstance(node.ctx, ast.Load) and _is_kept(file, node):
                raise RefusedError(
                    f"{file.place(node)} keeps a gradient, which would be zeroed with the others"
                )


def _require_nothing_moved(program: EditableProgram) -> None:
    """Raise `RefusedError` unless a gradient of zeros is as good as none, wherever it is tested.

    Whoever tests changes the gradient in place, and no optimizer moves what has one of zeros.
    """
    if _intention(program):
        raise RefusedError("the optimizer may move what has a gradient of zeros: decide by hand")
    for file in program.files.values():
        for test in file.all(ast.If):
            if not _tests_gradient(test.test):
                continue
            if test.orelse or not all(_changes_gradient(one) for one in test.body):
                raise RefusedError(
                    f"what {file.place(test)} does with a gradient would be done with zeros"
                )


def _tests_gradient(test: ast.expr) -> bool:
    return any(map(_is_gradient, ast.walk(test)))


def _is_gradient(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "grad"


def _changes_gradient(statement: ast.stmt) -> bool:
    """Return whether a line multiplies a gradient in place: of zeros it leaves zeros."""
    if isinstance(statement, ast.AugAssign):
        is_factor = isinstance(statement.op, ast.Mult | ast.Div)
        return is_factor and last_name(statement.target) == "grad"
    call = statement.value if isinstance(statement, ast.Expr) else None
    method = call.func if isinstance(call, ast.Call) else None
    return (
        isinstance(method, ast.Attribute)
        and method.attr in tensors.SCALES_IN_PLACE
        and last_name(method.value) == "grad"
    )


def _is_kept(file: SourceFile, gradient: ast.expr) -> bool:
    """Return whether a list, a dict or an attribute holds it, or what has its memory."""
    node: Any = gradient
    parent: Any = file.parent(node)
    while isinstance(parent, ast.Attribute) and parent.value is node:
        around: Any = file.parent(parent)
        if isinstance(around, ast.Call) and around.func is parent:
            if parent.attr not in tensors.OF_SAME_MEMORY:
                return False
            node, parent = around, file.parent(around)
        elif parent.attr in tensors.VIEWS:
            node, parent = parent, around
        else:
            return False
    if isinstance(parent, ast.Assign):
        return any(isinstance(one, ast.Attribute | ast.Subscript) for one in parent.targets)
    if isinstance(parent, ast.Call):
        return last_name(parent.func) in containers.KEEPS
    if isinstance(parent, ast.ListComp | ast.DictComp | ast.List | ast.Tuple | ast.Dict):
        given = file.call_given(parent)
        names = file.names(given.func) if given is not None else frozenset()
        return not any(name.startswith("torch.") for name in names)
    return False


def _intention(program: EditableProgram) -> str:
    """Say that zeros are no missing gradient, unless each optimizer adds gradients only."""
    made = [
        call
        for file in program.files.values()
        for call in file.all(ast.Call)
        if any(
            name.startswith("torch.optim.") and "lr_scheduler" not in name
            for name in file.names(call.func)
        )
    ]
    adds_only = all(
        last_name(call.func) in _KEEP_NOTHING
        and len(call.args) <= _BEFORE
        and not is_starred(call)
        and not any(keyword(call, name) is not None for name in _KEEPING)
        for call in made
    )
    # A group may have what the optimizer was not given.
    of_groups = any(
        is_text(node, name)
        for file in program.files.values()
        for node in file.all(ast.Constant)
        for name in _KEEPING
    )
    adds_only = adds_only and not of_groups
    return "" if made and adds_only else _INTENTION


def _zeroing(finding: Finding, program: EditableProgram) -> list[tuple[SourceFile, Any]]:
    """Return calls of `zero_grad` in the function that is meant, or all: each drops gradients."""
    every = program.methods_named("zero_grad")
    named = [one for one in every if loops.is_at(finding.location, *one, program)]
    if not named:
        return every
    function = named[0][0].function(named[0][1])
    return [
        (file, call)
        for file, call in every
        if file is named[0][0] and file.function(call) is function
    ]


def _dropped(program: EditableProgram) -> tuple[SourceFile, For, ast.Assign] | None:
    """Return the one ``for p in …: p.grad = None`` of the program."""
    found = [
        (file, loop, only)
        for file in program.files.values()
        if ".grad" in file.text
        for loop in file.for_loops
        if isinstance(only := only_statement(file, loop.body), ast.Assign)
        and is_none(only.value)
        and file.code(only.targets[0]) == f"{file.code(loop.target)}.grad"
    ]
    return found[0] if len(found) == 1 else None


def _kept_by_hand(file: SourceFile, loop: For, only: ast.Assign, program: EditableProgram) -> Patch:
    """Return ``p.grad = torch.zeros_like(p)`` in that loop, and once before all steps."""
    steps = moving.outermost_loop(file, loop)
    made = loop.iter
    if (
        steps is None
        and isinstance(made, ast.Call)
        and isinstance(made.func, ast.Attribute)
        and made.func.attr == "parameters"
        and not arguments(made)
    ):
        anchor = _anchor(file, made.func.value, loop, program)
        return _made_once(file, loop, only, anchor, program)
    if steps is None:
        raise RefusedError(f"{file.place(loop)} is in no loop of its function: {_BY_HAND}")
    moving.require_names_from_before(file, loop.iter, steps)
    program.require_unchanged(file)
    torch, added = imports.torch(file, loop)
    name = file.code(loop.target)
    zeros = f"{torch}.zeros_like({name}) if {name}.requires_grad else None"
    lines = [f"for {name} in {file.code(loop.iter)}:", f"{file.unit}{name}.grad = {zeros}"]
    return Patch(
        f"gradients made once, zeroed and kept at {file.place(only)}",
        (
            *added,
            *insert_before(file, steps, lines),
            *replace(file, only.value, zeros),
        ),
        intention=_intention(program),
        note=_NOTE,
    )


def _made_once(
    file: SourceFile, loop: For, only: ast.Assign, anchor: _Anchor, program: EditableProgram
) -> Patch:
    """Add ``p.grad = torch.zeros_like(p)`` in that loop, for each parameter where known."""
    for one in (file, anchor.file):
        program.require_unchanged(one)
    torch, added = imports.torch(file, loop)
    name = file.code(loop.target)
    zeros = f"{torch}.zeros_like({name}) if {name}.requires_grad else None"
    changes = [*added, *replace(file, only.value, zeros)]
    return Patch(
        f"gradients of {anchor.name} made once, zeroed and kept at {file.place(only)}",
        tuple(dict.fromkeys([*changes, *_made(anchor, "module")])),
        intention=_intention(program),
        note=_NOTE,
    )


def _flag(file: SourceFile, call: ast.Call) -> list[Replacement]:
    given = keyword(call, "set_to_none")
    values = [given] if given is not None else positional(call)[:1]
    if not values:
        return [*add_keyword(file, call, "set_to_none", "False")]
    if not is_bool_or_none(values[0]):
        raise RefusedError(
            f"zero_grad at {file.place(call)} has set_to_none={file.code(values[0])}"
        )
    return [*replace(file, values[0], "False")]


def _anchor(
    file: SourceFile, receiver: Any, at: Any, program: EditableProgram, callers: int = 0
) -> _Anchor:
    """Return where ``receiver`` is known and no gradient is there yet.

    Before the outermost loop around ``at`` that does not assign it; else after its assignment;
    of a parameter, where the function is called. Raises `RefusedError`.
    """
    name = file.code(receiver)
    if not isinstance(receiver, ast.Name | ast.Attribute):
        raise RefusedError(f"{name} is not a variable: make its gradients by hand")
    assigned = _assigned(file, receiver)
    function = file.function(at)
    is_passed = isinstance(receiver, ast.Name) and _is_parameter(function, name)
    loops_ = _loops(file, at)
    loop = next(
        (one for one in loops_ if not any(file.is_within(node, one) for node in assigned)), None
    )
    if loop is not None and all(_is_known_before(file, one, loop) for one in assigned):
        if not assigned and not is_passed and isinstance(receiver, ast.Name):
            raise RefusedError(f"can't find where {name} is made")
        return _Anchor(file, loop, is_after=False, name=name)
    if is_passed:
        return _of_caller(file, function, name, program, callers)
    statements = [file.statement(one) for one in assigned]
    simple = [one for one in statements if file.is_line(one)]
    if not simple or len(simple) != len(statements):
        raise RefusedError(f"can't find where {name} is made")
    if len({file.function(one) for one in simple}) != 1:
        raise RefusedError(f"{name} is made in several functions")
    return _Anchor(file, simple[-1], is_after=True, name=name)


def _assigned(file: SourceFile, receiver: Any) -> list[Any]:
    """Return nodes that assign ``receiver``, in the order of the source; none of a parameter."""
    if isinstance(receiver, ast.Attribute):
        code = file.code(receiver)
        return [
            target
            for node in file.all(ast.Assign)
            for target in node.targets
            if code in _targets(file, target)
        ]
    found = [one for one in file.variable(receiver).bound if not isinstance(one, ast.arg)]
    return sorted(found, key=lambda one: file.span(one)[0])


def _targets(file: SourceFile, target: Any) -> list[str]:
    return [file.code(one) for one in parts_of(target)]


def _is_parameter(function: Any, name: str) -> bool:
    return isinstance(function, Definition) and name in parameters_of(function)


def _of_caller(
    file: SourceFile, function: Definition, name: str, program: EditableProgram, callers: int
) -> _Anchor:
    """Return where what is passed for the parameter ``name`` is known, in the one caller."""
    called = function.name
    calls = program.calls_named(called)
    if len(calls) != 1 or callers >= _CALLERS:
        raise RefusedError(f"{name} is passed to {called} at several places")
    other, call = calls[0]
    names = parameters_of(function)
    number = names.index(name) - bool(file.receiver(function))
    in_order = positional(call)
    given = keyword(call, name) or (in_order[number] if number < len(in_order) else None)
    if given is None:
        raise RefusedError(f"can't find what {called} gets for {name} at {other.place(call)}")
    return _anchor(other, given, call, program, callers + 1)


def _loops(file: SourceFile, at: Any) -> list[Any]:
    """Return the loops around ``at`` in its function, outermost first."""
    found: list[Any] = []
    for around in file.around(at):
        if isinstance(around, Definition | ast.Lambda | ast.ClassDef):
            break
        if isinstance(around, LOOPS):
            found.insert(0, around)
    return found


def _is_known_before(file: SourceFile, node: Any, loop: Any) -> bool:
    """Return whether an assignment is made when ``loop`` begins: above it, or by another method."""
    return file.function(node) is not file.function(loop) or file.span(node)[0] < file.span(loop)[0]


def _parameters_of(file: SourceFile, receiver: Any) -> str:
    """Say ``optimizer`` or ``module``, by what the program does with it. Raises `RefusedError`."""
    name = file.code(receiver)
    steps = f"{name}.step(" in file.text or f".step({name})" in file.text
    if steps or f"{name}.param_groups" in file.text or _is_optimizer(file, receiver):
        return "optimizer"
    if f"{name}.parameters()" in file.text or f"{name}(" in file.text:
        return "module"
    raise RefusedError(f"can't tell what {name} is, an optimizer or a module")


def _is_optimizer(file: SourceFile, receiver: Any) -> bool:
    value = loops.assigned_once(file, receiver) if isinstance(receiver, ast.Name) else None
    if not isinstance(value, ast.Call):
        return False
    names = file.names(value.func)
    return bool(names) and all(name.startswith("torch.optim.") for name in names)


def _made(anchor: _Anchor, kind: str) -> list[Replacement]:
    """Return the loop that gives each parameter its first gradient."""
    file, statement = anchor.file, anchor.statement
    torch, added = imports.torch(file, statement)
    name = anchor.name
    source = (
        f'(one for group in {name}.param_groups for one in group["params"])'
        if kind == "optimizer"
        else f"{name}.parameters()"
    )
    each = "each_parameter" if "parameter" in words_in(file.tree) else "parameter"
    lines = [
        f"for {each} in {source}:",
        f"{file.unit}if {each}.requires_grad and {each}.grad is None:",
        f"{2 * file.unit}{each}.grad = {torch}.zeros_like({each})",
    ]
    made = insert_after if anchor.is_after else insert_before
    return [*added, *made(file, statement, lines)]


def _of_lightning(program: EditableProgram) -> Patch:
    """Return two hooks of the one `LightningModule`, whose trainer clears the gradients."""
    modules = [
        (file, node)
        for file in program.files.values()
        if "LightningModule" in file.text
        for node in file.all(ast.ClassDef)
        if any(last_name(base) == "LightningModule" for base in node.bases)
    ]
    if len(modules) != 1:
        raise RefusedError("no zero_grad call is in the program's files")
    file, module = modules[0]
    body = module.body
    methods = {one.name for one in body if isinstance(one, Definition)}
    if taken := methods & {"on_train_start", "optimizer_zero_grad"}:
        raise RefusedError(
            f"{module.name} has {', '.join(sorted(taken))} already: make and zero its "
            "gradients there"
        )
    if not isinstance(body[-1], Definition):
        raise RefusedError(f"{module.name} does not end with a method")
    program.require_unchanged(file)
    torch, added = imports.torch(file, module)
    text = _LIGHTNING.format(torch=torch).rstrip("\n").replace("    ", file.unit)
    lines = ["", *(line.removeprefix(file.unit) for line in text.split("\n")[1:])]
    return Patch(
        f"gradients of {module.name} made once, and zeroed by its optimizer_zero_grad",
        (*added, *insert_after(file, body[-1], lines)),
        note=_NOTE,
    )


def asked_for_none(file: SourceFile) -> Iterator[str]:
    """Yield the places that compare a tensor's gradient with None."""
    for node in file.all(ast.Compare):
        sides = [node.left, *node.comparators]
        if any(map(_is_gradient, sides)) and any(map(is_none, sides)):
            yield file.place(node)
