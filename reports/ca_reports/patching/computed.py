"""Compares what two runs of a program computed: losses, gradients, weights and buffers."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, NamedTuple

from ca_engine.lazy_classes import dataclass
from ca_reports.patching.trial import TOLERANCE, relative_difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.run.model import TensorSum, Trial

Quantity = Literal["losses", "gradients", "weights", "buffers"]
# Relative; a gradient is a difference, in which the noise of a loss weighs more.
_OF_GRADIENTS = 0.01
# Relative; what a step makes of equal gradients with a learning rate in another precision.
_OF_STEPS = 1e-6


@dataclass(frozen=True, slots=True)
class ComputedComparison:
    """What two runs computed in the first ``backwards`` backwards of each process.

    ``first`` is the first backward, from 0, at which any number differs, None without one;
    ``beyond`` the first at which ``what`` differs by more than float noise. ``gradients`` and
    ``weights`` say whether such were compared.
    """

    backwards: int
    first: int | None = None
    beyond: int | None = None
    what: Quantity = "losses"
    gradients: bool = False
    weights: bool = False


class _Difference(NamedTuple):
    step: int
    what: Quantity
    distance: float
    tolerance: float

    @property
    def is_beyond(self) -> bool:
        return self.distance > self.tolerance


def compare_computed(before: Sequence[Trial], after: Sequence[Trial]) -> ComputedComparison:
    """Compare the processes of two runs one by one, those of the lowest ranks first."""
    pairs = list(zip(before, after, strict=False))
    found = [difference for pair in pairs for difference in _differences(*pair)]
    beyond = min((one for one in found if one.is_beyond), default=None, key=lambda one: one.step)
    return ComputedComparison(
        backwards=sum(min(len(old.losses), len(new.losses)) for old, new in pairs),
        first=min((one.step for one in found), default=None),
        beyond=None if beyond is None else beyond.step,
        what="losses" if beyond is None else beyond.what,
        gradients=any(old.gradients and new.gradients for old, new in pairs),
        weights=any(_any_tensor(old.weights) and _any_tensor(new.weights) for old, new in pairs),
    )


def _any_tensor(sums: Sequence[TensorSum]) -> bool:
    return any(one.tensors for one in sums)


def _differences(before: Trial, after: Trial) -> list[_Difference]:
    found = [
        _Difference(step, "losses", relative_difference(old, new), TOLERANCE)
        for step, (old, new) in enumerate(zip(before.losses, after.losses, strict=False))
        if old != new
    ]
    # A part of the leaves that gets no gradient any more changes the sum. One that gets a
    # gradient besides trains only if something steps it, which the weights say.
    found += [
        _Difference(step, "gradients", distance, _OF_GRADIENTS)
        for step, distance in _apart(before.gradients, after.gradients, may_grow=True)
    ]
    # Equal gradients are stepped with less noise than a training makes that has some.
    noisy = min((one.step for one in found), default=len(before.losses))
    sums: tuple[tuple[Quantity, Sequence[TensorSum], Sequence[TensorSum]], ...] = (
        ("weights", before.weights, after.weights),
        ("buffers", before.buffers, after.buffers),
    )
    for what, old, new in sums:
        found += [
            _Difference(step, what, distance, _OF_STEPS if step <= noisy else TOLERANCE)
            for step, distance in _apart(old, new, may_grow=False)
        ]
    return found


def _apart(
    before: Sequence[TensorSum], after: Sequence[TensorSum], *, may_grow: bool
) -> Iterator[tuple[int, float]]:
    """Yield each step at which the bits differ, and by how much: of as many tensors, or fewer."""
    for step, (old, new) in enumerate(zip(before, after, strict=False)):
        is_comparable = old.tensors == new.tensors or (may_grow and old.tensors > new.tensors)
        if is_comparable and (old.bits, old.magnitude) != (new.bits, new.magnitude):
            yield step, relative_difference(old.magnitude, new.magnitude)


@dataclass(frozen=True, slots=True)
class Asking:
    """Tensors that have ``requires_grad`` in one of two runs only.

    ``number`` are more (with a patch), or fewer, ``step`` is the backward; ``names`` are theirs as
    far as known.
    """

    number: int
    step: int
    names: tuple[str, ...]


def compare_asking(before: Sequence[Trial], after: Sequence[Trial]) -> Asking | None:
    """Return what asks for gradients in one of the runs only, of weights; None: nothing does.

    A loss and a weight may be equal: an averaged copy that gets gradients is not trained by them,
    until something steps it.
    """
    for old, new in zip(before, after, strict=False):
        pairs = zip(old.asking, new.asking, old.weights, new.weights, strict=False)
        for step, (left, right, had, has) in enumerate(pairs):
            if left != right and had.tensors == has.tensors:
                return Asking(right - left, step, _names(old, new, more=right > left))
    return None


def _names(before: Trial, after: Trial, *, more: bool) -> tuple[str, ...]:
    if len(before.asking) != len(after.asking):
        return ()
    old, new = Counter(before.asking_names), Counter(after.asking_names)
    return tuple((new - old if more else old - new).elements())


@dataclass(frozen=True, slots=True)
class ResultsComparison:
    """What compiled calls gave in two runs of a program that ran no backward.

    ``calls`` were compared of ``total``: those whose last graph gave as many tensors in both.
    ``first`` is the first of them, from 0, that differs at all, ``beyond`` by more than float
    noise; None without one.
    """

    calls: int = 0
    total: int = 0
    first: int | None = None
    beyond: int | None = None


def compare_results(before: Sequence[Trial], after: Sequence[Trial]) -> ResultsComparison:
    """Compare what the calls of two runs gave, in their order, process by process."""
    calls = number = 0
    first = beyond = None
    for old, new in zip(before, after, strict=False):
        number += len(old.results)
        for at, (left, right) in enumerate(zip(old.results, new.results, strict=False)):
            if not left.tensors or left.tensors != right.tensors:
                continue
            calls += 1
            if (left.bits, left.magnitude) != (right.bits, right.magnitude):
                first = at if first is None else min(first, at)
                if relative_difference(left.magnitude, right.magnitude) > TOLERANCE:
                    beyond = at if beyond is None else min(beyond, at)
    return ResultsComparison(calls, number, first, beyond)
