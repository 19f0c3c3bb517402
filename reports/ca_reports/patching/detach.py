"""CA204: ``.detach()`` on the value that one step hands to the next."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NamedTuple

from ca_reports.patching import choices, imports, loops
from ca_reports.patching.editing import has_call, is_none, is_number, positional
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.edits import append, arguments, operand, replace, words_in
from ca_reports.program.positions import walk
from ca_reports.program.syntax import For, last_name
from ca_reports.torchlib import containers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

_READ_ELSEWHERE = ("detach", "item", "append", "shape", "device", "dtype")


class _Carried(NamedTuple):
    """The value that one step hands to the next, as ``target`` is assigned it in ``statement``."""

    program: EditableProgram
    file: SourceFile
    statement: Any
    target: Any
    value: Any


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Make ``total = total.detach() + loss``: this step's gradient stays. Raises `RefusedError`."""
    file, found = loops.lines_at(finding.location, program)
    if file is None or len(found) != 1:
        raise RefusedError("the assignment that carries the graph on is not known")
    program.require_unchanged(file)
    kept = _kept(file, found[0])
    place = file.place(found[0])
    if kept is not None:
        return [_detached_at(file.code(kept), place, append(file, kept, ".detach()"))]
    carried = _carried(file, found[0], program)
    what, changes = file.code(carried.target), _changes(carried)
    alone = _detached_at(what, place, changes)
    recalled = list(_recalled(carried))
    if not recalled:
        return [alone]
    places = ", ".join(dict.fromkeys([place, *(file.place(node) for node, _ in recalled)]))
    everywhere = [*changes, *(one for _, own in recalled for one in own)]
    return [_detached_at(what, places, everywhere), alone]


def _detached_at(what: str, places: str, changes: Iterable[Replacement]) -> Patch:
    return Patch(
        f"{what} detached at {places}",
        tuple(dict.fromkeys(changes)),
        intention=f"stops the gradient where {what} comes from the step before",
    )


def _recalled(carried: _Carried) -> Iterator[tuple[Any, list[Replacement]]]:
    """Yield what other methods return of the container, and its change: no part of this step."""
    file, target = carried.file, carried.target
    code = file.code(target.value if isinstance(target, ast.Subscript) else target)
    if not isinstance(target, ast.Subscript | ast.Attribute) or not code.startswith("self."):
        return
    own = file.function(carried.statement)
    owner = file.owner(own)
    for returned in file.all(ast.Return):
        function, value = file.function(returned), returned.value
        if value is None:
            continue
        is_other = function is not own and file.owner(function) is owner
        if not is_other or owner is None:
            continue
        is_looked_up = isinstance(value, ast.Call) and file.code(value.func) in (
            f"{code}.get",
            f"{code}.setdefault",
        )
        is_entry = isinstance(value, ast.Subscript) and file.code(value.value) == code
        if not is_looked_up and not is_entry:
            continue
        default = _default(value) if is_looked_up else None
        text, added = _detached(carried, file.code(value), default=default)
        yield returned, [*added, Replacement(file.name, *file.span(value), text)]


def _carried(file: SourceFile, only: Any, program: EditableProgram) -> _Carried:
    """Return the assignment on the line, of which one target is what is carried."""
    if isinstance(only, ast.AugAssign):
        return _Carried(program, file, only, only.target, only.value)
    if not isinstance(only, ast.Assign | ast.AnnAssign) or only.value is None:
        raise RefusedError("the assignment that carries the graph on is not known")
    target: Any = only.targets[0] if isinstance(only, ast.Assign) else only.target
    if isinstance(only, ast.Assign) and len(only.targets) != 1:
        raise RefusedError(f"{file.place(only)} assigns several variables")
    if isinstance(target, ast.Tuple):
        read = {file.code(node) for node in walk(only.value) if isinstance(node, ast.expr)}
        own = [one for one in target.elts if file.code(one) in read]
        if len(own) != 1:
            raise RefusedError(f"{file.code(target)} is not a plain variable: detach it by hand")
        target = own[0]
    return _Carried(program, file, only, target, only.value)


def _changes(carried: _Carried) -> list[Replacement]:
    """Detach reads of what the step before left; else what is kept, if all reads follow."""
    file, target = carried.file, carried.target
    if isinstance(carried.statement, ast.AugAssign):
        read, added = _detached(carried, file.code(target))
        operator = choices.operator_of(file, carried.statement)
        text = f"{file.code(target)} = {read} {operator} {operand(file, carried.value)}"
        return [*added, *replace(file, carried.statement, text)]
    if _is_average_of_parameters(carried):
        return [*append(file, carried.value, ".detach()")]
    reads = list(_reads(carried))
    changes: list[Replacement] = []
    for node in reads:
        is_whole = isinstance(file.parent(node), ast.Assign | ast.AnnAssign)
        text, added = _detached(carried, file.code(node), default=_default(node), is_whole=is_whole)
        changes += [*added, Replacement(file.name, *file.span(node), text)]
    if reads:
        return changes
    if isinstance(target, ast.Attribute | ast.Subscript) and isinstance(carried.value, ast.Name):
        text, added = _detached(carried, file.code(carried.value), is_new=True)
        return [*added, Replacement(file.name, *file.span(carried.value), text)]
    name = file.code(target)
    raise RefusedError(
        f"{file.place(carried.statement)} does not read the {name} of the step before"
    )


def _is_average_of_parameters(carried: _Carried) -> bool:
    """Return whether a module's parameters are part of what is kept: of weights, not of a loss.

    Its gradient would go to these parameters by way of the average, too.
    """
    file = carried.file
    names = words_in(carried.value)
    return isinstance(carried.target, ast.Attribute | ast.Subscript) and any(
        isinstance(around, For)
        and has_call(around.iter, "parameters", "named_parameters")
        and names & words_in(around.target)
        for around in file.around(carried.statement)
    )


def _reads(carried: _Carried) -> Iterator[Any]:
    """Yield the reads of the value of the step before: in the assignment, or just before it.

    ``past = self.averages.get(name)`` before ``self.averages[name] = f(past)`` is such a read.
    """
    file = carried.file
    own = {node.id for node in walk(carried.value) if isinstance(node, ast.Name)}
    yield from _reads_in(carried, carried.value)
    function = file.function(carried.statement)
    for node in file.all(ast.Assign):
        only = node.targets[0]
        if (
            node is carried.statement
            or file.function(node) is not function
            or not isinstance(only, ast.Name)
            or only.id not in own
            or file.span(node)[0] > file.span(carried.statement)[0]
            or isinstance(carried.target, ast.Name)
        ):
            continue
        yield from _reads_in(carried, node.value)


def _reads_in(carried: _Carried, value: Any) -> Iterator[Any]:
    file, code = carried.file, carried.file.code(carried.target)
    container = (
        file.code(carried.target.value) if isinstance(carried.target, ast.Subscript) else None
    )
    for node in walk(value):
        if isinstance(node, type(carried.target)) and file.code(node) == code:
            if not _is_other(file, node):
                yield node
        elif (
            container is not None
            and isinstance(node, ast.Call)
            and file.code(node.func) == f"{container}.get"
            and not _is_other(file, node)
        ):
            yield node


def _is_other(file: SourceFile, node: Any) -> bool:
    """Return whether a read takes no gradient along, or is no read: a keyword, a name."""
    parent = file.parent(node)
    return isinstance(parent, ast.Attribute) and parent.attr in _READ_ELSEWHERE


def _default(node: Any) -> Any:
    """Return the second argument of ``d.get(key, default)``."""
    if not isinstance(node, ast.Call):
        return None
    in_order = positional(node)
    return in_order[1] if len(in_order) > 1 else ast.Constant(None)


def _detached(
    carried: _Carried,
    code: str,
    *,
    default: Any = None,
    is_new: bool = False,
    is_whole: bool = False,
) -> tuple[str, tuple[Replacement, ...]]:
    """Return ``code`` detached, whatever it is at first: a tensor, a number, None or a tuple.

    ``is_new`` if it is what the step made, of which the first value tells nothing; ``is_whole`` if
    an assignment gives nothing but it, so that it needs no brackets.
    """
    file = carried.file
    every = [default] if default is not None else list(_first(carried))
    first = [one for value in every for one in _results(file, value, carried.program)]
    made = [(at, one) for at, one in first if not is_none(one)]
    is_operand = isinstance(carried.value, ast.BinOp) or isinstance(
        carried.statement, ast.AugAssign
    )
    if not (first or is_operand) or any(
        isinstance(one, ast.Dict | ast.List | ast.Set) for _, one in made
    ):
        raise RefusedError(f"can't tell whether {file.code(carried.target)} is always a tensor")
    may_be_none = len(made) < len(first) and not is_new
    added: tuple[Replacement, ...] = ()
    if any(isinstance(one, ast.Tuple) for _, one in made) or (
        first and not made and _is_pair(file)
    ):
        text = f"tuple(part.detach() for part in {code})"
    elif first and all(isinstance(one, ast.Call) and other.is_tensor(one) for other, one in made):
        text = f"{code}.detach()"
    elif is_operand or all(is_number(one) for _, one in made):
        torch, added = imports.torch(file, carried.statement)
        text = f"{torch}.as_tensor({code}).detach()"
    else:
        raise RefusedError(f"can't tell whether {file.code(carried.target)} is always a tensor")
    if may_be_none:
        text = f"None if {code} is None else {text}"
        text = text if is_whole else f"({text})"
    return text, added


def _first(carried: _Carried) -> Iterator[Any]:
    """Yield the values that the variable, or entries of its container, get elsewhere."""
    file, target = carried.file, carried.target
    code = file.code(target)
    container = file.code(target.value) if isinstance(target, ast.Subscript) else None
    for node in file.nodes:
        if node is carried.statement or not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        other: Any = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if node.value is None:
            continue
        is_local = isinstance(target, ast.Name)
        if is_local and file.function(node) is not file.function(carried.statement):
            continue
        if file.code(other) == code or (
            isinstance(other, ast.Subscript) and file.code(other.value) == container
        ):
            yield node.value
        elif container is not None and file.code(other) == container:
            yield from _values_of(file, node.value)


def _results(
    file: SourceFile, value: Any, program: EditableProgram
) -> list[tuple[SourceFile, Any]]:
    """Pair ``value`` with its file; of a call of the program's own function, what that returns."""
    name = last_name(value.func) if isinstance(value, ast.Call) else ""
    if not name or file.is_tensor(value):
        return [(file, value)]
    returned = [(other, one) for other, one in program.returned_by(name) if one is not None]
    return returned or [(file, value)]


def _values_of(file: SourceFile, value: Any) -> Iterator[Any]:
    """Yield the values of a dict or list as it is made; nothing of an empty one."""
    if isinstance(value, ast.DictComp):
        yield value.value
    elif isinstance(value, ast.Dict):
        yield from value.values
    elif isinstance(value, ast.ListComp):
        yield value.elt
    elif isinstance(value, ast.Call) and file.code(value.func) == "dict.fromkeys":
        yield from value.args[1:2]
    elif isinstance(value, ast.Call) and last_name(value.func) == "defaultdict":
        yield ast.Constant(0)


def _is_pair(file: SourceFile) -> bool:
    """Return whether the file's recurrent states are two tensors each."""
    return "nn.LSTM(" in file.text


def _kept(file: SourceFile, only: Any) -> Any:
    """Return the tensor that ``history.append(x)`` keeps for later steps."""
    call = only.value if isinstance(only, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr not in containers.APPENDS or len(arguments(call)) != 1:
        return None
    kept = arguments(call)[0].value
    return kept if isinstance(kept, ast.Name | ast.Attribute | ast.Call) else None
