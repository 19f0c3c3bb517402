"""Lists that each turn of a loop appends to, and that are stacked or summed after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import choices
from ca_reports.fixes.editing import keyword, only_statement, positional
from ca_reports.fixes.patches import RefusedError, Replacement
from ca_reports.fixes.program import last_name, names_in

if TYPE_CHECKING:
    from ca_reports.fixes.program import SourceFile


@dataclass(frozen=True)
class Collected:
    """A list of that ``name``, which has ``begun`` items before the loop."""

    name: str
    begun: int
    reads: tuple[cst.Call, ...]


def appended_to(line: Any) -> str:
    """The variable of ``seen.append(x)``, which is all of ``line``; empty for anything else."""
    only = only_statement([line])
    call = only.value if isinstance(only, cst.Expr) else None
    if (
        isinstance(call, cst.Call)
        and isinstance(call.func, cst.Attribute)
        and isinstance(call.func.value, cst.Name)
        and call.func.attr.value == "append"
        and len(call.args) == 1
        and not call.args[0].star
    ):
        return call.func.value.value
    return ""


def filled_by(file: SourceFile, loop: cst.For) -> list[Collected]:
    """The lists that ``loop`` appends to, once in each turn.

    Raises `RefusedError` unless each is made with a known number of items in the same block, and
    then only stacked, summed or counted after the loop.
    """
    names = [name for line in loop.body.body if (name := appended_to(line))]
    for name in names:
        if names.count(name) > 1:
            raise RefusedError(f"the loop at {file.place(loop)} appends to {name} twice")
    return [_collected(file, loop, name) for name in names]


def _collected(file: SourceFile, loop: cst.For, name: str) -> Collected:
    block = list(getattr(file.parent(loop), "body", ()))
    made = [(line, begun) for line in block if (begun := _begun(file, line, name)) is not None]
    start, end = file.span(loop)
    function = file.function(loop)
    uses = [
        node
        for node in file.all(cst.Name)
        if node.value == name
        and file.function(node) is function
        and not choices.is_label(file, node)
        and not start <= file.span(node)[0] < end
    ]
    calls = [file.parent(file.parent(node)) for node in uses if file.span(node)[0] >= end]
    are_known = all(_is_read(file, call, name) for call in calls)
    is_plain = isinstance(function, cst.FunctionDef) and name not in names_in(loop.iter)
    if len(made) != 1 or len(uses) != len(calls) + 1 or not calls or not are_known or not is_plain:
        raise RefusedError(f"{name} is more than a list that is stacked after {file.place(loop)}")
    inside = sum(isinstance(one, cst.Name) and one.value == name for one in _within(file, loop))
    if inside != 1:
        raise RefusedError(f"the loop at {file.place(loop)} reads {name}")
    return Collected(name, made[0][1], tuple(calls))


def _within(file: SourceFile, loop: cst.For) -> list[cst.CSTNode]:
    start, end = file.span(loop)
    return [one for one in file.all(cst.Name) if start <= file.span(one)[0] < end]


def _begun(file: SourceFile, line: Any, name: str) -> int | None:
    """Return how many items a line gives the list, also as one of ``state, seen = x, []``."""
    only = only_statement([line])
    if not isinstance(only, cst.Assign) or len(only.targets) != 1:
        return None
    target, value = only.targets[0].target, only.value
    pairs: list[tuple[Any, Any]] = [(target, value)]
    if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
        parts = zip(target.elements, value.elements, strict=False)
        pairs = [(one.value, other.value) for one, other in parts]
    for one, other in pairs:
        if isinstance(one, cst.Name) and one.value == name and isinstance(other, cst.List):
            if any(isinstance(item, cst.StarredElement) for item in other.elements):
                return None
            return len(other.elements)
    return None


def _is_read(file: SourceFile, call: Any, name: str) -> bool:
    """``torch.stack(seen, dim=1)``, ``sum(seen)`` or ``len(seen)``, with no more arguments."""
    if not isinstance(call, cst.Call) or any(arg.star for arg in call.args):
        return False
    given = positional(call)
    if not given or file.code(given[0].value) != name:
        return False
    names = file.names(call.func)
    if names == {"torch.stack"}:
        dim = _dim(call)
        return dim is None or isinstance(dim, cst.Integer | cst.UnaryOperation)
    return names in ({"builtins.sum"}, {"builtins.len"}) and len(call.args) == 1


def _dim(call: cst.Call) -> Any:
    by_name = keyword(call, "dim")
    given = positional(call)
    if by_name is not None:
        return by_name.value
    return given[1].value if len(given) > 1 else None


def cut(file: SourceFile, one: Collected, count: str, torch: str) -> list[Replacement]:
    """What is stacked or summed of the list, without the turns that are too many.

    By an index: a slice of all leaves another node than one of a part.
    """
    number = f"{one.begun} + {count}" if one.begun else count
    index = f"{torch}.arange({number}, device={one.name}[0].device)"
    changes = []
    for call in one.reads:
        kind = last_name(call.func)
        dim = _dim(call)
        if kind == "len":
            text = f"({number})" if one.begun else count
        elif kind == "sum":
            text = f"{torch}.stack({one.name}).index_select(0, {index}).sum(0)"
        else:
            at = "0" if dim is None else file.code(dim)
            text = f"{file.code(call)}.index_select({at}, {index})"
        changes.append(Replacement(file.name, *file.span(call), text))
    return changes
