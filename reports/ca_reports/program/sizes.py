"""Follows one dimension of a tensor backwards to the expressions that decide its size.

A tensor is handed on as any value (`origins`), and its operations pass sizes on: `x.float()` has
those of `x`, `torch.stack(rows, dim=1)` the length of `rows` as its second. What makes a size that
may differ from step to step ends the way: a slice with a variable bound, a pad, a loader without
`drop_last`, a list that grows. A list counts as a tensor: dimension 0 is its length.
"""

from __future__ import annotations

import ast
from collections import deque
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.program.syntax import (
    LOOPS,
    Site,
    called_name,
    given_to,
    is_constant,
    keys_of,
    keyword,
    last_name,
    parts_of,
)
from ca_reports.torchlib import containers, loaders, shapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.program.flow import Flow
    from ca_reports.program.origins import Origins, Parts

_MAX_STEPS = 400
_MAX_WAY = 60
# As do the rows of a sequence, or how many of a mask are true.
_BY_CONTENT = frozenset(("pad_sequence", "multinomial", "compress"))
_RANGES = (*shapes.RANGES, "range")
_MADE = frozenset((*shapes.SIZED, *shapes.SIZE_AT, *_RANGES))
_NUMBERS = frozenset(("int", "min", "max", "round", "abs", "float"))
_SEVERAL = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.Starred)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The size in ``dimension`` of ``parts`` of an expression; None: of any dimension."""

    site: Site
    parts: Parts
    dimension: int | None
    way: tuple[ast.AST, ...] = ()


class Sizes:
    """The search for what decides the sizes of one program's tensors."""

    def __init__(self, flow: Flow, origins: Origins) -> None:
        """Follow values by ``origins``, calls by ``flow``."""
        self.flow = flow
        self._origins = origins
        self._found: list[Site] = []

    def of_variable(
        self, name: str, at: Site, dimension: int | None, parts: Parts = ()
    ) -> list[Site]:
        """Return what decides ``dimension`` of what ``name`` holds at ``at``, nearest first."""
        behind = self._origins.variable(name, at, parts)
        return self._followed([_Asked(site, parts, dimension) for site, parts in behind])

    def of_given(self, given: Iterable[tuple[Site, Parts]], dimension: int | None) -> list[Site]:
        """Return what decides ``dimension`` of what callers give, nearest first."""
        return self._followed([_Asked(site, parts, dimension) for site, parts in given])

    def of(self, site: Site, dimension: int | None, parts: Parts = ()) -> list[Site]:
        """Return what decides ``dimension`` of ``parts`` of an expression, nearest first."""
        return self._followed([_Asked(site, parts, dimension)])

    def _followed(self, begin: list[_Asked]) -> list[Site]:
        queue = deque(begin)
        seen: set[tuple[ast.AST, Parts, int | None]] = set()
        self._found = []
        steps = 0
        while queue and steps < _MAX_STEPS:
            asked = queue.popleft()
            node = asked.site.node
            if isinstance(node, ast.Call) and _is_joining(node) and node in asked.way:
                # text = torch.cat([text, word])
                before = asked.way[asked.way.index(node) :]
                within = set(ast.walk(asked.site.scope))
                queue += self._rounds(asked.site, is_kept=not within.issuperset(before))
            if (node, asked.parts, asked.dimension) in seen or len(asked.way) > _MAX_WAY:
                continue
            seen.add((node, asked.parts, asked.dimension))
            steps += 1
            way = (*asked.way, node)
            queue += [
                _Asked(each.site, each.parts, each.dimension, way) for each in self._behind(asked)
            ]
        return self._found

    def _decides(self, site: Site) -> None:
        if all(site.node is not each.node for each in self._found):
            self._found.append(site)

    def _behind(self, asked: _Asked) -> list[_Asked]:
        """Return one step back; what decides here is noted, and nothing is behind it."""
        site, parts, dimension = asked.site, asked.parts, asked.dimension
        node = site.node
        if isinstance(node, ast.Call):
            return list(self._called(asked, node))
        handed = self._origins.behind(site, parts)
        if isinstance(node, ast.Name | ast.Attribute):
            if not parts and dimension in (0, None) and self._is_collected(site):
                return []
            found = [_Asked(one, place, dimension) for one, place in handed]
            if not parts:
                found += self._put_into(asked, last_name(node))
            if isinstance(node, ast.Attribute) and not handed:
                found += self._of_attribute(asked, node)
            return found
        if handed:
            return [_Asked(one, place, dimension) for one, place in handed]
        dimension = _below(dimension, parts)
        if isinstance(node, ast.Subscript):
            return list(self._subscripted(site, node, dimension))
        if isinstance(node, ast.BinOp):
            return [_Asked(Site(site.module, each), (), dimension) for each in _sides(node)]
        if isinstance(node, ast.UnaryOp):
            return [_Asked(Site(site.module, node.operand), (), dimension)]
        if isinstance(node, ast.AugAssign):
            return [_Asked(Site(site.module, node.value), (), dimension)]
        if isinstance(node, ast.List | ast.Tuple) and dimension != 0:
            below = _below(dimension, (), removed=1)
            return [_Asked(Site(site.module, each), (), below) for each in node.elts]
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            return list(self._comprehended(site, node, dimension))
        return []

    # Lists

    def _is_collected(self, site: Site) -> bool:
        """Return whether ``site`` is a list that a loop fills, hands on when full, and empties.

        Of those only the rest is shorter, and what is handed on for other reasons than its length.
        """
        if is_rest(site):
            self._decides(site)
            return True
        name = last_name(site.node)
        around = (part for part in site.module.around(site.node) if isinstance(part, LOOPS))
        loop = next((part for part in around if _is_collecting(part, name)), None)
        tests = [] if loop is None else [
            part
            for part in ast.walk(loop)
            if isinstance(part, ast.If) and _is_of_length(part.test, name)
        ]  # fmt: skip
        for each in tests:
            if any(isinstance(part, ast.BoolOp) for part in ast.walk(each.test)):
                self._decides(Site(site.module, each))
        return bool(tests)

    def _put_into(self, asked: _Asked, name: str) -> Iterator[_Asked]:
        """Follow what fills a list: how often decides its length, what its other sizes."""
        site, dimension = asked.site, asked.dimension
        if dimension != 0:
            below = _below(dimension, (), removed=1)
            for one, place in self._origins.put_into(name, site, (None,)):
                yield _Asked(one, place, below)
            return
        for call in self.flow.program.calls(*containers.GROWS):
            assert isinstance(call.node, ast.Call)
            held = call.node.func.value if isinstance(call.node.func, ast.Attribute) else None
            if held is None or last_name(held) != name:
                continue
            is_attribute = isinstance(site.node, ast.Attribute)
            if is_attribute != isinstance(held, ast.Attribute):
                continue
            if not is_attribute and call.scope is not site.scope:
                continue
            yield from self._rounds(call, is_kept=is_attribute)

    def _rounds(self, call: Site, *, is_kept: bool) -> Iterator[_Asked]:
        """Follow how often a function runs ``call``; what is kept longer grows by each step."""
        steps = {loop.node for loop in self.flow.loops}
        for part in call.module.around(call.node):
            if isinstance(part, ast.FunctionDef | ast.Lambda | ast.Module):
                break
            if isinstance(part, ast.If | ast.While) or part in steps:
                self._decides(call)
                return
            if isinstance(part, ast.For | ast.AsyncFor) and not is_kept:
                yield _Asked(Site(call.module, part.iter), (), 0)
        if is_kept:
            self._decides(call)

    def _comprehended(
        self, site: Site, node: ast.ListComp | ast.GeneratorExp, dimension: int | None
    ) -> Iterator[_Asked]:
        if dimension in (0, None):
            if any(each.ifs for each in node.generators):
                self._decides(site)
                return
            for each in node.generators:
                yield _Asked(Site(site.module, each.iter), (), 0)
        if dimension != 0:
            yield _Asked(Site(site.module, node.elt), (), _below(dimension, (), removed=1))

    # Attributes and subscripts

    def _of_attribute(self, asked: _Asked, node: ast.Attribute) -> Iterator[_Asked]:
        of = Site(asked.site.module, node.value)
        dimension = _below(asked.dimension, asked.parts)
        if node.attr in shapes.TRANSPOSED:
            yield _Asked(of, (), None)
        elif last_name(node.value) not in ("", "self"):
            yield _Asked(of, (), dimension)  # batch.images, x.data

    def _subscripted(
        self, site: Site, node: ast.Subscript, dimension: int | None
    ) -> Iterator[_Asked]:
        module, of = site.module, Site(site.module, node.value)
        keys = keys_of(node)
        source, target = 0, 0
        for key in keys:
            if is_constant(key, None):
                if target == dimension:
                    return
                target += 1
            elif isinstance(key, ast.Slice):
                if dimension in (None, target) and self._cuts(Site(module, node), key):
                    self._decides(site)
                    return
                if target == dimension:
                    yield _Asked(of, (), source)
                    return
                source, target = source + 1, target + 1
            elif is_constant(key, Ellipsis):
                yield _Asked(of, (), None)
                return
            elif _is_column(key):
                yield _Asked(of, (), dimension)  # of a table
                return
            elif self._is_number(Site(module, key)):
                source += 1
            else:
                if dimension in (None, target):
                    if _is_mask(key) or any(
                        _is_mask(one.site.node) for one in self._origins.of(Site(module, key))
                    ):
                        self._decides(site)
                        return
                    yield _Asked(Site(module, key), (), 0)
                    if dimension is not None:
                        if isinstance(key, ast.Name | ast.Constant):  # or a key of a container
                            yield _Asked(of, (None,), dimension)
                        return
                source, target = source + 1, target + 1
        if dimension is None:
            yield _Asked(of, (), None)
        elif dimension >= target:
            yield _Asked(of, (), source + dimension - target)

    def _is_number(self, site: Site) -> bool:
        node = site.node
        if isinstance(node, ast.UnaryOp | ast.BinOp):
            return not any(isinstance(each, ast.Call) for each in ast.walk(node))
        if isinstance(node, ast.Constant):
            return True
        known = [one.site.node for one in self._origins.of(site)]
        return bool(known) and all(
            isinstance(one, ast.Constant | ast.AugAssign)
            or (isinstance(one, ast.Call) and called_name(one) in ("range", "int", "item", "len"))
            for one in known
        )

    def _cuts(self, site: Site, cut: ast.Slice) -> bool:
        """Return whether a slice may be of another length in the next step."""
        bounds = [each for each in (cut.lower, cut.upper) if each is not None]
        if cut.upper is None and all(isinstance(each, ast.Constant) for each in bounds):
            return False
        return any(self._varies(Site(site.module, each)) for each in bounds)

    # Numbers

    def _varies(self, site: Site, depth: int = 6) -> bool:
        """Return whether a number may differ from step to step."""
        values: set[str] = set()
        for origin in self._origins.of(site):
            node = origin.site.node
            module = origin.site.module
            if None in origin.parts or isinstance(node, ast.AugAssign | ast.IfExp):
                return True
            if isinstance(node, ast.Constant):
                values.add(repr(node.value))
            elif isinstance(node, ast.BinOp | ast.UnaryOp):
                parts: list[ast.expr] = [*ast.iter_child_nodes(node)]  # type: ignore[list-item]
                numbers = [each for each in parts if isinstance(each, ast.expr)]
                if depth and any(self._varies(Site(module, each), depth - 1) for each in numbers):
                    return True
            elif isinstance(node, ast.Call):
                given = [*node.args]
                if called_name(node) not in _NUMBERS or not depth:
                    return True
                if any(self._varies(Site(module, each), depth - 1) for each in given):
                    return True
            elif isinstance(node, ast.Subscript):
                return True
        return len(values) > 1

    def _changing(self, amount: Site, depth: int = 6) -> Site | None:
        """Find what makes another number in the steps: `self.length = max(2, accepted)`."""
        for origin in self._origins.of(amount):
            site = origin.site
            if isinstance(site.node, ast.BinOp) and depth:
                for each in _sides(site.node):
                    found = self._changing(Site(site.module, each), depth - 1)
                    if found is not None:
                        return found
            elif (
                None not in origin.parts
                and isinstance(site.node, ast.AugAssign | ast.IfExp | ast.Call)
                and _tensor_of_size(site, origin.parts) is None
                and self.flow.is_in_steps(site)
                and self._varies(site)
            ):
                return site
        return None

    def _by_amount(self, maker: Site, amount: Site) -> Iterator[_Asked]:
        """Follow a number that is the size: of another tensor, or one that ``maker`` is given."""
        begun = False
        for origin in self._origins.of(amount):
            tensor = _tensor_of_size(origin.site, origin.parts)
            if tensor is not None:
                begun = True
                yield tensor
        if begun:
            return
        for largest in self._of_several(amount):
            self._decides(largest)
            begun = True
        if not begun and self._varies(amount):
            self._decides(maker)

    def _of_several(self, amount: Site) -> list[Site]:
        """Find where a number is the largest of a batch's: `max(len(row) for row in rows)`."""
        return [
            origin.site
            for origin in self._origins.of(amount)
            if isinstance(node := origin.site.node, ast.Call)
            and called_name(node) == "max"
            and any(isinstance(each, _SEVERAL) for each in node.args)
        ]

    # Calls

    def _called(self, asked: _Asked, call: ast.Call) -> Iterator[_Asked]:
        site, parts, dimension = asked.site, asked.parts, asked.dimension
        name, module = called_name(call), site.module
        if self._is_batched(call, name, parts) and _in_batch(name, dimension, parts) in (0, None):
            self._decides(site)
            return
        handed = self._origins.behind(site, parts)
        if name in loaders.BATCHING:
            # A sample has no dimension for the batch, if the loader stacks samples.
            stacks = keyword(call, "collate_fn") is None
            below = _below(dimension, (), removed=1) if stacks else dimension
            yield from (_Asked(one, place, below) for one, place in handed)
            sampler = keyword(call, "batch_sampler")
            if sampler is not None and _in_batch(name, dimension, parts) in (0, None):
                yield _Asked(Site(module, sampler), (None,), 0)
            return
        if handed:
            yield from (_Asked(one, place, dimension) for one, place in handed)
            return
        dimension = _below(dimension, tuple(each for each in parts if not isinstance(each, str)))
        first = Site(module, call.args[0]) if call.args else None
        of = _receiver(site, call)
        whole = of or first
        if name in shapes.BY_VALUE or name in _BY_CONTENT or _pads_to_longest(call):
            self._decides(site)
        elif name in shapes.BY_NUMBER:
            yield from self._numbered(site, call, whole, dimension)
        elif (drawn := _drawn(call)) is not None:
            yield from self._by_amount(site, Site(module, drawn))
        elif name in _MADE or _is_typed_maker(call):
            yield from self._made(site, call, dimension)
        elif name in ("stack", *shapes.JOINS):
            yield from self._joined(site, call, dimension)
        elif name in ("reshape", "view"):
            yield from self._reshaped(site, call, whole, dimension)
        elif whole is not None and name in shapes.REDUCTIONS:
            yield _Asked(whole, (), _behind_reduction(call, dimension, is_method=of is not None))
        elif whole is not None and name in shapes.PERMUTES:
            yield _Asked(whole, (), _permuted(call, dimension, is_method=of is not None))
        elif name == "zip" and len(call.args) == 1 and isinstance(call.args[0], ast.Starred):
            rows = Site(module, call.args[0].value)
            yield _Asked(rows, (), 1 - dimension if dimension in (0, 1) else dimension)
        elif whole is not None and name == "t":
            yield _Asked(whole, (), None if dimension is None else 1 - min(dimension, 1))
        elif whole is not None and name in ("flatten", "unflatten", "rearrange", "einsum"):
            yield _Asked(whole, (), 0 if _keeps_batch(call, dimension) else None)
        elif whole is not None and name == "unsqueeze":
            at = _number(call.args[-1]) if call.args else None
            if at is None or at < 0 or dimension is None or dimension < at:
                yield _Asked(whole, (), dimension)
            elif dimension > at:
                yield _Asked(whole, (), dimension - 1)
        elif whole is not None and name == "squeeze":
            at = _number(call.args[-1]) if call.args else None
            shift = at is not None and at >= 0 and dimension is not None and dimension >= at
            yield _Asked(whole, (), dimension + 1 if shift and dimension is not None else dimension)
        else:
            # Most operations keep the sizes of what they are given.
            given = given_to(call)
            if of is not None:
                yield _Asked(of, (), dimension)
            for each in given:
                yield _Asked(Site(module, each), (), dimension)

    def _is_batched(self, call: ast.Call, name: str, parts: Parts) -> bool:
        """Return whether ``call`` gives batches, of which the last may be smaller."""
        if not parts or isinstance(parts[0], str) or self.flow.names.callees(call):
            return False
        if name in shapes.SPLITS:
            return True
        if name in loaders.BATCHING:
            loaded = keyword(call, "batch_sampler") is None
            return loaded and not is_constant(keyword(call, "drop_last"), value=True)
        is_told = any(keyword(call, each) is not None for each in loaders.AT_A_TIME)
        return parts[0] is None and (is_told or name == "batch")

    def _numbered(
        self, site: Site, call: ast.Call, whole: Site | None, dimension: int | None
    ) -> Iterator[_Asked]:
        is_method = _receiver(site, call) is not None
        numbers = [*call.args[0 if is_method else 1 :], *(each.value for each in call.keywords)]
        if any(
            self._varies(Site(site.module, part)) for each in numbers for part in parts_of(each)
        ):
            self._decides(site)
        elif whole is not None:
            yield _Asked(whole, (), dimension)

    def _made(self, site: Site, call: ast.Call, dimension: int | None) -> Iterator[_Asked]:
        name = called_name(call)
        size = keyword(call, "size")
        sizes = [size] if size is not None else list(call.args)
        if name in shapes.SIZE_AT and size is None:
            sizes = sizes[shapes.SIZE_AT[name] :][:1]
        if len(sizes) == 1 and isinstance(sizes[0], ast.Tuple | ast.List):
            sizes = list(sizes[0].elts)
        elif name in _RANGES:
            for each in sizes:
                amount = Site(site.module, each)
                yield from self._by_amount(self._changing(amount) or site, amount)
            return
        elif len(sizes) == 1 and isinstance(sizes[0], ast.Starred | ast.Name | ast.Attribute):
            yield from self._of_shape(site, Site(site.module, sizes[0]), dimension)
            return
        chosen = sizes if dimension is None else sizes[dimension : dimension + 1]
        for each in chosen:
            yield from self._by_amount(site, Site(site.module, each))

    def _of_shape(self, maker: Site, shape: Site, dimension: int | None) -> Iterator[_Asked]:
        """Follow a shape that is handed over as one value: a tuple, or another tensor's."""
        for origin in self._origins.of(shape):
            node, module = origin.site.node, origin.site.module
            if isinstance(node, ast.Tuple | ast.List):
                chosen = node.elts if dimension is None else node.elts[dimension : dimension + 1]
                for each in chosen:
                    yield from self._by_amount(Site(module, each), Site(module, each))
            elif isinstance(node, ast.Attribute) and node.attr == "shape":
                yield _Asked(Site(module, node.value), (), dimension)
            elif dimension in (0, None):
                yield from self._by_amount(maker, origin.site)

    def _joined(self, site: Site, call: ast.Call, dimension: int | None) -> Iterator[_Asked]:
        if not call.args:
            return
        parts = Site(site.module, call.args[0])
        given = keyword(call, "dim") or keyword(call, "axis")
        if given is None and len(call.args) > 1:
            given = call.args[1]
        along = 0 if given is None else _number(given)
        if called_name(call) == "stack":
            if dimension is None or along is None or along < 0:
                yield _Asked(parts, (), None)
                yield _Asked(parts, (), 0)
            elif dimension == along:
                yield _Asked(parts, (), 0)
            else:
                yield _Asked(parts, (None,), dimension - (dimension > along))
            return
        if dimension is None or along is None or along < 0 or dimension == along:
            yield _Asked(parts, (), 0)
        yield _Asked(parts, (None,), dimension)

    def _reshaped(
        self, site: Site, call: ast.Call, whole: Site | None, dimension: int | None
    ) -> Iterator[_Asked]:
        sizes = call.args if _receiver(site, call) is not None else call.args[1:]
        if len(sizes) == 1 and isinstance(sizes[0], ast.Tuple):
            sizes = sizes[0].elts
        if dimension is None or dimension >= len(sizes) or _number(sizes[dimension]) == -1:
            if whole is not None:
                yield _Asked(whole, (), 0 if dimension == 0 else None)
            return
        yield from self._by_amount(site, Site(site.module, sizes[dimension]))


def is_rest(site: Site) -> bool:
    """Return whether ``site`` is what is left in a list by a loop that handed on full ones.

    ``waiting`` behind ``for row in rows: waiting.append(row)`` with a ``waiting = []`` in between.
    """
    name = last_name(site.node)
    return bool(name) and any(
        isinstance(part, LOOPS)
        and (part.end_lineno or site.line) < site.line
        and _is_collecting(part, name)
        for part in ast.walk(site.scope)
    )


def _is_collecting(loop: ast.AST, name: str) -> bool:
    nodes = list(ast.walk(loop))
    return any(_fills(node, name) for node in nodes) and any(_empties(node, name) for node in nodes)


def _fills(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.AugAssign):
        return last_name(node.target) == name and isinstance(node.op, ast.Add)
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in containers.GROWS
        and last_name(node.func.value) == name
    )


def _empties(node: ast.AST, name: str) -> bool:
    """Return whether it empties: `full, waiting = waiting, []`, `del waiting[:]`, `b.clear()`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr == "clear" and last_name(node.func.value) == name
    if isinstance(node, ast.Delete):
        return any(
            isinstance(each, ast.Subscript) and last_name(each.value) == name
            for each in node.targets
        )
    if not isinstance(node, ast.Assign):
        return False
    pairs = [(target, node.value) for target in node.targets]
    for target, value in tuple(pairs):
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs += zip(target.elts, value.elts, strict=False)
    return any(last_name(target) == name and _is_emptied(value, name) for target, value in pairs)


def _is_emptied(value: ast.expr, name: str) -> bool:
    if isinstance(value, ast.List):
        return not value.elts
    if isinstance(value, ast.Call):
        return called_name(value) in ("list", "deque") and not value.args
    return (
        isinstance(value, ast.Subscript)
        and last_name(value.value) == name
        and isinstance(value.slice, ast.Slice)
        and value.slice.lower is not None
    )


def _is_of_length(test: ast.expr, name: str) -> bool:
    return any(
        isinstance(part, ast.Call)
        and called_name(part) == "len"
        and bool(part.args)
        and last_name(part.args[0]) == name
        for part in ast.walk(test)
    )


def _below(dimension: int | None, parts: Parts, *, removed: int = 0) -> int | None:
    """Return a whole's dimension, of which ``parts`` are asked for; ``removed``: the reverse."""
    if dimension is None:
        return None
    taken = sum(not isinstance(each, str) for each in parts)
    return dimension + taken - removed if dimension + taken >= removed else None


def _in_batch(name: str, dimension: int | None, parts: Parts) -> int | None:
    """Return the dimension asked for of a batch; a loader gives tuples: `for x, y in loader`."""
    of_batch = parts[1:]
    if name in loaders.BATCHING and of_batch and isinstance(of_batch[0], int):
        of_batch = of_batch[1:]
    return _below(dimension, of_batch)


def _is_joining(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and called_name(node) in shapes.CONCATENATES


def _is_typed_maker(call: ast.Call) -> bool:
    """`torch.FloatTensor(rows, width)`, and not of a list of numbers."""
    is_typed = called_name(call).endswith("Tensor") and len(call.args) > 1
    return is_typed and not call.keywords


def _drawn(call: ast.Call) -> ast.expr | None:
    """Return how many values numpy draws: `rng.choice(len(rows), size=8, replace=False)`."""
    at = shapes.DRAWN.get(called_name(call))
    if at is None:
        return None
    size = keyword(call, "size") or next(iter(call.args[at : at + 1]), None)
    return None if isinstance(size, ast.Tuple) else size


def _is_column(key: ast.expr) -> bool:
    """Return whether ``key`` names columns of a table: `rows["age"]`, `rows[["age", "sex"]]`."""
    names = key.elts if isinstance(key, ast.List) else [key]
    return all(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in names)


def _is_mask(node: ast.AST) -> bool:
    """`values > 0`, `~padding`, `kind == 2`; not an index."""
    return isinstance(node, ast.Compare) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert)
    )


def _sides(node: ast.BinOp) -> Iterator[ast.expr]:
    yield from (each for each in (node.left, node.right) if not isinstance(each, ast.Constant))


def _number(node: ast.expr) -> int | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):
        return None
    return value if isinstance(value, int) else None


def _receiver(site: Site, call: ast.Call) -> Site | None:
    """Find the tensor that ``call`` is a method of; None for a function, or a method of `self`."""
    if not isinstance(call.func, ast.Attribute):
        return None
    of = call.func.value
    begin: ast.AST = of
    while isinstance(begin, ast.Attribute):
        begin = begin.value
    is_imported = isinstance(begin, ast.Name) and begin.id in site.module.imported_names
    return None if is_imported or _is_variable(of, "self") else Site(site.module, of)


def _is_variable(node: ast.AST, name: str) -> bool:
    """Return whether ``node`` is the variable ``name``."""
    return isinstance(node, ast.Name) and node.id == name


def _tensor_of_size(site: Site, parts: Parts) -> _Asked | None:
    """Return the tensor that a number is a size of: `len(x)`, `x.shape[1]`, `x.size(1)`."""
    node, module = site.node, site.module
    if isinstance(node, ast.Subscript) and last_name(node.value) == "shape":
        number = _number(node.slice)
        of = node.value.value if isinstance(node.value, ast.Attribute) else node.value
        at = None if number is None or number < 0 else number
        return _Asked(Site(module, of), (), at)
    if isinstance(node, ast.Attribute) and node.attr == "shape":
        at = parts[0] if parts and isinstance(parts[0], int) else None
        return _Asked(Site(module, node.value), (), at)
    if not isinstance(node, ast.Call):
        return None
    if called_name(node) == "len" and node.args:
        return _Asked(Site(module, node.args[0]), (), 0)
    if called_name(node) == "size" and isinstance(node.func, ast.Attribute):
        given = _number(node.args[0]) if node.args else (parts[0] if parts else None)
        at = given if isinstance(given, int) and given >= 0 else None
        return _Asked(Site(module, node.func.value), (), at)
    return None


def _pads_to_longest(call: ast.Call) -> bool:
    padding = keyword(call, "padding")
    return isinstance(padding, ast.Constant) and padding.value in (True, "longest")


def _behind_reduction(call: ast.Call, dimension: int | None, *, is_method: bool) -> int | None:
    given = keyword(call, "dim") or keyword(call, "axis")
    position = 0 if is_method else 1
    if given is None and len(call.args) > position:
        given = call.args[position]
    at = None if given is None else _number(given)
    if at is None or dimension is None or keyword(call, "keepdim") is not None:
        return dimension
    return dimension + 1 if 0 <= at <= dimension else dimension


def _permuted(call: ast.Call, dimension: int | None, *, is_method: bool) -> int | None:
    order = [_number(each) for each in call.args[0 if is_method else 1 :]]
    if dimension is None or None in order or any(each < 0 for each in order if each is not None):
        return None
    if called_name(call) == "permute":
        return order[dimension] if dimension < len(order) else None
    if len(order) != 2 or dimension not in order:
        return dimension
    return order[1] if order[0] == dimension else order[0]


def _keeps_batch(call: ast.Call, dimension: int | None) -> bool:
    return dimension == 0 and called_name(call) == "flatten" and bool(call.args)
