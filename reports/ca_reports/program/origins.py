"""Follows a value backwards through the source to the expressions that make it.

`Flow.feeding` gives all that an expression is computed from. Here a value is only handed on: by
assignments, arguments and results, in and out of containers and objects, through loops over
generators, loaders and the program's own iterators. What computes it, picks it or is not known
is its origin. An expression may stand for a part of itself: the second of each pair that a
generator yields, a key of a dictionary.
"""

from __future__ import annotations

import ast
from collections import deque
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.program.calls import bound_arguments, fields_of
from ca_reports.program.scopes import COMPREHENSIONS
from ca_reports.program.syntax import (
    Module,
    Site,
    called_name,
    is_constant,
    is_slice,
    keyword,
    last_name,
)
from ca_reports.torchlib import containers, loaders, tensors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.program.flow import Flow

# What is taken of a value: an index, a key or a field; None: each element in turn.
Part = int | str | None
Parts = tuple[Part, ...]
_Handed = tuple[Site, Parts]

_MAX_STEPS = 400
_MAX_PARTS = 6
# A name that leads to more functions leads to none: in a large program `tok_embeddings`, made with
# a `device`, is of everything that has one.
_MOST_RUN = 12
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_ELEMENTWISE = ("iter", "list", "tuple", "sorted", "reversed", "islice", "cycle", "tqdm", "batched")


@dataclass(frozen=True, slots=True)
class Origin:
    """An expression, of which ``parts`` are the value; ``way`` is what the value came through.

    ``whole`` is the last of it that is the value, and no container of it; None if each was one.
    ``is_missing`` where a container is made without that part.
    """

    site: Site
    parts: Parts = ()
    way: tuple[Site, ...] = ()
    is_missing: bool = False
    whole: Site | None = None

    @property
    def is_none(self) -> bool:
        """Return whether there is no value."""
        return self.is_missing or is_constant(self.site.node, None)


class Origins:
    """The origins of values in one program."""

    def __init__(self, flow: Flow) -> None:
        """Follow calls as ``flow`` does."""
        self._flow = flow
        self._known_bindings: dict[ast.AST, dict[str, list[tuple[ast.expr | ast.stmt, Parts]]]] = {}
        # Attributes whose object is being followed: one question at a time of each.
        self._asking: set[ast.AST] = set()
        # Attribute → where its object comes from; each is asked for once, or it takes for ever.
        self._known_objects: dict[ast.AST, set[ast.expr | ast.stmt]] = {}

    def variable(self, name: str, at: Site, parts: Parts) -> list[tuple[Site, Parts]]:
        """Return what ``parts`` of the variable ``name`` are given, as seen from ``at``."""
        return self._variable(name, at.module, at.node, parts)

    def put_into(self, name: str, at: Site, parts: Parts) -> list[tuple[Site, Parts]]:
        """Return what the container ``name`` gets after it was made, of these ``parts``."""
        is_attribute = isinstance(at.node, ast.Attribute)
        scope = at.module.tree if is_attribute else at.scope
        return self._put_into(name, at.module, scope, parts)

    def of_variable(self, name: str, at: Site, parts: Parts = ()) -> list[Origin]:
        """Return where ``parts`` of what the variable ``name`` holds at ``at`` come from."""
        return self._followed(self._variable(name, at.module, at.node, parts))

    def entering(self, name: str, start: Site, parts: Parts = ()) -> list[Origin]:
        """Return where ``parts`` of ``name`` come from when the function of ``start`` is entered.

        What its callers give for a parameter, whatever it makes of it afterwards; of no parameter
        all that the variable holds.
        """
        function = start.scope
        given: list[_Handed] = []
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            given = self._given(Site(start.module, function), name, parts)
        return self._followed(given) if given else self.of_variable(name, start, parts)

    def of(self, start: Site, parts: Parts = ()) -> list[Origin]:
        """Return where ``parts`` of the expression ``start`` come from."""
        return self._followed([(start, parts)])

    def _followed(self, begin: list[_Handed]) -> list[Origin]:
        queue = deque(Origin(site, parts) for site, parts in begin)
        found: list[Origin] = []
        steps = 0
        while queue and steps < _MAX_STEPS:
            origin = queue.popleft()
            steps += 1
            # A value may come two ways; one that comes round has no origin there.
            is_round = any(site.node is origin.site.node for site in origin.way)
            if is_round or len(origin.parts) > _MAX_PARTS:
                continue
            if _lacks(origin.site.node, origin.parts):
                found.append(Origin(origin.site, origin.parts, origin.way, is_missing=True))
                continue
            way = (*origin.way, origin.site)
            whole = origin.whole if origin.parts else origin.site
            behind = [
                Origin(site, parts, way, whole=whole if parts else site)
                for site, parts in self.behind(origin.site, origin.parts)
            ]
            queue += behind
            if not behind:
                found.append(origin)
        return found

    def behind(self, site: Site, parts: Parts) -> list[tuple[Site, Parts]]:
        """Go one step back; nothing where the value is made or picked."""
        node, module = site.node, site.module
        if isinstance(node, ast.Name):
            return self._variable(node.id, module, node, parts)
        if isinstance(node, ast.Attribute):
            return self._attribute(site, node, parts)
        if isinstance(node, ast.Subscript):
            return _subscripted(site, node, parts)
        if isinstance(node, ast.Call):
            return list(self._called(site, node, parts))
        if isinstance(node, ast.IfExp):
            return [(Site(module, node.body), parts), (Site(module, node.orelse), parts)]
        if isinstance(node, ast.BoolOp):
            return [(Site(module, each), parts) for each in node.values]
        if isinstance(node, ast.NamedExpr | ast.Await | ast.Starred):
            return [(Site(module, node.value), parts)]
        merged = _merged(node, parts)
        if merged is not None:
            return [(Site(module, each), parts) for each in merged]
        return [(Site(module, each), parts[1:]) for each in _elements(node, parts)]

    # Variables

    def _variable(self, name: str, module: Module, at: ast.AST, parts: Parts) -> list[_Handed]:
        for around in (at, *module.around(at)):
            if isinstance(around, COMPREHENSIONS):
                found = [
                    (Site(module, each.iter), (None, *place, *parts))
                    for each in around.generators
                    for bound, place in _places(each.target)
                    if bound == name
                ]
            elif isinstance(around, _FUNCTIONS):
                found = self._in_scope(name, module, around, parts)
                if not isinstance(around, ast.Lambda):
                    found += self._given(Site(module, around), name, parts)
            elif isinstance(around, ast.Module):
                found = self._in_scope(name, module, around, parts)
            else:
                continue
            if found:
                return found
        return self._imported(name, module, parts)

    def _in_scope(self, name: str, module: Module, scope: ast.AST, parts: Parts) -> list[_Handed]:
        found: list[_Handed] = [
            (Site(module, value), (*place, *parts))
            for value, place in self._bindings(scope).get(name, ())
        ]
        if found and parts:
            found += self._put_into(name, module, scope, parts)
        return found

    def _put_into(self, name: str, module: Module, scope: ast.AST, parts: Parts) -> list[_Handed]:
        """Return what a container gets afterwards; one of a module's own from anywhere."""
        names = self._flow.names
        is_of_all = isinstance(scope, ast.Module)
        filling = (
            names.filling.get(name, ()) if is_of_all else names.filling_in(scope, module, name)
        )
        return [each for site in filling for each in _filled(name, site, parts)]

    def _bindings(self, scope: ast.AST) -> dict[str, list[tuple[ast.expr | ast.stmt, Parts]]]:
        if scope not in self._known_bindings:
            found: dict[str, list[tuple[ast.expr | ast.stmt, Parts]]] = {}
            for node in self._flow.names.own_nodes(scope):
                for name, value, place in _bound(node):
                    found.setdefault(name, []).append((value, place))
            self._known_bindings[scope] = found
        return self._known_bindings[scope]

    def _given(self, function: Site, parameter: str, parts: Parts) -> list[_Handed]:
        """Return what callers give for ``parameter``, else its default.

        A function that only a library calls may be given the key of that name of a batch.
        """
        assert isinstance(function.node, ast.FunctionDef | ast.AsyncFunctionDef)
        others = function.node.args.kwarg
        if others is not None and others.arg == parameter:
            return list(self._options(function, parts))
        given = self._flow.arguments(function, parameter)
        if given is None:
            return []
        found: list[_Handed] = [(site, (*place, *parts)) for site, place in given.found]
        if not found:
            batches = self._flow.names.collating
            found = [each for one in batches for each in self._given_back(one, (parameter, *parts))]
        if not found:
            found = [(site, parts) for site in self.keyed(parameter)]
        if given.default is not None and (given.is_left_out or not given.found):
            found.append((given.default, parts))
        return found

    def _options(self, function: Site, parts: Parts) -> Iterator[_Handed]:
        """Yield what callers give for a key of ``**options``, the first of ``parts``."""
        if not parts or not isinstance(parts[0], str):
            return
        for call in self._flow.callers(function):
            assert isinstance(call.node, ast.Call)
            given = keyword(call.node, parts[0])
            if given is not None:
                yield Site(call.module, given), parts[1:]
                continue
            for option in call.node.keywords:
                if option.arg is None:
                    yield Site(call.module, option.value), parts

    def keyed(self, key: str) -> list[Site]:
        """Find what the program stores in some dictionary under ``key``."""
        program = self._flow.program
        return [
            Site(site.module, site.node.value)
            for site in program.sites(ast.Assign)
            if isinstance(site.node, ast.Assign)
            and any(
                isinstance(target, ast.Subscript) and _is_key(target.slice, key)
                for target in site.node.targets
            )
        ] + [
            Site(site.module, value)
            for site in program.sites(ast.Dict)
            if isinstance(site.node, ast.Dict)
            for at, value in zip(site.node.keys, site.node.values, strict=True)
            if at is not None and _is_key(at, key)
        ]

    def _imported(self, name: str, module: Module, parts: Parts) -> list[_Handed]:
        genuine = next(
            (
                alias.name
                for node in module.nodes
                if isinstance(node, ast.ImportFrom)
                for alias in node.names
                if (alias.asname or alias.name) == name
            ),
            None,
        )
        if genuine is None:
            return [
                handed
                for other in module.beside
                for handed in self._in_scope(name, other, other.tree, parts)
            ]
        return [
            handed
            for other in self._flow.program.modules.values()
            if other is not module
            for handed in self._in_scope(genuine, other, other.tree, parts)
        ]

    # Attributes and containers

    def _attribute(self, site: Site, node: ast.Attribute, parts: Parts) -> list[_Handed]:
        flow = self._flow
        found: list[_Handed] = []
        for function in flow.program.functions.get(node.attr, ()):
            assert isinstance(function.node, ast.FunctionDef | ast.AsyncFunctionDef)
            if any(last_name(each) in _PROPERTIES for each in function.node.decorator_list):
                found += self._given_back(function, parts)
        classes = flow.names.classes_of(Site(site.module, node.value))
        for statement, target, value in flow.names.of_objects(
            flow.names.changes_of(node.attr), classes
        ):
            if isinstance(statement.node, ast.AugAssign):
                found.append((statement, ()))
            elif value is not None:
                place = _place_of(target, statement.node)
                found.append((Site(statement.module, value), (*place, *parts)))
        for owner in flow.names.with_field.get(node.attr, ()):
            for made in flow.program.classes[owner]:
                found += self._field(made, node.attr, parts, self._makers(site, node, owner))
        found += [(default, parts) for default in flow.names.of_classes.get(node.attr, ())]
        found += [(default, parts) for default in self._of_namespaces(node)]
        if found and parts:
            found += self._put_into(node.attr, site.module, site.module.tree, parts)
        if not found and isinstance(node.value, ast.Name):
            for file, module in flow.program.modules.items():
                if _stem(file) == node.value.id:
                    found += self._in_scope(node.attr, module, module.tree, parts)
        return found

    def _of_namespaces(self, node: ast.Attribute) -> Iterator[Site]:
        """Yield what a namespace is made with, and the default of a command line's option."""
        if last_name(node.value) in ("self", "cls"):
            return
        program = self._flow.program
        for call in program.calls(*_NAMESPACES):
            assert isinstance(call.node, ast.Call)
            given = keyword(call.node, node.attr)
            if given is not None:
                yield Site(call.module, given)
        for call in program.calls(_ADDS_OPTION):
            assert isinstance(call.node, ast.Call)
            if option_of(call.node) == node.attr:
                default = keyword(call.node, "default")
                # One that is only switched on has its default from what it is called.
                yield call if default is None else Site(call.module, default)

    def _makers(self, site: Site, node: ast.Attribute, owner: str) -> list[Site]:
        """Find the calls of the class ``owner`` that make the object of this attribute; else all.

        A batch may be of the class that its samples are of.
        """
        calls = self._flow.program.calls(owner)
        if len(calls) == 1 or node in self._asking:
            return calls
        if node not in self._known_objects:
            self._asking.add(node)
            origins = self.of(Site(site.module, node.value))
            self._asking.remove(node)
            self._known_objects[node] = {origin.site.node for origin in origins}
        made = self._known_objects[node]
        return [call for call in calls if call.node in made] or calls

    def _field(self, made: Site, name: str, parts: Parts, calls: Iterable[Site]) -> list[_Handed]:
        """Return what ``calls`` of a dataclass's constructor give for a field, and the default."""
        assert isinstance(made.node, ast.ClassDef)
        program = self._flow.program
        if program.method(made.node.name, "__init__"):
            return []  # its assignments are attributes'
        fields = fields_of(program, made.node.name)
        found: list[_Handed] = []
        is_left_out = False
        for call in calls:
            assert isinstance(call.node, ast.Call)
            given = keyword(call.node, name)
            place = fields.index(name)
            if given is None and place < len(call.node.args):
                given = call.node.args[place]
            if given is None:
                is_left_out = True
            else:
                found.append((Site(call.module, given), parts))
        for each in made.node.body if is_left_out else ():
            is_field = isinstance(each, ast.AnnAssign) and last_name(each.target) == name
            if is_field and isinstance(each, ast.AnnAssign) and each.value is not None:
                found.append((Site(made.module, each.value), parts))
        return found

    # Calls

    def _called(self, site: Site, call: ast.Call, parts: Parts) -> Iterator[_Handed]:
        module, name = site.module, called_name(call)
        first = Site(module, call.args[0]) if call.args else None
        of = Site(module, call.func.value) if isinstance(call.func, ast.Attribute) else None
        if name in loaders.LOADERS and parts[:1] == (None,):
            yield from self._loaded(site, call, parts)
        elif name in containers.LOOKS_UP and of is not None and first is not None:
            if isinstance(first.node, ast.Constant) and isinstance(first.node.value, str):
                yield of, (first.node.value, *parts)
                yield from ((Site(module, each), parts) for each in call.args[1:2])
        elif name == "next" and first is not None:
            yield first, (None, *parts)
        elif name == "enumerate" and first is not None:
            if parts[:2] == (None, 1):
                yield first, (None, *parts[2:])
        elif name == "zip":
            at = parts[1] if parts[:1] == (None,) and len(parts) > 1 else None
            if isinstance(at, int) and at < len(call.args):
                yield Site(module, call.args[at]), (None, *parts[2:])
        elif name == "prepare" and len(call.args) > 1:
            if parts and isinstance(parts[0], int) and parts[0] < len(call.args):
                yield Site(module, call.args[parts[0]]), parts[1:]
        elif name == "chain" and parts[:1] == (None,):
            yield from ((Site(module, each), parts) for each in call.args)
        elif name == "product" and parts[:1] == (None,) and len(parts) > 1:
            if isinstance(parts[1], int) and parts[1] < len(call.args):
                yield Site(module, call.args[parts[1]]), (None, *parts[2:])
        elif name == "map" and parts[:1] == (None,) and first is not None:
            for function in self._flow.program.functions.get(last_name(first.node), ()):
                yield from self._given_back(function, parts[1:])
        elif name in _ELEMENTWISE and parts and first is not None:
            yield first, (None, *parts[2:]) if name == "batched" else parts
        elif name == "prepare" and first is not None:
            yield first, parts
        elif name == "items" and of is not None and parts[:2] == (None, 1):
            yield of, (None, *parts[2:])
        elif name == "dict" and parts and isinstance(parts[0], str):
            given = keyword(call, parts[0])
            if given is not None:
                yield Site(module, given), parts[1:]
            else:
                options = [each.value for each in call.keywords if each.arg is None]
                yield from ((Site(module, each), parts) for each in (*call.args, *options))
        elif name in _FIELDS:
            yield from self._of_default(site, call, parts)
        else:
            yield from self._results(site, call, parts)

    def _of_default(self, site: Site, call: ast.Call, parts: Parts) -> Iterator[_Handed]:
        """Yield what `field(…)` of a dataclass says that the field is by default."""
        module = site.module
        default, made_by = keyword(call, "default"), keyword(call, "default_factory")
        if default is not None:
            yield Site(module, default), parts
        elif isinstance(made_by, ast.Lambda):
            yield Site(module, made_by.body), parts
        elif made_by is not None:
            for function in self._flow.program.functions.get(last_name(made_by), ()):
                yield from self._given_back(function, parts)

    def _loaded(self, site: Site, call: ast.Call, parts: Parts) -> Iterator[_Handed]:
        """Follow a loader's batch: what its collate function gives, else what its samples are."""
        collate = keyword(call, "collate_fn")
        if collate is None:
            data = call.args[0] if call.args else keyword(call, "dataset")
            if data is not None:
                yield Site(site.module, data), parts
            return
        if isinstance(collate, ast.Lambda):
            yield Site(site.module, collate.body), parts[1:]
        name = last_name(collate.func) if isinstance(collate, ast.Call) else last_name(collate)
        called = ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=[], keywords=[])
        for function in (
            *self._functions(called),
            *self._flow.program.method(name, "__call__"),
        ):
            yield from self._given_back(function, parts[1:])

    def _functions(self, call: ast.Call) -> list[Site]:
        """Find the functions that ``call`` runs, of an object too; a plain name is of no method."""
        on_stack = self._flow.run_by(call)
        if on_stack is not None:
            return [on_stack]
        found = self._flow.names.callees(call)
        if len(found) > _MOST_RUN:
            return []
        by_name = [
            each
            for each in found
            if isinstance(call.func, ast.Attribute)
            or each.module.owner(each.node) is None
            or getattr(each.node, "name", "") == "__call__"
        ]
        return [
            each for each in by_name or found if getattr(each.node, "name", "") not in _OF_OBJECTS
        ]

    def _results(self, site: Site, call: ast.Call, parts: Parts) -> Iterator[_Handed]:
        name = self._flow.program.called(site)
        if isinstance(call.func, ast.Attribute) and name in tensors.COMMON_METHODS:
            return
        if name in self._flow.program.classes:
            yield from self._of_field(site, call, name, parts)
            yield from self._of_object(name, parts)
            return
        if name in self._flow.program.named_tuples:
            yield from self._of_field(site, call, name, parts)
            return
        if self._flow.program.is_of_a_library(call, site.module):
            return
        for function in self._functions(call):
            yield from self._given_back(function, parts)

    def _of_field(self, site: Site, call: ast.Call, name: str, parts: Parts) -> Iterator[_Handed]:
        """Yield what a dataclass or named tuple is given for a field, by its name or place."""
        program = self._flow.program
        if not parts or program.method(name, "__init__"):
            return
        fields = program.named_tuples.get(name) or fields_of(program, name)
        for place, (field, given) in enumerate(bound_arguments(call, fields)):
            if parts[0] in (field, place, None):
                yield Site(site.module, given), parts[1:]
        for given in call.args:
            if isinstance(given, ast.Starred):
                yield Site(site.module, given.value), (None, *parts[1:])

    def _of_object(self, owner: str, parts: Parts) -> Iterator[_Handed]:
        """Yield the elements of an object of the program's that is looped over."""
        if not parts or parts[0] is not None:
            return
        program = self._flow.program
        for function in program.method(owner, "__next__", "__getitem__"):
            yield from self._given_back(function, parts[1:])
        for function in program.method(owner, "__iter__"):
            given = self._given_back(function, parts)
            yield from (each for each in given if last_name(each[0].node) != "self")

    def _given_back(self, function: Site, parts: Parts) -> Iterator[_Handed]:
        """Yield ``parts`` of what ``function`` returns; of a generator, of what it yields."""
        module = function.module
        if isinstance(function.node, ast.Lambda):
            yield Site(module, function.node.body), parts
            return
        nodes = self._flow.names.own_nodes(function.node)
        if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes):
            if is_context(function.node):
                parts = (None, *parts)
            if parts[:1] != (None,):
                return
            for node in nodes:
                if isinstance(node, ast.Yield) and node.value is not None:
                    yield Site(module, node.value), parts[1:]
                elif isinstance(node, ast.YieldFrom):
                    yield Site(module, node.value), parts
            return
        for node in nodes:
            if isinstance(node, ast.Return) and node.value is not None:
                yield Site(module, node.value), parts


_PROPERTIES = ("property", "cached_property")
# What makes an object of the attributes that it is given by name, and an option of a command line.
_NAMESPACES = ("SimpleNamespace", "Namespace")
_ADDS_OPTION = "add_argument"
# What says of a dataclass's field what it is by default.
_FIELDS = ("field", "Field")
_OF_OBJECTS = ("__init__", "__iter__", "__next__", "__getitem__")


def _stem(file: str) -> str:
    return file.replace("\\", "/").rpartition("/")[2].removesuffix(".py")


def _subscripted(site: Site, node: ast.Subscript, parts: Parts) -> list[_Handed]:
    key, of = node.slice, Site(site.module, node.value)
    if isinstance(key, ast.Constant) and isinstance(key.value, int | str):
        return [(of, (key.value, *parts))]
    # Of a slice, elements are those of the whole.
    is_slice = isinstance(key, ast.Slice) and parts[:1] == (None,)
    return [(of, parts)] if is_slice else []


def _elements(node: ast.AST, parts: Parts) -> list[ast.expr]:
    """Return the elements of a literal container that the first part of ``parts`` is, or may be."""
    if not parts:
        return []
    part = parts[0]
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        if isinstance(part, int) and not any(isinstance(e, ast.Starred) for e in node.elts):
            return node.elts[part : part + 1] if part >= 0 else node.elts[part:][:1]
        return node.elts if part is None else []
    if isinstance(node, ast.Dict):
        return [
            value
            for key, value in zip(node.keys, node.values, strict=True)
            if key is not None and _is_key(key, part)
        ]
    if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
        return [node.elt]
    if isinstance(node, ast.DictComp) and part is not None:
        return [node.value]
    return []


def _merged(node: ast.AST, parts: Parts) -> list[ast.expr] | None:
    """Return which of the dictionaries that one is made of has a key; None for one made of none.

    Of `{**base, "dynamic": False}` and `base | changes` the last that is seen to have it, else all
    that may.
    """
    if not parts or not isinstance(parts[0], str):
        return None
    made_of: list[ast.expr] = []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        made_of = [node.left, node.right]
    elif isinstance(node, ast.Dict) and None in node.keys:
        if _elements(node, parts):
            return None
        made_of = [one for at, one in zip(node.keys, node.values, strict=True) if at is None]
    else:
        return None
    for place in range(len(made_of) - 1, -1, -1):
        if isinstance(made_of[place], ast.Dict) and _elements(made_of[place], parts):
            return [made_of[place]]
    return [one for one in made_of if not _lacks(one, parts)]


def option_of(call: ast.Call) -> str:
    """Return the attribute that an option of a command line is kept as: `add_argument("--my-lr")`.

    Empty where the call does not show it.
    """
    kept = keyword(call, "dest")
    flags = [one.value for one in call.args if isinstance(one, ast.Constant)]
    texts = [flag for flag in flags if isinstance(flag, str)]
    if isinstance(kept, ast.Constant):
        return str(kept.value)
    long = [flag for flag in texts if flag.startswith("--")] or texts
    return long[0].lstrip("-").replace("-", "_") if long else ""


def _lacks(node: ast.AST, parts: Parts) -> bool:
    """Return whether ``node`` makes a dictionary that is seen to have no key of that name."""
    if not parts or not isinstance(parts[0], str):
        return False
    if isinstance(node, ast.Call) and called_name(node) == "dict":
        is_whole = not node.args and all(each.arg is not None for each in node.keywords)
        return is_whole and keyword(node, parts[0]) is None
    return isinstance(node, ast.Dict) and None not in node.keys and not _elements(node, parts)


def _is_key(node: ast.expr, part: Part) -> bool:
    return isinstance(node, ast.Constant) and part is not None and node.value == part


def _filled(name: str, filling: Site, parts: Parts) -> Iterator[_Handed]:
    """Yield what a statement or call puts into the container ``name``: by a key, or appended."""
    node, module = filling.node, filling.module
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if not isinstance(target, ast.Subscript) or last_name(target.value) != name:
                continue
            if is_slice(target):
                continue  # `atoms[at, : len(row)] = row` is no element of a container
            if parts[0] is None or _is_key(target.slice, parts[0]):
                yield Site(module, node.value), parts[1:]
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
        if _is_key(node.target.slice, parts[0]):
            yield filling, ()
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in containers.APPENDS and node.args and not isinstance(parts[0], str):
            yield Site(module, node.args[0]), parts[1:]
        elif node.func.attr == "update" and isinstance(parts[0], str):
            given = keyword(node, parts[0])
            if given is not None:
                yield Site(module, given), parts[1:]


def _bound(node: ast.AST) -> Iterator[tuple[str, ast.expr | ast.stmt, Parts]]:
    """Yield each variable that a statement binds, with the expression and the part of it."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from ((name, node.value, place) for name, place in _places(target))
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        yield from ((name, node.value, place) for name, place in _places(node.target))
    elif isinstance(node, ast.AugAssign):
        yield from ((name, node, ()) for name, _ in _places(node.target))
    elif isinstance(node, ast.For | ast.AsyncFor):
        yield from ((name, node.iter, (None, *place)) for name, place in _places(node.target))
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield from ((name, node.context_expr, ()) for name, _ in _places(node.optional_vars))


def _places(target: ast.expr, parts: Parts = ()) -> Iterator[tuple[str, Parts]]:
    """Yield the variables of an assignment's target, each with its place in it."""
    if isinstance(target, ast.Name):
        yield target.id, parts
    elif isinstance(target, ast.Tuple | ast.List):
        for place, each in enumerate(target.elts):
            yield from _places(each, (*parts, place))
    elif isinstance(target, ast.Starred):
        yield from _places(target.value, parts[:-1])


def _place_of(target: ast.Attribute, statement: ast.AST) -> Parts:
    for whole in getattr(statement, "targets", ()):
        if isinstance(whole, ast.Tuple) and target in whole.elts:
            return (whole.elts.index(target),)
    return ()


def is_context(function: ast.AST) -> bool:
    """Return whether a `with` gets what the generator ``function`` yields."""
    return any(
        last_name(each) in ("contextmanager", "asynccontextmanager")
        for each in getattr(function, "decorator_list", ())
    )
