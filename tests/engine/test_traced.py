"""The two halves of the backward of an in-place write to a view."""

from __future__ import annotations

import torch

from ca_engine.traced import copy_slices_epilogue, copy_slices_prologue


def test_the_window_is_that_of_the_view_in_a_copy_of_the_gradient() -> None:
    grad = torch.arange(12.0).view(3, 4)
    base, window, copy = copy_slices_prologue([grad], (3, 4), (4, 1), 0, (3,), (4,), 1)
    assert torch.equal(window, grad[:, 1])
    assert torch.equal(copy, window)
    assert copy.is_contiguous()
    window.fill_(0)
    assert torch.equal(base[:, 1], torch.zeros(3))
    assert torch.equal(grad[:, 1], torch.tensor([1.0, 5.0, 9.0]))


def test_a_base_with_an_offset_of_its_own() -> None:
    base, window, _ = copy_slices_prologue([torch.arange(4.0)], (4,), (1,), 10, (2,), (1,), 12)
    assert window.tolist() == [2.0, 3.0]
    assert base.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_the_gradient_of_the_view_is_written_into_its_window() -> None:
    base = torch.zeros(4)
    window, other = base[1:3], torch.ones(5)
    grads = copy_slices_epilogue([True, True, False], base, [torch.ones(2), other, other], window)
    assert grads[0] is base
    assert base.tolist() == [0.0, 1.0, 1.0, 0.0]
    assert grads[1] is other
    assert grads[2] is None


def test_a_view_without_a_gradient_writes_nothing() -> None:
    base = torch.zeros(4)
    assert copy_slices_epilogue([True], base, [None], base[1:3]) == [None]
    assert not base.any()
