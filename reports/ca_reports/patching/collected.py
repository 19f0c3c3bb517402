"""Lists that each turn of a loop appends to, and that are stacked or summed after it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_reports.patching.editing import (
    is_signed_number,
    only_call,
    only_statement,
    only_target,
    positional,
)
from ca_reports.patching.patches import RefusedError, Replacement
from ca_reports.program.edits import arguments, words_in
from ca_reports.program.syntax import Definition, is_starred, keyword, last_name

if TYPE_CHECKING:
    from ca_reports.patching.program import SourceFile
    from ca_reports.program.syntax import For


@dataclass(frozen=True)
class Collected:
    """A list of that ``name``, which has ``begun`` items before the loop."""

    name: str
    begun: int
    reads: tuple[ast.Call, ...]


def appended_to(file: SourceFile, line: Any) -> str:
    """Find the variable of ``seen.append(x)``, which is all of ``line``; else empty."""
    call = only_call(file, [line])
    if (
        call is not None
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.attr == "append"
        and len(positional(call)) == len(call.args) == 1
        and not call.keywords
    ):
        return call.func.value.id
    return ""


def filled_by(file: SourceFile, loop: For) -> list[Collected]:
    """Return the lists that ``loop`` appends to, once in each turn.

    Raises `RefusedError` unless each is made with a known number of items in the same block, and
    then only stacked, summed or counted after the loop.
    """
    names = [name for line in loop.body if (name := appended_to(file, line))]
    for name in names:
        if names.count(name) > 1:
            raise RefusedError(f"the loop at {file.place(loop)} appends to {name} twice")
    return [_collected(file, loop, name) for name in names]


def _collected(file: SourceFile, loop: For, name: str) -> Collected:
    block = file.block(loop)
    made = [(line, begun) for line in block if (begun := _begun(file, line, name)) is not None]
    start, end = file.span(loop)
    function = file.function(loop)
    uses = [
        node
        for node in file.all(ast.Name)
        if node.id == name
        and file.function(node) is function
        and not start <= file.span(node)[0] < end
    ]
    calls = [file.call_given(node) for node in uses if file.span(node)[0] >= end]
    are_known = all(_is_read(file, call, name) for call in calls)
    is_plain = isinstance(function, Definition) and name not in words_in(loop.iter)
    if len(made) != 1 or len(uses) != len(calls) + 1 or not calls or not are_known or not is_plain:
        raise RefusedError(f"{name} is more than a list that is stacked after {file.place(loop)}")
    inside = sum(one.id == name and file.is_within(one, loop) for one in file.all(ast.Name))
    if inside != 1:
        raise RefusedError(f"the loop at {file.place(loop)} reads {name}")
    return Collected(name, made[0][1], tuple(filter(None, calls)))


def _begun(file: SourceFile, line: Any, name: str) -> int | None:
    """Return how many items a line gives the list, also as one of ``state, seen = x, []``."""
    only = only_statement(file, [line])
    target = only_target(only)
    if target is None:
        return None
    pairs: list[tuple[Any, Any]] = [(target, only.value)]
    if isinstance(target, ast.Tuple) and isinstance(only.value, ast.Tuple):
        pairs = [*zip(target.elts, only.value.elts, strict=False)]
    for one, other in pairs:
        if isinstance(one, ast.Name) and one.id == name and isinstance(other, ast.List):
            if any(isinstance(item, ast.Starred) for item in other.elts):
                return None
            return len(other.elts)
    return None


def _is_read(file: SourceFile, call: Any, name: str) -> bool:
    """Know ``torch.stack(seen, dim=1)``, ``sum(seen)`` or ``len(seen)``, with no more arguments."""
    if not isinstance(call, ast.Call) or is_starred(call):
        return False
    given = positional(call)
    if not given or file.code(given[0]) != name:
        return False
    names = file.names(call.func)
    if names == {"torch.stack"}:
        dim = _dim(call)
        return dim is None or is_signed_number(dim)
    return names in ({"builtins.sum"}, {"builtins.len"}) and len(arguments(call)) == 1


def _dim(call: ast.Call) -> Any:
    by_name = keyword(call, "dim")
    given = positional(call)
    if by_name is not None:
        return by_name
    return given[1] if len(given) > 1 else None


def cut(file: SourceFile, one: Collected, count: str, torch: str) -> list[Replacement]:
    """Return what is stacked or summed of the list, without the turns that are too many.

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
