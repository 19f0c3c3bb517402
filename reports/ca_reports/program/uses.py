"""What code does with a Python number, which says what a remedy may make of it.

A tensor takes a number's place where only arithmetic uses it. Where Python asks for the value (an
`if`, a `range`, an index, a key), a tensor ends the graph there, or raises: with torch 2.13.0 a
program goes from 6 compiles to 22. Sentences and patches ask here, and nowhere else.
"""

from __future__ import annotations

import ast
from collections import deque
from enum import Enum
from typing import TYPE_CHECKING, TypeGuard

from ca_engine.lazy_classes import dataclass
from ca_reports.program.syntax import (
    Site,
    bound_function,
    called_name,
    callee_of,
    is_starred,
    keys_of,
    last_name,
    parameters_of,
)
from ca_reports.program.tensors import compares_tensors, is_tensor
from ca_reports.torchlib import containers, formulas, modules, padding, shapes, tensors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.program.names import Names
    from ca_reports.program.syntax import Module
    from ca_reports.torchlib.formulas import Formula

_FUNCTIONAL = "torch.nn.functional."
# How many reads are followed, and how many functions are looked through for them.
_MAX_READS = 200
_MAX_FUNCTIONS = 400
# The arguments of a range that say where it begins and ends.
_ENDS, _ENDS_BY_NAME = 2, ("start", "end", "step", "out")
# What Python looks at of an object, whatever its value is.
_OF_OBJECTS = frozenset(("isinstance", "type", "id", "hasattr", "callable"))
_GROUPS = (ast.Tuple, ast.List, ast.Set, ast.Starred, ast.NamedExpr)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
# What Python makes of numbers as it does of tensors.
_COMPUTING = frozenset(("builtins.abs", "builtins.sum"))
# What the other one of `min` and `max` may be: a bound of `clamp` is a number or a tensor.
_BOUNDS = (ast.Constant, ast.Name, ast.Attribute, ast.BinOp)


class Need(Enum):
    """What a use of a number asks of it, those first that tell most of the cause."""

    LOOP = "how often a loop runs"
    SLICES = "the bound of slices of several dimensions at once"
    SLICE = "the bound of a slice"
    INDEX = "an index"
    KEY = "a key"
    SIZE = "a size or a count"
    VALUE = "its value, by a function of Python"
    FUNCTION = "a number, by a function of torch"
    TEST = "its truth, or how it compares"
    TEXT = "its text"
    KEPT = "nothing yet: a container keeps it"
    SHIFT = "nothing: a range of torch's begins at it, and is as long for any"
    UNSEEN = "what a function does that the source does not show"
    NOTHING = "nothing: it is computed with"


_READS_VALUE = frozenset(("item", "tolist", "float", "int", "bool"))
# What Python's own functions ask of a number.
_PYTHONS = (
    dict.fromkeys(formulas.CONVERTING, Need.VALUE)
    | dict.fromkeys(("min", "max"), Need.VALUE)
    | dict.fromkeys(("getattr", "setattr", "delattr"), Need.KEY)
    | dict.fromkeys(_OF_OBJECTS, Need.NOTHING)
    | {"range": Need.LOOP}
)


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a number.

    ``read`` is where it is read, ``at`` what asks for it: the call, the subscript, the comparison.
    ``whole`` is the formula of the number that is asked for. ``called`` is what asks, of a call the
    function's last name, and ``argument`` the parameter as far as it is named. ``by_torch`` are
    calls of Python's within the formula that torch has as well (`min`, `math.cos`), each with its
    argument that is made of the number.
    """

    need: Need
    read: Site
    at: Site
    whole: ast.expr
    called: str = ""
    argument: str = ""
    by_torch: tuple[tuple[ast.Call, ast.expr], ...] = ()

    @property
    def is_summed(self) -> bool:
        """Return whether it is added to what an object keeps, and later calls read with it."""
        parent = self.read.module.parents.get(self.whole)
        if not isinstance(parent, ast.AugAssign) or parent.value is not self.whole:
            return False
        return isinstance(parent.target, ast.Attribute | ast.Subscript)

    @property
    def formula(self) -> Formula | None:
        """Return the formula to replace a call by, so that it takes a tensor; None without one."""
        if self.need is not Need.FUNCTION or not isinstance(self.at.node, ast.Call):
            return None
        return formula_of(self.at.module, self.at.node)


def use_of(read: Site) -> Use:
    """Return what the statement around ``read`` does with it: the innermost thing that asks for it.

    `Need.NOTHING` where it is computed with only, and where the statement hands it on.
    """
    module = read.module
    node: ast.AST = read.node
    by_torch: list[tuple[ast.Call, ast.expr]] = []
    unseen: Use | None = None
    argument = ""

    def use(need: Need, at: ast.AST, called: str = "") -> Use:
        assert isinstance(node, ast.expr)
        assert isinstance(at, ast.expr | ast.stmt)
        found = Use(need, read, Site(module, at), node, called, argument, tuple(by_torch))
        return unseen if unseen is not None and need is Need.NOTHING else found

    while True:
        parent = module.parents.get(node)
        if isinstance(parent, ast.keyword):
            argument = parent.arg or ""
            parent = module.parents.get(parent)
        if isinstance(parent, ast.Slice):
            outer = module.parents[_outer(module, parent)]
            begins = _begins_of(outer, module, is_begin=parent.lower is node)
            return use(Need.SLICES if begins else Need.SLICE, outer)
        if not isinstance(parent, ast.expr):
            is_test = parent is not None and _is_test(node, parent)
            return use(_of_statement(node, parent), parent if parent and is_test else node)
        if isinstance(parent, ast.Call):
            if parent.func is node:
                return use(Need.NOTHING, node)
            if _is_of_torch_too(module, parent, node):
                assert isinstance(node, ast.expr)
                by_torch.append((parent, node))
            elif module.full_name(parent.func) not in _COMPUTING:
                need = _of_call(module, parent, node, argument)
                if need is Need.SIZE and _only_shifts(module, parent, read.node):
                    need = Need.SHIFT
                if need is not Need.UNSEEN:
                    return use(need, parent, last_name(parent.func))
                unseen = unseen or use(need, parent, called_name(parent))
            node, argument = parent, ""
            continue
        asked = _of_expression(module, parent, node)
        if asked is not None:
            return use(asked, parent)
        node = parent


def _outer(module: Module, node: ast.AST) -> ast.AST:
    """Return ``node``, or the tuple within brackets that it is a part of: ``x[:, a:b]``."""
    parent = module.parents[node]
    return parent if isinstance(parent, ast.Tuple) else node


def _begins_of(node: ast.AST, module: Module, *, is_begin: bool) -> bool:
    """Return whether several dimensions are cut at once, each from a begin, numbers among them.

    Where such a begin is read off a tensor in the graph, torch 2.13.0 loses one of the offsets and
    raises (`PendingUnbackedSymbolNotFound`); one dimension after the other it takes. What is
    written to needs no offset, unless `+=` reads it.
    """
    if not isinstance(node, ast.Subscript):
        return False
    around = module.parents.get(node)
    is_read = isinstance(node.ctx, ast.Load) or isinstance(around, ast.AugAssign)
    begins = [one.lower for one in keys_of(node) if begins_late(one)]
    return (
        is_read
        and len(begins) > 1
        and (is_begin or not all(isinstance(one, ast.Constant) for one in begins))
    )


def begins_late(key: ast.expr) -> TypeGuard[ast.Slice]:
    """Return whether a slice begins elsewhere than at the first element."""
    if not isinstance(key, ast.Slice) or key.lower is None:
        return False
    return not (isinstance(key.lower, ast.Constant) and key.lower.value in (0, None))


def one_after_another(module: Module, cut: ast.Subscript) -> str | None:
    """Write ``x[:, a:b, c:d]`` as ``x[:, a:b][:, :, c:d]``; None unless all keys are slices."""
    keys = keys_of(cut)
    if not all(isinstance(one, ast.Slice) for one in keys):
        return None
    parts: list[list[str]] = [[]]
    for at, key in enumerate(keys):
        if begins_late(key) and any(map(begins_late, keys[:at])):
            parts.append([":"] * at)
        parts[-1].append(module.code(key))
    return module.code(cut.value) + "".join(f"[{', '.join(part)}]" for part in parts)


def _is_test(node: ast.AST, parent: ast.AST | None) -> bool:
    return isinstance(parent, ast.If | ast.While | ast.Assert) and parent.test is node


def _of_statement(node: ast.AST, parent: ast.AST | None) -> Need:
    is_filter = isinstance(parent, ast.comprehension) and node in parent.ifs
    return Need.TEST if is_filter or _is_test(node, parent) else Need.NOTHING


def _of_expression(module: Module, parent: ast.expr, node: ast.AST) -> Need | None:
    """Return what an expression, no call, does with a part of it; None where it is a formula."""
    if isinstance(parent, ast.BinOp):
        return _of_operation(module, parent, node)
    if isinstance(parent, ast.UnaryOp):
        return Need.TEST if isinstance(parent.op, ast.Not) else None
    if isinstance(parent, ast.Compare):
        return _of_comparison(module, parent, node)
    if isinstance(parent, ast.BoolOp):
        # The last of them is what comes of it, and nobody asks whether it is true.
        return None if parent.values[-1] is node else Need.TEST
    if isinstance(parent, ast.IfExp):
        return Need.TEST if parent.test is node else None
    if isinstance(parent, ast.Subscript) and parent.slice is node:
        return Need.KEY if _is_mapping(module, parent.value) else Need.INDEX
    if isinstance(parent, ast.Dict):
        return Need.KEY if node in parent.keys else Need.NOTHING
    if isinstance(parent, ast.FormattedValue | ast.JoinedStr):
        return Need.TEXT
    is_part = isinstance(parent, _COMPREHENSIONS) and parent.elt is node
    return None if is_part or isinstance(parent, _GROUPS) else Need.NOTHING


def _of_operation(module: Module, parent: ast.BinOp, node: ast.AST) -> Need | None:
    other = parent.left if parent.right is node else parent.right
    if isinstance(other, ast.JoinedStr) or isinstance(getattr(other, "value", None), str):
        return Need.TEXT
    if isinstance(parent.op, ast.Mult) and isinstance(other, ast.List | ast.Tuple):
        return Need.SIZE
    return Need.NOTHING if is_tensor(module, other) else None


def _of_comparison(module: Module, parent: ast.Compare, node: ast.AST) -> Need:
    if all(isinstance(op, ast.Is | ast.IsNot) for op in parent.ops):
        return Need.NOTHING
    if compares_tensors(module, parent):
        return Need.NOTHING
    is_member = isinstance(parent.ops[0], ast.In | ast.NotIn) and parent.left is node
    written = isinstance(parent.comparators[0], ast.Tuple | ast.List | ast.Set)
    return Need.KEY if is_member and not written else Need.TEST


def _is_of_torch_too(module: Module, call: ast.Call, node: ast.AST) -> bool:
    """Return whether a call makes a number of another one as torch does: `min(n, 1)`, `math.exp`.

    Of two, as a `clamp`.
    """
    full, name = module.full_name(call.func), last_name(call.func)
    if full.startswith("math."):
        most = 2 if name in formulas.OPERATORS_OF_MATH else 1
        known = formulas.OF_MATH | formulas.OPERATORS_OF_MATH.keys()
        return name in known and len(call.args) == most
    others = [one for one in call.args if one is not node]
    is_pair = len(call.args) == 2 and len(others) == 1 and not call.keywords
    is_bound = full in ("builtins.min", "builtins.max")
    return is_bound and is_pair and isinstance(others[0], _BOUNDS)


def _of_call(module: Module, call: ast.Call, node: ast.AST, argument: str) -> Need:
    """Return what a call asks of an argument."""
    name, full = last_name(call.func), module.full_name(call.func)
    if full.startswith("math."):
        return Need.VALUE
    if full.startswith("builtins.") and name in _PYTHONS:
        return _PYTHONS[name]
    if isinstance(call.func, ast.Attribute) and name in containers.LOOKS_UP and not full:
        return Need.KEY
    if name in formulas.WRITING:
        return Need.TEXT
    if name in containers.KEEPS:
        return Need.KEPT
    if name in shapes.TAKES_COUNTS and full and call.args[:1] == [node]:
        return Need.NOTHING  # the tensor of `torch.chunk(x * scale, 2)`
    if name in padding.FILLED and _is_filling(call, node, argument, is_method=not full):
        return Need.NOTHING if name == "full" else Need.FUNCTION
    if name in shapes.TAKES_SIZES or name in shapes.TAKES_COUNTS:
        return Need.SIZE
    if takes_number(module, call, node, argument):
        return Need.FUNCTION
    # What an operator takes is in its schema, a number often.
    of_torch = full.startswith("torch.") and not full.startswith("torch.ops.")
    of_torch = of_torch or is_tensor(module, call)
    is_either = name in formulas.TAKING_EITHER and isinstance(call.func, ast.Attribute)
    return Need.NOTHING if of_torch or is_either else Need.UNSEEN


def _is_filling(call: ast.Call, node: ast.AST, argument: str, *, is_method: bool) -> bool:
    """Return whether an argument is the number that a tensor is filled with, and no size of it.

    Of these `torch.full` takes a tensor as well; the others end the graph (torch 2.13.0).
    """
    at = padding.FILLED[last_name(call.func)] - is_method
    return argument == "fill_value" or call.args[at : at + 1] == [node]


def shifted_range(module: Module, call: ast.Call) -> tuple[ast.expr, ast.expr] | None:
    """Return ``a`` and ``n`` of ``torch.arange(a, a + n)``, which is ``torch.arange(n) + a``.

    None of any other call: where the end is not counted from the begin, that decides its length.
    """
    if module.full_name(call.func) != "torch.arange" or len(call.args) != _ENDS or is_starred(call):
        return None
    begin, end = call.args
    if any(one.arg in _ENDS_BY_NAME for one in call.keywords):
        return None
    if not isinstance(end, ast.BinOp) or not isinstance(end.op, ast.Add):
        return None
    for same, count in ((end.left, end.right), (end.right, end.left)):
        if ast.dump(same) == ast.dump(begin):
            return begin, count
    return None


def _only_shifts(module: Module, call: ast.Call, read: ast.AST) -> bool:
    """Return whether a range begins at what is read, and ends as far from it for any value."""
    found = shifted_range(module, call)
    return found is not None and all(one is not read for one in ast.walk(found[1]))


def takes_number(module: Module, call: ast.Call, node: ast.AST, argument: str) -> bool:
    """Return whether ``call`` is of torch's and takes ``node`` as a Python number only."""
    index = call.args.index(node) if isinstance(node, ast.expr) and node in call.args else 0
    formula = formula_of(module, call)
    if formula is not None:
        given = formula.parameters[index] if index < len(formula.parameters) else ""
        return (argument or given) == formula.number
    called = last_name(call.func)
    if argument == "alpha" or (argument == "value" and called not in formulas.TAKING_EITHER):
        of_torch = module.full_name(call.func).startswith("torch.")
        return of_torch or called.startswith(formulas.ADDING)
    name = functional(module, call)
    by_place = not argument and index == 1 and name in formulas.SECOND
    return bool(name) and (argument in formulas.NUMBERS or by_place)


def functional(module: Module, call: ast.Call) -> str:
    """Name the function of `torch.nn.functional` that is called; empty for any other."""
    full = module.full_name(callee_of(call))
    return full.removeprefix(_FUNCTIONAL) if full.startswith(_FUNCTIONAL) else ""


def formula_of(module: Module, call: ast.Call) -> Formula | None:
    """Return the formula that does what ``call`` does, whichever argument changes; else None."""
    name = functional(module, call)
    found = next((one for one in formulas.FORMULAS if one.name == name), None)
    return found if found is not None and _fits(found, call) else None


def _fits(formula: Formula, call: ast.Call) -> bool:
    """Return whether every argument is one of the formula's; of a partial, each by its name."""
    if is_starred(call):
        return False
    given = {one.arg for one in call.keywords}
    most = len(formula.parameters) if formula.parameters[1] == formula.number else 2
    most = 1 if bound_function(call) is not None else most
    return given <= set(formula.parameters) and len(call.args) <= most


def _is_mapping(module: Module, container: ast.expr) -> bool:
    """Return whether what is in front of brackets is seen to be a dictionary."""
    if isinstance(container, ast.Dict | ast.DictComp):
        return True
    name = last_name(container)
    return bool(name) and any(
        isinstance(value, ast.Dict | ast.DictComp)
        or (isinstance(value, ast.Call) and last_name(value.func) in modules.MAPPINGS)
        for value in module.assigned_to.get(name, ())
    )


def uses_of(names: Names, reads: Iterable[Site], reached: Reached | None = None) -> tuple[Use, ...]:
    """Return every use of what ``reads`` read, and of the numbers that are made of it, each once.

    They are followed into variables, attributes, the program's own functions and what these give
    back, within the functions of ``reached``. A use that hands the number on to such a function is
    none of its own: what that does with it is.
    """
    found: dict[ast.AST, Use] = {}
    waiting = deque(reads)
    while waiting and len(found) < _MAX_READS:
        read = waiting.popleft()
        if read.node in found:
            continue
        use = found[read.node] = use_of(read)
        if use.need in (Need.NOTHING, Need.UNSEEN):
            taken = list(_taken(use, names))
            if taken:
                found[read.node] = Use(Need.NOTHING, read, use.at, use.whole)
            waiting += taken
            waiting += _handed_on(use, names, reached)
    return tuple(found.values())


def _taken(use: Use, names: Names) -> Iterator[Site]:
    """Yield where the functions of the program read the number that a call hands to them."""
    call = use.at.node
    if use.need is not Need.UNSEEN or not isinstance(call, ast.Call):
        return
    for function in names.callees(call):
        if not isinstance(function.node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        name = _parameter(function, call, use)
        if name:
            yield from reads_in(function, name)


def _parameter(function: Site, call: ast.Call, use: Use) -> str:
    """Return the parameter that ``call`` hands the number to; empty where that is not seen."""
    assert isinstance(function.node, ast.FunctionDef | ast.AsyncFunctionDef)
    if use.argument:
        return use.argument if use.argument in parameters_of(function.node) else ""
    order = parameters_of(function.node, by_place=True)
    if function.module.receiver(function.node) and function.module.owner(function.node) is not None:
        order = order[1:]
    at = next((at for at, one in enumerate(call.args) if one is use.whole), len(order))
    starred = any(isinstance(one, ast.Starred) for one in call.args[:at])
    return "" if starred or at >= len(order) else order[at]


def reads_of_values(site: Site) -> list[Site]:
    """Return the calls in a line that make a tensor a number."""
    return [
        Site(site.module, node)
        for node in ast.walk(site.node)
        if isinstance(node, ast.Call) and last_name(node.func) in _READS_VALUE
    ]


def reads_in(function: Site, name: str) -> list[Site]:
    """Return where a function, or one within it, reads what it calls ``name``."""
    module = function.module
    return [Site(module, read) for read in module.bindings.reads_in(function.node, name)]


def _reads_of(module: Module, definition: ast.AST) -> Iterator[Site]:
    yield from (Site(module, read) for read in module.bindings.uses(definition))


def _handed_on(use: Use, names: Names, reached: Reached | None) -> Iterator[Site]:
    """Yield the reads of what the number, or a number that is made of it, is assigned to."""
    module, whole = use.read.module, use.whole
    parent = module.parents.get(whole)
    if use.need is Need.UNSEEN or not _may_be_number(module, use):
        return
    if isinstance(parent, ast.NamedExpr):
        yield from _reads_of(module, parent.target)
    if isinstance(parent, ast.Return):
        scope = module.scope(parent)
        if isinstance(scope, ast.FunctionDef) and _is_property(scope):
            yield from attribute_reads(names, scope.name, reached)
        elif isinstance(scope, ast.FunctionDef):
            calls = names.program.calls(scope.name)
            yield from calls if reached is None else filter(reached.has, calls)
        return
    targets: list[ast.expr] = []
    if isinstance(parent, ast.Assign):
        targets = [one for target in parent.targets for one in _given(target, whole, use.read.node)]
    elif isinstance(parent, ast.AnnAssign | ast.AugAssign):
        targets = [parent.target]
    for target in targets:
        if isinstance(target, ast.Name):
            yield from _reads_of(module, target)
        elif isinstance(target, ast.Attribute):
            yield from attribute_reads(names, target.attr, reached)


def _given(target: ast.expr, value: ast.expr, part: ast.AST) -> list[ast.expr]:
    """Return the targets that get what ``part`` is in: of `a, b = n, m` one of the two."""
    if not isinstance(target, ast.Tuple | ast.List):
        return [target]
    if not isinstance(value, ast.Tuple | ast.List) or len(value.elts) != len(target.elts):
        return []
    pairs = zip(target.elts, value.elts, strict=True)
    return [one for one, given in pairs if any(node is part for node in ast.walk(given))]


def _may_be_number(module: Module, use: Use) -> bool:
    """Return whether the formula may be a number: no other part of it is used as a tensor."""
    whole: ast.AST = use.whole
    while isinstance(whole, ast.Tuple | ast.List):
        whole = next(one for one in whole.elts if any(n is use.read.node for n in ast.walk(one)))
    if is_tensor(module, whole):
        return False
    own = set(ast.walk(use.read.node))
    others = {
        node.id
        for node in ast.walk(whole)
        if isinstance(node, ast.Name)
        and node not in own
        and getattr(module.parents.get(node), "attr", "") not in tensors.SIZES
    }
    return not others & _tensors_by_use(module.scope(use.read.node))


def _tensors_by_use(scope: ast.AST) -> set[str]:
    """Return the variables of a function of which it asks what only a tensor has: `x.shape`."""
    return {
        node.value.id
        for node in ast.walk(scope)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.attr in tensors.ASKED_OF_TENSORS
    }


def attribute_reads(names: Names, name: str, reached: Reached | None) -> list[Site]:
    """Return where ``.name``, `["name"]` or `getattr(x, "name")` is read.

    In the functions of ``reached``, if in any.
    """
    every = [site for site in names.program.reads(name) if isinstance(site.node, ast.Attribute)]
    # `self.seen += 1` reads what it adds to.
    every += [
        Site(site.module, site.node.target)
        for site in names.program.sites(ast.AugAssign)
        if isinstance(site.node, ast.AugAssign)
        and isinstance(site.node.target, ast.Attribute)
        and site.node.target.attr == name
    ]
    every += [
        site
        for site in names.program.sites(ast.Subscript)
        if isinstance(site.node, ast.Subscript)
        and isinstance(site.node.ctx, ast.Load)
        and isinstance(site.node.slice, ast.Constant)
        and site.node.slice.value == name
    ]
    every += names.program.by_text("getattr", name)
    return every if reached is None else list(filter(reached.has, every)) or every


def variable_reads(names: Names, name: str, reached: Reached | None) -> list[Site]:
    """Return where a module's variable is read, by its name: in the functions of ``reached``."""
    every = names.program.reads(name)
    return every if reached is None else list(filter(reached.has, every)) or every


class Reached:
    """The functions that one of the program's calls, by name, and those that they call."""

    def __init__(self, names: Names, function: Site) -> None:
        """Collect what ``function`` calls, which is what is compiled."""
        self._functions: set[ast.AST] = {function.node}
        waiting = deque([function])
        while waiting and len(self._functions) < _MAX_FUNCTIONS:
            one = waiting.popleft()
            for node in ast.walk(one.node):
                for called in _called(node, names):
                    if called.node not in self._functions:
                        self._functions.add(called.node)
                        waiting.append(called)

    def has(self, site: Site) -> bool:
        """Return whether ``site`` is in one of the functions."""
        return any(one in self._functions for one in site.module.around(site.node))


def _called(node: ast.AST, names: Names) -> Iterator[Site]:
    """Yield the functions that a node runs: of a call, and of a property that is read."""
    if isinstance(node, ast.Call):
        yield from names.callees(node)
    elif isinstance(node, ast.Attribute):
        yield from filter(
            lambda site: _is_property(site.node), names.program.functions.get(node.attr, ())
        )


def _is_property(function: ast.AST) -> bool:
    decorators = getattr(function, "decorator_list", ())
    return any(last_name(one) in ("property", "cached_property") for one in decorators)
