"""The values of padding, as operations of torch pass them on.

A batch is padded behind its longest sample. A tensor that holds padding has, for each dimension
that grows with it, what stands there: a number, or something finite that nobody knows.
An operation in which that takes part with what is no padding has no answer: `HasPartError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from math import inf, isinf
from typing import Any, TypeAlias, TypeGuard

from ca_engine.lazy_classes import dataclass
from ca_reports.torchlib import padding


class HasPartError(Exception):
    """Padding takes part in a result, or it is not known that it does not."""


class Known(Enum):
    """Padding whose value is not one number."""

    # Finite, and else unknown.
    ANY = "any"
    # What is not padded has no padding: the same along the dimension.
    SAME = "same"
    # The number of the place, as `arange` counts them: at least the longest sample's length.
    PLACE = "place"
    # No padding: the length of a sample, which is none above the longest's.
    LENGTH = "length"
    # No padding: the number of a place before the padding.
    BEFORE = "before"


Fill: TypeAlias = "float | bool | Known"
# A size before more padding and with it.
Size: TypeAlias = "tuple[int, int]"

_UNPADDED = {Known.SAME, Known.LENGTH, Known.BEFORE}
# What comes of comparing a place in the padding with what is none.
_AGAINST_PLACES: dict[Fill, dict[str, Fill]] = {
    Known.LENGTH: {"lt": False, "ge": True},
    Known.BEFORE: {"lt": False, "le": False, "gt": True, "ge": True, "eq": False, "ne": True},
}
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
# The one dimension of a tensor whose dimensions are not known.
WHOLE = 0


@dataclass(frozen=True, slots=True)
class Growing:
    """A number that is larger with more padding: a length, or what was computed of one."""

    now: int
    more: int


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor, by its dimensions (None where they are not known), and what its padding holds.

    ``fills`` has an entry for each dimension that grows with the padding; ``value`` is what all of
    it is, if it was made of one number, and ``unpadded`` is what is known of what is no padding.
    An element that is padding in several dimensions is finite, and else unknown. ``is_batch``:
    the first dimension is known not to grow, where the dimensions are not known.
    """

    dims: tuple[Size, ...] | None = None
    fills: Mapping[int, Fill] = field(default_factory=dict)
    value: float | bool | None = None
    unpadded: Known = Known.SAME
    is_batch: bool = False

    @property
    def is_padded(self) -> bool:
        """Return whether it holds padding."""
        return bool(self.fills)

    def fill(self, axis: int, rank: int) -> Fill:
        """Return what it holds at ``axis`` of what it is broadcast to, of ``rank`` dimensions."""
        if self.dims is None:
            return self.fills.get(WHOLE, self._unpadded)
        own = axis - (rank - len(self.dims))
        return self.fills.get(own, self._unpadded) if own >= 0 else self._unpadded

    @property
    def _unpadded(self) -> Fill:
        if self.value is not None:
            return self.value
        return self.unpadded

    def axis(self, dim: int) -> int:
        """Return the dimension ``dim``, which may be counted from the end."""
        assert self.dims is not None
        return dim + len(self.dims) if dim < 0 else dim


PLAIN = Tensor()


@dataclass(frozen=True, slots=True)
class Dimensions:
    """The sizes of a tensor that holds padding; the first may be known not to grow."""

    is_batch: bool


@dataclass(frozen=True, slots=True)
class Several:
    """The results of one operation, which are alike in what their padding holds."""

    made: Callable[[tuple[Size, ...] | None], Tensor]


def growing(dims: Sequence[Size] | None) -> list[int]:
    """Return the dimensions that grow with the padding."""
    if dims is None:
        return [WHOLE]
    return [at for at, (now, more) in enumerate(dims) if now != more]


def is_number(fill: object) -> TypeGuard[float]:
    """Return whether it is known which number ``fill`` is."""
    return isinstance(fill, int | float)


def elementwise(
    combine: Callable[..., Fill], operands: Sequence[Any], dims: tuple[Size, ...] | None
) -> Tensor:
    """Return what ``combine`` makes of each element of ``operands``."""
    tensors = [one for one in operands if isinstance(one, Tensor)]
    if dims is None and not any(one.is_padded for one in tensors):
        values = [one.value for one in tensors]
        return replace(tensors[0], value=None) if None in values and tensors else PLAIN
    rank = 0 if dims is None else len(dims)

    def fill(one: Any, axis: int) -> Fill:
        if isinstance(one, Tensor):
            return one.fill(axis, rank)
        if isinstance(one, bool | int | float):
            return one
        raise HasPartError("a number that is not known")

    return Tensor(
        dims, {axis: combine(*(fill(one, axis) for one in operands)) for axis in growing(dims)}
    )


def add(one: Fill, other: Fill) -> Fill:
    """Return the sum of two elements."""
    if is_number(one) and is_number(other):
        return float(one) + float(other)
    _no_places(one, other)
    endless = [each for each in (one, other) if is_number(each) and isinf(each)]
    return endless[0] if endless else _of(one, other)


def subtract(one: Fill, other: Fill) -> Fill:
    """Return the difference of two elements."""
    return add(one, -float(other) if is_number(other) else other)


def multiply(one: Fill, other: Fill) -> Fill:
    """Return the product of two elements: zero, whatever finite number zero is multiplied with."""
    if is_number(one) and is_number(other):
        return float(one) * float(other)
    _no_places(one, other)
    known = [each for each in (one, other) if is_number(each)]
    if any(isinf(each) for each in known):
        raise HasPartError("infinite numbers are multiplied")
    return 0.0 if any(each == 0 for each in known) else _of(one, other)


def divide(one: Fill, other: Fill) -> Fill:
    """Return the quotient of two elements."""
    if other is Known.ANY or (is_number(other) and other == 0):
        raise HasPartError("something is divided by padding")
    if is_number(one) and is_number(other):
        return float(one) / float(other)
    _no_places(one, other)
    return 0.0 if is_number(one) and one == 0 else _of(one, other)


def both(one: Fill, other: Fill) -> Fill:
    """Return whether both elements are true."""
    if any(is_number(each) and not each for each in (one, other)):
        return False
    return True if is_number(one) and is_number(other) else _of(one, other)


def either(one: Fill, other: Fill) -> Fill:
    """Return whether one of two elements is true."""
    if any(is_number(each) and each for each in (one, other)):
        return True
    return False if is_number(one) and is_number(other) else _of(one, other)


def inverted(one: Fill) -> Fill:
    """Return whether an element is not true."""
    return not one if is_number(one) else one


def compared(name: str) -> Callable[[Fill, Fill], Fill]:
    """Return what compares two elements, by the name of the comparison."""

    def compare(one: Fill, other: Fill) -> Fill:
        if is_number(one) and is_number(other):
            return bool(padding.COMPARES[name](one, other))
        # A place behind the longest sample is at least its length, and beyond each before it.
        if one is Known.PLACE and other in _AGAINST_PLACES:
            return _AGAINST_PLACES[other].get(name, Known.ANY)
        if other is Known.PLACE and one in _AGAINST_PLACES:
            return _AGAINST_PLACES[one].get(_MIRRORED[name], Known.ANY)
        return Known.SAME if {one, other} <= _UNPADDED else Known.ANY

    return compare


def chosen(condition: Fill, one: Fill, other: Fill) -> Fill:
    """Return the element that ``condition`` chooses."""
    if is_number(condition):
        return one if condition else other
    if is_number(one) and is_number(other) and one == other:
        return one
    _no_places(one, other)
    endless = any(is_number(each) and isinf(each) for each in (one, other))
    if endless and condition is not Known.SAME:
        raise HasPartError("a mask is not known where it is padded")
    return _of(one, other)


def _of(*fills: Fill) -> Fill:
    """Return what is known of an element that is computed of others."""
    return Known.SAME if all(one in _UNPADDED for one in fills) else Known.ANY


def _no_places(*fills: Fill) -> None:
    if Known.PLACE in fills:
        raise HasPartError("places are computed with")


def at_zero(name: str) -> Callable[[Fill], Fill]:
    """Return what an operation on each element by itself makes of one."""

    def made(one: Fill) -> Fill:
        if name == "exp" and one == -inf:
            return 0.0
        if is_number(one) and isinf(one):
            raise HasPartError(f"{name} of infinite numbers")
        _no_places(one)
        if name in ("neg", "negative") and is_number(one):
            return -float(one)
        return 0.0 if name in padding.OF_ZERO_ZERO and one == 0 else _of(one)

    return made


def reduced(
    name: str, one: Tensor, axes: Sequence[int] | None, dims: tuple[Size, ...] | None, *, kept: bool
) -> Tensor:
    """Return a reduction over ``axes``, all where there are none. Raises `HasPartError`."""
    if not one.is_padded:
        return Tensor(dims)
    neutral = padding.NEUTRAL.get(name)
    if one.dims is None:
        if neutral is None or one.fills[WHOLE] != neutral:
            raise HasPartError(f"{name}() over it")
        # Of another dimension than that of the padding it is as before.
        return (
            one if axes is not None and neutral == 0 else PLAIN if axes is None else _refuse(name)
        )
    over = range(len(one.dims)) if axes is None else [one.axis(each) for each in axes]
    padded = [axis for axis in one.fills if axis in over]
    if any(one.fills[axis] != neutral for axis in padded) or (padded and neutral is None):
        raise HasPartError(f"{name}() over it")
    if len(padded) > 1:
        raise HasPartError(f"{name}() over several dimensions of it")
    fills: dict[int, Fill] = {}
    for axis, fill in one.fills.items():
        if axis in over:
            continue
        at = axis if kept else axis - sum(each < axis for each in over)
        keeps = not padded and (fill == 0 if name == "sum" else is_number(fill) and name == "mean")
        fills[at] = fill if keeps else Known.ANY
    return Tensor(dims, fills)


def _refuse(name: str) -> Tensor:
    raise HasPartError(f"{name}() over it")
