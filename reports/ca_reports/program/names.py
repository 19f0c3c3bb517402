"""What the names of a program may hold: classes, functions, values; the same for every stack.

Python is not run here, so a name stands for all that is assigned to it anywhere in the program.
"""

from __future__ import annotations

import ast
from collections import deque
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeAlias

from ca_engine.lazy_classes import dataclass
from ca_reports.program.calls import (
    RecordedCalls,
    bound_arguments,
    fields_of,
    handed_over,
    registered,
    taken_by_name,
)
from ca_reports.program.positions import nodes_of
from ca_reports.program.syntax import (
    Module,
    Site,
    called_name,
    function_name,
    is_by_name,
    keyword,
    last_name,
    names_in,
    scope_name,
    targets_of,
)
from ca_reports.torchlib import containers, modules

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from ca_reports.program.stack import Frame
    from ca_reports.program.syntax import Program

# The statement, the attribute, what it gets.
AttributeChange: TypeAlias = "tuple[Site, ast.Attribute, ast.expr | None]"
# What a call of an object runs.
ENTRIES = ("forward", "__call__", "training_step", "__iter__", "__next__", "__getitem__")
# Methods of a module that give its tensors.
_TENSORS_OF = frozenset(
    (*modules.OF_PARAMETERS, *modules.OF_BUFFERS, "state_dict", "shape", "dtype")
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# What a function gives back, among the names of variables.
_RESULT = "{}()"
_MAX_STEPS = 600


@dataclass(frozen=True, slots=True)
class Classes:
    """Names of classes of the program, of one of which an object is.

    ``is_sure`` for the `self` of a method, and without names for what is of no class. Of what
    variables hold, others may be meant as well.
    """

    names: Collection[str] = ()
    is_sure: bool = False


class Names:
    """The variables, attributes and functions of a program, by their last names.

    All is found once: a program of hundreds of files has as many findings as a small one.
    """

    def __init__(self, program: Program, stacks: Iterable[Sequence[Frame]] = ()) -> None:
        """``stacks`` are those of all compiles, if the run's own recorder was there for them."""
        self.program = program
        self.recorded_calls = RecordedCalls(program, stacks)
        self._known_callees: dict[str, list[Site]] = {}
        self._known_methods: dict[ast.AST, list[Site]] = {}
        self._known_kin: dict[str, set[str]] = {}
        self._known_classes: dict[str, dict[str, None]] = {}
        self._known_reached: dict[str, frozenset[str]] = {}
        self._known_results: dict[ast.AST, tuple[Site, ...]] = {}
        self._known_bindings: dict[ast.AST, dict[str, list[Site]]] = {}
        self._known_nodes: dict[ast.AST, tuple[ast.AST, ...]] = {}
        self._known_filling: dict[ast.AST, dict[str, list[Site]]] = {}

    @cached_property
    def collating(self) -> tuple[Site, ...]:
        """Return the functions that make a loader's, or a trainer's, batches of samples."""
        names = {
            last_name(given.func if isinstance(given, ast.Call) else given)
            for call in self.program.sites(ast.Call)
            if isinstance(call.node, ast.Call)
            for argument in ("collate_fn", "data_collator")
            if (given := keyword(call.node, argument)) is not None
        }
        return tuple(
            site
            for name in sorted(names)
            for site in (
                *self.program.functions.get(name, ()),
                *self.program.method(name, "__call__"),
            )
        )

    def callees(self, call: ast.Call) -> list[Site]:
        """Find the functions of the program that ``call`` may run.

        Of methods of that name those of the object's class, where that is known.
        """
        name = called_name(call)
        if not name:
            return []
        if name not in self._known_callees:
            self._known_callees[name] = self._called(name)
        found = self._known_callees[name]
        if len(found) < 2:
            return found
        if call not in self._known_methods:
            self._known_methods[call] = self._methods_of(found, call.func)
        return self._known_methods[call]

    def meant_by(self, expression: ast.expr) -> list[Site]:
        """Return the functions of the program that a name or an attribute may be.

        A plain name is no method's, and an attribute one of the object's class, where these are.
        """
        found = list(self.program.functions.get(last_name(expression), ()))
        if isinstance(expression, ast.Name):
            return [each for each in found if each.module.owner(each.node) is None] or found
        return self._methods_of(found, expression)

    @cached_property
    def _attributes_in(self) -> dict[ast.AST, Module]:
        return {site.node: site.module for site in self.program.sites(ast.Attribute)}

    def _methods_of(self, functions: list[Site], attribute: ast.expr) -> list[Site]:
        """Return ``functions`` without those of an attribute's name that are not its object's.

        All of them if none is, and of what is no attribute.
        """
        module = self._attributes_in.get(attribute)
        if module is None or not isinstance(attribute, ast.Attribute):
            return functions
        classes = self.classes_of(Site(module, attribute.value)).names
        own = [
            each
            for each in functions
            if scope_name(each.node) == attribute.attr
            and (owner := each.module.owner(each.node)) is not None
            and self._is_any_kin((owner.name,), classes)
        ]
        if not own:
            return functions
        return [
            each for each in functions if each in own or scope_name(each.node) != attribute.attr
        ]

    def _called(self, name: str) -> list[Site]:
        found = list(self.program.functions.get(name, ()))
        for held in sorted(self.held.get(name, ())):
            found += self.program.functions.get(held, ())
            found += [self._lambdas[held]] if held in self._lambdas else []
        if name in self.program.classes:
            found += self.program.method(name, "__init__")
        for owner in self.made_of(name):
            found += self.program.method(owner, *ENTRIES)
        return found

    def made_of(self, name: str) -> Collection[str]:
        """Return the classes whose objects a variable called ``name`` may hold, by name."""
        if name not in self._known_classes:
            seen = self.reached(name)
            classes = sorted(one for one in seen if one in self.program.classes)
            self._known_classes[name] = dict.fromkeys(classes)
        return self._known_classes[name]

    def reached(self, name: str) -> frozenset[str]:
        """Return ``name`` and all that what it may hold is made of, by last names.

        Of `self.head = nn.Sequential(norm, nn.Linear(8, 8))` also ``Linear``, and what `norm` is.
        """
        if name not in self._known_reached:
            seen: set[str] = set()
            waiting = [name]
            while waiting and len(seen) < _MAX_STEPS:
                one = waiting.pop()
                if one not in seen:
                    seen.add(one)
                    # In one order, as the steps are counted: what is said is to be the same again.
                    waiting += sorted(self._mentioned.get(one, ()))
            self._known_reached[name] = frozenset(seen)
        return self._known_reached[name]

    def may_run(self, call: Site, owner: str) -> bool:
        """Return whether ``call`` may run an object of the class ``owner``.

        `self.head(x)` runs what the class around it made its own `head` of, and no variable that
        has that name elsewhere.
        """
        assert isinstance(call.node, ast.Call)
        if self.program.is_of_a_library(call.node, call.module):
            return False  # `np.mean(scores)`, where `mean` is a vector of parameters
        name, around = called_name(call.node), call.module.owner(call.scope)
        function = call.node.func
        is_own = isinstance(function, ast.Attribute) and call.module.is_receiver(function.value)
        own = [
            value
            for site, value in self.attributes.get(name, ())
            if is_own and around is not None and site.module.owner(site.scope) is around
        ]
        if not own and is_own and around is not None and self.program.method(around.name, name):
            return False  # its method, and no variable `loss`
        if not own:
            return owner in self.made_of(name)
        return any(owner in self.made_of(each) for value in own for each in self._held_in(value))

    def classes_of(self, value: Site) -> Classes:
        """Return the classes whose objects ``value`` may be."""
        node = value.node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            made = last_name(node.func)
            if made in self.program.classes:
                return Classes((made,), is_sure=True)
        is_super = isinstance(node, ast.Call) and last_name(node.func) == "super"
        around = value.module.class_of_self(node)
        if (is_super or value.module.is_receiver(node)) and around is not None:
            return Classes((around.name,), is_sure=True)
        return Classes(self.made_of(last_name(node)))

    def of_objects(
        self, changes: Iterable[AttributeChange], classes: Classes
    ) -> list[AttributeChange]:
        """Return the assignments that may be to attributes of objects of ``classes``.

        All but those that surely are not, if none is: what an object is made of is not all known.
        """
        own, others = [], []
        for change in changes:
            made = self.classes_of(Site(change[0].module, change[1].value))
            is_own = not made.names or self._is_any_kin(made.names, classes.names)
            if is_own or classes == Classes():
                own.append(change)
            elif not (made.is_sure and classes.is_sure):
                others.append(change)
        return own or others

    def is_no_object(self, name: str) -> bool:
        """Return whether a name is that of a file or function of the program, and of nothing else.

        Its attributes are no object's.
        """
        is_named = name in self._stems or name in self.program.functions
        return is_named and name not in self.variables

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(PurePath(file).stem for file in self.program.modules)

    def is_another(self, value: Site, classes: Classes) -> bool:
        """Return whether ``value`` surely is of none of ``classes``, nor of a kin of theirs."""
        made = self.classes_of(value)
        are_sure = made.is_sure and classes.is_sure
        return are_sure and not self._is_any_kin(made.names, classes.names)

    def are_others(self, owner: str, classes: Classes) -> bool:
        """Return whether objects of ``owner`` surely are none of ``classes``."""
        return classes.is_sure and not self._is_any_kin((owner,), classes.names)

    def with_own(self, attribute: str, line: Site | None) -> Classes:
        """Return the class of the method that ``line`` is in, if it reads `self.attribute`.

        Of a property what it gives is some other object's.
        """
        around = None if line is None else line.module.class_of_self(line.node)
        if line is None or around is None or self.program.method(around.name, attribute):
            return Classes()
        is_read = any(
            isinstance(node, ast.Attribute)
            and node.attr == attribute
            and line.module.is_receiver(node.value)
            for node in nodes_of(line.node)
        )
        return Classes((around.name,), is_sure=True) if is_read else Classes()

    def of_read(self, attribute: str, before: str, line: Site | None) -> Classes:
        """Return the classes of the object that ``line`` reads ``attribute`` of.

        If it is not of its own `self`, those of what the name ``before`` it is made of.
        """
        own = self.with_own(attribute, line)
        return own if own.names else Classes(self.made_of(before))

    def _is_any_kin(self, classes: Iterable[str], others: Collection[str]) -> bool:
        """Return whether one of ``classes`` is, or inherits from, or is inherited by, another."""
        return any(
            one in self._kin(other) or other in self._kin(one)
            for one in classes
            for other in others
        )

    def _kin(self, owner: str) -> set[str]:
        """Return a class and those that it inherits from, by name."""
        if owner not in self._known_kin:
            found: set[str] = set()
            waiting = [owner]
            while waiting:
                name = waiting.pop()
                if name not in found and name in self.program.classes:
                    found.add(name)
                    waiting += [
                        last_name(base)
                        for site in self.program.classes[name]
                        if isinstance(site.node, ast.ClassDef)
                        for base in site.node.bases
                    ]
            self._known_kin[owner] = found
        return self._known_kin[owner]

    def _held_in(self, value: ast.AST) -> set[str]:
        """Return names of what an expression hands on: ``hidden`` of `nn.Linear(config.hidden, 4)`.

        An attribute that the program sets, or a field, is what is read; the object that has it, or
        whose parameters are taken, is not handed on. Nor is what a class of the program is given.
        """
        found: set[str] = set()
        waiting = [value]
        while waiting:
            part = waiting.pop()
            if (
                isinstance(part, ast.Call)
                and (made := last_name(part.func)) in self.program.classes
            ):
                found.add(made)
                continue
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                found.add(part.id)
            elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load):
                found.add(part.attr)
                is_set = part.attr in self.attributes or part.attr in self.with_field
                if part.attr in _TENSORS_OF or (is_set and isinstance(part.value, ast.Name)):
                    continue
            waiting += ast.iter_child_nodes(part)
        return found

    @cached_property
    def _mentioned(self) -> dict[str, set[str]]:
        """Variable or attribute → the names in what is assigned to it, or looped over for it."""
        found: dict[str, set[str]] = {}
        for site in self.program.sites(
            ast.Assign, ast.AnnAssign, ast.For, ast.AsyncFor, ast.FunctionDef
        ):
            node = site.node
            if isinstance(node, ast.FunctionDef):
                for given in nodes_of(node):
                    if isinstance(given, ast.Return) and given.value is not None:
                        found.setdefault(node.name, set()).update(self._held_in(given.value))
                for argument in node.args.args:
                    if argument.annotation is not None:
                        known = found.setdefault(argument.arg, set())
                        known.update(names_in(argument.annotation))
                continue
            value, targets = _bound(node)
            if value is None:
                continue
            held = self._held_in(value)
            if isinstance(node, ast.For | ast.AsyncFor) and "self" in held:
                held |= self._elements_of_itself(site)
            for target in targets:
                found.setdefault(target, set()).update(held)
        for owner in self.program.classes:
            fields = fields_of(self.program, owner)
            for call in self.program.calls(owner):
                for name, given in bound_arguments(call.node, fields):
                    found.setdefault(name, set()).update(self._held_in(given))
        for call in self.program.calls(*containers.APPENDS):  # `self.layers.append(Layer(width))`
            if isinstance(call.node, ast.Call) and isinstance(call.node.func, ast.Attribute):
                known = found.setdefault(last_name(call.node.func.value), set())
                known.update(*map(self._held_in, call.node.args))
        return found

    def _elements_of_itself(self, loop: Site) -> set[str]:
        """Collect what a container of the program's own is made with: `for layer in self`."""
        owner = loop.module.owner(loop.scope)
        calls = [] if owner is None else self.program.calls(owner.name)
        return {
            name
            for call in calls
            if isinstance(call.node, ast.Call)
            for given in call.node.args
            for name in self._held_in(given)
        }

    @cached_property
    def variables(self) -> frozenset[str]:
        """Return the variables and attributes that something is assigned to."""
        sites = self.program.sites(ast.Assign, ast.AnnAssign, ast.For, ast.AsyncFor)
        return frozenset(name for site in sites for name in _bound(site.node)[1])

    @cached_property
    def held(self) -> dict[str, set[str]]:
        """Variable → the functions that it may hold: ``path = choice([self.short, self.long])``.

        Also by way of tables, of fields, and of what functions give back.
        """
        found: dict[str, set[str]] = {}
        behind: dict[str, set[str]] = {}
        known = {*self.program.functions, *self._lambdas}
        for target, value, module in self._handed_on():
            mentioned, called = _mentions(value, module)
            found.setdefault(target, set()).update(mentioned & known)
            behind.setdefault(target, set()).update(
                mentioned.difference(known), map(_RESULT.format, called.intersection(known))
            )
        for name, function in (
            *registered(self.program),
            *handed_over(self.program),
            *taken_by_name(self.program),
        ):
            found.setdefault(name, set()).add(function)
        return _followed(found, behind)

    @cached_property
    def bound_before(self) -> dict[str, int]:
        """Variable → how many arguments by place the `partial` that it holds puts before a call's.

        Without those that hold one of several numbers.
        """
        found: dict[str, set[int]] = {}
        for site in self.program.sites(ast.Assign, ast.AnnAssign):
            value, targets = _bound(site.node)
            for part in () if value is None else nodes_of(value):
                if isinstance(part, ast.Call) and called_name(part) == "partial":
                    for target in targets:
                        found.setdefault(target, set()).add(max(len(part.args) - 1, 0))
        return {name: min(counts) for name, counts in found.items() if len(counts) == 1}

    def _handed_on(self) -> Iterator[tuple[str, ast.AST, Module]]:
        """Yield (variable, value): what is assigned, looped over, given to a field, returned."""
        for site in self.program.sites(ast.Assign, ast.AnnAssign, ast.For):
            value, targets = _bound(site.node)
            if value is not None:
                yield from ((target, value, site.module) for target in targets)
        for owner in self.program.classes:
            fields = fields_of(self.program, owner)
            for call in self.program.calls(owner):
                for name, given in bound_arguments(call.node, fields):
                    yield name, given, call.module
        for name, functions in self.program.functions.items():
            for function in functions:
                for result in self.results(function):
                    yield _RESULT.format(name), result.node, function.module

    @cached_property
    def _lambdas(self) -> dict[str, Site]:
        return {function_name(site.node): site for site in self.program.sites(ast.Lambda)}

    def results(self, function: Site) -> tuple[Site, ...]:
        """Return what ``function`` returns or yields."""
        if function.node not in self._known_results:
            self._known_results[function.node] = tuple(_results(function))
        return self._known_results[function.node]

    def bound_in(self, scope: ast.AST, module: Module) -> dict[str, list[Site]]:
        """Name → the values that it is bound to in ``scope`` of ``module``, in their order."""
        if scope not in self._known_bindings:
            self._known_bindings[scope] = _bindings(nodes_of(scope), module)
        return self._known_bindings[scope]

    @cached_property
    def of_modules(self) -> dict[str, list[Site]]:
        """Name → the values that it is bound to outside of functions, of all modules."""
        found: dict[str, list[Site]] = {}
        for module in self.program.modules.values():
            for name, sites in _bindings(module.tree.body, module).items():
                found.setdefault(name, []).extend(sites)
        return found

    def own_nodes(self, scope: ast.AST) -> tuple[ast.AST, ...]:
        """Return the nodes of a function or module, without those of functions inside it."""
        if scope not in self._known_nodes:
            self._known_nodes[scope] = tuple(_own_nodes(scope))
        return self._known_nodes[scope]

    def filling_in(self, scope: ast.AST, module: Module, name: str) -> Sequence[Site]:
        """Return what puts something into a container of that name in a function of ``module``."""
        if scope not in self._known_filling:
            self._known_filling[scope] = _filling(self.own_nodes(scope), module)
        return self._known_filling[scope].get(name, ())

    @cached_property
    def filling(self) -> dict[str, list[Site]]:
        """Container → the statements and calls anywhere that put something into one so called."""
        found: dict[str, list[Site]] = {}
        for module in self.program.modules.values():
            for name, sites in _filling(module.nodes, module).items():
                found.setdefault(name, []).extend(sites)
        return found

    @cached_property
    def with_field(self) -> dict[str, list[str]]:
        """Field → the classes whose constructor takes it, as that of a dataclass does."""
        found: dict[str, list[str]] = {}
        for owner in self.program.classes:
            for field in dict.fromkeys(fields_of(self.program, owner)):
                found.setdefault(field, []).append(owner)
        return found

    @cached_property
    def of_classes(self) -> dict[str, list[Site]]:
        """Attribute → the values that bodies of classes give it, but for fields of dataclasses."""
        found: dict[str, list[Site]] = {}
        for owner, sites in self.program.classes.items():
            has_constructor = bool(self.program.method(owner, "__init__"))
            for site in sites:
                assert isinstance(site.node, ast.ClassDef)
                for each in site.node.body:
                    is_own = isinstance(each, ast.Assign) or (
                        has_constructor and isinstance(each, ast.AnnAssign)
                    )
                    value, targets = _bound(each) if is_own else (None, [])
                    if value is not None:
                        for name in targets:
                            found.setdefault(name, []).append(Site(site.module, value))
        return found

    @cached_property
    def attributes(self) -> dict[str, list[tuple[Site, ast.expr]]]:
        """Attribute → what is assigned to it anywhere: the statement or call, and the value."""
        found: dict[str, list[tuple[Site, ast.expr]]] = {}
        for site, target, value in self.attribute_changes:
            if value is not None:
                found.setdefault(target.attr, []).append((site, value))
        for site in self.program.sites(ast.Assign):
            assert isinstance(site.node, ast.Assign)
            for item in site.node.targets:
                if isinstance(item, ast.Subscript) and isinstance(item.value, ast.Attribute):
                    found.setdefault(item.value.attr, []).append((site, site.node.value))
        for owner in self.program.classes:
            if self.program.method(owner, "__init__"):
                continue
            fields = fields_of(self.program, owner)
            for call in self.program.calls(owner):
                for name, given in bound_arguments(call.node, fields):
                    found.setdefault(name, []).append((call, given))
        return found

    def changes_of(self, attribute: str) -> Sequence[AttributeChange]:
        """Return the assignments to attributes of that name, as `attribute_changes` has them."""
        return self._changes_by_name.get(attribute, ())

    @cached_property
    def _changes_by_name(self) -> dict[str, list[AttributeChange]]:
        found: dict[str, list[AttributeChange]] = {}
        for change in self.attribute_changes:
            found.setdefault(change[1].attr, []).append(change)
        return found

    @cached_property
    def attribute_changes(self) -> list[AttributeChange]:
        """Return assignments to attributes, in the order of the source."""
        return [
            (site, part, getattr(site.node, "value", None))
            for site in self.program.sites(ast.Assign, ast.AnnAssign, ast.AugAssign)
            for target in targets_of(site.node)
            for part in (target.elts if isinstance(target, ast.Tuple) else [target])
            if isinstance(part, ast.Attribute)
        ]


def _mentions(value: ast.AST, module: Module) -> tuple[set[str], set[str]]:
    """Return the names in ``value``, lambdas among them, and apart from these what it calls."""
    mentioned: set[str] = set()
    called: set[str] = set()
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Lambda):
            mentioned.add(function_name(part))
            continue
        if is_by_name(part):
            mentioned.add(ast.unparse(part))
        if isinstance(part, ast.Name | ast.Attribute):
            parent = module.parents[part]
            is_called = isinstance(parent, ast.Call) and parent.func is part
            (called if is_called else mentioned).add(last_name(part))
        waiting += ast.iter_child_nodes(part)
    return mentioned, called


def _followed(found: dict[str, set[str]], behind: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return what each variable holds by way of others."""
    is_growing = True
    while is_growing:
        is_growing = False
        for name, others in behind.items():
            own = found.setdefault(name, set())
            more = {each for other in others for each in found.get(other, ())} - own
            if more:
                own |= more
                is_growing = True
    return {name: functions for name, functions in found.items() if functions}


def _bound(node: ast.AST) -> tuple[ast.expr | None, list[str]]:
    """Return what ``node`` binds, and the names that it binds it to."""
    targets: list[ast.expr] = []
    value: ast.expr | None = None
    if isinstance(node, ast.Assign):
        value, targets = node.value, node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
        value, targets = node.value, [node.target]
    elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        value, targets = node.iter, [node.target]
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        value, targets = node.context_expr, [node.optional_vars]
    return value, [
        last_name(part)
        for target in targets
        for part in nodes_of(target)
        if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Store)
    ]


def _bindings(nodes: Iterable[ast.AST], module: Module) -> dict[str, list[Site]]:
    found: dict[str, list[Site]] = {}
    for node in nodes:
        value, targets = _bound(node)
        if value is not None:
            for name in dict.fromkeys(targets):
                found.setdefault(name, []).append(Site(module, value))
    return found


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    waiting = deque([scope])
    while waiting:
        node = waiting.popleft()
        yield node
        waiting += [each for each in ast.iter_child_nodes(node) if not isinstance(each, _FUNCTIONS)]


def _filling(nodes: Iterable[ast.AST], module: Module) -> dict[str, list[Site]]:
    found: dict[str, list[Site]] = {}
    for node in nodes:
        if not isinstance(node, ast.Assign | ast.AugAssign | ast.Call):
            continue
        for name in dict.fromkeys(_filled(node)):
            found.setdefault(name, []).append(Site(module, node))
    return found


def _filled(node: ast.Assign | ast.AugAssign | ast.Call) -> Iterator[str]:
    """Yield the containers that a statement or call puts something into."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in (
            *containers.APPENDS,
            "update",
        ):
            yield last_name(node.func.value)
        return
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        if isinstance(target, ast.Subscript):
            yield last_name(target.value)


def _results(function: Site) -> Iterator[Site]:
    """Yield what ``function`` returns or yields."""
    for node in nodes_of(function.node):
        if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) and node.value is not None:
            yield Site(function.module, node.value)
    if isinstance(function.node, ast.Lambda):
        yield Site(function.module, function.node.body)
