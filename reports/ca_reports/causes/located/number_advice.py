"""What to do about a Python number or text that changes, by what the compiled code asks of it.

A tensor is advised where nothing asks for the value (`ca_reports.program.uses`), and elsewhere what
serves instead: what needs the value is computed outside the compiled function.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.located import param_groups
from ca_reports.causes.located.arguments import function_at, inside
from ca_reports.causes.located.changes import free_variable
from ca_reports.causes.remedies import NoEdits, Remedy, otherwise
from ca_reports.causes.remedies import remedy as remedy_of
from ca_reports.program.quoted import statement
from ca_reports.program.syntax import Site, last_name
from ca_reports.program.uses import (
    Need,
    Reached,
    attribute_reads,
    one_after_another,
    reads_in,
    reads_of_values,
    shifted_range,
    use_of,
    uses_of,
    variable_reads,
)
from ca_reports.sentences.compiles import shared_part
from ca_reports.sentences.places import in_brief
from ca_reports.sentences.tensors import REBOUND
from ca_reports.torchlib.formulas import (
    FACTOR_OF,
    NUMBERS_ONLY,
    OPERATORS_OF_MATH,
    OTHERS_WRITTEN,
)
from ca_reports.words.numbers import agreeing
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from ca_reports.causes.findings import GuardedValue
    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Edit
    from ca_reports.program.names import Classes
    from ca_reports.program.uses import Use
    from ca_reports.run.model import Frame

_PLACES_TOLD = 3
_TENSOR: Edit = "tensor_number"
_DYNAMIC: Edit = "dynamic_ints"
_DYNAMIC_AGAIN: Edit = "dynamic_numbers"
# Where what asks for the number can be written with a tensor: by `torch.where`, or `take`.
_OR_TENSOR = frozenset((Need.TEST, Need.INDEX, Need.FUNCTION))
# What asks for a number that may be dynamic; of a test it depends on how it compares.
_DYNAMIC_NEEDS = frozenset((Need.SLICES, Need.SLICE, Need.SIZE, Need.TEST))
# What a number that is compiled for may be without more compiles than its second value makes.
_SERVED_AT_ONCE = frozenset((Need.SLICES, Need.SLICE, Need.SIZE))
# As sizes these are compiled for apart, and not where a number is only computed with (2.13.0).
_APART = frozenset(("0", "1"))
_LEAVE_OUT = (
    "drop dynamic=False (or `automatic_dynamic_shapes = False`), which compiles for each value: "
    "its second one then gets a graph for all"
)
_FROM_THE_START = "compile with dynamic=True"
# Names of the compiled function's arguments that only their place is known of.
_BY_PLACE = ("args", "kwargs")
_CONTAINERS = (ast.List, ast.ListComp, ast.Set, ast.SetComp, ast.Tuple)
_DISPLAYS = (ast.List, ast.ListComp, ast.Dict, ast.Set)


def remedy(trail: Trail) -> Remedy | None:
    """Return the remedy for the finding's number; None where no use of it is seen in the source.

    Its edit is the one that the sentence is about.
    """
    value, own = trail.finding.guarded_value, trail.finding.remedy
    if value is None:
        return None
    if value.holder == "group":
        is_said = own.edit == _DYNAMIC_AGAIN  # by the rule, of an entry that no scheduler writes
        of_group = None if is_said else param_groups.advice(value.source, trail.flow)
        return None if of_group is None else own.instead(of_group)
    if value.holder == "state":
        return None  # each step makes the next one's: nothing outside of it could pass a tensor
    uses = uses_in(trail, value)
    if not uses:
        return None
    # A text is no tensor, whatever asks for it; one that only picks is looked up outside.
    told = (Need.KEY,) if value.is_text else tuple(_BY_NEED)
    asking = sorted(
        (use for use in uses if use.need in told),
        key=lambda use: (not _is_noticed(use, trail), list(Need).index(use.need)),
    )
    if value.holder == "result":
        return own.instead(_of_result(asking, value))
    if asking and _is_dynamic_again(uses, value, trail):
        sentence = f"{_LEAVE_OUT} but 0 and 1; or: {_instead(asking, value)}"
        return remedy_of(sentence, (_DYNAMIC_AGAIN, *_others(own)))
    if asking and _is_spared_from_the_start(asking, value):
        sentence = f"to save even that, {_FROM_THE_START}; or: {_instead(asking, value)}"
        return remedy_of(sentence, (_DYNAMIC_AGAIN, *_others(own)))
    if asking:
        sentence = _instead(asking, value) + _as_tensor_besides(uses, asking, value)
        edited = _edited(own, sentence, asking, value)
        return _with_limit(edited) if _is_of_wanted_versions(asking[0], value, trail) else edited
    if value.holder == "module" and _is_of_plain_object(trail, value):
        value = replace(value, holder="attribute")
    if value.is_text:
        return None
    outside = _read_outside_of_compiled(value, trail)
    scope = " in the compiled code" if outside and are_seen(uses) else ""
    sentence = _as_tensor(uses, value) + scope + outside
    if value.is_dynamic_now:
        return own.instead(f"{sentence}; or {_FROM_THE_START}")
    if not _is_dynamic_again(uses, value, trail):
        return own.instead(sentence)
    return remedy_of(f"{sentence}; or {_LEAVE_OUT}", (*own.edits, _DYNAMIC_AGAIN))


def _as_tensor_besides(uses: Iterable[Use], asking: Sequence[Use], value: GuardedValue) -> str:
    """Say what else computes with a number of which an element is picked: it changes there, too."""
    is_picked = all(use.need in (Need.INDEX, Need.KEY) for use in asking)
    computing = [use for use in uses if use.need is Need.NOTHING and _is_computed(use)]
    if not is_picked or value.holder != "variable" or value.is_text or not computing:
        return ""
    return (
        f"; and a tensor in its place where it is computed with ({_places(computing)}), without "
        "which each value is still compiled for"
    )


def _is_computed(use: Use) -> bool:
    """Return whether arithmetic is done with the number itself."""
    parents = use.read.module.parents
    return isinstance(parents.get(use.read.node), ast.BinOp | ast.UnaryOp)


def _is_spared_from_the_start(asking: Sequence[Use], value: GuardedValue) -> bool:
    """Return whether `dynamic=True` spares its one compile more, and no tensor can be in its place.

    The source decides the latter by the first use of those ``asking`` for the value.
    """
    is_size = asking[0].need in _SERVED_AT_ONCE or asking[0].need is Need.FUNCTION
    return value.is_dynamic_now and is_size and _APART.isdisjoint(value.values)


def _is_dynamic_again(uses: Iterable[Use], value: GuardedValue, trail: Trail) -> bool:
    """Return whether torch makes the number dynamic once the program no more turns that off.

    Measured on torch 2.13.0, whole numbers from 5 to 10: one recompile of an argument, a variable
    of a closure, an attribute of a plain object and an entry of a dict, and five of an attribute of
    a module, of an object that a module has, and of a global.
    """
    is_asked = value.is_held_static and value.is_whole and value.holder in ("variable", "attribute")
    if value.path.root == "self" and not _has_plain_self(trail):
        return False
    return is_asked and all(use.need not in _BY_NEED or use.need in _SERVED_AT_ONCE for use in uses)


def are_seen(uses: Iterable[Use]) -> bool:
    """Return whether the source shows all that is done with a number."""
    return all(use.need is not Need.UNSEEN for use in uses)


def _is_of_plain_object(trail: Trail, value: GuardedValue) -> bool:
    """Return whether it is an attribute of an object that is no module, as far as is seen.

    That is `self` in a class that inherits from no other, or an argument of a function `forward`.
    """
    if value.source == f"self.{value.last}":
        return _has_plain_self(trail)
    start = inside(trail.compiled_at, trail.flow)
    if start is None or len(value.path.steps) != 1 or value.path.scope:
        return False
    function = start.scope
    is_method = isinstance(function, ast.FunctionDef) and (
        start.module.receiver(function) == value.path.root
    )
    return not is_method or _has_plain_self(trail)


def _has_plain_self(trail: Trail) -> bool:
    """Return whether `self` of the compiled method is of a class that inherits from no other."""
    start = inside(trail.compiled_at, trail.flow)
    owner = None if start is None else start.module.class_of_self(start.node)
    return owner is not None and not owner.bases and not owner.keywords


def value_needed(uses: Iterable[Use], needs: Container[Need] | None = None) -> str | None:
    """Say which of ``uses`` asks for the value of a number; None if none does.

    ``a key (probe.py:18)``. By default what asks for one that could stay in the graph.
    """
    wanted = _NEEDS_VALUE if needs is None else needs
    seen = list(uses)
    asking = [use for use in seen if use.need in wanted and not _is_kept_for_the_call(use)]
    if asking:
        return f"{_ASKS[asking[0].need]} ({_places(asking)})"
    # A function that sums it up ran outside of graphs. Measured on torch 2.13.0, a meter, six calls
    # with `capture_scalar_outputs`: no break and five recompiles, and without it a break and none.
    summed = [
        use
        for use in seen
        if needs is None and use.is_summed and use.read.scope is not seen[0].read.scope
    ]
    return f"added to what later calls read ({_places(summed)})" if summed else None


def needed_in_line(line: str) -> str | None:
    """Say what a quoted line asks of a tensor's value that it reads; None if nothing is seen.

    What a container keeps may go with the call: where the container is made is not in the line.
    """
    quoted = statement(line)
    needs = [use_of(read).need for read in (reads_of_values(quoted) if quoted else ())]
    return next((_ASKS[one] for one in needs if one in _NEEDS_VALUE - {Need.KEPT}), None)


def _is_kept_for_the_call(use: Use) -> bool:
    """Return whether what a container keeps goes with it: one that the function itself makes.

    One that outlives the call is compiled for at each length. Measured on torch 2.13.0, with
    `capture_scalar_outputs`, 12 calls: 8 graphs and then the limit; of a container of the call's 1.
    """
    call = use.at.node
    if use.need is not Need.KEPT or not isinstance(call, ast.Call):
        return False
    holder = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not isinstance(holder, ast.Name):
        return False
    made = use.at.module.bindings.definitions(holder)
    values = [getattr(use.at.module.parents.get(one), "value", None) for one in made]
    return (
        bool(values)
        and all(isinstance(one, _DISPLAYS) for one in values)
        and use.at.scope in (use.at.module.scope(one) for one in made)
    )


def _others(own: Remedy) -> list[Edit]:
    """Return the edits beside the first one, but for what makes modules' numbers dynamic."""
    return [
        one.edit
        for one in own.alternatives
        if not isinstance(one.edit, NoEdits) and one.edit != _DYNAMIC
    ]


def _edited(own: Remedy, sentence: str, asking: Sequence[Use], value: GuardedValue) -> Remedy:
    """Return the remedy of ``sentence`` by the edit for what asks for a number first."""
    others = _others(own)
    asked = [use.need for use in asking]
    if asked[0] is Need.FUNCTION:
        return remedy_of(sentence, (_TENSOR, *others))
    if asked[0] in (Need.SLICES, Need.SLICE) and _is_bound_of_module(value, asking):
        return remedy_of(sentence, (_DYNAMIC, *others))
    if asked[0] is Need.TEST and _made_again(asking[0], value):
        return remedy_of(sentence, ("made_in_call", *others))
    can_be_tensor = _TENSOR in own.edits and _OR_TENSOR.issuperset(asked)
    alternatives = [_TENSOR, *others] if can_be_tensor else others
    if asked[0] in (Need.INDEX, Need.KEY) and value.holder in ("attribute", "module"):
        alternatives = ["picked_outside", *alternatives]
    reason = f"`{value.short}` is {_ASKS[asked[0]]} ({in_brief(asking[0].at.frame)})"
    return Remedy(sentence, NoEdits(reason), tuple(map(otherwise, alternatives)))


def _is_of_wanted_versions(use: Use, value: GuardedValue, trail: Trail) -> bool:
    """Return whether the keys of a table are the versions, and more of them than the limit allows.

    Each selects code or sizes of its own, so that none serves another, and none comes but those
    that the table has.
    """
    is_limited = any(getattr(event, "is_refused", False) for event in trail.finding.events)
    return is_limited and value.selects and use.need is Need.KEY


def _with_limit(own: Remedy) -> Remedy:
    """Return the remedy with the limit raised as its last alternative."""
    return replace(own, alternatives=(*own.alternatives, otherwise("raised_limit")))


def _is_bound_of_module(value: GuardedValue, asking: Sequence[Use]) -> bool:
    """Return whether Dynamo can leave the bound of a slice a dynamic number of a module's.

    Where a loop or a key asks for it too, each value is compiled for.
    """
    stays = all(use.need in _DYNAMIC_NEEDS for use in asking)
    return value.holder == "module" and value.is_whole and stays


def uses_in(trail: Trail, value: GuardedValue) -> tuple[Use, ...]:
    """Find every use of a value in the code compiled for it; none where that is not known."""
    function = compiled_function(trail)
    reached = None if function is None else Reached(trail.names, function)
    path: Sequence[str] = value.path.names
    free = free_variable(value.path, trail.compiled_at, trail.flow)
    if free:
        path = [free]
    if value.holder == "global" and path:
        reads = variable_reads(trail.names, path[-1], reached)
    elif len(path) == 1 and function is not None and path[0] not in _BY_PLACE:
        reads = reads_in(function, path[0])
    elif len(path) > 1:
        reads = attribute_reads(trail.names, path[-1], reached)
    else:
        reads = []
    return uses_of(trail.names, reads, reached)


def compiled_function(trail: Trail) -> Site | None:
    """Return the function that was compiled for the finding's number; None if it is not known."""
    return function_at(trail.compiled_at, trail.flow)


def _is_noticed(use: Use, trail: Trail) -> bool:
    """Return whether the line is that of the guard that failed."""
    seen = trail.finding.noticed_at
    return seen is not None and (seen.file, seen.line) == (use.at.module.file, use.at.line)


def _own_name(value: GuardedValue) -> str:
    """Return what the method that has the number calls its module, as far as the path shows it."""
    return value.path.root if len(value.path.steps) == 1 and not value.path.scope else "self"


def _as_tensor(uses: Sequence[Use], value: GuardedValue) -> str:
    """Return a tensor in its place, with what has to change where it is read."""
    name = value.ref
    kind = "torch.tensor(…)" if value.is_whole else "torch.tensor(float(…))"
    tensor = {
        "variable": f"pass `{name}` as a tensor, `{kind}`, in every call",
        "attribute": f"make `{name}` a tensor where it is set, `{kind}`",
        "module": (
            f'make `{name}` a buffer, `{_own_name(value)}.register_buffer("{value.last}", {kind}, '
            f"persistent=False)`, {REBOUND}"
        ),
        "global": f"make `{name}` a tensor, `{kind}`, {REBOUND}",
    }[value.holder]
    return tensor + as_tensors(uses)


def as_tensors(uses: Sequence[Use]) -> str:
    """Return what a tensor in a number's place takes where nothing asks for its value.

    It goes after the words that make it one: ``: only arithmetic uses it``, or which functions have
    to be torch's, or to accept a tensor.
    """
    unseen = [use for use in uses if use.need is Need.UNSEEN]
    shifted = [use for use in uses if use.need is Need.SHIFT]
    replaced = {last_name(call.func) for use in uses for call, _ in use.by_torch}
    parts = [""]
    if replaced:
        by = sorted({_BY_TORCH.get(one, f"torch.{one}") for one in replaced})
        parts.append(f"with {listed([f'`{one}`' for one in by])} in place of Python's own")
    if shifted:
        parts.append(f"with {_shift(shifted[0])} ({_places(shifted)})")
    if unseen:
        called = listed(sorted({f"`{use.called or 'what is called'}`" for use in unseen}))
        parts.append(f"if {called} ({_places(unseen)}) accepts a tensor")
    return ", ".join(parts) + ("" if unseen else ": only arithmetic uses it")


def _shift(use: Use) -> str:
    """Write a range that a tensor shifts: ``torch.arange(n) + position``."""
    module, call = use.at.module, use.at.node
    assert isinstance(call, ast.Call)
    found = shifted_range(module, call)
    assert found is not None
    begin, count = found
    written = f"{module.code(call.func)}({module.code(count)}) + {module.code(begin)}"
    return f"`{written}` in place of `{module.code(call)}`"


def _read_outside_of_compiled(value: GuardedValue, trail: Trail) -> str:
    function = compiled_function(trail)
    if value.holder not in ("attribute", "module") or function is None:
        return ""
    return read_outside(value.last, function, trail.finding.noticed_at, trail)


def read_outside(attribute: str, function: Site, seen: Frame | None, trail: Trail) -> str:
    """Say where code that ``function`` does not reach asks for the number; empty if none does.

    A tensor would change that: ``tensor(8)`` is printed for ``8``, looked up as another key, and no
    argument of `round`. ``seen`` is a line that reads the attribute of its object.
    """
    reached = Reached(trail.names, function)
    own = trail.names.with_own(attribute, trail.program.at(seen))
    reads = [
        site
        for site in attribute_reads(trail.names, attribute, None)
        if not reached.has(site) and not _is_of_another(site, own, trail)
    ]
    asking = [
        use
        for use in uses_of(trail.names, reads)
        if not reached.has(use.at) and _is_changed_by_tensor(use)
    ]
    return (
        f"; where it is {_ASKS[asking[0].need]} outside ({_places(asking)}), read it by `.item()`"
        if asking
        else ""
    )


def _is_changed_by_tensor(use: Use) -> bool:
    """Return whether a tensor is another one for a use than its number.

    A test, an index or a `range` takes either, and an f-string writes a tensor's number.
    """
    if use.need is Need.VALUE:
        return use.called in NUMBERS_ONLY
    at = use.at.node
    is_formatted = isinstance(at, ast.FormattedValue) and at.conversion == -1
    is_in_container = isinstance(use.whole, _CONTAINERS)
    is_text = use.need is Need.TEXT and (not is_formatted or is_in_container)
    return is_text or use.need in (Need.KEY, Need.KEPT)


def _is_of_another(site: Site, own: Classes, trail: Trail) -> bool:
    """Return whether an attribute is surely that of an object of another class."""
    node = site.node
    held = Site(site.module, node.value) if isinstance(node, ast.Attribute) else None
    return held is not None and trail.names.is_another(held, own)


_BY_TORCH = {"min": "torch.clamp", "max": "torch.clamp", **OPERATORS_OF_MATH}


_IN_GRAPH = "set `torch._dynamo.config.capture_scalar_outputs = True`"
# What needs the value of a number that stays in the graph: it is compiled for each, or ends there.
_NEEDS_VALUE = frozenset((Need.LOOP, Need.INDEX, Need.KEY, Need.TEST, Need.KEPT))
# What a number that stays in the graph can be: of the others torch needs the value (2.13.0), and
# raises, or ends the graph.
_SYMBOLIC = frozenset((Need.SLICES, Need.SLICE, Need.SIZE, Need.VALUE, Need.FUNCTION, Need.TEXT))


def _of_result(asking: Sequence[Use], value: GuardedValue) -> str:
    """Return a number that the function reads off a tensor: it stays one, or stays in the graph."""
    name = value.short
    if not asking:
        return (
            f"keep `{name}` a tensor, which it was before the graph break: only arithmetic uses "
            f"it; or {_IN_GRAPH}, which leaves the number in the graph"
        )
    if {use.need for use in asking} <= _SYMBOLIC:
        words = listed(list(dict.fromkeys(_ASKS[use.need] for use in asking)))
        return (
            f"{_IN_GRAPH}, which leaves `{name}` in the graph as a number: it is {words} "
            f"({_places(asking)}), which can't be a tensor{cut_apart(asking)}"
        )
    return f"remove the graph break: {_instead(asking, value)}"


def cut_apart(uses: Iterable[Use]) -> str:
    several = [use for use in uses if use.need is Need.SLICES]
    if not several:
        return ""
    cut = several[0].at
    assert isinstance(cut.node, ast.Subscript)
    apart = one_after_another(cut.module, cut.node)
    written = f"`{apart}` " if apart else ""
    return (
        f"; and cut one dimension after the other, {written}({_places(several)}): with several at "
        "once torch loses a start that is a number in the graph, and raises"
    )


def _instead(asking: Sequence[Use], value: GuardedValue) -> str:
    """Return what serves where Python asks for the value, by the first of those that do."""
    first = asking[0]
    others = [use for use in asking if use.need is not first.need]
    told = _BY_NEED[first.need](first, value, asking)
    if not others:
        return told
    words = listed(list(dict.fromkeys(_ASKS[use.need] for use in others)))
    return f"{told}; it is also {words} ({_places(others)}), and that has to change"


def _loop(use: Use, value: GuardedValue, asking: Sequence[Use]) -> str:
    name, place = value.short, in_brief(use.at.frame)
    part = _part(use, value)
    if part is not None:
        return (
            f"`{name}` bounds the part of `{part[0]}` that the loop runs over ({place}), which "
            f"can't be a tensor: slice outside, pass `{part[1]}`, and loop over all of it; then "
            "only its length matters"
        )
    return (
        f"`{name}` sets how often a loop runs ({place}), which can't be a tensor: always run the "
        f"maximum number of rounds, and mask the extra ones (`torch.where(i < {name}, …)` with "
        f"`{name}` a tensor); or compile one round, and loop outside of it"
    )


def _part(use: Use, value: GuardedValue) -> tuple[str, str] | None:
    """Return the argument whose part a `range(first, last)` goes over, and how to cut it out of it.

    Where the loop picks one element after the other: `for i in range(first, last): x @ parts[i]`.
    """
    module, call = use.at.module, use.at.node
    loop = module.parents.get(call)
    if (
        not isinstance(call, ast.Call)
        or not isinstance(loop, ast.For)
        or value.holder != "variable"
    ):
        return None
    if len(call.args) != 2 or not isinstance(loop.target, ast.Name):
        return None
    bounds = [_plain(one) for one in call.args]
    function = module.scope(loop)
    parameters = {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
    picked = {
        node.value.id
        for node in ast.walk(loop)
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and last_name(node.slice) == loop.target.id
    }
    cut = sorted(picked & parameters)
    if len(cut) != 1 or "" in bounds or not set(bounds) <= parameters:
        return None
    return cut[0], f"{cut[0]}[{bounds[0]}:{bounds[1]}]"


def _plain(bound: ast.expr) -> str:
    """Return ``first`` of ``first`` and of ``first + 1``."""
    while isinstance(bound, ast.BinOp) and isinstance(bound.right, ast.Constant):
        bound = bound.left
    return bound.id if isinstance(bound, ast.Name) else ""


def _slice(use: Use, value: GuardedValue, asking: Sequence[Use]) -> str:
    name, place = value.short, in_brief(use.at.frame)
    masked = (
        f"keep the size and mask the rest (`torch.arange(size) < {name}` with `{name}` a tensor)"
    )
    begin = f"`{name}` is the bound of a slice ({place}), which can't be a tensor"
    if _is_bound_of_module(value, asking):
        return (
            f"{begin}: set `torch._dynamo.config.allow_unspec_int_on_nn_module = True` and compile "
            f"with dynamic=True, which keep it a dynamic number (except 0 and 1); or {masked}"
        )
    return f"{begin}: {masked}; or slice outside, and pass the part"


def _index(use: Use, value: GuardedValue, asking: Sequence[Use]) -> str:
    if value.selects:
        return _of_kinds(use, value)
    of = ast.unparse(use.at.node.value) if isinstance(use.at.node, ast.Subscript) else "it"
    return (
        f"`{value.short}` is an index ({in_brief(use.at.frame)}), which can't be a tensor: pick "
        f"the element of `{of}` outside the compiled function, and pass that; if `{of}` is a "
        f"tensor, `index_select` takes `{value.short}` as a tensor"
    )


def _key(use: Use, value: GuardedValue, asking: Sequence[Use]) -> str:
    """Say to look a key up outside: where an object is made with it, there."""
    if value.selects:
        return _of_kinds(use, value)
    place = in_brief(use.at.frame)
    table = _table(use)
    kept = value.holder in ("attribute", "module")
    where = (
        f"look it up where `{value.ref}` is set, and keep what it gives in its place"
        if kept
        else "look it up outside the compiled function, and pass what it gives"
    )
    return (
        f"`{value.ref}` is a key of {table} ({place}), and each key gets its own compile: {where}"
    )


def _of_kinds(use: Use, value: GuardedValue) -> str:
    """Say that what is looked up has other code or sizes: passing it in would change nothing."""
    return (
        f"`{value.short}` selects another kind of step ({_table(use)}, {in_brief(use.at.frame)}), "
        f"with functions or sizes of its own: {shared_part('what it selects')}; each kind is "
        "compiled once"
    )


def _table(use: Use) -> str:
    node = use.at.node
    found: ast.AST | None = None
    if isinstance(node, ast.Subscript):
        found = node.value
    elif isinstance(node, ast.Compare):
        found = node.comparators[0]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        found = node.func.value
    elif isinstance(node, ast.Call) and node.args:
        found = node.args[0]
    return "a table" if found is None else f"`{ast.unparse(found)}`"


def _size(use: Use, value: GuardedValue, asking: Sequence[Use]) -> str:
    return (
        f"`{value.short}` decides a size or a count (`{_code(use)}`, {in_brief(use.at.frame)}), "
        "which no tensor can be: keep one in every step and mask what is beyond it; or let it have "
        "a few values, each of which is compiled once"
    )


def _value(use: Use, value: GuardedValue, asking: Sequence[Use]) -> str:
    if _is_for_a_size(use):
        return (
            f"`{value.short}` decides a whole number (`{_code(use)}`, {in_brief(use.at.frame)}), "
            "which no tensor can be: keep one size or count in every step and mask what is beyond "
            "it; or let it have a few values, each of which is compiled once"
        )
    return (
        f"`{_code(use)}` ({in_brief(use.at.frame)}) needs `{value.short}` as a Python number: "
        "compute it outside the compiled function, and pass the result as a tensor"
    )


def _is_for_a_size(use: Use) -> bool:
    """Return whether a number is made whole for a size or an index: `x[:int(n)]`."""
    asks = (Need.SLICES, Need.SLICE, Need.INDEX, Need.LOOP, Need.SIZE)
    return isinstance(use.at.node, ast.Call) and use_of(use.at).need in asks


def _function(use: Use, value: GuardedValue, asking: Sequence[Use]) -> str:
    name, called = value.short, use.called
    place = in_brief(use.at.frame)
    if use.argument == FACTOR_OF.get(called, ("alpha",))[0]:
        return (
            f"make `{name}` a 0-dim tensor, and multiply by it instead of `{use.argument}=` "
            f"({place}), which takes a Python number only"
        )
    written = use.formula.short if use.formula is not None else OTHERS_WRITTEN.get(called)
    if written is not None:
        return (
            f"make `{name}` a 0-dim tensor and write `{called}` ({place}), which takes Python "
            f"numbers only, as `{written.format(name=name)}`"
        )
    return (
        f"keep one value: `{called}` ({place}) takes `{use.argument or name}` as a Python number "
        f"only; or make `{name}` a 0-dim tensor and set "
        "`torch._dynamo.config.capture_scalar_outputs = True`, without which it ends the graph"
    )


def _test(use: Use, value: GuardedValue, asking: Sequence[Use]) -> str:
    code = _code(use)
    kept = _made_again(use, value)
    if kept:
        them = listed([f"`{name}`" for name in kept], _PLACES_TOLD)
        return (
            f"`{value.short}` says when {them} {agreeing(len(kept), 'is', 'are')} made again "
            f"(`{code}`, {in_brief(use.at.frame)}): "
            f"make {them} in each call, in a variable and without the branch, which is one "
            "graph for any size; or do so outside the compiled code, and pass the result"
        )
    return (
        f"`{value.short}` decides a branch (`{code}`, {in_brief(use.at.frame)}): decide it outside "
        "the compiled function and pass the outcome, each of which is compiled once; "
        f"with `torch.where` in its place `{value.short}` can be a tensor"
    )


def _made_again(use: Use, value: GuardedValue) -> tuple[str, ...]:
    """Return what a branch keeps on an object, along with the value that says for what it is.

    ``mask`` of ``if n != self.size: self.size, self.mask = n, made(n)``.
    """
    module, node = use.at.module, use.at.node
    branch = next((one for one in (node, *module.around(node)) if isinstance(one, ast.If)), None)
    if branch is None:
        return ()
    kept = dict.fromkeys(
        part.attr
        for statement in branch.body
        for part in ast.walk(statement)
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)
    )
    return tuple(name for name in kept if name != value.last) if value.last in kept else ()


def _text(use: Use, value: GuardedValue, asking: Sequence[Use]) -> str:
    return (
        f"`{value.short}` is written into a text ({in_brief(use.at.frame)}): write it outside the "
        "compiled function"
    )


def _kept(use: Use, value: GuardedValue, asking: Sequence[Use]) -> str:
    return (
        f"`{value.short}` is put into a container ({in_brief(use.at.frame)}): do so outside the "
        "compiled function"
    )


_BY_NEED = {
    Need.LOOP: _loop,
    Need.SLICES: _slice,
    Need.SLICE: _slice,
    Need.INDEX: _index,
    Need.KEY: _key,
    Need.SIZE: _size,
    Need.VALUE: _value,
    Need.FUNCTION: _function,
    Need.TEST: _test,
    Need.TEXT: _text,
    Need.KEPT: _kept,
}
_ASKS = {
    Need.LOOP: "the bound of a loop",
    Need.SLICES: "the bound of a slice",
    Need.SLICE: "the bound of a slice",
    Need.INDEX: "an index",
    Need.KEY: "a key",
    Need.SIZE: "a size or a count",
    Need.VALUE: "made a Python number",
    Need.FUNCTION: "what a function takes as a Python number only",
    Need.TEST: "what a branch tests",
    Need.TEXT: "written into a text",
    Need.KEPT: "put into a container",
}


def _code(use: Use) -> str:
    node = use.at.node
    test = getattr(node, "test", None)
    return ast.unparse(node if test is None else test)


def _places(uses: Sequence[Use]) -> str:
    return listed(list(dict.fromkeys(in_brief(use.at.frame) for use in uses)), _PLACES_TOLD)
