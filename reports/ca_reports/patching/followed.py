"""Follows padded tensors through the program's source, from where batches are made to a loss.

What a statement makes of padding is known for a few kinds of them. Anything else that is given
padding, or the length that it grows to, is `HasPartError`, with its line.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.masking.fills import (
    PLAIN,
    WHOLE,
    Dimensions,
    Fill,
    Growing,
    HasPartError,
    Known,
    Several,
    Tensor,
    is_number,
)
from ca_reports.facts.masking.graphs import OPERATORS
from ca_reports.facts.masking.operations import Call, keeps_batch, padded_within, result
from ca_reports.program.positions import walk
from ca_reports.program.syntax import Definition, Site, is_constant, last_name
from ca_reports.torchlib import padding

if TYPE_CHECKING:
    from ca_reports.patching.program import EditableProgram, SourceFile

# Functions within functions that are followed.
_DEEPEST = 6
_MOST_STEPS = 20_000
# Any length: of a batch, with more padding than it had.
_LONGER = Growing(0, 1)
_FROM_LISTS = frozenset(("tensor", "as_tensor", "LongTensor", "FloatTensor", "BoolTensor"))
# What is asked of a tensor and says nothing of its values.
_KINDS = frozenset(("device", "dtype", "dim", "ndim", "is_cuda", "requires_grad", "layout"))


@dataclass(frozen=True, slots=True)
class Tail:
    """A list of Python's that is as long as all are, and ends with as much of ``fill``."""

    fill: Fill


@dataclass(frozen=True, slots=True)
class Lengths:
    """The lengths of samples, as numbers of Python's."""


@dataclass(slots=True)
class Followed:
    """Padding in the variables of a function.

    ``widths`` are the expressions that a patch makes larger, ``of_call`` gives the result of a
    call of compiled code, and None of another one.
    """

    program: EditableProgram
    widths: frozenset[ast.AST]
    of_call: Callable[[SourceFile, ast.Call, Followed], Any | None]
    file: SourceFile
    known: dict[str, Any] = field(default_factory=dict)
    depth: int = 0
    returned: list[Any] = field(default_factory=list)
    steps: list[int] = field(default_factory=lambda: [0])
    constants: dict[tuple[str, str], Any] = field(default_factory=dict)
    # Variables of outside that the function sets.
    outer: set[str] = field(default_factory=set)

    # Statements

    def run(self, body: Sequence[ast.stmt]) -> None:
        """Follow the statements of a block. Raises `HasPartError`."""
        for statement in body:
            self._count()
            try:
                self._statement(statement)
            except HasPartError as error:
                if error.args[1:]:
                    raise
                raise HasPartError(str(error), self.file.place(statement)) from None

    def _count(self) -> None:
        self.steps[0] += 1
        if self.steps[0] > _MOST_STEPS:
            raise HasPartError("too long to follow")

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign():
                value = self.value(statement.value)
                for target in statement.targets:
                    self.bind(target, value)
            case ast.AnnAssign():
                if statement.value is not None:
                    self.bind(statement.target, self.value(statement.value))
            case ast.AugAssign():
                both = (self.value(statement.target), self.value(statement.value))
                self.bind(statement.target, self._operated(statement.op, both))
            case ast.Return():
                value = None if statement.value is None else self.value(statement.value)
                self.returned.append(value)
            case ast.Expr():
                self.value(statement.value)
            case ast.If():
                self._condition(statement.test)
                self._either(statement.body, statement.orelse)
            case ast.For() | ast.AsyncFor():
                self._loop(statement)
            case ast.While():
                self._condition(statement.test)
                self.rounds([*statement.body, *statement.orelse])
            case ast.With() | ast.AsyncWith():
                for item in statement.items:
                    value = self.value(item.context_expr)
                    if item.optional_vars is not None:
                        self.bind(item.optional_vars, value)
                self.run(statement.body)
            case ast.Try():
                self.run([*statement.body, *statement.orelse, *statement.finalbody])
                for handler in statement.handlers:
                    self._either(handler.body, [])
            case ast.Global() | ast.Nonlocal():
                self.outer.update(statement.names)
            case ast.Assert():
                self._condition(statement.test)
            case ast.Delete() | ast.Pass() | ast.Break() | ast.Continue() | ast.Raise():
                pass
            case ast.Import() | ast.ImportFrom():
                pass
            case _:
                self._unknown(statement)

    def _condition(self, test: ast.expr) -> None:
        if padded_within(self.value(test)):
            raise HasPartError("something is decided by it")

    def _either(self, body: Sequence[ast.stmt], otherwise: Sequence[ast.stmt]) -> None:
        before = dict(self.known)
        self.run(body)
        first, self.known = self.known, before
        self.run(otherwise)
        for name in first.keys() | self.known.keys():
            one, other = first.get(name), self.known.get(name)
            if repr(one) == repr(other):
                continue
            if (padded_within(one) and name in self.known) or (
                padded_within(other) and name in first
            ):
                raise HasPartError(f"{name} is one thing or another")
            self.known[name] = one if padded_within(one) else other

    def _loop(self, loop: ast.For | ast.AsyncFor) -> None:
        items = self.value(loop.iter)
        if padded_within(items) and not isinstance(items, Growing):
            raise HasPartError("it is iterated over")
        if isinstance(items, Growing):
            raise HasPartError("it is iterated over its length")
        self.rounds(loop.body, loop.target)
        self.run(loop.orelse)

    def rounds(
        self, body: Sequence[ast.stmt], target: ast.expr | None = None, item: Any = None
    ) -> None:
        """Follow a loop whose ``target`` is ``item`` in each round. Raises `HasPartError`.

        What one round leaves to the next is seen in the second.
        """
        after = []
        for _ in range(2):
            if target is not None:
                self.bind(target, item)
            self.run(body)
            padded = {name: one for name, one in self.known.items() if padded_within(one)}
            after.append(repr(sorted(padded.items())))
        if after[0] != after[1]:
            raise HasPartError("it goes on from one round to the next")

    def bind(self, target: ast.expr, value: Any) -> None:
        """Give ``target`` a value."""
        if isinstance(target, ast.Name):
            if target.id in self.outer and padded_within_list([value]):
                raise HasPartError("it is kept outside of the function")
            self.known[target.id] = value
        elif isinstance(target, ast.Starred):
            self.bind(target.value, value)
        elif isinstance(target, ast.Tuple | ast.List):
            parts = value if isinstance(value, tuple | list) else None
            if parts is not None and len(parts) == len(target.elts):
                for one, part in zip(target.elts, parts, strict=True):
                    self.bind(one, part)
            elif isinstance(value, Several):
                for one in target.elts:
                    self.bind(one, value.made(None))
            elif isinstance(value, Dimensions):
                for at, one in enumerate(target.elts):
                    is_first = at == 0 and not isinstance(one, ast.Starred)
                    self.bind(one, _size(value, 0 if is_first else None))
            elif padded_within(value):
                raise HasPartError("it is taken apart")
            else:
                for one in target.elts:
                    self.bind(one, value if isinstance(value, Lengths) else None)
        elif isinstance(target, ast.Subscript):
            self._stored(target, value)
        elif padded_within(value):
            raise HasPartError("it is kept in an object")

    def _stored(self, target: ast.Subscript, value: Any) -> None:
        """Follow ``x[where] = value``: rows up to their lengths, or what a mask chooses."""
        owner = self.value(target.value)
        if isinstance(owner, Mapping) and isinstance(target.slice, ast.Constant):
            self._rebind(target.value, {**owner, target.slice.value: value})
            return
        if not isinstance(owner, Tensor) or not owner.is_padded:
            if padded_within(value):
                raise HasPartError("it is kept in something")
            return
        key = self.value(target.slice)
        if isinstance(key, Tensor):
            fill, chosen = owner.fills[WHOLE], key.fills.get(WHOLE)
            if chosen is False:
                return
            if chosen is not True or not is_number(value):
                raise HasPartError("some of it is changed")
            self._rebind(target.value, replace(owner, fills={WHOLE: value}, value=None))
            assert fill is not None
            return
        parts = key if isinstance(key, tuple) else (key,)
        *_, last = parts
        ends = isinstance(last, slice) and last.start is None and last.stop is not None
        if not ends or padded_within(parts) or isinstance(last.stop, int) or padded_within(value):
            raise HasPartError("it is filled in another way than row by row, to each one's length")
        if owner.value is not None:
            self._rebind(target.value, replace(owner, value=None))

    def _rebind(self, target: ast.expr, value: Any) -> None:
        if not isinstance(target, ast.Name):
            raise HasPartError("it is changed in an object")
        self.known[target.id] = value

    # Expressions

    def value(self, node: ast.expr) -> Any:
        """Return what ``node`` gives; None for what has no padding in it."""
        self._count()
        if node in self.widths:
            return self._widened(node)
        match node:
            case ast.Name():
                return self.known[node.id] if node.id in self.known else self._constant(node)
            case ast.Constant():
                return node.value
            case ast.Tuple() | ast.List():
                return self._elements(node.elts)
            case ast.Dict():
                keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
                return dict(zip(keys, map(self.value, node.values), strict=True))
            case ast.Call():
                return self._called(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._picked(node)
            case ast.Slice():
                parts = (node.lower, node.upper, node.step)
                return slice(*(None if one is None else self._bound(one) for one in parts))
            case ast.UnaryOp():
                return self._unary(node)
            case ast.BinOp():
                return self._operated(node.op, (self.value(node.left), self.value(node.right)))
            case ast.Compare():
                sides = tuple(self.value(one) for one in (node.left, *node.comparators))
                is_identity = isinstance(node.ops[0], ast.Is | ast.IsNot)
                return None if is_identity else self._operated(node.ops[0], sides)
            case ast.IfExp():
                self._condition(node.test)
                return self._same(self.value(node.body), self.value(node.orelse))
            case ast.BoolOp():
                return self._unpadded([self.value(one) for one in node.values])
            case ast.NamedExpr():
                value = self.value(node.value)
                self.bind(node.target, value)
                return value
            case ast.Starred() | ast.Await():
                return self.value(node.value)
            case ast.JoinedStr() | ast.FormattedValue():
                shown = [one for one in walk(node) if isinstance(one, ast.FormattedValue)]
                return self._unpadded([self.value(one.value) for one in shown])
            case ast.ListComp() | ast.GeneratorExp() | ast.DictComp() | ast.SetComp():
                return self._comprehension(node)
        self._unknown(node)
        return None

    def _bound(self, node: ast.expr) -> Any:
        """Return the end of a slice: a number that is not known is no constant."""
        value = self.value(node)
        is_text = isinstance(node, ast.Constant | ast.UnaryOp)
        return value if is_text or padded_within(value) else object()

    def _elements(self, nodes: Sequence[ast.expr]) -> tuple[Any, ...]:
        found: list[Any] = []
        for node in nodes:
            value = self.value(node)
            if isinstance(node, ast.Starred) and isinstance(value, tuple | list):
                found += value
            else:
                found.append(value)
        return tuple(found)

    def _same(self, one: Any, other: Any) -> Any:
        if repr(one) != repr(other) and (padded_within(one) or padded_within(other)):
            raise HasPartError("it is one thing or another")
        return one

    def _same_or_first(self, before: Any, value: Any) -> Any:
        return value if before in (None, ()) else self._same(before, value)

    def _unpadded(self, values: Sequence[Any]) -> None:
        if any(map(padded_within, values)) or any(isinstance(one, Tail) for one in values):
            raise HasPartError("it is used in another way")

    def _unknown(self, node: ast.AST) -> None:
        """Allow what reads no variable that holds padding. Raises `HasPartError`."""
        for name in walk(node):
            if isinstance(name, ast.Name) and padded_within(self.known.get(name.id)):
                raise HasPartError(f"{name.id} is used in another way")

    def _unary(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if isinstance(value, Tensor):
            name = {ast.Invert: "bitwise_not", ast.USub: "neg"}.get(type(node.op), "not")
            return self._result(name, [value], {})
        if isinstance(node.op, ast.USub) and is_number(value):
            return -value
        if isinstance(value, Growing):
            return value
        self._unpadded([value])
        return None

    def _operated(self, operator: ast.AST, sides: Sequence[Any]) -> Any:
        one, *others = sides
        other = others[-1] if others else None
        if any(isinstance(side, Tail) for side in sides):
            if isinstance(operator, ast.Add) and isinstance(other, Tail):
                return other
            raise HasPartError("something is put behind it")
        if any(isinstance(side, Tensor) for side in sides):
            return self._result(OPERATORS.get(type(operator), "an operation"), sides, {})
        if any(isinstance(side, Growing) for side in sides):
            if isinstance(operator, ast.Mult) and isinstance(one, tuple):
                fill: Any = one[0] if len(one) == 1 else None
                return Tail(fill if is_number(fill) else Known.ANY)
            if isinstance(operator, ast.Sub) and isinstance(one, Growing):
                return one
            raise HasPartError("the length is computed with")
        self._unpadded(sides)
        return None

    def _attribute(self, node: ast.Attribute) -> Any:
        owner = self.value(node.value)
        if isinstance(owner, Tensor) and owner.is_padded:
            if node.attr in _KINDS:
                return None
            if node.attr == "shape":
                return Dimensions(owner.is_batch)
            if node.attr in ("T", "mT"):
                return replace(owner, is_batch=False)
            raise HasPartError(f".{node.attr} of it")
        self._unpadded([owner])
        return self._constant(node)

    def _constant(self, node: ast.expr) -> Any:
        """Return the number that a variable from elsewhere always has; None if that is unknown."""
        key = ast.unparse(node)
        if (self.file.name, key) not in self.constants:
            self.constants[self.file.name, key] = constant(self.program, self.file, node)
        return self.constants[self.file.name, key]

    def _picked(self, node: ast.Subscript) -> Any:
        owner, key = self.value(node.value), self.value(node.slice)
        if isinstance(owner, Dimensions):
            return _size(owner, key)
        if isinstance(owner, Mapping):
            if padded_within(owner) and key not in owner:
                raise HasPartError("a part of the batch that is not known is taken")
            return owner.get(key)
        if isinstance(owner, tuple | list) and isinstance(key, int) and abs(key) < len(owner):
            return owner[key]
        if isinstance(owner, Several):
            return owner.made(None)
        if isinstance(owner, Tensor):
            return self._part(owner, key if isinstance(key, tuple) else (key,))
        self._unpadded([owner, key])
        return owner if isinstance(owner, Lengths) else None

    def _part(self, owner: Tensor, key: tuple[Any, ...]) -> Tensor:
        """Return ``x[key]``, where it is not known which dimension grows."""
        if len(key) == 1 and isinstance(key[0], Tensor):
            if key[0].fills.get(WHOLE) is False:
                return PLAIN
            raise HasPartError("it is indexed")
        if not owner.is_padded:
            if padded_within(key):
                raise HasPartError("something is indexed by it")
            return owner if all(each is None or _is_all(each) for each in key) else PLAIN
        fill = owner.fills[WHOLE]
        is_batch = owner.is_batch if key[0] is not None else True
        for each in key:
            if each is None or each is Ellipsis or _is_all(each):
                continue
            if isinstance(each, slice) and each.step is None and each.stop is None:
                if fill is Known.PLACE:
                    raise HasPartError("a part of the places is taken")
                continue
            is_cut = isinstance(each, slice) and each.start is None and each.step is None
            if is_cut and isinstance(each.stop, int) and each.stop < 0 and not _endless(fill):
                fill = Known.ANY
                continue
            raise HasPartError("a part of it is taken")
        return replace(owner, fills={WHOLE: fill}, value=None, is_batch=is_batch)

    def _comprehension(self, node: Any) -> Any:
        (first, *more) = node.generators
        items = self.value(first.iter)
        if isinstance(items, Several) or more or first.ifs:
            self._unpadded([items])
        inner = replace(self, known=dict(self.known))
        if isinstance(node, ast.DictComp):
            pairs = items if isinstance(items, Mapping) else None
            if pairs is None:
                self._unpadded([items])
                return None
            found = {}
            for key, value in pairs.items():
                inner.bind(first.target, (key, value))
                found[key] = inner.value(node.value)
            return found
        if isinstance(items, tuple | list):
            values = []
            for each in items:
                inner.bind(first.target, each)
                values.append(inner.value(node.elt))
            return tuple(values)
        self._unpadded([items])
        inner.bind(first.target, items if isinstance(items, Lengths) else None)
        if _is_length(node.elt):
            return Lengths()
        return inner.value(node.elt)

    # Calls

    def _called(self, call: ast.Call) -> Any:
        found = self.of_call(self.file, call, self)
        if found is not None:
            return found
        name = last_name(call.func)
        owner = self.value(call.func.value) if isinstance(call.func, ast.Attribute) else None
        args, named = self._elements(call.args), self._keywords(call)
        given = (*args, *named.values())
        if isinstance(owner, Mapping):
            return self._of_mapping(owner, name, args)
        if isinstance(owner, Tensor | Several) and isinstance(call.func, ast.Attribute):
            return self._method(owner, name, args, named)
        if name == "append" and isinstance(call.func, ast.Attribute) and padded_within_list(args):
            owned = call.func.value
            # A list that goes on after the batch keeps it.
            if isinstance(owned, ast.Name) and owned.id in self.known:
                self.known[owned.id] = self._same_or_first(self.known[owned.id], args[0])
                return None
            raise HasPartError("it is kept in an object")
        if name == "map" and isinstance(call.func, ast.Name) and last_name(call.args[0]) == "len":
            return Lengths()
        if name in ("list", "tuple", "sorted") and len(args) == 1 and isinstance(args[0], Lengths):
            return args[0]
        if name == "len" and padded_within(args):
            is_batch = isinstance(args[0], Tensor) and args[0].is_batch
            return _size(Dimensions(is_batch), 0)
        is_torchs = self._is_torchs(call)
        if is_torchs or not self._names_function(call):
            made = self._of_lists(name, args, named) if is_torchs else None
            if made is not None:
                return made
            loss = self._loss(call)
            if loss is not None:
                return self._result(loss[0], args, {**loss[1], **named})
            if is_torchs:
                return self._torchs(name, args, named)
        if padded_within_list(given) or self._widens(call):
            return self._inlined(call, name)
        return None

    def _widens(self, call: ast.Call) -> bool:
        """Return whether the call makes a batch."""
        found = self._callee(call)
        if found is None:
            return False
        file, function = found
        own = (one for one in self.widths if file.parent(one) is not None)
        return any(file.is_within(one, function) for one in own)

    def _keywords(self, call: ast.Call) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for one in call.keywords:
            value = self.value(one.value)
            if one.arg is not None:
                found[one.arg] = value
            elif isinstance(value, Mapping):
                found.update({str(key): each for key, each in value.items()})
            elif padded_within(value):
                raise HasPartError("it is handed over as options")
        return found

    def _of_mapping(self, owner: Mapping[Any, Any], name: str, args: Sequence[Any]) -> Any:
        if name == "items":
            return owner
        if name in ("to", "copy", "pin_memory", "cuda"):
            return owner
        if name == "values":
            return tuple(owner.values())
        if name in ("pop", "get") and args and args[0] in owner:
            return owner[args[0]]
        if name in ("keys", "update", "get", "pop"):
            self._unpadded(args)
            return None
        raise HasPartError(f".{name}() of the batch")

    def _method(self, owner: Any, name: str, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        if isinstance(owner, Several):
            raise HasPartError(f".{name}() of it")
        if name == "size" and owner.is_padded:
            sizes = Dimensions(owner.is_batch)
            return _size(sizes, args[0]) if args else sizes
        if (
            name in ("dim", "backward", "item", "tolist", "numpy", "get_device")
            and not owner.is_padded
        ):
            self._unpadded(args)
            return None
        if name in ("dim", "is_floating_point"):
            return None
        in_place = name.endswith("_") and not name.endswith("__") and name not in padding.KEEPS
        if in_place and owner.is_padded:
            raise HasPartError(f".{name}() changes it")
        return self._result(name, [owner, *args], named)

    def _of_lists(self, name: str, args: Sequence[Any], named: Mapping[str, Any]) -> Any | None:
        """Return a tensor that is made of lists, or of several that were padded alike."""
        first = args[0] if args else None
        if name in _FROM_LISTS:
            if isinstance(first, Tail):
                return Tensor(None, {WHOLE: first.fill})
            if isinstance(first, Lengths):
                return Tensor(None, unpadded=Known.LENGTH)
        if name in ("stack", "cat", "concat", "concatenate") and first is not None:
            if isinstance(first, Tensor):  # as many as there are samples, each of one length
                is_first = _dim(args, named) == 0
                return replace(first, is_batch=is_first) if name == "stack" else None
            parts = first if isinstance(first, tuple | list) else ()
            if name == "cat" and parts and isinstance(parts[-1], Tensor):
                self._unpadded(list(parts[:-1]))
                return parts[-1]
        if name == "pad" and len(args) > 1 and isinstance(args[1], tuple):
            ahead, *behind = args[1]
            if ahead == 0 and any(isinstance(one, Growing) for one in behind):
                value = named.get("value", args[3] if len(args) > 3 else 0.0)
                is_known = is_number(value) and "mode" not in named and len(args) != 3
                return Tensor(None, {WHOLE: value if is_known else Known.ANY})
        return None

    def _torchs(self, name: str, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Return what a function of torch's gives."""
        sizes = [*args, named.get("size")]
        grows = any(_holds_length(one) for one in sizes)
        first = named.get("size", args[0] if args else None)
        is_batch = _is_batch(first if isinstance(first, tuple | list | Dimensions) else args)
        if grows and (name in padding.MADE_OF or name in padding.FILLED):
            if name in padding.FILLED:
                value: Any = Call(name, args, named).argument("fill_value", padding.FILLED[name])
            else:
                value = padding.MADE_OF[name]
            if not is_number(value):
                return Tensor(None, {WHOLE: Known.ANY}, is_batch=is_batch)
            return Tensor(None, {WHOLE: value}, value, is_batch=is_batch)
        if name == "arange" and grows:
            if len(args) != 1:
                raise HasPartError("places are computed with")
            return Tensor(None, {WHOLE: Known.PLACE}, unpadded=Known.BEFORE)
        if padded_within((*args, *named.values())):
            return self._result(name, args, named)
        return None

    def _result(self, name: str, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        values = [PLAIN if one is None else one for one in args]
        if any(isinstance(one, Tail | Lengths) for one in values):
            raise HasPartError("it is used in another way")
        if not padded_within((*values, *named.values())):
            return PLAIN
        call = Call(name, values, named)
        found = result(call)
        if call.draws:
            raise HasPartError(f"{name}() draws random numbers for it")
        return replace(found, is_batch=keeps_batch(call)) if isinstance(found, Tensor) else found

    def _widened(self, node: ast.expr) -> Any:
        """Return what a patch makes longer: a width, or padded sequences."""
        assert isinstance(node, ast.Call)
        if last_name(node.func) != "pad_sequence":
            return _LONGER
        value: Any = self._keywords(node).get("padding_value")
        if value is None and len(node.args) > 2:
            value = self.value(node.args[2])
        given = len(node.args) > 2 or any(one.arg == "padding_value" for one in node.keywords)
        fill: Fill = value if is_number(value) else Known.ANY if given else 0.0
        # Sequences are padded so only where `batch_first=True`.
        return Tensor(None, {WHOLE: fill}, is_batch=True)

    def _is_torchs(self, call: ast.Call) -> bool:
        names = self.file.names(call.func)
        return bool(names) and all(one.startswith("torch.") for one in names)

    def _names_function(self, call: ast.Call) -> bool:
        return bool(self.program.names.callees(call))

    def _loss(self, call: ast.Call) -> tuple[str, dict[str, Any]] | None:
        """Return the function that an object of a class of losses calls, and its options."""
        made = {
            origin.site.node: origin.site
            for origin in self.program.origins.of(Site(self.file, call.func))
        }
        if len(made) != 1:
            return None
        ((node, site),) = made.items()
        if not isinstance(node, ast.Call):
            return None
        classes = {kind: name for name, kind in (padding.IGNORES | padding.OF_ELEMENTS).items()}
        name = classes.get(last_name(node.func))
        if name is None:
            return None
        maker = next((one for one in self.program.files.values() if one is site.module), None)
        if maker is None or node.args:
            return None
        options = {
            one.arg: value
            for one in node.keywords
            if one.arg is not None
            and (value := constant(self.program, maker, one.value)) is not None
        }
        if len(options) != len(node.keywords):
            return None
        return name, options

    def _inlined(self, call: ast.Call, name: str) -> Any:
        """Return what a function of the program gives for these arguments."""
        found = self._callee(call)
        if found is None or self.depth >= _DEEPEST:
            raise HasPartError(f"what {name}() makes of it is unknown")
        return self.inlined(*found, self.given(*found, call))

    def _callee(self, call: ast.Call) -> tuple[SourceFile, Any] | None:
        """Return the one function of the program that has the name that is called."""
        name = last_name(call.func)
        every = [
            (site.module, site.node)
            for site in self.program.names.callees(call)
            if isinstance(site.node, Definition)
        ]
        # Of an object that is called it is a method that has another name.
        found = [one for one in every if one[1].name == name] or every
        if len(found) != 1:
            return None
        ((module, function),) = found
        file = next((one for one in self.program.files.values() if one is module), None)
        return None if file is None else (file, function)

    def given(self, file: SourceFile, function: Any, call: ast.Call) -> dict[str, Any]:
        """Return what ``call`` gives each parameter of ``function``. Raises `HasPartError`."""
        values = list(self._elements(call.args))
        parameters = file.own_parameters(function)
        if len(values) > len(parameters) and padded_within(values[len(parameters) :]):
            raise HasPartError("it is given in another way")
        found = dict(zip(parameters, values, strict=False))
        return found | self._keywords(call)

    def inlined(self, file: SourceFile, function: Any, given: Mapping[str, Any]) -> Any:
        """Return what ``function`` gives for ``given``. Raises `HasPartError`."""
        inner = replace(
            self, file=file, known=dict(given), depth=self.depth + 1, returned=[], outer=set()
        )
        inner.run(function.body)
        if not inner.returned:
            return None
        first, *others = inner.returned
        for other in others:
            self._same(first, other)
        return first


def constant(program: EditableProgram, file: SourceFile, node: ast.expr) -> Any:
    """Return the number or text that ``node`` is, by what it is assigned; None if unknown."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = constant(program, file, node.operand)
        return -value if is_number(value) else None
    if isinstance(node, ast.Constant):
        return node.value
    found = program.origins.of(Site(file, node))
    values = [one.site.node.value for one in found if isinstance(one.site.node, ast.Constant)]
    is_one = len(values) == len(found) and len({repr(value) for value in values}) == 1
    return values[0] if is_one and not any(one.parts for one in found) else None


def padded_within_list(values: Sequence[Any]) -> bool:
    """Return whether values hold padding, lists of Python's included."""
    return any(padded_within(one) or isinstance(one, Tail) for one in values)


def _is_all(key: Any) -> bool:
    return isinstance(key, slice) and (key.start, key.stop, key.step) == (None, None, None)


def _endless(fill: Fill) -> bool:
    return fill is Known.PLACE or (is_number(fill) and abs(float(fill)) == float("inf"))


def _is_length(node: ast.expr) -> bool:
    """Return whether a comprehension's element is the length of a sample."""
    if isinstance(node, ast.Call):
        is_len = isinstance(node.func, ast.Name) and node.func.id == "len"
        is_size = last_name(node.func) == "size" and len(node.args) == 1
        return is_len or (is_size and is_constant(node.args[0], 0))
    is_shape = isinstance(node, ast.Subscript) and last_name(node.value) == "shape"
    return is_shape and isinstance(node, ast.Subscript) and is_constant(node.slice, 0)


def _size(sizes: Dimensions, at: Any) -> Any:
    """Return the size of a dimension, or sizes of several: a number that is larger with padding.

    None for the first, where that is known not to grow.
    """
    return None if sizes.is_batch and at == 0 else _LONGER


def _dim(args: Sequence[Any], named: Mapping[str, Any]) -> Any:
    return named.get("dim", args[1] if len(args) > 1 else 0)


def _is_batch(sizes: Dimensions | Sequence[Any]) -> bool:
    """Return whether the first dimension of what is made of such sizes does not grow."""
    if isinstance(sizes, Dimensions):
        return sizes.is_batch
    first = sizes[0] if sizes else None
    return first.is_batch if isinstance(first, Dimensions) else not isinstance(first, Growing)


def _holds_length(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(_holds_length, value))
    return isinstance(value, Growing | Several | Dimensions)
