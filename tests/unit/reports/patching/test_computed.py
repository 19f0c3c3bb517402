"""Losses, gradients and weights of two runs, and what asks for gradients."""

from __future__ import annotations

import pytest

from ca_reports.patching.computed import compare_asking, compare_computed, compare_results
from tests.unit.reports.patching.proofs import sums, trial


def test_every_process_is_compared() -> None:
    first, second = trial(4.0, 3.0), trial(5.0, 2.0)
    found = compare_computed((first, second), (first, trial(5.0, 2.5)))
    assert (found.backwards, found.first, found.beyond, found.what) == (4, 1, 1, "losses")


@pytest.mark.parametrize(
    ("gradients", "first", "beyond"),
    [
        (sums(1.0, 2.0), None, None),
        (sums(1.0, 2.001), 1, None),
        (sums(1.0, 2.5), 1, 1),
        # More leaves that get one are trained only if something steps them.
        (sums(1.0, 2.5, tensors=3), None, None),
        (sums(1.0, 1.0, tensors=1), 1, 1),
    ],
)
def test_gradients(gradients: tuple[object, ...], first: int | None, beyond: int | None) -> None:
    before = trial(4.0, 3.0, gradients=sums(1.0, 2.0))
    found = compare_computed((before,), (trial(4.0, 3.0, gradients=gradients),))
    assert (found.first, found.beyond) == (first, beyond)
    assert found.gradients


def test_equal_gradients_are_stepped_alike_up_to_the_precision_of_the_learning_rate() -> None:
    before = trial(4.0, 3.0, weights=sums(10.0, 11.0))
    near = trial(4.0, 3.0, weights=sums(10.0, 11.000001))
    assert compare_computed((before,), (near,)).beyond is None
    far = trial(4.0, 3.0, weights=sums(10.0, 11.0005))
    assert compare_computed((before,), (far,)).what == "weights"
    # A training with noise steps with noise.
    noisy = trial(4.0001, 3.0, weights=sums(10.0, 11.0005))
    assert compare_computed((before,), (noisy,)).beyond is None


def test_a_buffer_that_a_patch_adds_is_not_compared() -> None:
    before = trial(4.0, buffers=sums(1.0, tensors=1))
    assert compare_computed((before,), (trial(4.0, buffers=sums(9.0)),)).first is None


def test_what_asks_for_gradients_is_compared_at_each_backward() -> None:
    weights = sums(1.0, 2.0)
    before = trial(4.0, 3.0, weights=weights, asking=(1, 1), asking_names=("a", "b"))
    assert compare_asking((before,), (before,)) is None
    after = trial(4.0, 3.0, weights=weights, asking=(1, 3), asking_names=("a", "b", "c", "c"))
    more = compare_asking((before,), (after,))
    assert more is not None
    assert (more.number, more.step, more.names) == (2, 1, ("c", "c"))
    fewer = compare_asking((after,), (before,))
    assert fewer is not None
    assert (fewer.number, fewer.names) == (-2, ("c", "c"))
    longer = trial(4.0, 3.0, 2.0, weights=sums(1.0, 2.0, 3.0), asking=(1, 2, 2))
    one = compare_asking((before,), (longer,))
    assert one is not None
    assert one.names == ()  # the names are those of another step


def test_results_of_calls_are_compared_where_as_many_tensors_came() -> None:
    old = trial(results=(*sums(1.0, 2.0), *sums(0.0, tensors=0), *sums(4.0)))
    new = trial(results=(*sums(1.0), *sums(2.0, tensors=3), *sums(5.0), *sums(4.1)))
    found = compare_results((old,), (new,))
    # Of another number of tensors, and where no graph ran, nothing can be said.
    assert (found.calls, found.total, found.first, found.beyond) == (2, 4, 3, 3)
