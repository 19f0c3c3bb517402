"""What Dynamo's graphs make of padding: are their results the same with more of it?

Two graphs of one function show which dimensions grow with a batch's padding, or one graph with
symbols. They say the sizes of every value, and the line of the program that made it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.facts.masking.fills import (
    Fill,
    Growing,
    HasPartError,
    Known,
    Several,
    Size,
    Tensor,
    growing,
    is_number,
)
from ca_reports.facts.masking.operations import Call, padded_within, result

# Longer graphs are not read.
MOST_CHARACTERS = 1_000_000
_TYPE = expression(r"(?P<kind>\w{1,16})\[(?P<dims>[^\]]{0,1000})\]")
_SYMBOL = expression(r"Sym\((?P<value>.{1,300})\)")
_FRACTION = expression(r"-?\d{1,30}\.\d{1,30}")
_ANY_FRACTION = expression(r"zu?f\d{1,9}")
_PLACE = expression(r"# File: (?P<file>.{1,1024}?):(?P<line>\d{1,9}) in ")
# Stand for a dynamic size: with less padding and with more; any other is the same in both.
_LESS, _MORE, _OTHER = 101, 103, 107
_BOOLEAN = "b8"
OPERATORS: Mapping[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow",
    ast.MatMult: "matmul", ast.BitAnd: "bitwise_and", ast.BitOr: "bitwise_or",
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip
_ARITHMETIC: Mapping[type[ast.AST], Any] = {
    ast.Add: lambda one, other: one + other,
    ast.Sub: lambda one, other: one - other,
    ast.Mult: lambda one, other: one * other,
    ast.FloorDiv: lambda one, other: one // other if other else 0,
    ast.Mod: lambda one, other: one % other if other else 0,
}


class GraphTextError(Exception):
    """A graph's text is not as torch writes it, or two are no graphs of one function."""


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a graph, and whether it draws random numbers for what is padded."""

    values: tuple[Any, ...]
    draws: bool


@dataclass(frozen=True, slots=True)
class _Node:
    """An assignment of a graph: its name, value and type, and the line that made it."""

    name: str
    value: ast.expr
    type: str
    place: str


@dataclass(frozen=True, slots=True)
class ForwardGraph:
    """A graph's inputs, by their names, with their types; its nodes; and what it returns."""

    inputs: Mapping[str, str]
    nodes: tuple[_Node, ...]
    returned: ast.expr

    @classmethod
    def read(cls, text: str) -> ForwardGraph:
        """Read a graph of ``dynamo_output_graph``. Raises `GraphTextError`."""
        if len(text) > MOST_CHARACTERS:
            raise GraphTextError("too long")
        places, lines = [], text.split("\n")
        place = ""
        for line in lines:
            match = _PLACE.search(line)
            place = f"{match['file']}:{match['line']}" if match else place
            places.append(place)
        try:
            tree = ast.parse(_dedented(lines))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise GraphTextError("no Python") from error
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        if len(functions) != 1 or not functions[0].body:
            raise GraphTextError("more than one function")
        (function,) = functions
        inputs = {one.arg: _text(one.annotation) for one in function.args.args if one.arg != "self"}
        nodes: list[_Node] = []
        for statement in function.body[:-1]:
            nodes += _nodes(statement, places)
        last = function.body[-1]
        if not isinstance(last, ast.Return) or last.value is None:
            raise GraphTextError("nothing is returned")
        return cls(inputs, tuple(nodes), last.value)


def _dedented(lines: Sequence[str]) -> str:
    first = next((line for line in lines if line.strip()), "")
    indent = len(first) - len(first.lstrip())
    return "\n".join(line[indent:] for line in lines)


def _text(annotation: ast.expr | None) -> str:
    is_text = isinstance(annotation, ast.Constant) and isinstance(annotation.value, str)
    return annotation.value if is_text and isinstance(annotation, ast.Constant) else ""  # type: ignore[return-value]


def _nodes(statement: ast.stmt, places: Sequence[str]) -> list[_Node]:
    place = places[statement.lineno - 1]
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        if statement.value is None:
            raise GraphTextError("a node without a value")
        name, value = statement.target.id, statement.value
        return [_Node(name, value, _text(statement.annotation), place)]
    if isinstance(statement, ast.Assign):
        if isinstance(statement.value, ast.Constant) and statement.value.value is None:
            return []  # what is deleted after its last use
        if all(isinstance(one, ast.Name) for one in statement.targets):
            (target,) = statement.targets
            assert isinstance(target, ast.Name)
            return [_Node(target.id, statement.value, "", place)]
        if len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Subscript):
            target = statement.targets[0]
            # `x[where] = what` changes x.
            if isinstance(target.value, ast.Name):
                stored = ast.Call(
                    ast.Name("setitem"), [target.value, target.slice, statement.value], []
                )
                return [_Node(target.value.id, stored, "", place)]
    if isinstance(statement, ast.Expr):
        return [_Node("", statement.value, "", place)]
    raise GraphTextError("a statement that is no node")


def without_effect(
    graphs: Sequence[ForwardGraph], padded: Mapping[str, Fill], longest: int
) -> Results:
    """Return what the graphs give where the inputs of ``padded`` have more of what is said there.

    Of two graphs the sizes that differ are those that grow; of one, those of these inputs with
    symbols, but for their first. ``longest`` is the largest size that is padded to. Raises
    `HasPartError` where the padding has a part in a result that is no padding, and
    `GraphTextError`.
    """
    less, more = graphs[0], graphs[-1]
    symbols: dict[str, tuple[int, int]] = {}
    if less is more:
        for name, type in less.inputs.items():
            match = _TYPE.match(type)
            dims = match["dims"].split(", ") if match else []
            for at, dim in enumerate(dims):
                for symbol in re.findall(r"\bs\d+\b", dim):
                    grows = name.lower() in padded and at > 0
                    if grows or symbol not in symbols:
                        symbols[symbol] = (_LESS, _MORE) if grows else (_OTHER, _OTHER)
    return _Evaluation(less, more, symbols, padded, longest).results()


@dataclass(slots=True)
class _Evaluation:
    """The evaluation of two graphs beside each other, value by value."""

    less: ForwardGraph
    more: ForwardGraph
    symbols: Mapping[str, Size]
    padded: Mapping[str, Fill]
    longest: int
    known: dict[str, Any] = field(default_factory=dict)
    draws: bool = False

    def results(self) -> Results:
        if len(self.less.nodes) != len(self.more.nodes) or set(self.less.inputs) != set(
            self.more.inputs
        ):
            raise GraphTextError("two graphs that are unlike")
        for name, type in self.less.inputs.items():
            self.known[name] = self._input(name, type, self.more.inputs[name])
        for one, other in zip(self.less.nodes, self.more.nodes, strict=True):
            if one.name != other.name:
                raise GraphTextError("two graphs that are unlike")
            dims = self._dims(one.type, other.type)
            try:
                value = self._value(one.value, other.value, dims)
            except HasPartError as error:
                raise HasPartError(f"{error} ({one.place})" if one.place else str(error)) from None
            self.known[one.name] = self._typed(value, one.type, other.type, dims)
        returned = self._value(self.less.returned, self.more.returned, None)
        values = returned if isinstance(returned, tuple | list) else (returned,)
        return Results(tuple(values), self.draws)

    def _input(self, name: str, one: str, other: str) -> Any:
        dims = self._dims(one, other)
        if dims is None:
            return self._typed(None, one, other, None)
        axes, fill = growing(dims), self.padded.get(name.lower())
        if not axes:
            return Tensor(dims, unpadded=Known.LENGTH if fill is Known.LENGTH else Known.SAME)
        if 0 in axes:
            raise GraphTextError("the batches differ")
        if fill is None or fill is Known.LENGTH:
            raise HasPartError(f"can't find what {name.strip('_')} holds where it grows, too")
        tensor = Tensor(dims, dict.fromkeys(axes, fill))
        return self._typed(tensor, one, other, dims)

    def _typed(self, value: Any, one: str, other: str, dims: tuple[Size, ...] | None) -> Any:
        """Return ``value`` as a number or a tensor of the type that the graph says it has."""
        symbol, same = _SYMBOL.match(one), _SYMBOL.match(other)
        if symbol is not None and same is not None:
            if symbol["value"] == same["value"] and _FRACTION.fullmatch(symbol["value"]):
                return float(symbol["value"])
            if symbol["value"] == same["value"] and _ANY_FRACTION.fullmatch(symbol["value"]):
                return None
            now, more = self._size(symbol["value"], 0), self._size(same["value"], 1)
            return now if now == more else Growing(now, more)
        if not isinstance(value, Tensor) or dims is None:
            return value
        match = _TYPE.match(one)
        kind = match["kind"] if match else ""
        fills = {
            axis: self._converted(fill, kind == _BOOLEAN) for axis, fill in value.fills.items()
        }
        if set(fills) != set(growing(dims)):
            raise HasPartError("a size grows in another way")
        return Tensor(dims, fills, value.value, value.unpadded)

    def _converted(self, fill: Fill, is_bool: bool) -> Fill:
        if not is_number(fill):
            return fill
        return bool(fill) if is_bool else float(fill)

    def _dims(self, one: str, other: str) -> tuple[Size, ...] | None:
        less, more = _TYPE.match(one), _TYPE.match(other)
        if less is None or more is None:
            return None
        own, others = (found["dims"].split(", ") if found["dims"] else [] for found in (less, more))
        if len(own) != len(others):
            raise GraphTextError("two graphs that are unlike")
        return tuple(
            (self._size(dim, 0), self._size(same, 1)) for dim, same in zip(own, others, strict=True)
        )

    def _size(self, text: str, which: int) -> int:
        """Return a size, ``which`` 0 with less padding and 1 with more: ``128``, ``8*s27``."""
        try:
            return self._computed(ast.parse(text, mode="eval").body, which)
        except (SyntaxError, ValueError, RecursionError) as error:
            raise GraphTextError(f"a size that is {text}") from error

    def _computed(self, node: ast.expr, which: int) -> int:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name) and node.id in self.symbols:
            return self.symbols[node.id][which]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._computed(node.operand, which)
        if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            sides = (self._computed(node.left, which), self._computed(node.right, which))
            found = _ARITHMETIC[type(node.op)](*sides)
            assert isinstance(found, int)
            return found
        raise GraphTextError(f"a size that is {ast.unparse(node)}")

    # Expressions

    def _value(self, one: ast.expr, other: ast.expr, dims: tuple[Size, ...] | None) -> Any:
        """Return the value of an expression that both graphs have."""
        if type(one) is not type(other):
            raise GraphTextError("two graphs that are unlike")
        match one, other:
            case ast.Constant(), ast.Constant():
                return self._number(one.value, other.value)
            case ast.Name(), ast.Name():
                if one.id != other.id:
                    raise GraphTextError("two graphs that are unlike")
                return self._named(one.id)
            case (ast.Tuple() | ast.List(), ast.Tuple() | ast.List()):
                return self._each(one.elts, other.elts)
            case ast.UnaryOp(), ast.UnaryOp():
                return self._unary(one, other, dims)
            case ast.BinOp(), ast.BinOp():
                sides = self._each((one.left, one.right), (other.left, other.right))
                return self._operated(one.op, sides, dims)
            case ast.Compare(), ast.Compare():
                sides = self._each((one.left, *one.comparators), (other.left, *other.comparators))
                return self._operated(one.ops[0], sides, dims)
            case ast.Subscript(), ast.Subscript():
                owner = self._value(one.value, other.value, None)
                return self._picked(owner, one.slice, other.slice, dims)
            case ast.Attribute(), ast.Attribute():
                return self._attribute(one, other, dims)
            case ast.Call(), ast.Call():
                return self._called(one, other, dims)
            case ast.Slice(), ast.Slice():
                parts = [
                    None if own is None or same is None else self._value(own, same, None)
                    for own, same in (
                        (one.lower, other.lower),
                        (one.upper, other.upper),
                        (one.step, other.step),
                    )
                ]
                return slice(*parts)
        raise GraphTextError(f"a node that is {type(one).__name__}")

    def _each(self, ones: Sequence[ast.expr], others: Sequence[ast.expr]) -> tuple[Any, ...]:
        if len(ones) != len(others):
            raise GraphTextError("two graphs that are unlike")
        return tuple(self._value(one, other, None) for one, other in zip(ones, others, strict=True))

    def _number(self, one: object, other: object) -> Any:
        if one == other:
            return one
        if isinstance(one, int) and isinstance(other, int):
            return Growing(one, other)
        raise GraphTextError("two graphs that are unlike")

    def _named(self, name: str) -> Any:
        if name in self.known:
            return self.known[name]
        if name in ("inf", "nan"):
            return float(name)
        # `torch`, `device`: what is no value of the graph.
        return None

    def _unary(self, one: ast.UnaryOp, other: ast.UnaryOp, dims: tuple[Size, ...] | None) -> Any:
        value = self._value(one.operand, other.operand, None)
        if isinstance(value, Tensor):
            name = {ast.Invert: "bitwise_not", ast.USub: "neg", ast.Not: "logical_not"}
            return self._result(name.get(type(one.op), "+"), [value], {}, dims)
        if isinstance(value, Growing):
            return Growing(-value.now, -value.more)
        if isinstance(one.op, ast.USub) and is_number(value):
            return -value
        return None

    def _operated(self, operator: ast.AST, sides: tuple[Any, ...], dims: Any) -> Any:
        if any(isinstance(one, Tensor) for one in sides):
            name = OPERATORS.get(type(operator), type(operator).__name__)
            return self._result(name, sides, {}, dims)
        if type(operator) in _ARITHMETIC and all(isinstance(one, int | Growing) for one in sides):
            compute = _ARITHMETIC[type(operator)]
            now, more = (
                compute(
                    *(getattr(one, which) if isinstance(one, Growing) else one for one in sides)
                )
                for which in ("now", "more")
            )
            return self._number(now, more)
        if any(map(padded_within, sides)):
            raise HasPartError(f"the length is computed with ({type(operator).__name__})")
        return None

    def _attribute(
        self, one: ast.Attribute, other: ast.Attribute, dims: tuple[Size, ...] | None
    ) -> Any:
        if one.attr != other.attr:
            raise GraphTextError("two graphs that are unlike")
        owner = self._value(one.value, other.value, None)
        if isinstance(owner, Tensor) and one.attr in ("T", "mT"):
            return self._result(one.attr, [owner], {}, dims)
        if isinstance(owner, Tensor) and one.attr == "shape":
            return self._shape(owner)
        return None

    def _shape(self, owner: Tensor) -> tuple[Any, ...]:
        if owner.dims is None:
            raise GraphTextError("a part without sizes")
        return tuple(self._number(now, more) for now, more in owner.dims)

    def _called(self, one: ast.Call, other: ast.Call, dims: tuple[Size, ...] | None) -> Any:
        name = _last(one.func)
        if name != _last(other.func) or len(one.keywords) != len(other.keywords):
            raise GraphTextError("two graphs that are unlike")
        args = list(self._each(one.args, other.args))
        receiver = ""
        if isinstance(one.func, ast.Attribute) and isinstance(other.func, ast.Attribute):
            owner = self._value(one.func.value, other.func.value, None)
            if owner is not None:
                args.insert(0, owner)
            if isinstance(one.func.value, ast.Name):
                receiver = one.func.value.id
        elif isinstance(one.func, ast.Name) and one.func.id in self.known:
            args.insert(0, self.known[one.func.id])
        if name == "slice" and isinstance(one.func, ast.Name):
            return slice(*args)
        if name == "size" and args and isinstance(args[0], Tensor):
            sizes = self._shape(args[0])
            return sizes[args[1]] if len(args) > 1 else sizes
        named = {
            own.arg or "": self._value(own.value, same.value, None)
            for own, same in zip(one.keywords, other.keywords, strict=True)
        }
        in_place = name.endswith("_") and not name.endswith("__")
        found = self._result(name.rstrip("_") if in_place else name, args, named, dims)
        if in_place and receiver in self.known:
            self.known[receiver] = found
        return found

    def _result(self, name: str, args: Sequence[Any], named: Mapping[str, Any], dims: Any) -> Any:
        call = Call(name, args, named, dims, self.longest)
        found = result(call)
        self.draws |= call.draws
        return found

    # Parts

    def _picked(
        self, owner: Any, one: ast.expr, other: ast.expr, dims: tuple[Size, ...] | None
    ) -> Any:
        key = self._value(one, other, None)
        if isinstance(owner, Several):
            return owner.made(dims)
        if isinstance(owner, tuple | list) and isinstance(key, int):
            return owner[key]
        if not isinstance(owner, Tensor):
            if padded_within((owner, key)):
                raise HasPartError("a part of something else is taken")
            return None if dims is None else Tensor(dims)
        if owner.dims is None or dims is None:
            raise GraphTextError("a part without sizes")
        return self._part(owner, key if isinstance(key, tuple) else (key,), dims)

    def _part(self, owner: Tensor, key: tuple[Any, ...], dims: tuple[Size, ...]) -> Tensor:
        """Return ``owner[key]``: what is cut off in front keeps what the padding holds."""
        assert owner.dims is not None
        if any(isinstance(each, Tensor) for each in key):
            return self._selected(owner, key, dims)
        taken = sum(each is not None and each is not Ellipsis for each in key)
        rest = (slice(None),) * (len(owner.dims) - taken)
        if Ellipsis in key:
            at = key.index(Ellipsis)
            key = (*key[:at], *rest, *key[at + 1 :])
        else:
            key = (*key, *rest)
        fills: dict[int, Fill] = {}
        axis = into = 0
        for each in key:
            if each is None:
                into += 1
                continue
            if isinstance(each, slice):
                if into in growing(dims):
                    fills[into] = self._sliced(owner, axis, each)
                elif axis in owner.fills:
                    raise HasPartError("a fixed number of its places is taken")
                into += 1
            elif axis in owner.fills and not (isinstance(each, int) and each >= 0):
                raise HasPartError("its last place is taken")
            axis += 1
        return Tensor(dims, fills, owner.value, owner.unpadded)

    def _sliced(self, owner: Tensor, axis: int, part: slice) -> Fill:
        assert owner.dims is not None
        if part.step not in (None, 1):
            raise HasPartError("every second of its places is taken")
        if axis not in owner.fills:
            # As many as there are places, of a table.
            if owner.dims[axis][0] < self.longest:
                raise HasPartError(f"a table of {owner.dims[axis][0]} for {self.longest} places")
            return owner.value if owner.value is not None else Known.SAME
        fill, end = owner.fills[axis], part.stop
        if fill is Known.PLACE and (part.start or end is not None):
            raise HasPartError("a part of the places is taken")
        if isinstance(end, int) and end >= 0:
            raise HasPartError("a fixed number of its places is taken")
        # The last place that is no padding is then the first that is.
        is_cut = isinstance(end, int) or (
            isinstance(end, Growing) and end.now < owner.dims[axis][0]
        )
        if is_cut and is_number(fill) and abs(float(fill)) == float("inf"):
            raise HasPartError("a part of a mask is taken")
        return Known.ANY if is_cut else fill

    def _selected(self, owner: Tensor, key: tuple[Any, ...], dims: tuple[Size, ...]) -> Tensor:
        """Return the elements where a mask is true: none of the padding, where it is false."""
        (mask, *others) = key
        is_mask = isinstance(mask, Tensor) and not others
        is_false = is_mask and bool(mask.fills) and all(one is False for one in mask.fills.values())
        if is_false and not growing(dims):
            return Tensor(dims)
        if padded_within((owner, key)) or growing(dims):
            raise HasPartError("it is indexed")
        return Tensor(dims)


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
