"""Calls of functions that take Python numbers only, changed so that they take tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import branches, imports, loops, moving, tensors
from ca_reports.fixes.editing import positional
from ca_reports.fixes.patches import RefusedError, Replacement
from ca_reports.fixes.program import last_name
from ca_reports.source.formulas import FORMULAS, NUMBERS, SECOND

if TYPE_CHECKING:
    from ca_reports.fixes.program import EditableProgram, SourceFile
    from ca_reports.source.formulas import Formula

_FUNCTIONAL = "torch.nn.functional."


# Functions of Python that make a number of what they get.
_NEED_NUMBERS = frozenset(("min", "max", "range", "int", "float", "round", "bool"))
# Functions that write what they get: of a tensor its value, which is not known in a graph.
_WRITING = frozenset(("print", "debug", "info", "warning", "error", "add_scalar"))
# Functions that take a factor of what they add as ``alpha``, which is to be a number.
ADDING = frozenset(("add", "sub", "add_", "sub_"))
# What the other one of `min` and `max` may be: a bound of `clamp` is a number or a tensor.
_BOUNDS = (cst.Integer, cst.Float, cst.Name, cst.Attribute, cst.BinaryOperation)
# Functions of `math` that torch has by the same name, of one number.
_OF_MATH = frozenset(
    (
        *("cos", "sin", "tan", "acos", "asin", "atan", "cosh", "sinh", "tanh", "exp", "expm1"),
        *("log", "log1p", "log2", "log10", "sqrt", "floor", "ceil", "erf", "erfc", "lgamma"),
    )
)
# Functions that take a number of parts: of a tensor, its value would be read and guarded.
_PARTS = frozenset(("chunk", "unsafe_chunk"))


def taking(file: SourceFile, argument: cst.Arg, call: cst.Call) -> Formula | None:
    """The formula of ``call`` that takes ``argument`` as its number; None if it may be a tensor.

    Raises `RefusedError` if it must be a Python number and there is no formula.
    """
    name = _functional(file, call)
    if name is None:
        return None
    given = argument.keyword.value if argument.keyword is not None else None
    in_order = positional(call)
    index = in_order.index(argument) if argument in in_order else 0
    formula = next((one for one in FORMULAS if one.name == name), None)
    if formula is not None and _fits(file, formula, call):
        number = given or (formula.parameters[index] if index < len(formula.parameters) else "")
        return formula if number == formula.number else None
    if given in NUMBERS or (given is None and index == 1 and name in SECOND):
        raise RefusedError(f"{name} at {file.place(call)} takes a Python number only")
    return None


# Functions that make sizes of their numbers, where a tensor's value would be read.
_SIZED = frozenset(
    (
        *("arange", "zeros", "ones", "empty", "rand", "randn", "randint", "randperm", "eye"),
        *("new_zeros", "new_ones", "new_empty", "repeat", "tile", "view", "reshape", "expand"),
        *("full", "full_like", "new_full", "append", "extend", "insert"),
        *("unflatten", "narrow", "topk", "unfold", "split", "one_hot", "roll", "tril", "triu"),
    )
)
# What asks a value for its truth, or compares it: with a tensor the graph ends there.
_TESTS = (cst.If, cst.While, cst.Comparison, cst.BooleanOperation)
# What only a tensor has: `(loss > limit).float()` compares one already.
_OF_A_MASK = frozenset(
    ("float", "to", "type", "type_as", "long", "int", "sum", "mean", "any", "all", "nonzero")
)


def adapted(file: SourceFile, node: Any, program: EditableProgram) -> list[Replacement]:
    """Return what has to change where ``node`` is read, once it is a tensor.

    Raises `RefusedError` where Python needs its number: a graph would end there.
    """
    code = file.code(node)
    whole, parent = node, file.parent(node)
    while isinstance(parent, cst.BinaryOperation | cst.UnaryOperation):  # `step % 5 == 0`
        whole, parent = parent, file.parent(parent)
    compared = file.parent(parent) if isinstance(parent, cst.ComparisonTarget) else parent
    is_test = isinstance(compared, _TESTS) and not _is_of_tensors(file, compared)
    if is_test or (isinstance(parent, cst.IfExp) and parent.test is whole):
        return branches.by_number(file, node, whole, program, adapted)
    for around in file.around(node):
        if isinstance(around, cst.BaseSmallStatement | cst.BaseCompoundStatement):
            break
        if isinstance(around, cst.SubscriptElement):
            read: Any = file.parent(around)
            table = read.value
            if isinstance(table, cst.Name) and _is_of_numbers(file, table):
                torch, added = imports.torch(file, table)
                # A tensor in brackets would be read as a number.
                text = f"{torch}.tensor({table.value}).take({file.code(around)})"
                return [*added, Replacement(file.name, *file.span(read), text)]
            raise RefusedError(f"{file.place(around)} needs {code} as a Python number")
        if isinstance(around, cst.Arg):
            call = file.parent(around)
            changed = _bounded(file, call, around) or _of_torch(file, call)
            if changed is None and (
                file.code(call.func) in _NEED_NUMBERS
                or (around.value is node and last_name(call.func) in _PARTS)
                or last_name(call.func) in _SIZED
            ):
                raise RefusedError(
                    f"{file.place(around)} needs {code} as a Python number: compute it there "
                    "with tensors"
                )
            if changed is not None:
                return [*changed, *adapted(file, call, program)]
            formula = taking(file, around, call)
            if formula is not None:
                return written_out(file, call, formula, program)
            if around.keyword is not None and around.keyword.value == "alpha":
                as_factor = multiplied(file, call, around)
                if as_factor:
                    return as_factor
                raise RefusedError(
                    f"{file.place(around)} needs {code} as a Python number: multiply by it before"
                )
    return []


def _is_of_tensors(file: SourceFile, compared: Any) -> bool:
    """Return whether a comparison is seen to be one of tensors, by what is made of it."""
    if not isinstance(compared, cst.Comparison):
        return False
    if tensors.is_tensor(file, compared):
        return True
    user = file.parent(compared)
    if isinstance(user, cst.Arg) and isinstance(file.parent(user), cst.Call):
        call: Any = file.parent(user)
        return last_name(call.func) == "where" and len(call.args) == 3 and call.args[0] is user
    return isinstance(user, cst.Attribute) and user.attr.value in _OF_A_MASK


def multiplied(file: SourceFile, call: cst.Call, alpha: cst.Arg) -> list[Replacement]:
    """``x.add_(y, alpha=a)`` as ``x.add_(y * a)``; empty where the call has further options."""
    in_order = positional(call)
    if last_name(call.func) not in ADDING or len(call.args) != len(in_order) + 1 or not in_order:
        return []
    added = in_order[-1].value
    text = " * ".join(_factor(file, one) for one in (added, alpha.value))
    return [Replacement(file.name, file.span(added)[0], file.span(alpha.value)[1], text)]


def _factor(file: SourceFile, node: cst.BaseExpression) -> str:
    plain = isinstance(node, cst.Name | cst.Attribute | cst.Call | cst.Subscript | cst.Integer)
    return file.code(node) if plain else f"({file.code(node)})"


def require_unwritten(file: SourceFile, node: Any) -> None:
    """Raise `RefusedError` where a compiled function writes what ``node`` reads."""
    for around in file.around(node):
        if isinstance(around, cst.BaseSmallStatement | cst.BaseCompoundStatement):
            return
        if isinstance(around, cst.Arg) and last_name(file.parent(around).func) in _WRITING:
            raise RefusedError(f"{file.place(node)} writes {file.code(node)}: a graph cannot")


def _is_of_numbers(file: SourceFile, name: cst.Name) -> bool:
    """Return whether a variable of the module is a list of numbers that is written down there."""
    value = loops.assigned_once(file, name)
    if isinstance(value, cst.ListComp):
        return isinstance(value.elt, cst.BinaryOperation | cst.Integer | cst.Float)
    return isinstance(value, cst.List | cst.Tuple) and all(
        isinstance(one.value, cst.Integer | cst.Float) for one in value.elements
    )


def _bounded(file: SourceFile, call: cst.Call, argument: cst.Arg) -> list[Replacement] | None:
    """``min(1.0, x)`` as ``torch.clamp(x, max=1.0)``; None if it is none of that kind."""
    function = file.code(call.func)
    in_order = positional(call)
    if function not in ("min", "max") or len(in_order) != 2 or len(call.args) != 2:
        return None
    other = in_order[1] if in_order[0] is argument else in_order[0]
    if not isinstance(other.value, _BOUNDS):
        return None
    torch, added = imports.torch(file, call)
    bound = "max" if function == "min" else "min"
    text = f"{torch}.clamp({file.code(argument.value)}, {bound}={file.code(other.value)})"
    start, end = file.span(call)
    return [*added, Replacement(file.name, start, end, text)]


def _of_torch(file: SourceFile, call: cst.Call) -> list[Replacement] | None:
    """``math.cos(x)`` as ``torch.cos(x)``; None if it is none of `math`.

    Raises `RefusedError` where torch has no function of that name and meaning.
    """
    names = file.names(call.func)
    if not names or not all(one.startswith("math.") for one in names):
        return None
    name = last_name(call.func)
    if name not in _OF_MATH or len(call.args) != 1:
        raise RefusedError(f"{name} at {file.place(call)} takes a Python number only")
    torch, added = imports.torch(file, call)
    return [*added, Replacement(file.name, *file.span(call.func), f"{torch}.{name}")]


def at_node(file: SourceFile, call: cst.Call) -> Formula | None:
    """The formula of ``call``, whichever argument changes; None if there is none."""
    name = _functional(file, call)
    found = next((one for one in FORMULAS if one.name == name), None)
    return found if found is not None and _fits(file, found, call) else None


def number_of(formula: Formula, call: cst.Call) -> cst.Arg | None:
    """The argument of ``call`` that is the formula's number."""
    given = {one.keyword.value: one for one in call.args if one.keyword is not None}
    if formula.number in given:
        return given[formula.number]
    in_order = positional(call)
    index = formula.parameters.index(formula.number)
    # The losses take older arguments between the target and the number.
    return in_order[index] if index == 1 and index < len(in_order) else None


def written_out(
    file: SourceFile, call: cst.Call, formula: Formula, program: EditableProgram
) -> list[Replacement]:
    """``call`` of a function of the program's own, and that function above the one it is in.

    Raises `RefusedError` if its name is taken.
    """
    own = f"_{formula.name}"
    if own in {node.value for node in file.all(cst.Name)}:
        raise RefusedError(f"{file.name} has a name {own} already")
    outer = [one for one in file.around(call) if isinstance(one, cst.FunctionDef | cst.ClassDef)]
    if not outer:
        raise RefusedError(f"{formula.name} at {file.place(call)} is at module level")
    program.require_unchanged(file)
    torch, added = imports.torch(file, outer[-1])
    at = moving.before(file, (*outer[-1].decorators, outer[-1])[0])
    body = formula.body.format(torch=torch)
    text = f"def {own}({', '.join(formula.parameters)}):\n    {body}\n\n\n"
    start, end = file.span(_function(file, call))
    return [
        *added,
        Replacement(file.name, at, at, text.replace("\n", file.newline)),
        Replacement(file.name, start, end, own),
    ]


def _functional(file: SourceFile, call: cst.Call) -> str | None:
    """The name of the function of `torch.nn.functional` that is called."""
    names = {one.removeprefix(_FUNCTIONAL) for one in file.names(_function(file, call))}
    found: Any = names.pop() if len(names) == 1 else ""
    return found if "." not in found and found else None


def _function(file: SourceFile, call: cst.Call) -> cst.BaseExpression:
    """The function that is called, by `functools.partial` later on."""
    return positional(call)[0].value if _is_partial(file, call) else call.func


def _is_partial(file: SourceFile, call: cst.Call) -> bool:
    return "functools.partial" in file.names(call.func) and bool(positional(call))


def _fits(file: SourceFile, formula: Formula, call: cst.Call) -> bool:
    """Return whether every argument is one of the formula's; of a partial, each by its name."""
    if any(one.star for one in call.args):
        return False
    given = {one.keyword.value for one in call.args if one.keyword is not None}
    in_order = len(positional(call))
    most = len(formula.parameters) if formula.parameters[1] == formula.number else 2
    most = 1 if _is_partial(file, call) else most
    return given <= set(formula.parameters) and in_order <= most
