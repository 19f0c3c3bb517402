"""Recompiles that every program of its kind has: they cost once, and nothing is to be changed.

The one of a helper for each place of a model that calls it with other arguments. Others are the
variant of a function for evaluation, beside the one for training (`mode_changes`), and the compile
in which Dynamo makes a size dynamic, at its second value (`input_sizes`; `dynamic_graphs` of a
backward).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from ca_reports.facts.dynamic_shapes import input_name
from ca_reports.facts.events import RecompileFacts
from ca_reports.facts.guard_paths import guard_path
from ca_reports.facts.size_changes import is_zero_one_guard

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.guard_trees import GuardTrees
    from ca_reports.facts.size_changes import SizeChange
    from ca_reports.run.model import Compile

    # Of each call its file, function, module and line.
    _Path = tuple[tuple[str, str, int | None, int], ...]

# The last call of a path: the compiled method, of the module that it is a method of.
_ITSELF = ("", "")


def other_uses(
    recompiles: Iterable[RecompileFacts], compiles: Iterable[Compile]
) -> tuple[RecompileFacts, ...]:
    """Return the recompiles for a first call from another place of the same model's forward.

    A function that several layers call, or that one calls for what has 3 dimensions and for what
    has 4, is compiled for each, as it would be if each had one of its own. The calls that led to
    every earlier compile of it have to be known, and to lead through one module. Called from a
    place again, with something else, it is compiled for a reason that can be changed. So is one
    for a flag that could be alike in all places, unless the arguments have other ranks as well.
    """
    by_key = {found.compiled.key: found for found in recompiles}
    known: dict[str, list[tuple[_Path | None, Mapping[str, int]]]] = {}
    found = []
    for compiled in compiles:
        if not compiled.is_forward:
            continue
        earlier = known.setdefault(compiled.code_number, [])
        path, ranks = _path(compiled), _ranks(compiled)
        recompile = by_key.get(compiled.key)
        if recompile is not None and path is not None:
            paths = [other for other, _ in earlier]
            is_new = None not in paths and path not in paths
            is_of_a_use = _is_of_a_use(recompile) or (
                recompile.guard.kind == "requires_grad"
                and all(_differ(ranks, others) for _, others in earlier)
            )
            if is_new and is_of_a_use and any(_share_a_module(path, one) for one in paths if one):
                found.append(recompile)
        earlier.append((path, ranks))
    return tuple(found)


def other_modules(
    recompiles: Iterable[RecompileFacts], compiles: Iterable[Compile], trees: GuardTrees
) -> tuple[RecompileFacts, ...]:
    """Return recompiles that are the first for a module which no graph of those before could serve.

    Modules of one class share their code: a generator and a discriminator that are both
    `nn.Sequential`. Their first compiles are compiled as if the code were two.
    """
    by_key = {found.compiled.key: found for found in recompiles}
    codes = {found.compiled.code_number for found in by_key.values()}
    known: dict[str, list[tuple[int | None, bytes | None]]] = {}
    found = []
    for compiled in compiles if codes else ():
        if compiled.code_number not in codes:
            continue
        earlier = known.setdefault(compiled.code_number, [])
        kind = trees.kind(compiled.compile_id)
        module, sizes = compiled.own_object, None if kind is None else kind.sizes
        recompile = by_key.get(compiled.key)
        is_known = module is not None and sizes is not None
        if recompile is not None and is_known and all(None not in one for one in earlier):
            of_others = module not in (one for one, _ in earlier)
            if of_others and sizes not in (one for _, one in earlier):
                found.append(recompile)
        earlier.append((module, sizes))
    return tuple(found)


def dynamic_graphs(
    changes: Sequence[SizeChange], steps: Iterable[tuple[int, int]]
) -> tuple[RecompileFacts, ...]:
    """Return the recompiles in which sizes of captured graphs became dynamic, one for each graph.

    Empty where sizes cost anything else: a capture, a forward, the same graph again. A later
    backward has to have run the graph.
    """
    by_capture: dict[int, RecompileFacts] = {}
    for change in changes:
        fact = change.fact
        if len(change.events) > 1 or not _is_made_dynamic(fact):
            return ()
        number = fact.capture.capture.id if fact.capture is not None else None
        if number is None or number in by_capture:
            return ()
        by_capture[number] = fact
    last = {number: step for step, number in steps if number in by_capture} if by_capture else {}
    is_served = all(last.get(one, -1) > (fact.step or 0) for one, fact in by_capture.items())
    return tuple(by_capture.values()) if is_served else ()


def are_of_new_modules(recompiles: Iterable[RecompileFacts], compiles: Iterable[Compile]) -> bool:
    """Return whether each recompile is of a module that its code was not compiled for before.

    A value that a module keeps from the first is compiled once for each kind of modules. One that
    is switched meets a module again.
    """
    keys = {found.compiled.key for found in recompiles}
    known: dict[str, set[int | None]] = {}
    for compiled in compiles:
        earlier = known.setdefault(compiled.code_number, set())
        module = compiled.own_object
        if compiled.key in keys and (None in {module, *earlier} or module in earlier):
            return False
        earlier.add(module)
    return True


def are_modules(uses: Sequence[RecompileFacts], first: Iterable[RecompileFacts]) -> bool:
    """Return whether the recompiles of one code are each for another module, and for no place.

    Each is among ``first``, those of `other_modules`, or failed on the size of parameters or on
    the number of modules in it: then the modules are others, wherever they are called. So they are
    where no module calls them, and no model has these as its places.
    """
    known = {one.compiled.key for one in first}
    modules = [one.compiled.own_object for one in uses]
    are_others = None not in modules and len(set(modules)) == len(modules)
    return all(
        one.compiled.key in known
        or (are_others and (_is_of_build(one) or _is_outermost(one.compiled)))
        for one in uses
    )


def _is_made_dynamic(fact: CaptureFacts | RecompileFacts) -> TypeGuard[RecompileFacts]:
    """Return whether it is a captured graph's recompile, which makes the size dynamic."""
    return (
        isinstance(fact, RecompileFacts)
        and fact.capture is not None
        and fact.step is not None
        and fact.compiled.settings.sizes != "static"
        and not is_zero_one_guard(fact.guard)
    )


def _is_outermost(compiled: Compile) -> bool:
    """Return whether no module is known to call what was compiled."""
    path = _path(compiled)
    return path is not None and all(module is None for _, _, module, _ in path[:-1])


def _is_of_build(recompile: RecompileFacts) -> bool:
    """Return whether the size of a parameter failed, or how many modules a module has."""
    guard = recompile.guard
    is_size = guard.kind == "size" and recompile.path.is_parameter
    return is_size or (guard.kind == "length" and recompile.path.attribute == "_modules")


def _path(compiled: Compile) -> _Path | None:
    """Return each call that led to the compile, with the module it was made in; None if unknown."""
    held = compiled.held
    if held is None or not held.modules or len(held.modules) != len(held.stack):
        return None
    calls = [
        (frame.file, frame.function, module, frame.line)
        for frame, module in zip(held.stack, held.modules, strict=True)
    ]
    return (*calls, (*_ITSELF, held.own_object, 0))


def _share_a_module(one: _Path, other: _Path) -> bool:
    """Return whether one call of one module led to both: they part in it or below it.

    Modules of torch's own are not among the calls: where one line called two modules, one of those
    did, or a loop of the program's.
    """
    for call, beside in zip(one, other, strict=False):
        if call[:2] == beside[:2] == _ITSELF:
            return None not in (call[2], beside[2])
        *place, line = call
        *place_beside, line_beside = beside
        if place != place_beside:
            return False
        if call[2] is not None:
            return True
        if line != line_beside:
            return False
    return False


def _ranks(compiled: Compile) -> dict[str, int]:
    """Return how many dimensions each input has, by its name in the graph."""
    given = () if compiled.held is None else compiled.held.arguments
    held = {input_name(name): len(one.shape) for name, one in given if one.shape is not None}
    return {**held, **{name: len(sizes) for name, sizes in compiled.inputs.items()}}


def _differ(ranks: Mapping[str, int], others: Mapping[str, int]) -> bool:
    return any(others.get(name, rank) != rank for name, rank in ranks.items())


def _is_of_a_use(recompile: RecompileFacts) -> bool:
    """Return whether a guard on what a place has of its own failed, and no new backward came of it.

    An argument, or how the module was built: each block has its number of channels, and each model
    its depth.
    """
    guard, held = recompile.guard, recompile.compiled.held
    if guard.kind in ("requires_grad", "type"):
        return False  # a flag or a class can be alike in all of them
    is_length = guard.kind == "length" or guard.text == f"not {guard.source}"
    if is_length and not (recompile.path.is_variable or _is_of_build(recompile)):
        return False  # an object that all places are given, and which each of them fills
    if any(caused.aot_replaced for caused in recompile.caused):
        return False
    if _is_of_build(recompile):
        return True
    names = set() if held is None else {guard_path(name).root for name, _ in held.arguments}
    return not recompile.path.is_global and recompile.path.root in names - {"self"}
