"""Functions that are compiled once for each shape of the model's parameters.

An optimizer that updates one parameter after another, or a group of one shape, calls a compiled
function with each shape in its first step. The shapes are the model's: no later step brings more.
Or a module gets another parameter in the place of its own, as where adapters are swapped, or a
buffer: a table that is made again for a longer sequence.

Dynamo takes the sizes of parameters as static (``force_parameter_static_shapes``): neither
``dynamic=True`` nor `mark_dynamic` changes that, and ``dynamic=True`` none of a buffer that forward
replaces, measured on torch 2.13.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.dynamic_shapes import input_name, is_on_parameter
from ca_reports.torchlib import tensors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ca_reports.facts.events import RecompileFacts
    from ca_reports.run.model import Compile, EventKey, Frame

# How guards name a module's own.
_OF_SHAPE = frozenset(("size", "rank", "stride", "size_condition", "size_relation", "duck_size"))
# A parameter in a list that a function is given: ``fast[0]``.
# Of one function. Dynamo gives up earlier.
_MAX_RECOMPILES = 512

_Shapes = dict[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class ParameterShapes:
    """The recompiles of one function that is given another shape; ``recompiles`` are never empty.

    ``shapes`` are those of its first argument that is a tensor of at least one dimension, each
    once, in the order in which they came; empty where none is known. ``call`` is the user's line
    that called the function. ``in_list``: it is given lists of parameters, such as
    those of a layer.
    """

    recompiles: tuple[RecompileFacts, ...]
    shapes: tuple[tuple[int, ...], ...]
    call: Frame | None
    in_list: bool = False

    @property
    def are_static(self) -> bool:
        """Return whether all are sizes that are static because they are those of parameters.

        Several came: where one is dynamic, the second is compiled for any.
        """
        guards = [found.guard for found in self.recompiles]
        are_sizes = all(one.kind == "size" and is_on_parameter(one) for one in guards)
        return are_sizes and len(guards) > 1

    @property
    def function(self) -> str:
        """Return the name of the function; empty if unknown."""
        location = self.recompiles[0].compiled.location
        return "" if location is None else location.function


@dataclass(frozen=True, slots=True)
class ReplacedParameter:
    """The recompiles of one module for another shape of a parameter or buffer; never empty.

    Torch names one of the parameters that have another shape: ``source`` and ``index`` are that
    one and its dimension, ``sizes`` the sizes of it in their order.
    """

    recompiles: tuple[RecompileFacts, ...]

    @property
    def source(self) -> str:
        """Return the parameter or buffer as guards name it."""
        return self.recompiles[0].guard.source

    @property
    def is_buffer(self) -> bool:
        """Return whether it is a buffer."""
        return self.recompiles[0].path.has("buffer")

    @property
    def is_static(self) -> bool:
        """Return whether its sizes are static because they are a parameter's, and several came."""
        are_parameters = all(is_on_parameter(found.guard) for found in self.recompiles)
        return are_parameters and len(self.recompiles) > 1

    @property
    def index(self) -> int:
        """Return the dimension that varies."""
        known = (found.guard.index for found in self.recompiles)
        return next((index for index in known if index is not None), 0)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return the sizes of that dimension, each once."""
        told = (
            int(size)
            for found in self.recompiles
            if (found.guard.source, found.guard.index) == (self.source, self.index)
            for size in (found.guard.expected, found.guard.actual)
            if size is not None and size.isdecimal()
        )
        return tuple(dict.fromkeys(told))


def parameter_shapes(
    recompiles: Iterable[RecompileFacts], compiles: Iterable[Compile]
) -> tuple[ParameterShapes, ...]:
    """Find such functions among the recompiles of forwards; ``compiles`` are all of the process."""
    by_code: dict[str, list[RecompileFacts]] = {}
    recompiles, compiles = tuple(recompiles), tuple(compiles)
    given = _given_another(compiles)
    for recompile in recompiles:
        if _is_of_parameters(recompile) or recompile.compiled.key in given:
            by_code.setdefault(recompile.compiled.code_number, []).append(recompile)
    firsts = {one.code_number: one for one in reversed(compiles) if one.code_number in by_code}
    found = (_of_code(firsts[code], group[:_MAX_RECOMPILES]) for code, group in by_code.items())
    return tuple(one for one in found if one is not None)


def replaced_parameters(
    recompiles: Iterable[RecompileFacts], compiles: Iterable[Compile]
) -> tuple[ReplacedParameter, ...]:
    """Find parameters and buffers of one module that had another shape each time.

    A size of a parameter may be that of another module, where several share their code: whoever
    does not know which module it was takes it for that.
    """
    groups: dict[tuple[str, str], list[RecompileFacts]] = {}
    for recompile in recompiles:
        guard, code = recompile.guard, recompile.compiled.code_number
        if guard.kind == "size" and guard.index is not None and recompile.path.has("parameter"):
            groups.setdefault((code, "parameter"), []).append(recompile)
        elif guard.kind in ("size", "rank") and recompile.path.has("buffer"):
            groups.setdefault((code, guard.source), []).append(recompile)
    codes = {code for code, _ in groups}
    own: dict[str, set[int | None]] = {}
    for compiled in compiles if groups else ():
        if compiled.code_number in codes and compiled.held is not None:
            own.setdefault(compiled.code_number, set()).add(compiled.own_object)
    return tuple(
        ReplacedParameter(tuple(group[:_MAX_RECOMPILES]))
        for (code, _), group in groups.items()
        if len(own.get(code, ())) == 1
        and None not in own[code]
        and any(found.guard.kind == "size" for found in group)
    )


def _is_of_parameters(recompile: RecompileFacts) -> bool:
    held = recompile.compiled.held
    if held is not None and held.optimizer:
        return True
    # A module's own parameter has another size in another module, which is another cause.
    path = recompile.path
    return is_on_parameter(recompile.guard) and (path.is_variable or path.element is not None)


def _given_another(compiles: Iterable[Compile]) -> set[EventKey]:
    """Return the compiles of functions that were given a parameter of a shape not met before.

    It is another object than those before, as in an update that the program calls for each
    parameter, whether or not an optimizer of torch's does: no batch is a parameter, and other
    tensors that are given beside it have its shape. Every earlier compile of the code was given
    one, too.
    """
    met: dict[str, set[int | None]] = {}
    shapes: dict[str, set[tuple[object, ...]]] = {}
    found = set()
    for compiled in compiles:
        if not compiled.is_forward:
            continue
        objects = met.setdefault(compiled.code_number, set())
        known = shapes.setdefault(compiled.code_number, set())
        given = () if compiled.held is None else compiled.held.arguments
        own = [held for _, held in given if held.type in tensors.PARAMETER_TYPES]
        identities, shape = {held.identity for held in own}, tuple(held.shape for held in own)
        # A layer's input beside its scale: the function is called at another place of a model.
        are_alone = all(not held.shape or held.shape in shape for _, held in given)
        is_known = are_alone and bool(own) and None not in identities | objects
        if is_known and known and shape not in known and identities.isdisjoint(objects):
            found.add(compiled.key)
        objects |= identities or {None}
        known.add(shape)
    return found


def _of_code(first: Compile, group: Sequence[RecompileFacts]) -> ParameterShapes | None:
    known = [_shapes(first, group[0].compiled)]
    own = []
    for recompile in group:
        shapes = _shapes(recompile.compiled, recompile.compiled)
        is_new = shapes and all(_differ(shapes, other) for other in known)
        if is_new or recompile.guard.kind in _OF_SHAPE:
            own.append(recompile)
        known.append(shapes)
    if not own:
        return None
    stack = own[0].compiled.stack
    each = dict.fromkeys(next(iter(shapes.values())) for shapes in known if shapes)
    in_list = any(recompile.path.element is not None for recompile in own)
    call = stack[-2] if len(stack) > 1 else None
    return ParameterShapes(tuple(own), tuple(each), call, in_list)


def _shapes(compiled: Compile, named_by: Compile) -> _Shapes:
    """Return the shapes of tensors among the arguments; scalars say nothing.

    The first compile of a function has no record of ours: there they are those of its graph's
    inputs, by the names of another compile's arguments.
    """
    names = () if named_by.held is None else tuple(named_by.held.arguments)
    found: _Shapes = {}
    for name, held in names:
        if held.shape is None:
            continue
        shape: Sequence[object] = held.shape
        if compiled is not named_by:
            shape = compiled.inputs.get(input_name(name), ())
        sizes = tuple(size for size in shape if isinstance(size, int))
        if sizes and len(sizes) == len(shape):
            found[name] = sizes
    return found


def _differ(one: Mapping[str, tuple[int, ...]], other: Mapping[str, tuple[int, ...]]) -> bool:
    return any(other.get(name, shape) != shape for name, shape in one.items())
